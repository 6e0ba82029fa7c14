// Which pages there are: what shows each, its place in the bar, and the keys that go to it. The shell and the app read these tables.
//
// A page that most people do not open first is loaded when it is (`load`). A path of routes.ts without an entry here is answered as unknown, and
// neither bar, search, keys nor tabs offer it.

import type { ComponentType } from 'preact';
import type { IconName } from './parts/icon.tsx';
import { type Load, preload } from './parts/lazy.tsx';
import { groupOf, may } from './api/session.ts';
import type { PageName } from './routes.ts';
import type { TextKey } from './text.ts';
import { NowPage } from './pages/now.tsx';
import { QueuesPage } from './pages/queues.tsx';
import type { QueueRow } from './pages/queue/row.ts';

/** What a page is given: the parameters of its path. */
export interface PageProps {
  parameters: Record<string, string>;
}

/** One of both: `view` belongs to the first page's script, `load` to a script of its own. */
type Shown<Props> = { view: ComponentType<Props>; load?: undefined } | { view?: undefined; load: Load<Props> };

export type PageEntry = Shown<PageProps> & {
  title: TextKey;
  bar?: { icon: IconName; group: 'qmgr' | 'server' };
  /** 'g q' */
  keys?: string;
  /** The entry of the bar that is marked while this page is open. */
  under?: PageName;
  /** Who is offered it; default: everybody. An address that is typed opens it all the same, and the server decides. */
  isFor?(qmgr: string | undefined): boolean;
};

/** What a tab of a queue is given. */
export interface QueueTabProps {
  qmgr: string;
  row: QueueRow;
  /** The tab has changed the queue: its figures are asked for again. */
  changed(): void;
}

export type QueueTab = Shown<QueueTabProps> & {
  page: PageName;
  title: TextKey;
  /** Which queues have it; default: all. */
  isFor?(row: QueueRow): boolean;
};

/** Whether a queue holds messages itself. */
function isStored({ type }: QueueRow): boolean {
  return type === 'local';
}

/** The tabs of a queue, in their order. Each is a page too. */
export const QUEUE_TABS: readonly QueueTab[] = [
  { page: 'queue', title: 'queue.overview', load: () => import('./pages/queue/overview.tsx') },
  { page: 'queueMessages', title: 'queue.messages', load: () => import('./pages/messages/list.tsx'), isFor: ({ type }) => type === 'local' || type === 'alias' },
  { page: 'queueHandles', title: 'queue.handles', load: () => import('./pages/queue/handles.tsx'), isFor: () => may.value.administer },
  { page: 'queueHistory', title: 'queue.history', load: () => import('./pages/queue/history.tsx'), isFor: isStored },
  { page: 'queueAuthority', title: 'queue.authority', load: () => import('./pages/queue/authority.tsx'), isFor: () => may.value.administer },
  { page: 'queueProperties', title: 'queue.properties', load: () => import('./pages/queue/properties.tsx') },
];

const loadQueue = () => import('./pages/queue.tsx');

/** Parts that most people open next: they are fetched when the first page is drawn and nothing else is to do. */
export const NEXT: readonly (() => Promise<unknown>)[] = [() => preload(loadQueue), ...QUEUE_TABS.slice(0, 1).flatMap(({ load }) => (load ? [() => preload(load)] : []))];

/** The server tells of services and of itself to those who operate it. */
const isOperator = () => may.value.administer;

export const PAGES: Partial<Record<PageName, PageEntry>> = {
  now: { title: 'pages.now', view: NowPage, bar: { icon: 'now', group: 'qmgr' }, keys: 'g n' },
  queues: { title: 'pages.queues', view: QueuesPage, bar: { icon: 'queues', group: 'qmgr' }, keys: 'g q' },
  deadLetters: { title: 'pages.deadLetters', load: () => import('./pages/messages/dead-letters.tsx'), bar: { icon: 'deadLetters', group: 'qmgr' }, keys: 'g d' },
  channels: { title: 'pages.channels', load: () => import('./pages/channels.tsx'), bar: { icon: 'channels', group: 'qmgr' }, keys: 'g c' },
  channel: { title: 'pages.channel', load: () => import('./pages/channel.tsx'), under: 'channels' },
  applications: { title: 'pages.applications', load: () => import('./pages/applications.tsx'), bar: { icon: 'applications', group: 'qmgr' }, keys: 'g a' },
  connection: { title: 'pages.connection', load: () => import('./pages/connection.tsx'), under: 'applications' },
  topics: { title: 'pages.topics', load: () => import('./pages/topics.tsx'), bar: { icon: 'topics', group: 'qmgr' }, keys: 'g t' },
  subscriptions: { title: 'pages.subscriptions', load: () => import('./pages/subscriptions.tsx'), under: 'topics' },
  authority: { title: 'pages.authority', load: () => import('./pages/authority.tsx'), bar: { icon: 'authority', group: 'qmgr' }, keys: 'g u' },
  ...Object.fromEntries(QUEUE_TABS.map(({ page }) => [page, { title: 'pages.queue', load: loadQueue, under: 'queues' } satisfies PageEntry])),
  message: { title: 'pages.message', load: () => import('./pages/messages/message.tsx'), under: 'queues' },
  jobs: { title: 'pages.jobs', load: () => import('./pages/messages/jobs.tsx'), bar: { icon: 'jobs', group: 'qmgr' }, keys: 'g j' },
  mqsc: { title: 'pages.mqsc', load: () => import('./pages/mqsc.tsx'), bar: { icon: 'mqsc', group: 'qmgr' }, keys: 'g m' },
  events: { title: 'pages.events', load: () => import('./pages/events.tsx'), bar: { icon: 'events', group: 'qmgr' }, keys: 'g e' },
  group: { title: 'pages.group', load: () => import('./pages/group.tsx'), bar: { icon: 'group', group: 'qmgr' }, keys: 'g g', isFor: (qmgr) => may.value.administer && groupOf(qmgr) !== null },
  connect: { title: 'pages.connect', load: () => import('./pages/connect.tsx'), bar: { icon: 'connect', group: 'qmgr' } },
  services: { title: 'pages.services', load: () => import('./pages/services.tsx'), bar: { icon: 'services', group: 'server' }, keys: 'g s', isFor: isOperator },
  service: { title: 'pages.service', load: () => import('./pages/service.tsx'), under: 'services' },
  apis: { title: 'pages.apis', load: () => import('./pages/apis.tsx'), bar: { icon: 'apis', group: 'server' }, isFor: isOperator },
  api: { title: 'pages.api', load: () => import('./pages/api.tsx'), under: 'apis' },
  requesters: { title: 'pages.requesters', load: () => import('./pages/requesters.tsx'), bar: { icon: 'requesters', group: 'server' }, isFor: isOperator },
  requester: { title: 'pages.requester', load: () => import('./pages/requester.tsx'), under: 'requesters' },
  explorer: { title: 'pages.explorer', load: () => import('./pages/explorer.tsx'), bar: { icon: 'explorer', group: 'server' }, keys: 'g x' },
  server: { title: 'pages.server', load: () => import('./pages/server.tsx'), bar: { icon: 'server', group: 'server' }, isFor: isOperator },
};
