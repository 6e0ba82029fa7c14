// Authority: what was refused and why, and who may do what. An explanation or a record opens at the side.

import { useSignal } from '@preact/signals';
import { may } from '../api/session.ts';
import type { PageProps } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { route, setQuery } from '../router.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { questionOf } from './authority/answers.ts';
import { Explain } from './authority/explain.tsx';
import { Grant, NO_RECORD, recordOf } from './authority/grant.tsx';
import { Records } from './authority/records.tsx';
import { RefusedCalls, RefusedClients } from './authority/refusals.tsx';

const VIEWS = ['calls', 'clients', 'records'] as const;

export default function AuthorityPage({ parameters: { qmgr = '' } }: PageProps) {
  const turn = useSignal(0);
  const query = route.value?.query ?? new URLSearchParams();
  const view = VIEWS.find((one) => one === query.get('view')) ?? 'calls';
  const question = questionOf(query);
  const opened = query.get('open');
  const changed = () => (turn.value += 1);
  return (
    <div class="list-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.authority')}</h1>
          <span class="page-actions">
            {may.value.change && <Button icon="add" onClick={() => setQuery({ open: 'grant' }, { replace: false })}>{t('authority.grant')}</Button>}
            <Button kind="primary" icon="help" onClick={() => setQuery({ open: 'explain' }, { replace: false })}>{t('authority.explain')}</Button>
          </span>
        </div>
      </header>
      <Tabs label={t('pages.authority')} tabs={VIEWS.map((one) => ({ name: t(`authority.${one}`), href: link.authority({ qmgr }, { view: one === 'calls' ? undefined : one }), isOpen: one === view }))} />
      <div class="tab list-page">
        {view === 'calls' && <RefusedCalls qmgr={qmgr} turn={turn.value} changed={changed} />}
        {view === 'clients' && <RefusedClients qmgr={qmgr} turn={turn.value} />}
        {view === 'records' && <Records qmgr={qmgr} turn={turn.value} changed={changed} />}
      </div>
      {(question || opened === 'explain') && <Explain qmgr={qmgr} question={question} changed={changed} />}
      {opened === 'grant' && <Grant key={query.toString()} qmgr={qmgr} {...recordOf(query)} onClose={() => setQuery(NO_RECORD)} changed={changed} />}
    </div>
  );
}
