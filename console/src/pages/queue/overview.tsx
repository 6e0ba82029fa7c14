// The first tab of a queue: what is worth knowing at once. Problems of the queue, and its most asked-for settings.

import { request } from '../../api/request.ts';
import { display } from '../../api/mqsc.ts';
import { History } from '../../charts/load.tsx';
import { depthOf, ratesOf } from '../../charts/wishes.ts';
import type { QueueTabProps } from '../../pages.ts';
import { may } from '../../api/session.ts';
import { useAsked } from '../../parts/asked.ts';
import { IconButton } from '../../parts/button.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { Problems } from '../now/problems.tsx';
import { valueText } from './attributes.ts';
import { changeAttribute, kindOf, labelOf } from './editor.tsx';

const SETTINGS = ['maxdepth', 'maxmsgl', 'defpsist', 'msgdlvsq', 'bothresh', 'boqname', 'trigger', 'initq', 'qdepthhi', 'usage', 'target', 'rname', 'rqmname', 'xmitq', 'crdate', 'altdate'];

export default function QueueOverview({ qmgr, row, changed }: QueueTabProps) {
  const troubles = useAsked(`${qmgr} ${row.name}`, async (signal) => {
    const { problems } = await request('GET /api/v1/qmgr/{qmgr}/problems', { path: { qmgr }, signal });
    return problems.filter(({ object }) => object.type === 'queue' && object.name === row.name);
  });
  const settings = useAsked(`${qmgr} ${row.name}`, async (signal) => (await display(qmgr, 'queue', row.name, ['all'], signal))[0] ?? {});
  async function change(keyword: string): Promise<void> {
    if (!(await changeAttribute(qmgr, row, keyword, settings.answer ?? {}))) return;
    settings.again();
    changed();
  }
  return (
    <div class="overview">
      {troubles.answer && troubles.answer.length > 0 && (
        <section aria-labelledby="queue-problems">
          <h2 id="queue-problems">{t('queue.problems')}</h2>
          <Problems qmgr={qmgr} problems={troubles.answer} changed={troubles.again} />
        </section>
      )}
      {row.type === 'local' && (
        <section aria-labelledby="queue-history">
          <h2 id="queue-history">{t('chart.lastHour')} <a class="aside" href={link.queueHistory({ qmgr, queue: row.name })}>{t('chart.more')}</a></h2>
          <History qmgr={qmgr} charts={[depthOf(row.name), ratesOf(row.name)]} span={3600} height={110} isSmall everyMs={30_000} />
        </section>
      )}
      <section aria-labelledby="queue-settings">
        <h2 id="queue-settings">{t('queue.settings')}</h2>
        {settings.error !== undefined && <Failed error={settings.error} again={settings.again} />}
        {!settings.answer && settings.isLoading && <Loading />}
        {settings.answer && (
          <dl class="facts">
            {SETTINGS.filter((keyword) => settings.answer && keyword in settings.answer).map((keyword) => (
              <div key={keyword}>
                <dt>{labelOf(keyword)}</dt>
                <dd>
                  {valueText(keyword, settings.answer?.[keyword])}
                  {may.value.change && kindOf(keyword).kind !== 'fixed' && <IconButton icon="edit" label={t('queue.changeOne', { property: labelOf(keyword) })} onClick={() => void change(keyword)} />}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </section>
    </div>
  );
}
