// The search over everything: pages, and objects of the queue manager whose name holds what is typed.
//
// A combobox in a dialog. A few of each kind are asked for; a kind that the user may not see is left out.

import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { request } from '../api/request.ts';
import { session } from '../api/session.ts';
import { objects, type ListResource } from '../grid/source.ts';
import { PAGES, type PageEntry } from '../pages.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { go, qmgrOfRoute } from '../router.ts';
import { addressOf, link, type PageName } from '../routes.ts';
import { t } from '../text.ts';

interface Hit {
  name: string;
  kind: string;
  icon: IconName;
  href: string;
}

/** Kinds of objects, and where one leads. */
const KINDS: { resource: ListResource; page: PageName; column: string; icon: IconName; kind: () => string; href(qmgr: string, name: string): string }[] = [
  { resource: 'queues', page: 'queue', column: 'name', icon: 'queues', kind: () => t('search.queue'), href: (qmgr, queue) => link.queue({ qmgr, queue }) },
  { resource: 'channels', page: 'channel', column: 'name', icon: 'channels', kind: () => t('search.channel'), href: (qmgr, channel) => link.channel({ qmgr, channel }) },
  { resource: 'topics', page: 'topics', column: 'topicString', icon: 'topics', kind: () => t('search.topic'), href: (qmgr, topic) => link.topics({ qmgr }, { topic }) },
  { resource: 'subscriptions', page: 'subscriptions', column: 'name', icon: 'topics', kind: () => t('search.subscription'), href: (qmgr, search) => link.subscriptions({ qmgr }, { search }) },
];
const OF_EACH = 6;
const TYPING_MS = 120;

export function Search({ onClose }: { onClose(): void }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const hits = useSignal<Hit[]>(pagesFor(''));
  const at = useSignal(0);
  // Before the next key: what is typed right behind `/` belongs here.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      if (before instanceof HTMLElement && before !== document.body) before.focus();
    };
  }, []);
  const { value: typed } = text;
  useEffect(() => {
    at.value = 0;
    hits.value = pagesFor(typed);
    if (typed.trim() === '') return;
    const stop = new AbortController();
    const timer = setTimeout(() => void find(typed.trim(), stop.signal).then((found) => stop.signal.aborted || (hits.value = [...pagesFor(typed), ...found])), TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [typed]);

  function follow(hit: Hit | undefined): void {
    if (!hit) return;
    onClose();
    go(hit.href);
  }

  return (
    <dialog
      ref={dialog} class="dialog search" aria-label={t('search.title')} onCancel={(event) => (event.preventDefault(), onClose())}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="search-box">
        <Icon name="search" />
        <input
          type="text" role="combobox" aria-expanded="true" aria-controls={`${id}-hits`} aria-activedescendant={hits.value.length > 0 ? `${id}-${at.value}` : undefined}
          aria-label={t('search.title')} placeholder={t('search.hint')} autocomplete="off" spellcheck={false} value={typed}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            const last = hits.value.length - 1;
            if (event.key === 'ArrowDown') at.value = Math.min(last, at.value + 1);
            else if (event.key === 'ArrowUp') at.value = Math.max(0, at.value - 1);
            else if (event.key === 'Enter') follow(hits.value[at.value]);
            else return;
            event.preventDefault();
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id={`${id}-hits`} role="listbox" aria-label={t('search.title')}>
        {hits.value.map((hit, index) => (
          <li key={hit.href} id={`${id}-${index}`} role="option" aria-selected={index === at.value} onClick={() => follow(hit)} onPointerMove={() => (at.value = index)}>
            <Icon name={hit.icon} />
            <span class="search-name">{hit.name}</span>
            <span class="quiet">{hit.kind}</span>
          </li>
        ))}
      </ul>
      {hits.value.length === 0 && <p class="state">{t('search.none', { text: typed })}</p>}
    </dialog>
  );
}

function pagesFor(text: string): Hit[] {
  const qmgr = qmgrOfRoute.value ?? session.value?.qmgrs[0]?.name;
  const wanted = text.trim().toLowerCase();
  return (Object.entries(PAGES) as [PageName, PageEntry][])
    .filter(([, { title, bar, isFor }]) => bar && isFor?.(qmgr) !== false && t(title).toLowerCase().includes(wanted))
    .map(([page, { title, bar }]) => ({ name: t(title), kind: t('search.page'), icon: bar?.icon ?? 'now', href: addressOf(page, qmgr) }));
}

async function find(search: string, signal: AbortSignal): Promise<Hit[]> {
  const qmgr = qmgrOfRoute.peek() ?? session.peek()?.qmgrs[0]?.name;
  if (qmgr === undefined) return [];
  const kinds = KINDS.filter(({ page }) => page in PAGES);
  const found = await Promise.all(
    kinds.map(async ({ resource, column, icon, kind, href }) => {
      try {
        const answer = await request(`GET /api/v1/qmgr/{qmgr}/${resource}`, { path: { qmgr }, query: { search, columns: column, sort: column, limit: OF_EACH }, signal });
        // A subscription may have no name.
        const names = objects<Record<string, string | null>>(answer).flatMap((row) => row[column] || []);
        return names.map((name) => ({ name, kind: kind(), icon, href: href(qmgr, name) }));
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
