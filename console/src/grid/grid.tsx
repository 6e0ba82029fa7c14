// The grid: rows of any number in a window of some forty elements, by keyboard and pointer.
//
// role=grid with one tab stop: arrows, Page, Home, End, j and k move the current row, Enter opens it, Space or x ticks it, Shift extends.
// Rows have a fixed height, and columns share one template, so that a redraw moves nothing.
//
// Never here: where rows come from (rows.ts), the filter box and the toolbar (list.tsx).

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { density, singleKeys } from '../settings.ts';
import { t } from '../text.ts';
import { Icon } from '../parts/icon.tsx';
import { go } from '../router.ts';
import type { ListRows } from './rows.ts';
import type { Selection } from './selection.ts';
import { scrollFor, SPARE, windowOf } from './window.ts';

export interface Column<Row> {
  key: string;
  title: string;
  /** Explains the column to who points at its head. */
  help?: string;
  /** Pixels, or a share of what is left: '2fr'. */
  width: number | `${number}fr`;
  align?: 'end';
  /** Whether the server sorts by it; default true. */
  sorts?: boolean;
  /** Whether numbers that are large come first when it is chosen. */
  largeFirst?: boolean;
  cell(row: Row): ComponentChildren;
  /** The cell as text, for copies; default: the member `key`. */
  text?(row: Row): string;
}

export interface GridProps<Row extends object> {
  /** Accessible name. */
  label: string;
  rows: ListRows<Row>;
  columns: readonly Column<Row>[];
  sort: readonly string[];
  onSort?(sort: string[]): void;
  selection?: Selection<Row> | undefined;
  /** The address that Enter and a click on a row open. */
  href?: ((row: Row) => string) | undefined;
  /** Called with the rows on screen, when they change. */
  onSeen?: ((rows: Row[]) => void) | undefined;
  /** A class for a row, such as one that is muted. */
  rowClass?: ((row: Row) => string | undefined) | undefined;
  empty?: ComponentChildren;
}

/** What the box in the head needs of a selection. */
type Ticks = Pick<Selection<never>, 'count' | 'all' | 'clear'>;

/** Least pixels of a column that takes a share. */
const LEAST_SHARE = 200;
/** Height of a row as a card. */
const CARD = 76;
const HEIGHTS = { compact: 24, normal: 32 };

export function Grid<Row extends object>({ label, rows, columns, sort, onSort, selection, href, onSeen, rowClass, empty }: GridProps<Row>) {
  const id = useId();
  const view = useRef<HTMLDivElement>(null);
  const scroll = useSignal(0);
  const size = useSignal(600);
  const current = useSignal(0);
  const anchor = useRef(0);
  const isNarrow = useNarrow();
  const stamp = useStamp();
  const rowHeight = isNarrow ? CARD : HEIGHTS[density.value];
  rows.version.value;
  const total = rows.total.value ?? 0;
  const { first, last, height, top } = windowOf(total, rowHeight, scroll.value, size.value);

  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const measure = new ResizeObserver(() => {
      size.value = Math.max(rowHeight, element.clientHeight - headHeight(element));
      // The bar of what is ticked takes room from below: the current row stays in view.
      if (document.activeElement === element) element.scrollTop = scrollFor(current.peek(), rows.total.peek() ?? 0, rowHeight, element.scrollTop, size.peek());
    });
    measure.observe(element);
    return () => measure.disconnect();
  }, [rows, rowHeight]);

  useEffect(() => {
    current.value = 0;
    anchor.current = 0;
    if (view.current) view.current.scrollTop = 0;
  }, [rows.shown.value]);

  useEffect(() => {
    rows.want(first, last);
  }, [rows, first, last, total]);

  const seen = collect(rows, first, last);
  const seenKeys = seen.map(rows.keyOf).join('\n');
  useEffect(() => onSeen?.(seen), [seenKeys]);

  const template = [...(selection ? ['40px'] : []), ...columns.map(({ width }) => (typeof width === 'number' ? `${width}px` : `minmax(0, ${width})`))].join(' ');
  const least = columns.reduce((sum, { width }) => sum + (typeof width === 'number' ? width : LEAST_SHARE), selection ? 40 : 0);
  const at = Math.min(current.value, Math.max(0, total - 1));

  function moveTo(index: number, isRange = false): void {
    const next = Math.min(Math.max(0, index), total - 1);
    if (total === 0) return;
    current.value = next;
    if (isRange && selection) void tickRange(anchor.current, next);
    else anchor.current = next;
    const element = view.current;
    if (element) element.scrollTop = scrollFor(next, total, rowHeight, element.scrollTop, size.peek());
  }

  async function tickRange(from: number, to: number): Promise<void> {
    const range = await rows.range(Math.min(from, to), Math.max(from, to));
    selection?.set(range, true);
  }

  function tick(index: number, isRange: boolean): void {
    const row = rows.row(index);
    if (!row || !selection) return;
    if (isRange) void tickRange(anchor.current, index);
    else selection.toggle(row);
    anchor.current = index;
    current.value = index;
  }

  function onKey(event: JSX.TargetedKeyboardEvent<HTMLDivElement>): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(size.peek() / rowHeight) - 1);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: total - 1 };
    if (singleKeys.peek()) Object.assign(moves, { j: at + 1, k: at - 1 });
    const target = moves[event.key];
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === ' ' || (event.key === 'x' && singleKeys.peek())) tick(at, event.shiftKey);
    else if (event.key === 'Enter') {
      const row = rows.row(at);
      if (row && href) go(href(row));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** A click on a row opens it, on its box ticks it; Shift extends. */
  function onClick(event: JSX.TargetedMouseEvent<HTMLDivElement>): void {
    const target = event.target as Element;
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
    if (index < 0) return;
    if (target instanceof HTMLInputElement && target.closest('.grid-tick')) {
      tick(index, event.shiftKey);
      view.current?.focus({ preventScroll: true });
      return;
    }
    if (target.closest('a, button, input, label')) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      tick(index, event.shiftKey);
      return;
    }
    current.value = index;
    anchor.current = index;
    const row = rows.row(index);
    if (row && href && !getSelection()?.toString()) go(href(row));
  }

  const slots = slotsOf(first, Math.ceil(size.value / rowHeight) + 2 * SPARE + 2);
  const isEmpty = rows.total.value === 0 && !rows.isLoading.value;
  return (
    <div
      class={isNarrow ? 'grid is-cards' : 'grid'} role="grid" tabIndex={0} ref={view} aria-label={label} aria-rowcount={total + 1} aria-colcount={columns.length + (selection ? 1 : 0)}
      aria-multiselectable={selection ? true : undefined} aria-activedescendant={total > 0 ? `${id}-${at}` : undefined} aria-busy={rows.isLoading.value}
      style={{ '--columns': template, '--row': `${rowHeight}px`, '--least': `${least}px` }} onKeyDown={onKey} onScroll={(event) => (scroll.value = event.currentTarget.scrollTop)}
    >
      <div class="grid-head" role="rowgroup">
        <div class="grid-row" role="row" aria-rowindex={1}>
          {selection && (
            <div class="grid-tick" role="columnheader">
              <TickAll selection={selection} total={total} />
            </div>
          )}
          {columns.map((column) => <Head key={column.key} column={column} sort={sort} onSort={onSort} />)}
        </div>
      </div>
      {isEmpty && <div class="grid-empty" role="row"><div role="gridcell">{empty}</div></div>}
      <div class="grid-body" role="rowgroup" style={{ height: `${height}px` }} onClick={onClick}>
        {slots.map((index, slot) => {
            const row = rows.row(index);
            return index > last ? null : (
              <RowView
                key={slot} id={`${id}-${index}`} index={index} y={top + (index - first) * rowHeight} row={row} name={row && rows.keyOf(row)} columns={columns} stamp={stamp.value} isCurrent={index === at}
                isTicked={selection && row ? selection.has(row) : selection && false} class={`${href ? 'is-link' : ''} ${(row && rowClass?.(row)) ?? ''}`}
              />
            );
          })}
      </div>
    </div>
  );
}

interface RowProps<Row> {
  id: string;
  index: number;
  /** Where it begins, in pixels. */
  y: number;
  row: Row | undefined;
  name: string | undefined;
  columns: readonly Column<Row>[];
  /** Grows when ages have to be written anew. */
  stamp: number;
  isCurrent: boolean;
  /** undefined: rows cannot be ticked. */
  isTicked: boolean | undefined;
  class: string;
}

/**
 * A row that is drawn again only when something of it has changed. Scrolling draws those that come into view, in the elements of those that left it:
 * changing texts costs a browser less than making elements. So the order of elements is not that of rows; `aria-rowindex` and the place say it.
 */
function RowView<Row>({ id, index, y, row, name, columns, stamp, isCurrent, isTicked, class: extra }: RowProps<Row>) {
  return useMemo(
    () => (
      <div
        id={id} role="row" aria-rowindex={index + 2} aria-selected={isTicked} data-index={index} style={{ transform: `translateY(${y}px)` }}
        class={`grid-row${isCurrent ? ' is-current' : ''}${isTicked ? ' is-ticked' : ''} ${extra}`}
      >
        {isTicked !== undefined && (
          <div class="grid-tick" role="gridcell">
            <input type="checkbox" tabIndex={-1} checked={isTicked} disabled={!row} aria-label={t('list.tick', { name: name ?? '' })} />
          </div>
        )}
        {columns.map((column) => (
          <div key={column.key} role="gridcell" data-title={column.title} class={column.align === 'end' ? 'grid-cell is-end' : 'grid-cell'}>
            {row ? column.cell(row) : <span class="skeleton" />}
          </div>
        ))}
      </div>
    ),
    [id, y, row, name, columns, stamp, isCurrent, isTicked, extra],
  );
}

function Head<Row>({ column, sort, onSort }: { column: Column<Row>; sort: readonly string[]; onSort: ((sort: string[]) => void) | undefined }) {
  const place = sort.findIndex((one) => one.replace(/^-/, '') === column.key);
  const isDown = sort[place]?.startsWith('-') ?? false;
  const state = place !== 0 ? 'none' : isDown ? 'descending' : 'ascending';
  const classes = `grid-cell${column.align === 'end' ? ' is-end' : ''}`;
  if (column.sorts === false || !onSort) return <div class={classes} role="columnheader" title={column.help}>{column.title}</div>;
  const next = place === 0 ? !isDown : (column.largeFirst ?? column.align === 'end');
  return (
    <div class={classes} role="columnheader" aria-sort={state}>
      <button type="button" class="grid-sort" tabIndex={-1} title={column.help} onClick={() => onSort([`${next ? '-' : ''}${column.key}`])}>
        <span>{column.title}</span>
        {place === 0 && <Icon name={isDown ? 'down' : 'up'} />}
      </button>
    </div>
  );
}

function TickAll({ selection, total }: { selection: Ticks; total: number }) {
  const box = useRef<HTMLInputElement>(null);
  const { value: count } = selection.count;
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && count < total;
  });
  return (
    <input
      ref={box} type="checkbox" tabIndex={-1} checked={count > 0 && count === total} disabled={total === 0} aria-label={t('list.tickAll', { count: total })}
      onClick={() => (count > 0 ? selection.clear() : selection.all())}
    />
  );
}

/** The row of each element: row n is always in element n modulo their number. */
function slotsOf(first: number, elements: number): number[] {
  return Array.from({ length: elements }, (_, slot) => first + ((((slot - first) % elements) + elements) % elements));
}

/** Ages are written anew so often. */
const STAMP_MS = 10_000;

function useStamp(): Signal<number> {
  const stamp = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || (stamp.value += 1), STAMP_MS);
    return () => clearInterval(timer);
  }, []);
  return stamp;
}

const NARROW = typeof matchMedia === 'function' ? matchMedia('(max-width: 560px)') : undefined;

/** Whether rows are drawn as cards: names above, a few values below. */
function useNarrow(): boolean {
  const isNarrow = useSignal(NARROW?.matches ?? false);
  useEffect(() => {
    const follow = () => (isNarrow.value = NARROW?.matches ?? false);
    NARROW?.addEventListener('change', follow);
    return () => NARROW?.removeEventListener('change', follow);
  }, []);
  return isNarrow.value;
}

function collect<Row extends object>(rows: ListRows<Row>, first: number, last: number): Row[] {
  const found: Row[] = [];
  for (let index = first; index <= last; index += 1) {
    const row = rows.row(index);
    if (row) found.push(row);
  }
  return found;
}

function headHeight(view: HTMLElement): number {
  return (view.firstElementChild as HTMLElement | null)?.offsetHeight ?? 0;
}
