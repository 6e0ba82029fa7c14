// What stands around every page: skip link, header, bar, the page itself, and what opens over it.

import { computed, useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { PAGES, type PageEntry, type View } from '../pages.ts';
import { Empty, Failed, Loading } from '../parts/states.tsx';
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
      entry?.keys ? [{ keys: entry.keys, does: t(entry.title), run: () => go(addressOf(name as PageName, qmgr)) }] : [],
    ),
  );
  const [name, entry] = page.value ?? [];
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
        {entry ? <Page key={name === 'queues' || !route.value ? name : pageKey()} entry={entry} /> : <Unknown />}
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

function Page({ entry }: { entry: PageEntry }) {
  const [loaded, setLoaded] = useState<{ load: unknown; view?: View; error?: unknown }>({ load: undefined });
  useEffect(() => {
    const { load } = entry;
    if (!load) return;
    load().then(({ default: view }) => setLoaded({ load, view }), (error: unknown) => setLoaded({ load, error }));
  }, [entry]);
  const Shown = entry.view ?? (loaded.load === entry.load ? loaded.view : undefined);
  if (Shown) return <Shown parameters={route.value?.parameters ?? {}} />;
  // A server of another version has other chunks: the page has to be loaded again.
  if (loaded.error !== undefined) return <Failed error={loaded.error} again={() => location.reload()} />;
  return <Loading />;
}

function Unknown() {
  const qmgr = qmgrOfRoute.value;
  return (
    <Empty title={t('shell.unknownPage')} action={qmgr ? <a class="button secondary" href={link.now({ qmgr })}>{t('pages.now')}</a> : undefined}>
      {location.pathname}
    </Empty>
  );
}
