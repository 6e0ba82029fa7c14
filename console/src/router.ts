// Where the browser is: the address as a signal, and ways to go elsewhere.
//
// Links are plain <a href>: a click on one that stays in the console is taken here. State of a page (filter, sort, columns) lives in the
// query, so that an address can be sent to a colleague.

import { computed, signal } from '@preact/signals';
import { BASE, type Match, type Query, match } from './routes.ts';

const address = signal(here());

export interface Route extends Match {
  query: URLSearchParams;
}

/** The page that is shown; undefined: the address names none. */
export const route = computed<Route | undefined>(() => {
  const found = match(address.value.pathname);
  return found && { ...found, query: new URLSearchParams(address.value.search) };
});

/** The queue manager of the address. */
export const qmgrOfRoute = computed(() => route.value?.parameters['qmgr']);

/** Goes to an address of the console. */
export function go(href: string, { replace = false } = {}): void {
  const target = new URL(href, location.href);
  if (target.pathname + target.search === address.value.pathname + address.value.search) return;
  const isOtherPage = target.pathname !== address.value.pathname;
  if (replace) history.replaceState(history.state, '', href);
  else history.pushState(null, '', href);
  address.value = here();
  if (isOtherPage && !replace) window.scrollTo(0, 0);
}

/** The address of this page with other members of the query; undefined removes one, the rest is kept. */
export function addressWith(changes: Query): string {
  const query = new URLSearchParams(address.value.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) query.append(name, one);
  }
  const text = query.toString();
  return address.value.pathname + (text === '' ? '' : `?${text}`);
}

/** Goes to the address of this page with other members of the query. */
export function setQuery(changes: Query, { replace = true } = {}): void {
  go(addressWith(changes), { replace });
}

/** Follows the browser's history and clicks on links. Called once. */
export function startRouter(): void {
  addEventListener('popstate', () => (address.value = here()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    if (!anchor || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin) return;
    if (anchor.pathname !== BASE && !anchor.pathname.startsWith(`${BASE}/`)) return;
    if (anchor.hash !== '' || anchor.pathname.startsWith(`${BASE}/assets/`)) return;
    event.preventDefault();
    go(anchor.href);
  });
}

function here(): { pathname: string; search: string } {
  return { pathname: location.pathname, search: location.search };
}
