// Messages of a queue, page by page: of a queue of any depth, from the front and from the end, filtered by the server.
//
// The place of a page is in the address: `?at=` behind a cursor, `?before=` before a place or the end. So are filter (`search`, `where`) and
// `selector`. A page is what was there when it was asked for; nothing moves by itself.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { FilterBox } from '../../grid/filter-box.tsx';
import { Grid } from '../../grid/grid.tsx';
import { ListRows } from '../../grid/rows.ts';
import { Selection } from '../../grid/selection.ts';
import type { QueueTabProps } from '../../pages.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, Popover } from '../../parts/menu.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { announce } from '../../parts/toasts.tsx';
import { route, setQuery } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { type Action, type Choice, proposeJob } from './actions.tsx';
import { exportMessages, importMessages } from './carry.tsx';
import { fill, type FilledPage, PAGE, type Place } from './browse.ts';
import { ColumnMenu, messageColumns, shownColumns } from './columns.tsx';
import { isFiltered, namesOf, queryOf } from './filters.ts';
import { deadLetterOf, type SeenMessage } from './seen.ts';
import { remember } from './walk.ts';

export default function QueueMessages({ qmgr, row, changed }: QueueTabProps) {
  const { name: queue, depth } = row;
  const address = route.value?.query ?? new URLSearchParams();
  const search = address.get('search') ?? '';
  const where = address.getAll('where').filter(Boolean);
  const selector = address.get('selector') ?? '';
  const place = placeOf(address);
  const query = useMemo(() => queryOf(search, where, selector), [search, where.join('\n'), selector]);
  const page = useSignal<FilledPage | undefined>(undefined);
  const progress = useSignal<{ lookedAt: number; found: number } | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const turn = useSignal(0);
  const running = useRef<AbortController>();
  const element = useRef<HTMLElement>(null);
  const rows = useMemo(() => new ListRows<SeenMessage>(async () => inPage(page.peek()), ({ position }) => position), [qmgr, queue]);
  const selection = useMemo(() => new Selection<SeenMessage>(({ position }) => position, () => page.peek()?.messages.length ?? 0), [rows]);

  useEffect(() => {
    const request = new AbortController();
    running.current = request;
    progress.value = { lookedAt: 0, found: 0 };
    rows.isLoading.value = true;
    fill(qmgr, queue, query, place, request.signal, (lookedAt, found) => (progress.value = { lookedAt, found })).then(
      (found) => {
        page.value = found;
        failure.value = undefined;
        progress.value = undefined;
        remember(qmgr, queue, found.messages.map(({ position }) => position), location.search);
        selection.clear();
        void rows.show({ search: '', where: [], sort: [] }).then(() => 'before' in place && place.before === 'end' && toEnd(element.current));
        announce(t('messages.shown', { count: found.messages.length }));
      },
      (error: unknown) => {
        if (running.current === request) progress.value = undefined;
        rows.isLoading.value = false;
        if (!request.signal.aborted) failure.value = error;
      },
    );
    return () => request.abort();
  }, [rows, JSON.stringify([query, place]), turn.value]);

  const { messages = [], cursor, previous, lookedAt = 0 } = page.value ?? {};
  const names = namesOf(messages, where);
  const go = (to: Place): void =>
    setQuery({ at: 'cursor' in to ? to.cursor : undefined, before: 'before' in to ? to.before : undefined }, { replace: false });
  const filter = (changes: Record<string, string | readonly string[] | undefined>): void => setQuery({ ...changes, at: undefined, before: undefined });
  const again = (): void => {
    turn.value += 1;
    changed();
  };
  const mayChange = may.value.messages;
  const start = (action: Action, choice: Choice, to?: string) => void proposeJob(qmgr, queue, action, choice, { ...(to ? { to } : {}), changed: again }).then((isDone) => isDone && again());
  const columns = messageColumns(qmgr, queue, mayChange ? ({ position }) => start('purge', { query: {}, positions: [position], count: 1 }) : undefined);
  const shown = shownColumns(columns, messages.some(deadLetterOf));
  const isNarrowed = isFiltered(query);
  const all: Choice = { query, count: isNarrowed ? undefined : (depth ?? undefined) };
  // A step of a problem leads here and says what is to be done.
  useEffect(() => {
    const action = address.get('action');
    if (action !== 'move' || !mayChange) return;
    const limit = Number(address.get('limit')) || undefined;
    setQuery({ action: undefined, limit: undefined, to: undefined, queue: undefined });
    start('move', { ...all, ...(limit ? { limit } : {}) }, address.get('to') ?? undefined);
  }, []);
  const isPartial = isNarrowed && messages.length < PAGE && (('before' in place ? previous : cursor) !== undefined);
  return (
    <section class="list messages" aria-label={t('queue.messages')} ref={element}>
      <div class="toolbar">
        <FilterBox
          label={t('queue.messages')} search={search} where={where} columns={names} example="user=app" placeholder={t('messages.filter')} hint={t('messages.filterHint')}
          quick={[
            { name: t('messages.persistentOnly'), where: 'persistence=persistent' },
            { name: t('messages.backedOut'), where: 'backouts>0' },
            { name: t('messages.lastHour'), where: 'putAt>1h' },
            { name: t('messages.requests'), where: 'type=request' },
          ]}
          onSearch={(next) => filter({ search: next === '' ? undefined : next })} onWhere={(next) => filter({ where: next })}
        />
        <SelectorButton selector={selector} onSelector={(next) => filter({ selector: next === '' ? undefined : next })} />
        <div class="list-count pager" role="group" aria-label={t('messages.pages')}>
          <IconButton icon="first" label={t('messages.first')} disabled={!place || ('before' in place ? false : !('cursor' in place))} onClick={() => go({})} />
          <IconButton icon="before" label={t('messages.previous')} disabled={previous === undefined} onClick={() => previous && go({ before: previous })} />
          <IconButton icon="next" label={t('messages.next')} disabled={cursor === undefined} onClick={() => cursor && go({ cursor })} />
          <IconButton icon="last" label={t('messages.last')} disabled={'before' in place && place.before === 'end'} onClick={() => go({ before: 'end' })} />
        </div>
        <IconButton icon="download" label={t('messages.export')} onClick={() => exportMessages(qmgr, queue, all)} />
        {mayChange && <IconButton icon="remove" label={isNarrowed ? t('messages.purgeMatching') : t('messages.purge')} onClick={() => start('purge', all)} />}
        <ColumnMenu columns={columns} shown={shown} />
        <Menu
          button={<Icon name="more" />} class="icon-button" label={t('list.more')} edge="end"
          actions={[
            { name: t('list.refresh'), icon: 'refresh', run: again },
            { name: t('list.copyLink'), icon: 'copy', run: () => void copy(location.href) },
            ...(mayChange
              ? [
                  { name: t('messages.import'), icon: 'upload' as const, run: () => void importMessages(qmgr, queue).then((isDone) => isDone && again()) },
                  { name: t('messages.moveAll'), run: () => start('move', all) },
                  { name: t('messages.copyAll'), run: () => start('copy', all) },
                ]
              : []),
          ]}
        />
      </div>
      {failure.value !== undefined && <Failed error={failure.value} again={again} />}
      <Looked progress={progress.value} lookedAt={lookedAt} found={messages.length} isNarrowed={isNarrowed} isPartial={isPartial} isBack={'before' in place}
        stop={() => running.current?.abort()} goOn={() => ('before' in place ? previous && go({ before: previous }) : cursor && go({ cursor }))} />
      <Grid
        label={t('queue.messages')} rows={rows} columns={shown} sort={[]} selection={selection} href={({ position }) => link.message({ qmgr, queue, message: position })}
        empty={page.value && <Empty title={isNarrowed ? t('list.noneFits') : cursor || previous ? t('messages.noneHere') : t('messages.none')} action={isNarrowed && <Button onClick={() => filter({ search: undefined, where: undefined, selector: undefined })}>{t('list.showAll')}</Button>} />}
      />
      <Ticked qmgr={qmgr} queue={queue} selection={selection} isNarrowed={isNarrowed} all={all} again={again} messages={messages} />
    </section>
  );
}

/** The last page begins at its end, where the newest messages are. */
function toEnd(list: HTMLElement | null): void {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const grid = list?.querySelector('[role=grid]');
    if (grid) grid.scrollTop = grid.scrollHeight;
  }));
}

function placeOf(address: URLSearchParams): Place {
  const [cursor, before] = [address.get('at'), address.get('before')];
  return before ? { before } : cursor ? { cursor } : {};
}

function inPage(page: FilledPage | undefined) {
  const rows = page?.messages ?? [];
  return { total: rows.length, known: rows.length, rows };
}

interface LookedProps {
  progress: { lookedAt: number; found: number } | undefined;
  lookedAt: number;
  found: number;
  isNarrowed: boolean;
  /** There is more to look at, and the page is not full. */
  isPartial: boolean;
  isBack: boolean;
  stop(): void;
  goOn(): void;
}

/** How far a search has come, and whether to go on. */
function Looked({ progress, lookedAt, found, isNarrowed, isPartial, isBack, stop, goOn }: LookedProps) {
  if (progress && progress.lookedAt > 0) {
    return (
      <p class="looked" role="status">
        <span>{t('messages.looking', { looked: progress.lookedAt, found: progress.found })}</span>
        <button type="button" class="link" onClick={stop}>{t('messages.stop')}</button>
      </p>
    );
  }
  if (!isNarrowed || progress) return null;
  return (
    <p class="looked" role="status">
      <span>{t(isPartial ? 'messages.lookedSoFar' : 'messages.looked', { looked: lookedAt, found })}</span>
      {isPartial && <button type="button" class="link" onClick={goOn}>{t(isBack ? 'messages.goOnBack' : 'messages.goOn')}</button>}
    </p>
  );
}

function SelectorButton({ selector, onSelector }: { selector: string; onSelector(selector: string): void }) {
  const text = useSignal(selector);
  useEffect(() => {
    text.value = selector;
  }, [selector]);
  return (
    <Popover button={<span>{t('messages.selector')}</span>} class={selector === '' ? 'button secondary' : 'button secondary is-on'} edge="end">
      <form
        class="chooser selector-form"
        onSubmit={(event) => {
          event.preventDefault();
          event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
          onSelector(text.value.trim());
        }}
      >
        <label class="field">
          <span>{t('messages.selectorLabel')}</span>
          <textarea class="mono" rows={3} spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        </label>
        <p class="quiet">{t('messages.selectorHint')}</p>
        <div class="form-actions">
          <Button kind="plain" onClick={() => (text.value = '')}>{t('messages.clear')}</Button>
          <Button kind="primary" submit>{t('messages.applySelector')}</Button>
        </div>
      </form>
    </Popover>
  );
}

interface TickedProps {
  qmgr: string;
  queue: string;
  selection: Selection<SeenMessage>;
  messages: readonly SeenMessage[];
  isNarrowed: boolean;
  all: Choice;
  again(): void;
}

/** What can be done with the ticked messages. */
function Ticked({ qmgr, queue, selection, messages, again }: TickedProps) {
  const { value: ticked } = selection.count;
  if (ticked === 0) return null;
  const chosen = messages.filter((message) => selection.has(message));
  const choice: Choice = { query: {}, positions: chosen.map(({ position }) => position), count: chosen.length };
  const hasDead = chosen.some(deadLetterOf);
  const start = (action: 'move' | 'copy' | 'purge' | 'replay') => void proposeJob(qmgr, queue, action, choice, { changed: again }).then((isDone) => isDone && again());
  return (
    <div class="selection" role="region" aria-label={t('list.selection')}>
      <p aria-live="polite">{t('list.selected', { count: ticked })}</p>
      <div class="selection-actions">
        <Button kind="plain" icon="download" onClick={() => exportMessages(qmgr, queue, choice)}>{t('messages.exportTicked')}</Button>
        {may.value.messages && (
          <>
            {hasDead && <Button kind="plain" onClick={() => start('replay')}>{t('messages.replay')}</Button>}
            <Button kind="plain" onClick={() => start('move')}>{t('messages.move')}</Button>
            <Button kind="plain" onClick={() => start('copy')}>{t('messages.copy')}</Button>
            <Button kind="plain" icon="remove" onClick={() => start('purge')}>{t('messages.delete')}</Button>
          </>
        )}
      </div>
      <IconButton icon="close" label={t('list.clear')} onClick={() => selection.clear()} />
    </div>
  );
}
