// Applications: who is here, how busy, and who holds open units of work. By program, by user, by channel, or connection by connection.

import { useSignal } from '@preact/signals';
import type { PageProps } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { route } from '../router.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { BY } from './applications/connections.ts';
import { Groups } from './applications/groups.tsx';
import { Connections } from './applications/list.tsx';

const VIEWS = [...BY, 'connection'] as const;

export default function ApplicationsPage({ parameters: { qmgr = '' } }: PageProps) {
  const turn = useSignal(0);
  const by = VIEWS.find((one) => one === route.value?.query.get('by')) ?? 'application';
  const changed = () => (turn.value += 1);
  return (
    <div class="list-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.applications')}</h1>
          <nav class="segments" aria-label={t('applications.by')}>
            {VIEWS.map((one) => <a key={one} href={link.applications({ qmgr }, { by: one === 'application' ? undefined : one })} aria-current={one === by ? 'page' : undefined}>{t(`applications.by-${one}`)}</a>)}
          </nav>
          <span class="page-actions"><Button icon="refresh" onClick={changed}>{t('list.refresh')}</Button></span>
        </div>
      </header>
      {by === 'connection' ? <Connections qmgr={qmgr} turn={turn.value} changed={changed} /> : <Groups qmgr={qmgr} by={by} turn={turn.value} changed={changed} />}
    </div>
  );
}
