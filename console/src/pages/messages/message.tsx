// One message: its data in the view that fits it best, and beside it what describes it.
//
// `?view=` names the view; `ccsid`, `copybook`, `offset` and `length` belong to it. Nothing is taken from the queue to look.

import { request } from '../../api/request.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import type { PageProps } from '../../pages.ts';
import { useAsked } from '../../parts/asked.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { copy } from '../../parts/copy.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { go, route } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { Refused } from '../../api/request.ts';
import { proposeJob } from './actions.tsx';
import { download } from './carry.tsx';
import { usualCcsid, type Where } from './body.ts';
import type { SeenMessage } from './seen.ts';
import { Descriptor, Properties } from './views/descriptor.tsx';
import { Headers, Why } from './views/headers.tsx';
import { openPut } from './open-put.ts';
import { neighbours } from './walk.ts';

const VIEWS = ['text', 'json', 'hex', 'record', 'headers'] as const;
type View = (typeof VIEWS)[number];

/** Data of these lengths and above open as bytes. */
const LONG = 64 * 1024 * 1024;

export default function MessagePage({ parameters: { qmgr = '', queue = '', message: position = '' } }: PageProps) {
  const asked = useAsked(`${qmgr} ${queue} ${position}`, async (signal) =>
    (await request('GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', { path: { qmgr, queue, position }, query: { body: 'none' }, signal })) as unknown as SeenMessage,
  );
  const copybooks = useAsked(`copybooks ${qmgr}`, async (signal) => (await request('GET /api/v1/copybooks', { query: { limit: 1000 }, signal })).copybooks);
  const { previous, next, search, at, of } = neighbours(qmgr, queue, position);
  const list = link.queueMessages({ qmgr, queue }) + search;
  const to = (target: string) => link.message({ qmgr, queue, message: target }, keptQuery());
  const message = asked.answer;
  const where: Where = { qmgr, queue, position };
  return (
    <div class="object-page message-page">
      <header class="page-head">
        <p class="crumbs"><a href={link.queues({ qmgr })}>{t('pages.queues')}</a> / <a href={link.queue({ qmgr, queue })}>{queue}</a> / <a href={list}>{t('queue.messages')}</a></p>
        <div class="page-title">
          <h1 class="object">{t('message.title', { position })}</h1>
          {message?.type && message.type !== 'datagram' && <span class="tag">{message.type}</span>}
          {(message?.backoutCount ?? 0) > 0 && <span class="tag is-warning">{t('message.backedOut', { count: message?.backoutCount ?? 0 })}</span>}
          <div class="head-actions">
            <nav class="pager" aria-label={t('message.neighbours')}>
              {at !== undefined && of !== undefined && <span class="quiet">{t('message.hit', { at: at + 1, of })}</span>}
              <Step icon="before" label={t('message.previous')} href={previous && to(previous)} />
              <Step icon="next" label={t('message.next')} href={next && to(next)} />
            </nav>
            {message && <Actions where={where} message={message} list={list} />}
          </div>
        </div>
      </header>
      {message && <Why qmgr={qmgr} queue={queue} message={message} />}
      {asked.error !== undefined && (isGone(asked.error)
        ? <Empty title={t('message.gone')} action={<a class="button secondary" href={list}>{t('queue.messages')}</a>}>{t('message.goneHint')}</Empty>
        : <Failed error={asked.error} again={asked.again} />)}
      {!message && asked.isLoading && <Loading />}
      {message && !asked.error && <Shown where={where} message={message} copybooks={copybooks.answer ?? []} isReady={copybooks.answer !== undefined || copybooks.error !== undefined} />}
    </div>
  );
}

function isGone(error: unknown): boolean {
  return error instanceof Refused && error.status === 404;
}

/** What stays when the next message is looked at. */
function keptQuery(): Record<string, string | undefined> {
  const query = route.value?.query;
  const of = (name: string) => query?.get(name) ?? undefined;
  return { view: of('view'), ccsid: of('ccsid'), copybook: of('copybook') };
}

function Step({ icon, label, href }: { icon: 'before' | 'next'; label: string; href: string | undefined }) {
  return href
    ? <a class="icon-button" href={href} aria-label={label} title={label}><Icon name={icon} /></a>
    : <button type="button" class="icon-button" disabled aria-label={label} title={label}><Icon name={icon} /></button>;
}

interface ShownProps {
  where: Where;
  message: SeenMessage;
  copybooks: readonly { name: string; from: 'service' | 'folder'; length?: number; problem?: string }[];
  isReady: boolean;
}

function Shown({ where, message, copybooks, isReady }: ShownProps) {
  const query = route.value?.query ?? new URLSearchParams();
  const own = usualCcsid(message.ccsid);
  const wanted = VIEWS.find((view) => view === query.get('view'));
  const fitting = copybooks.filter(({ length, problem }) => length === message.length && problem === undefined);
  const isBinary = !isText(message);
  if (!wanted && isBinary && !isReady) return <Loading />;
  const view = wanted ?? usualView(message, fitting.length);
  const copybook = query.get('copybook') ?? remembered(where.queue) ?? fitting[0]?.name;
  if (query.get('copybook')) chosen.set(where.queue, query.get('copybook') ?? '');
  const isLittle = ((message.encoding ?? 0) & 0xf) === 2;
  const offset = query.get('offset');
  const key = `${where.position} ${view}`;
  const names: Record<View, string> = {
    text: t('message.text'), json: t('message.json'), hex: t('message.hex'), record: t('message.record'),
    headers: message.headers?.length ? t('message.headersCount', { count: message.headers.length }) : t('messages.headers'),
  };
  return (
    <div class="message-columns">
      <section class="message-data" aria-label={t('message.data')}>
        <Tabs label={t('message.views')} tabs={VIEWS.map((one) => ({ name: names[one], href: link.message({ qmgr: where.qmgr, queue: where.queue, message: where.position }, { ...keptQuery(), view: one }), isOpen: one === view }))} />
        {view === 'text' && <Lazy key={key} load={loadText} props={{ where, length: message.length, own, ccsid: Number(query.get('ccsid')) || own }} />}
        {view === 'json' && <Lazy key={key} load={loadJson} props={{ where, length: message.length, ccsid: Number(query.get('ccsid')) || own }} />}
        {view === 'hex' && <Lazy key={`${key} ${offset}`} load={loadHex} props={{ where, length: message.length, isLittle, at: offset === null ? undefined : { offset: Number(offset), length: Number(query.get('length')) || 1 } }} />}
        {view === 'record' && <Lazy key={key} load={loadRecord} props={{ where, length: message.length, isLittle, copybooks: copybooks as never, name: copybook }} />}
        {view === 'headers' && <Headers headers={message.headers ?? []} />}
      </section>
      <aside class="message-side">
        <h2>{t('message.descriptor')}</h2>
        <Descriptor message={message} />
        <h2>{t('messages.properties')}</h2>
        <Properties properties={message.properties} />
      </aside>
    </div>
  );
}

const loadText = () => import('./views/text.tsx');
const loadJson = () => import('./views/json.tsx');
const loadHex = () => import('./views/hex.tsx');
const loadRecord = () => import('./views/record.tsx');

/** The copybook that was chosen last for messages of a queue. */
const chosen = new Map<string, string>();

function remembered(queue: string): string | undefined {
  return chosen.get(queue);
}

function isText({ format, contentType }: SeenMessage): boolean {
  return format === 'MQSTR' || /^text\/|json|xml/.test(contentType ?? '');
}

function usualView(message: SeenMessage, fitting: number): View {
  if (message.length >= LONG) return 'hex';
  if (/json/.test(message.contentType ?? '')) return 'json';
  if (isText(message)) return 'text';
  return fitting > 0 ? 'record' : 'hex';
}

function Actions({ where: { qmgr, queue, position }, message, list }: { where: Where; message: SeenMessage; list: string }) {
  const mayChange = may.value.messages;
  const isDead = message.headers?.some(({ structure }) => structure === 'MQDLH') ?? false;
  const choice = { query: {}, positions: [position], count: 1 };
  const after = (isDone: boolean) => isDone && go(list);
  const address = `/api/v1/qmgr/${encodeURIComponent(qmgr)}/queue/${encodeURIComponent(queue)}/messages/${position}`;
  async function remove(): Promise<void> {
    const isDone = await propose({
      title: t('message.deleteTitle', { position }), qmgr, danger: true, apply: t('message.delete'), done: t('message.deleted'),
      children: <p>{t('message.deleteText', { queue })}</p>,
      steps: [{ operation: 'DELETE /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', path: { qmgr, queue, position }, query: { body: 'none' } }],
    });
    after(isDone);
  }
  return (
    <>
      {mayChange && isDead && <Button kind="primary" onClick={() => void proposeJob(qmgr, queue, 'replay', choice).then(after)}>{t('messages.replay')}</Button>}
      {mayChange && <Button icon="edit" onClick={() => void openPut(qmgr, queue, position).then((isDone) => isDone && go(list))}>{t('message.edit')}</Button>}
      <Menu
        class="button secondary" button={<><span>{t('queue.actions')}</span><Icon name="open" /></>} edge="end"
        actions={[
          { name: t('message.downloadBody'), icon: 'download', run: () => download(`${address}/body`, `${queue}-${position}${extension(message)}`) },
          { name: t('message.downloadMessage'), icon: 'download', run: () => download(`${address}?body=raw`, `${queue}-${position}.message.json`) },
          { name: t('list.copyLink'), icon: 'copy', run: () => void copy(location.href) },
          ...(mayChange
            ? [
                { name: t('messages.move'), run: () => void proposeJob(qmgr, queue, 'move', choice).then(after) },
                { name: t('messages.copy'), run: () => void proposeJob(qmgr, queue, 'copy', choice) },
                { name: t('message.delete'), icon: 'remove' as const, danger: true, run: () => void remove() },
              ]
            : []),
        ]}
      />
    </>
  );
}

function extension(message: SeenMessage): string {
  if (/json/.test(message.contentType ?? '')) return '.json';
  if (/xml/.test(message.contentType ?? '')) return '.xml';
  return isText(message) ? '.txt' : '.bin';
}
