// What stands around every page: skip link, header, bar, the page itself, and what opens over it.

import { computed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { session } from '../api/session.ts';
import { NEXT, PAGES, type PageEntry } from '../pages.ts';
import { Lazy } from '../parts/lazy.tsx';
import { Empty } from '../parts/states.tsx';
import { announce, Toasts } from '../parts/toasts.tsx';
import { ProposedChange } from '../change/apply.tsx';
import { go, qmgrOfRoute, route } from '../router.ts';
import { addressOf, link, type PageName } from '../routes.ts';
import { t } from '../text.ts';
import { Bar } from './bar.tsx';
import { Header } from './header.tsx';
import { KeyHelp, useKeys } from './keys.tsx';
import { Search } from './search.tsx';
import { SessionWatch } from './session-end.tsx';

const page = computed(() => route.value && ([route.value.page, PAGES[route.value.page]] as const));

export function Shell() {
  const isHelpOpen = useSignal(false);
  const isSearchOpen = useSignal(false);
  const qmgr = qmgrOfRoute.value;
  useKeys([
    { keys: '/', does: t('keys.search'), run: () => (isSearchOpen.value = true) },
    { keys: 'f', does: t('keys.filter'), run: () => document.querySelector<HTMLElement>('[data-filter]')?.focus() },
    { keys: '?', does: t('keys.title'), run: () => (isHelpOpen.value = true) },
  ]);
  useKeys(
    Object.entries(PAGES).flatMap(([name, entry]) =>
      entry?.keys && entry.isFor?.(qmgr) !== false ? [{ keys: entry.keys, does: t(entry.title), run: () => go(addressOf(name as PageName, qmgr)) }] : [],
    ),
  );
  const [name, entry] = page.value ?? [];
  useEffect(() => {
    const idle = typeof requestIdleCallback === 'function' ? requestIdleCallback : (run: () => void) => setTimeout(run, 2000);
    // One that fails is asked for again, and told, when it is opened.
    idle(() => NEXT.forEach((fetchIt) => void fetchIt().catch(() => undefined)));
  }, []);
  useEffect(() => {
    if (!entry) return;
    const object = Object.entries(route.value?.parameters ?? {}).filter(([key]) => key !== 'qmgr').map(([, value]) => value);
    document.title = [...object, t(entry.title), qmgr, 'Quaymaster'].filter(Boolean).join(' · ');
    announce(t(entry.title));
  }, [name, JSON.stringify(route.value?.parameters)]);
  return (
    <>
      <a
        class="skip" href="#page"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('page')?.focus();
        }}
      >
        {t('shell.skip')}
      </a>
      <Header onSearch={() => (isSearchOpen.value = true)} onHelp={() => (isHelpOpen.value = true)} />
      <Bar />
      <main id="page" class="page" tabIndex={-1}>
        {entry ? <Page key={pageKey()} entry={entry} /> : <Unknown />}
      </main>
      <ProposedChange />
      <SessionWatch />
      {isSearchOpen.value && <Search onClose={() => (isSearchOpen.value = false)} />}
      {isHelpOpen.value && <KeyHelp onClose={() => (isHelpOpen.value = false)} />}
      <Toasts />
    </>
  );
}

/** Pages of one object are one element: its tabs change inside. */
function pageKey(): string {
  const { page: name, parameters } = route.value ?? { page: 'home', parameters: {} };
  return `${PAGES[name]?.under ?? name} ${Object.values(parameters).join(' ')}`;
}

function Page({ entry: { view: View, load } }: { entry: PageEntry }) {
  const parameters = route.value?.parameters ?? {};
  return View ? <View parameters={parameters} /> : <Lazy load={load} props={{ parameters }} />;
}

function Unknown() {
  const qmgr = session.value?.qmgrs.find(({ isDefault }) => isDefault)?.name;
  return (
    <Empty title={t('shell.unknownPage')} action={qmgr ? <a class="button secondary" href={link.now({ qmgr })}>{t('pages.now')}</a> : undefined}>
      {location.pathname}
    </Empty>
  );
}
