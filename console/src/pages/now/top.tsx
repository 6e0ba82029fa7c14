// Short lists of queues on the page Now: the fullest, those with the oldest message, the busiest.

import { request } from '../../api/request.ts';
import { age, count, moment, rate } from '../../format.ts';
import { objects } from '../../grid/source.ts';
import { useAsked } from '../../parts/asked.ts';
import { Failed } from '../../parts/states.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { Fill } from '../queue/columns.tsx';
import type { QueueRow } from '../queue/row.ts';

const ROWS = 5;

type By = 'full' | 'oldest' | 'in';
const WHERE: Record<By, { where: string[]; sort: string }> = {
  full: { where: ['depth>0'], sort: '-full' },
  oldest: { where: ['depth>0', 'system=false'], sort: 'oldest' },
  in: { where: ['in>0'], sort: '-in' },
};

export function TopQueues({ qmgr, by }: { qmgr: string; by: By }) {
  const asked = useAsked(`${qmgr} ${by}`, async (signal) => {
    const { where, sort } = WHERE[by];
    const answer = await request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { where, sort, columns: 'name,depth,max,full,oldest,in,out', limit: ROWS }, signal });
    return objects<QueueRow>(answer);
  });
  const rows = asked.answer;
  return (
    <section class="top" aria-labelledby={`top-${by}`}>
      <h2 id={`top-${by}`}><a href={link.queues({ qmgr }, { sort: WHERE[by].sort, where: WHERE[by].where })}>{t(`now.${by}`)}</a></h2>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {rows?.length === 0 && <p class="quiet">{t(`now.${by}None`)}</p>}
      <table class="plain-table">
        <tbody>
          {rows?.map((row) => (
            <tr key={row.name}>
              <th scope="row"><a class="object" href={link.queue({ qmgr, queue: row.name })} title={row.name}>{row.name}</a></th>
              <td class="is-end">{by === 'in' ? t('now.rates', { in: rate(row.in), out: rate(row.out) })  : <a class="depth" href={link.queueMessages({ qmgr, queue: row.name })} title={t('queue.seeMessages')}>{count(row.depth)}</a>}</td>
              {by !== 'in' && <td class="is-end">{by === 'full' ? <Fill full={row.full} depth={row.depth} max={row.max} /> : <time title={moment(row.oldest)}>{age(row.oldest)}</time>}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
