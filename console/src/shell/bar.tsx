// The bar at the left: the pages of the queue manager, and those of the server. It can be narrow: icons with their names as tips.

import { PAGES, type PageEntry } from '../pages.ts';
import { Icon } from '../parts/icon.tsx';
import { qmgrOfRoute, route } from '../router.ts';
import { addressOf, type PageName } from '../routes.ts';
import { session } from '../api/session.ts';
import { barIsNarrow } from '../settings.ts';
import { t } from '../text.ts';

export function Bar() {
  const qmgr = qmgrOfRoute.value ?? session.value?.qmgrs[0]?.name;
  const open = route.value?.page;
  const marked = open && (PAGES[open]?.under ?? open);
  const entries = (Object.entries(PAGES) as [PageName, PageEntry][]).filter(([, { bar, isFor }]) => bar && isFor?.(qmgr) !== false);
  const isNarrow = barIsNarrow.value;
  const group = (wanted: 'qmgr' | 'server') => entries.filter(([, { bar }]) => bar?.group === wanted);
  return (
    <nav class={isNarrow ? 'bar is-narrow' : 'bar'} aria-label={t('shell.pages')}>
      {(['qmgr', 'server'] as const).map((name) => {
        const pages = group(name);
        if (pages.length === 0 || (name === 'qmgr' && qmgr === undefined)) return null;
        return (
          <ul key={name}>
            {pages.map(([page, { title, bar }]) => (
              <li key={page}>
                <a href={addressOf(page, qmgr)} aria-current={marked === page ? 'page' : undefined} title={isNarrow ? t(title) : undefined}>
                  {bar && <Icon name={bar.icon} />}
                  <span>{t(title)}</span>
                </a>
              </li>
            ))}
          </ul>
        );
      })}
      <button type="button" class="bar-fold" aria-pressed={isNarrow} aria-label={t('shell.narrow')} title={t('shell.narrow')} onClick={() => (barIsNarrow.value = !isNarrow)}>
        <Icon name={isNarrow ? 'wide' : 'narrow'} />
      </button>
    </nav>
  );
}
