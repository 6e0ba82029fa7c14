// Events: what just happened. Event messages as they come, the lines of the server's log, and the last changes of definitions.

import type { ComponentType } from 'preact';
import { may } from '../api/session.ts';
import type { PageProps } from '../pages.ts';
import { Tabs } from '../parts/tabs.tsx';
import { route } from '../router.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { Changes } from './events/changes.tsx';
import { EventMessages } from './events/messages.tsx';
import { ServerLog } from './events/log.tsx';

const TABS: readonly { id: 'messages' | 'log' | 'changes'; view: ComponentType<{ qmgr: string }>; isForAll: boolean }[] = [
  { id: 'messages', view: EventMessages, isForAll: true },
  { id: 'log', view: ServerLog, isForAll: false },
  { id: 'changes', view: Changes, isForAll: true },
];

export default function EventsPage({ parameters: { qmgr = '' } }: PageProps) {
  const tabs = TABS.filter(({ isForAll }) => isForAll || may.value.administer);
  const wanted = route.value?.query.get('tab');
  const open = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const View = open?.view;
  return (
    <div class="list-page">
      <header class="page-head">
        <h1>{t('pages.events')}</h1>
      </header>
      <Tabs label={t('pages.events')} tabs={tabs.map((tab) => ({ name: t(`events.${tab.id}`), href: link.events({ qmgr }, tab === tabs[0] ? {} : { tab: tab.id }), isOpen: tab === open }))} />
      <div class="tab events-tab">{View && <View key={open.id} qmgr={qmgr} />}</div>
    </div>
  );
}
