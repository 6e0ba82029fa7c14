// The headers before the data, as a chain: each with its fields, and where it leads.

import { request } from '../../../api/request.ts';
import { useAsked } from '../../../parts/asked.ts';
import { Empty } from '../../../parts/states.tsx';
import { moment, NONE } from '../../../format.ts';
import { t } from '../../../text.ts';
import type { Header, SeenMessage } from '../seen.ts';
import { visible } from '../visible.ts';
import { applicationType, characterSet, encodingWords, reasonName } from '../words.ts';

export function Headers({ headers }: { headers: readonly Header[] }) {
  if (headers.length === 0) return <Empty title={t('message.noHeaders')} />;
  return (
    <ol class="chain">
      {headers.map(({ structure, ...fields }, index) => (
        <li key={index}>
          <h2>{structure} <span class="quiet">{NAMES[structure]}</span></h2>
          <dl class="details">{Object.entries(fields).map(([name, value]) => <Field key={name} name={name} value={value} />)}</dl>
        </li>
      ))}
      <li><h2>{t('message.data')}</h2></li>
    </ol>
  );
}

/** Names of the structures in the MQ reference. */
const NAMES: Record<string, string> = {
  MQDLH: 'Dead-letter header', MQXQH: 'Transmission-queue header', MQMDE: 'Message descriptor extension', MQRFH2: 'Rules and formatting header 2', MQIIH: 'IMS information header', MQCIH: 'CICS bridge header',
};

function Field({ name, value }: { name: string; value: unknown }) {
  if (name === 'folders' || name === 'texts') return <><dt>{name}</dt><dd><pre class="mono">{visibleBlock(JSON.stringify(value, null, 2))}</pre></dd></>;
  return <><dt>{name}</dt><dd><bdi>{shown(name, value)}</bdi></dd></>;
}

function shown(name: string, value: unknown): string {
  if (typeof value === 'number') {
    if (name === 'reason' || name === 'feedback') return `${value} ${reasonName(value) ?? ''}`;
    if (name === 'ccsid') return `${value} ${characterSet(value)}`;
    if (name === 'encoding') return `${value} ${encodingWords(value)}`;
  }
  if (typeof value === 'string' && /At$/.test(name)) return moment(value);
  if (name === 'putApplication' && typeof value === 'object' && value !== null) {
    const { name: program = '', type } = value as { name?: string; type?: number };
    return `${visible(program)} ${type === undefined ? '' : applicationType(type)}`;
  }
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value)) || NONE;
}

function visibleBlock(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** Why a dead letter is where it is, and whether its destination would take it now. */
export function Why({ qmgr, queue, message }: { qmgr: string; queue: string; message: SeenMessage }) {
  const isDead = message.headers?.some(({ structure }) => structure === 'MQDLH') ?? false;
  const asked = useAsked(isDead ? `${qmgr} ${queue} ${message.position}` : undefined, (signal) =>
    request('GET /api/v1/qmgr/{qmgr}/why/dead-letter', { path: { qmgr }, query: { queue, position: message.position }, signal }),
  );
  const text = (asked.answer as { text?: string } | undefined)?.text;
  return text ? <p class="why"><strong>{t('message.why')}</strong> {visible(text)}</p> : null;
}
