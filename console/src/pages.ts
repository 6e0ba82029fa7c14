// Which pages there are: what shows each, its place in the bar, and the keys that go to it. The shell and the app read this table.
//
// A page that most people do not open first is loaded when it is (`load`). A path of routes.ts without an entry here is answered as unknown, and
// neither the bar nor the tabs of a queue offer it.

import type { ComponentType } from 'preact';
import type { IconName } from './parts/icon.tsx';
import type { PageName } from './routes.ts';
import type { TextKey } from './text.ts';
import { NowPage } from './pages/now.tsx';
import { QueuesPage } from './pages/queues.tsx';
import { QueuePage } from './pages/queue.tsx';

/** What a page is given: the parameters of its path. */
export interface PageProps {
  parameters: Record<string, string>;
}

export type View = ComponentType<PageProps>;

export interface PageEntry {
  title: TextKey;
  view?: View;
  /** The default export of a module. */
  load?: () => Promise<{ default: View }>;
  bar?: { icon: IconName; group: 'qmgr' | 'server' };
  /** 'g q' */
  keys?: string;
  /** The entry of the bar that is marked while this page is open. */
  under?: PageName;
}

export const PAGES: Partial<Record<PageName, PageEntry>> = {
  now: { title: 'pages.now', view: NowPage, bar: { icon: 'now', group: 'qmgr' }, keys: 'g n' },
  queues: { title: 'pages.queues', view: QueuesPage, bar: { icon: 'queues', group: 'qmgr' }, keys: 'g q' },
  queue: { title: 'pages.queue', view: QueuePage, under: 'queues' },
  queueProperties: { title: 'pages.queue', view: QueuePage, under: 'queues' },
};

/** The tabs of a queue, in their order: those that have a page are shown. */
export const QUEUE_TABS = [
  ['queue', 'queue.overview'],
  ['queueMessages', 'queue.messages'],
  ['queueHandles', 'queue.handles'],
  ['queueHistory', 'queue.history'],
  ['queueProperties', 'queue.properties'],
  ['queueAuthority', 'queue.authority'],
] as const satisfies readonly (readonly [PageName, TextKey])[];
