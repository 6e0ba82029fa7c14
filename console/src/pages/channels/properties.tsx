// The attributes of a channel. What most channels need can be changed in place.

import { signal } from '@preact/signals';
import { type Attributes, display, keywords, object } from '../../api/mqsc.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { useAsked } from '../../parts/asked.ts';
import { IconButton } from '../../parts/button.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { t } from '../../text.ts';
import { type Kind, valueText } from '../queue/attributes.ts';
import { Editor, labelOf } from '../queue/editor.tsx';
import { type ChannelRow, chltype } from './channels.ts';

const LONG = 999_999_999;

/** What can be changed here. The rest is for MQSC. */
const CHANGED: Readonly<Record<string, Kind>> = {
  descr: { kind: 'text', length: 64 }, mcauser: { kind: 'text', length: 64 }, maxinst: { kind: 'number', min: 0, max: LONG }, maxinstc: { kind: 'number', min: 0, max: LONG },
  maxmsgl: { kind: 'number', min: 0, max: 104_857_600 }, sharecnv: { kind: 'number', min: 0, max: LONG }, hbint: { kind: 'number', min: 0, max: 999_999 }, discint: { kind: 'number', min: 0, max: 999_999 },
  sslciph: { kind: 'text', length: 32 }, sslcauth: { kind: 'choice', values: ['REQUIRED', 'OPTIONAL'] }, sslpeer: { kind: 'text', length: 1024 }, certlabl: { kind: 'text', length: 64 },
  conname: { kind: 'text', length: 264 }, xmitq: { kind: 'name', length: 48 }, monchl: { kind: 'choice', values: ['QMGR', 'OFF', 'LOW', 'MEDIUM', 'HIGH'] },
};

export function ChannelProperties({ qmgr, row, changed }: { qmgr: string; row: ChannelRow; changed(): void }) {
  const asked = useAsked(`${qmgr} ${row.name}`, async (abort) => (await display(qmgr, 'channel', row.name, ['all'], abort))[0] ?? {});
  if (asked.error !== undefined && !asked.answer) return <Failed error={asked.error} again={asked.again} />;
  const stored = asked.answer;
  if (!stored) return <Loading />;
  async function change(keyword: string, kind: Kind, before: Attributes): Promise<void> {
    const value = signal(String(before[keyword] ?? ''));
    const isDone = await propose({
      title: t('channels.change', { name: row.name }), qmgr, done: t('channels.changed', { name: row.name }),
      children: <div class="fields"><Editor keyword={keyword} kind={kind} stored={before[keyword]} value={value} /></div>,
      isReady: () => value.value !== String(before[keyword] ?? ''),
      steps: () => [{ mqsc: `ALTER ${object('CHANNEL', row.name)} CHLTYPE(${chltype(row.type)}) ${keywords({ [keyword]: kind.kind === 'text' || kind.kind === 'name' ? { text: value.value } : value.value })}` }],
    });
    if (!isDone) return;
    asked.again();
    changed();
  }
  const known = Object.keys(CHANGED).filter((keyword) => keyword in stored);
  const others = Object.keys(stored).filter((keyword) => !(keyword in CHANGED) && !['channel', 'chltype'].includes(keyword));
  return (
    <dl class="facts">
      {[...known, ...others].map((keyword) => {
        const kind = CHANGED[keyword];
        const value = stored[keyword];
        return (
          <div key={keyword}>
            <dt>{labelOf(keyword)}</dt>
            <dd>
              {valueText(keyword, Array.isArray(value) ? value.join(', ') : value)}
              {kind && may.value.change && <IconButton icon="edit" label={t('channels.changeOf', { what: labelOf(keyword) })} onClick={() => void change(keyword, kind, stored)} />}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
