// The tab Authority of a queue: who may do what with it, by the records that count for its name, and what was refused on it.

import { useSignal } from '@preact/signals';
import { may } from '../../api/session.ts';
import type { QueueTabProps } from '../../pages.ts';
import { Button } from '../../parts/button.tsx';
import { route, setQuery } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { questionOf } from '../authority/answers.ts';
import { Explain } from '../authority/explain.tsx';
import { Grant, NO_RECORD, recordOf } from '../authority/grant.tsx';
import { Records } from '../authority/records.tsx';
import { RefusedCalls } from '../authority/refusals.tsx';

export default function QueueAuthority({ qmgr, row: { name } }: QueueTabProps) {
  const turn = useSignal(0);
  const query = route.value?.query ?? new URLSearchParams();
  const question = questionOf(query);
  const opened = query.get('open');
  const isRefusals = query.get('view') === 'calls';
  const changed = () => (turn.value += 1);
  const here = (members: Record<string, string | undefined>) => link.queueAuthority({ qmgr, queue: name }, members);
  return (
    <>
      <div class="toolbar">
        <nav class="segments" aria-label={t('queue.authority')}>
          <a href={here({})} aria-current={isRefusals ? undefined : 'page'}>{t('authority.whoMay')}</a>
          <a href={here({ view: 'calls' })} aria-current={isRefusals ? 'page' : undefined}>{t('authority.calls')}</a>
        </nav>
        <span class="page-actions">
          {may.value.change && <Button icon="add" onClick={() => setQuery({ open: 'grant', profile: name, objtype: 'QUEUE' }, { replace: false })}>{t('authority.grant')}</Button>}
          <Button icon="help" onClick={() => setQuery({ open: 'explain', queue: name }, { replace: false })}>{t('authority.explain')}</Button>
        </span>
      </div>
      {isRefusals ? (
        <RefusedCalls qmgr={qmgr} turn={turn.value} object={{ type: 'QUEUE', name }} changed={changed} />
      ) : (
        <Records qmgr={qmgr} turn={turn.value} changed={changed} object={{ type: 'QUEUE', name }} />
      )}
      {(question || opened === 'explain') && <Explain qmgr={qmgr} question={question} changed={changed} />}
      {opened === 'grant' && <Grant key={query.toString()} qmgr={qmgr} {...recordOf(query)} onClose={() => setQuery(NO_RECORD)} changed={changed} />}
    </>
  );
}
