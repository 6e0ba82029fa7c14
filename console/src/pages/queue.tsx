// One queue: its figures, always fresh, above the tabs of what can be looked at. Tabs are pages of their own (pages/queue/).

import { useEffect, useState } from 'preact/hooks';
import { onLive, watch } from '../api/live.ts';
import { keywords, object } from '../api/mqsc.ts';
import { request } from '../api/request.ts';
import { may } from '../api/session.ts';
import { propose } from '../change/change.ts';
import { age, bytes, clock, count, moment, rate } from '../format.ts';
import { objects } from '../grid/source.ts';
import { type PageProps, QUEUE_TABS, type QueueTab, type QueueTabProps } from '../pages.ts';
import { type Asked, useAsked } from '../parts/asked.ts';
import { Button } from '../parts/button.tsx';
import { Figure } from '../parts/figures.tsx';
import { Icon } from '../parts/icon.tsx';
import { Lazy } from '../parts/lazy.tsx';
import { type Action, Menu } from '../parts/menu.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { go, route } from '../router.ts';
import { addressOfQueue, link } from '../routes.ts';
import { t } from '../text.ts';
import { Fill } from './queue/columns.tsx';
import { qualifier } from './queue/qualifier.ts';
import { openPut } from './messages/open-put.ts';
import type { QueueRow } from './queue/row.ts';

const COLUMNS = [
  'name', 'type', 'description', 'depth', 'max', 'full', 'bytes', 'uncommitted', 'readers', 'writers', 'waiting', 'in', 'out', 'oldest', 'lastPut', 'lastGet',
  'putEnabled', 'getEnabled', 'usage', 'target', 'disposition', 'structure',
];

export default function QueuePage({ parameters: { qmgr = '', queue = '' } }: PageProps) {
  const { row, asked } = useQueue(qmgr, queue);
  const page = route.value?.page ?? 'queue';
  const tabs = QUEUE_TABS.filter(({ isFor }) => !row || !isFor || isFor(row));
  const open = tabs.find((tab) => tab.page === page);
  return (
    <div class="object-page">
      <header class="page-head">
        <p class="crumbs"><a href={link.queues({ qmgr })}>{t('pages.queues')}</a></p>
        <div class="page-title">
          <h1 class="object">{queue}</h1>
          {row && <span class="tag">{t('queue.type', { type: row.type })}</span>}
          {row?.disposition === 'shared' && row.structure && <Placed qmgr={qmgr} structure={row.structure} />}
          {row?.disposition === 'copy' && <span class="tag" title={t('queues.dispositionHelp')}>copy</span>}
          {row?.putEnabled === false && <span class="tag is-warning">{t('queues.putOff')}</span>}
          {row?.getEnabled === false && <span class="tag is-warning">{t('queues.getOff')}</span>}
          {row && (
            <div class="head-actions">
              {may.value.messages && row.type !== 'model' && <Button icon="add" onClick={() => void openPut(qmgr, queue).then((isDone) => isDone && asked.again())}>{t('queue.put')}</Button>}
              <Actions qmgr={qmgr} row={row} again={asked.again} />
            </div>
          )}
        </div>
        {row?.description && <p class="quiet">{row.description}</p>}
      </header>
      {row && <Figures row={row} />}
      {asked.answer !== null && <Tabs label={queue} tabs={tabs.map((tab) => ({ name: t(tab.title), href: addressOfQueue(tab.page, qmgr, queue), isOpen: tab === open }))} />}
      <div class="tab">
        {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
        {asked.answer === null && <Empty title={t('queue.gone', { queue })} action={<a class="button secondary" href={link.queues({ qmgr })}>{t('pages.queues')}</a>} />}
        {!row && asked.isLoading && <Loading />}
        {row && open && <OpenTab key={page} tab={open} props={{ qmgr, row, changed: asked.again }} />}
        {row && !open && <Empty title={t('queue.noTab', { type: row.type })} />}
      </div>
    </div>
  );
}

/** Of a shared queue: its structure, and the way to the group. */
function Placed({ qmgr, structure }: { qmgr: string; structure: string }) {
  const text = t('queue.placed', { structure });
  return may.value.administer ? <a class="tag" href={link.group({ qmgr })} title={t('queues.dispositionHelp')}>{text}</a> : <span class="tag" title={t('queues.dispositionHelp')}>{text}</span>;
}

function OpenTab({ tab: { view: View, load }, props }: { tab: QueueTab; props: QueueTabProps }) {
  return View ? <View {...props} /> : <Lazy load={load} props={props} />;
}

/** A queue of the list resource; its row changes as events come. `answer` null: there is no such queue for this user. */
export function useQueue(qmgr: string, queue: string): { row: QueueRow | undefined; asked: Asked<QueueRow | null> } {
  const asked = useAsked(`${qmgr} ${queue}`, async (signal) => {
    const answer = await request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { where: [`name=${queue}`], columns: COLUMNS.join(','), limit: 1 }, signal });
    return objects<QueueRow>(answer)[0] ?? null;
  });
  const [live, setLive] = useState<{ of: QueueRow | null | undefined; members: Partial<QueueRow> }>({ of: undefined, members: {} });
  useEffect(() => {
    const watching = watch({ queues: { qmgr, names: [queue] } });
    const end = onLive('row', ({ view, qmgr: at, key, gone, ...members }) => {
      if (view !== 'queues' || at !== qmgr || key !== queue || gone) return;
      setLive((before) => ({ of: before.of, members: { ...before.members, ...(members as Partial<QueueRow>) } }));
    });
    return () => {
      watching.end();
      end();
    };
  }, [qmgr, queue]);
  // An answer is newer than the events before it.
  useEffect(() => setLive({ of: asked.answer, members: {} }), [asked.answer]);
  const row = asked.answer ? withShare({ ...asked.answer, ...(live.of === asked.answer ? live.members : {}) }) : undefined;
  return { row, asked };
}

/** Events have the depth; the share of the maximum follows from it. */
function withShare(row: QueueRow): QueueRow {
  return row.depth === null || !row.max ? row : { ...row, full: (row.depth / row.max) * 100 };
}

function Figures({ row }: { row: QueueRow }) {
  if (row.depth === null) return row.target ? <dl class="figures"><Figure name={t('column.target')}>{row.target}</Figure></dl> : null;
  return (
    <dl class="figures">
      <Figure name={t('column.depth')} note={<Fill full={row.full} depth={row.depth} max={row.max} />}>{count(row.depth)}</Figure>
      <Figure name={t('queue.oldest')} note={row.oldest === null ? undefined : moment(row.oldest)}>{row.oldest === null ? '–' : age(row.oldest)}</Figure>
      <Figure name={t('column.in')} note={row.lastPut === null ? t('queue.noPut') : t('queue.lastPut', { time: clock(row.lastPut) })}>{rate(row.in)}<small>/s</small></Figure>
      <Figure name={t('column.out')} note={row.lastGet === null ? t('queue.noGet') : t('queue.lastGet', { time: clock(row.lastGet) })}>{rate(row.out)}<small>/s</small></Figure>
      <Figure name={t('column.readers')} note={row.waiting ? t('queue.waiting', { count: row.waiting }) : undefined} warns={row.readers === 0 && row.depth > 0}>{count(row.readers)}</Figure>
      <Figure name={t('column.writers')}>{count(row.writers)}</Figure>
      <Figure name={t('column.uncommitted')}>{count(row.uncommitted)}</Figure>
      <Figure name={t('column.bytes')}>{bytes(row.bytes)}</Figure>
    </dl>
  );
}

function Actions({ qmgr, row: { name, type, putEnabled, getEnabled, depth }, again }: { qmgr: string; row: QueueRow; again(): void }) {
  if (!may.value.change) return null;
  async function alter(keyword: 'PUT' | 'GET', isOn: boolean): Promise<void> {
    const isDone = await propose({
      title: t('queue.change', { queue: name }), qmgr, children: <p>{t(`queues.${keyword}${isOn ? 'ENABLED' : 'DISABLED'}`, { count: 1 })}</p>,
      steps: [{ mqsc: `ALTER ${object(qualifier(type), name)} ${keywords({ [keyword]: isOn ? 'ENABLED' : 'DISABLED' })}` }],
      done: t('queue.changed', { queue: name }),
    });
    if (isDone) again();
  }
  async function remove(): Promise<void> {
    const held = depth ?? 0;
    const isDone = await propose({
      title: t('queue.deleteNamed', { queue: name }), qmgr, danger: true, apply: t('queue.delete'), typed: held > 0 ? name : undefined,
      children: <p>{held > 0 ? t('queue.deleteWith', { count: held }) : t('queue.deleteEmpty')}</p>,
      steps: [{ mqsc: `DELETE ${object(qualifier(type), name)}${held > 0 ? ' PURGE' : ''}` }],
      done: t('queue.deleted', { queue: name }),
    });
    if (isDone) go(link.queues({ qmgr }));
  }
  const actions: Action[] = [{ name: t('queue.delete'), icon: 'remove', danger: true, run: () => void remove() }];
  return (
    <div class="actions">
      {putEnabled !== null && <Button onClick={() => void alter('PUT', !putEnabled)}>{putEnabled ? t('queues.inhibitPut') : t('queues.allowPut')}</Button>}
      {getEnabled !== null && <Button onClick={() => void alter('GET', !getEnabled)}>{getEnabled ? t('queues.inhibitGet') : t('queues.allowGet')}</Button>}
      <Menu class="icon-button" label={t('queue.actions')} button={<Icon name="more" />} actions={actions} edge="end" />
    </div>
  );
}
