// Channels: definitions with what runs, the instances, the rules by which clients come in, and those that were refused.

import { useSignal } from '@preact/signals';
import { may } from '../api/session.ts';
import type { PageProps } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { go, route } from '../router.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { questionOf } from './authority/answers.ts';
import { Explain } from './authority/explain.tsx';
import { RefusedClients } from './authority/refusals.tsx';
import { createChannel } from './channels/actions.tsx';
import { Instances } from './channels/instances.tsx';
import { Channels } from './channels/list.tsx';
import { Rules } from './channels/rules.tsx';

const VIEWS = ['definitions', 'instances', 'rules', 'refused'] as const;

export default function ChannelsPage({ parameters: { qmgr = '' } }: PageProps) {
  const turn = useSignal(0);
  const query = route.value?.query ?? new URLSearchParams();
  const view = VIEWS.find((one) => one === query.get('view')) ?? 'definitions';
  const question = questionOf(query);
  const changed = () => (turn.value += 1);
  async function create(): Promise<void> {
    const name = await createChannel(qmgr);
    if (name) go(link.channel({ qmgr, channel: name }));
  }
  return (
    <div class="list-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.channels')}</h1>
          <span class="page-actions">
            <Button icon="refresh" onClick={changed}>{t('list.refresh')}</Button>
            {may.value.change && <Button kind="primary" icon="add" onClick={() => void create()}>{t('channels.create')}</Button>}
          </span>
        </div>
      </header>
      <Tabs label={t('pages.channels')} tabs={VIEWS.map((one) => ({ name: t(`channels.${one}`), href: link.channels({ qmgr }, { view: one === 'definitions' ? undefined : one }), isOpen: one === view }))} />
      <div class="tab list-page">
        {view === 'definitions' && <Channels qmgr={qmgr} turn={turn.value} changed={changed} />}
        {view === 'instances' && <Instances qmgr={qmgr} turn={turn.value} />}
        {view === 'rules' && <Rules qmgr={qmgr} turn={turn.value} changed={changed} />}
        {view === 'refused' && <RefusedClients qmgr={qmgr} turn={turn.value} />}
      </div>
      {(question || query.get('open') === 'explain') && <Explain qmgr={qmgr} question={question} about="client" changed={changed} />}
    </div>
  );
}
