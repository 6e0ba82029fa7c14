// Who may do what with one object, by the records that count for its name, and what was refused on it. Records and explanations open at the side.

import { useSignal } from '@preact/signals';
import { may } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { addressWith, route, setQuery } from '../../router.ts';
import { t } from '../../text.ts';
import { NO_QUESTION, questionOf } from './answers.ts';
import { Explain } from './explain.tsx';
import { Grant, NO_RECORD, recordOf } from './grant.tsx';
import { Records } from './records.tsx';
import { RefusedCalls } from './refusals.tsx';
import type { ObjectType } from './words.ts';

export function AuthorityOf({ qmgr, type, name }: { qmgr: string; type: ObjectType; name: string }) {
  const turn = useSignal(0);
  const query = route.value?.query ?? new URLSearchParams();
  const question = questionOf(query);
  const opened = query.get('open');
  const isRefusals = query.get('show') === 'refused';
  const changed = () => (turn.value += 1);
  const shown = (show: string | undefined) => addressWith({ ...NO_QUESTION, ...NO_RECORD, search: undefined, where: undefined, sort: undefined, show });
  const asked = type === 'QUEUE' ? { queue: name } : { object: name, type: type.toLowerCase() };
  return (
    <>
      <div class="toolbar">
        <nav class="segments" aria-label={t('queue.authority')}>
          <a href={shown(undefined)} aria-current={isRefusals ? undefined : 'page'}>{t('authority.whoMay')}</a>
          <a href={shown('refused')} aria-current={isRefusals ? 'page' : undefined}>{t('authority.calls')}</a>
        </nav>
        <span class="page-actions">
          {may.value.change && <Button icon="add" onClick={() => setQuery({ open: 'grant', profile: name, objtype: type }, { replace: false })}>{t('authority.grant')}</Button>}
          <Button icon="help" onClick={() => setQuery({ open: 'explain', ...asked }, { replace: false })}>{t('authority.explain')}</Button>
        </span>
      </div>
      {isRefusals ? (
        <RefusedCalls qmgr={qmgr} turn={turn.value} object={{ type, name }} changed={changed} />
      ) : (
        <Records qmgr={qmgr} turn={turn.value} changed={changed} object={{ type, name }} />
      )}
      {(question || opened === 'explain') && <Explain qmgr={qmgr} question={question} changed={changed} />}
      {opened === 'grant' && <Grant key={query.toString()} qmgr={qmgr} {...recordOf(query)} onClose={() => setQuery(NO_RECORD)} changed={changed} />}
    </>
  );
}
