// Queues: where messages are. The list of the server, worst first, with values that stay fresh.

import { useMemo } from 'preact/hooks';
import { problemIn } from '../api/request.ts';
import { groupOf, may } from '../api/session.ts';
import { propose } from '../change/change.ts';
import { keywords, object } from '../api/mqsc.ts';
import { listSource } from '../grid/source.ts';
import { List } from '../grid/list.tsx';
import type { ListRows } from '../grid/rows.ts';
import type { Selection } from '../grid/selection.ts';
import type { PageProps } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { withTexts } from '../parts/lazy.tsx';
import { toast } from '../parts/toasts.tsx';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { queueColumns } from './queue/columns.tsx';
import { qualifier } from './queue/qualifier.ts';
import { QUEUE_FILTERS, type QueueRow } from './queue/row.ts';

const SHOWN = ['name', 'depth', 'full', 'in', 'out', 'oldest', 'readers', 'writers', 'uncommitted', 'lastPut', 'lastGet'];
const SHOWN_IN_GROUP = ['name', 'structure', ...SHOWN.slice(1)];
/** Most commands that one change of ticked queues may have. */
const MOST_AT_ONCE = 200;

export function QueuesPage({ parameters: { qmgr = '' } }: PageProps) {
  const isInGroup = groupOf(qmgr) !== null;
  const columns = useMemo(() => queueColumns(qmgr, isInGroup), [qmgr, isInGroup]);
  const mayChange = may.value.change;
  return (
    <div class="list-page">
      <header class="page-head">
        <h1>{t('pages.queues')}</h1>
      </header>
      <List<QueueRow>
        name="queues" label={t('pages.queues')} sourceKey={qmgr} source={(columns) => listSource('queues', qmgr, columns)} keyOf={({ name }) => name}
        columns={columns} shown={isInGroup ? SHOWN_IN_GROUP : SHOWN} always={['name', 'type']} sort={['-full']} where={['system=false', 'dynamic=false|depth>0']} filters={QUEUE_FILTERS}
        quick={[
          { name: t('queues.noSystem'), where: 'system=false' },
          { name: t('queues.noEmptyDynamic'), where: 'dynamic=false|depth>0' },
          { name: t('queues.withMessages'), where: 'depth>0' },
          { name: t('queues.nearlyFull'), where: 'full>80' },
          { name: t('queues.withoutReader'), where: 'readers=0' },
          { name: t('queues.withUncommitted'), where: 'uncommitted>0' },
          { name: t('queues.local'), where: 'type=local' },
          ...(isInGroup ? [{ name: t('queues.sharedQueues'), where: 'disposition=shared' }, { name: t('queues.privateQueues'), where: 'disposition=qmgr|disposition=copy' }] : []),
        ]}
        href={({ name }) => link.queue({ qmgr, queue: name })} live={{ qmgr }}
        {...(mayChange ? { actions: (selection: Selection<QueueRow>, rows: ListRows<QueueRow>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} /> } : {})}
        toolbar={mayChange && <Button kind="primary" icon="add" onClick={() => void create(qmgr)}>{t('queues.create')}</Button>}
      />
    </div>
  );
}

async function create(qmgr: string): Promise<void> {
  try {
    const { createQueue } = await withTexts(() => import('./queue/create.tsx'));
    await createQueue(qmgr);
  } catch (error) {
    toast('error', problemIn(error).detail);
  }
}

/** What can be done with the ticked queues: switch puts or gets. */
function Ticked({ qmgr, selection, rows }: { qmgr: string; selection: Selection<QueueRow>; rows: ListRows<QueueRow> }) {
  async function change(keyword: 'PUT' | 'GET', value: 'ENABLED' | 'DISABLED'): Promise<void> {
    const chosen = await tickedRows(selection, rows);
    const fitting = chosen.filter(({ type }) => type !== 'remote' || keyword === 'PUT');
    if (chosen.length === 0 || chosen.length > MOST_AT_ONCE) {
      toast('error', t('queues.tooMany', { most: MOST_AT_ONCE }));
      return;
    }
    const isDone = await propose({
      title: t('queues.changeTicked', { count: fitting.length }), qmgr,
      children: <p>{t(`queues.${keyword}${value}`, { count: fitting.length })}</p>,
      steps: fitting.map(({ name, type }) => ({ mqsc: `ALTER ${object(qualifier(type), name)} ${keywords({ [keyword]: value })}` })),
      done: t('queues.changedTicked', { count: fitting.length }),
    });
    if (isDone) {
      selection.clear();
      await rows.refresh();
    }
  }
  return (
    <>
      <Button kind="plain" onClick={() => void change('PUT', 'DISABLED')}>{t('queues.inhibitPut')}</Button>
      <Button kind="plain" onClick={() => void change('PUT', 'ENABLED')}>{t('queues.allowPut')}</Button>
      <Button kind="plain" onClick={() => void change('GET', 'DISABLED')}>{t('queues.inhibitGet')}</Button>
      <Button kind="plain" onClick={() => void change('GET', 'ENABLED')}>{t('queues.allowGet')}</Button>
    </>
  );
}

/** The ticked rows; of "all that match", as many as may be changed at once and one more. */
async function tickedRows(selection: Selection<QueueRow>, rows: ListRows<QueueRow>): Promise<QueueRow[]> {
  const chosen = selection.chosen();
  if (chosen.rows) return chosen.rows;
  const all = await rows.range(0, Math.min(rows.total.peek() ?? 0, MOST_AT_ONCE + chosen.exceptions.length + 1) - 1);
  return all.filter((row) => selection.has(row));
}
