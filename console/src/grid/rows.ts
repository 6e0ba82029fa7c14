// The rows of a list, held in pages: what the grid shows, fetched when it is seen.
//
// A source answers with a page of rows; the server sorts, filters and counts. A request of a superseded query is aborted. Values that come
// live replace those of a row at its place: no row moves until the person asks for the new order.
//
// Invariants
// - A row is at one index from its page's arrival to the next query or refresh.
// - A row object never changes: a row with another value is another object, so that what shows a row can tell by identity.
// - At most MOST_PAGES pages are kept, the last seen ones.

import { signal } from '@preact/signals';
import { type Condition, readCondition } from './filter.ts';

export interface ListQuery {
  search: string;
  /** Conditions such as `depth>80%`, all of which hold. */
  where: readonly string[];
  /** Columns by which rows are sorted; `-depth` is descending. */
  sort: readonly string[];
}

export interface Page<Row> {
  total: number;
  known: number;
  rows: Row[];
}

export type Source<Row> = (query: ListQuery, offset: number, limit: number, signal: AbortSignal) => Promise<Page<Row>>;

export const PAGE_ROWS = 200;
const MOST_PAGES = 25;
const EVERYTHING: ListQuery = { search: '', where: [], sort: [] };

export class ListRows<Row extends object> {
  /** Rows that fit; undefined until the first answer. */
  readonly total = signal<number | undefined>(undefined);
  /** Rows that the user may see without any filter. */
  readonly known = signal<number | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly isLoading = signal(false);
  /** A value by which the rows are sorted has changed. */
  readonly isOrderOld = signal(false);
  /** Grows with each query: the grid goes back to the top. */
  readonly shown = signal(0);
  /** Grows with each change of what `row` gives. */
  readonly version = signal(0);

  private pages = new Map<number, Row[]>();
  private pending = new Map<number, { request: AbortController; loaded: Promise<void> }>();
  /** Requests of the pages that are on screen, while the query is asked for anew. */
  private refreshing = new AbortController();
  /** Where a row is: its page, and its place in it. */
  private places = new Map<string, { page: number; at: number }>();
  /** Undefined until something is shown: the grid may want rows before that. */
  private query: ListQuery | undefined;
  /** Pages of this generation count; older answers are dropped. */
  private generation = 0;
  private lastSeen: number[] = [0];

  constructor(
    private readonly source: Source<Row>,
    readonly keyOf: (row: Row) => string,
  ) {}

  /** Shows another query. The rows of the old one stay on screen until the first page is there. */
  async show(query: ListQuery): Promise<void> {
    this.query = query;
    this.lastSeen = [0];
    this.shown.value += 1;
    await this.refresh();
  }

  /** Asks again for the pages that are on screen. */
  async refresh(seen: readonly number[] = [...this.lastSeen]): Promise<void> {
    this.refreshing.abort();
    for (const { request } of this.pending.values()) request.abort();
    this.pending.clear();
    this.generation += 1;
    const generation = this.generation;
    this.refreshing = new AbortController();
    const { signal } = this.refreshing;
    const wanted = seen.length > 0 ? seen : [0];
    this.isLoading.value = true;
    try {
      const answers = await Promise.all(wanted.map(async (page) => [page, await this.ask(page, signal)] as const));
      if (generation !== this.generation) return;
      this.pages = new Map();
      this.places.clear();
      for (const [page, answer] of answers) this.keep(page, answer);
      this.failure.value = undefined;
      this.isOrderOld.value = false;
    } catch (error) {
      if (generation !== this.generation) return;
      this.failure.value = error;
    }
    this.isLoading.value = false;
    this.version.value += 1;
    // What was scrolled to meanwhile.
    for (const page of this.lastSeen) void this.load(page);
  }

  row(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** Makes sure that the rows from `first` to `last` are there or on their way. */
  want(first: number, last: number): void {
    const pages: number[] = [];
    for (let page = Math.floor(Math.max(0, first) / PAGE_ROWS); page <= Math.floor(Math.max(0, last) / PAGE_ROWS); page += 1) pages.push(page);
    this.lastSeen = pages;
    if (!this.query || this.isLoading.peek()) return;
    for (const [page, { request }] of this.pending) {
      if (!pages.includes(page)) {
        request.abort();
        this.pending.delete(page);
      }
    }
    for (const page of pages) void this.load(page);
  }

  /** The rows from `first` to `last`, all of them, for a selection of a range. */
  async range(first: number, last: number): Promise<Row[]> {
    for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page += 1) await this.load(page);
    const rows: Row[] = [];
    for (let index = first; index <= last; index += 1) {
      const row = this.row(index);
      if (row) rows.push(row);
    }
    return rows;
  }

  /** Puts a row with values that came live at the place of the old one. */
  update(key: string, members: Partial<Row>): void {
    const place = this.places.get(key);
    const rows = place && this.pages.get(place.page);
    const row = rows?.[place?.at ?? -1] as Record<string, unknown> | undefined;
    if (!place || !rows || !row) return;
    const changed = Object.entries(members).filter(([name, value]) => row[name] !== value).map(([name]) => name);
    if (changed.length === 0) return;
    rows[place.at] = { ...row, ...members } as Row;
    if (this.query?.sort.some((column) => changed.includes(column.replace(/^-/, '')))) this.isOrderOld.value = true;
    this.version.value += 1;
  }

  private load(page: number): Promise<void> {
    const total = this.total.peek();
    if (this.pages.has(page) || (total !== undefined && page > 0 && page * PAGE_ROWS >= total)) return Promise.resolve();
    const known = this.pending.get(page);
    if (known) return known.loaded;
    const request = new AbortController();
    const loaded = this.fill(page, request);
    this.pending.set(page, { request, loaded });
    return loaded;
  }

  private async fill(page: number, request: AbortController): Promise<void> {
    const { generation } = this;
    try {
      const answer = await this.ask(page, request.signal);
      if (generation !== this.generation || request.signal.aborted) return;
      this.keep(page, answer);
      this.version.value += 1;
    } catch (error) {
      if (generation === this.generation && !isAbort(error)) this.failure.value = error;
    } finally {
      if (this.pending.get(page)?.request === request) this.pending.delete(page);
    }
  }

  private ask(page: number, signal: AbortSignal): Promise<Page<Row>> {
    return this.source(this.query ?? EVERYTHING, page * PAGE_ROWS, PAGE_ROWS, signal);
  }

  private keep(page: number, { total, known, rows }: Page<Row>): void {
    this.total.value = total;
    this.known.value = known;
    this.pages.set(page, rows);
    for (const [at, row] of rows.entries()) this.places.set(this.keyOf(row), { page, at });
    for (const old of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break;
      if (this.lastSeen.includes(old) || old === page) continue;
      for (const row of this.pages.get(old) ?? []) this.places.delete(this.keyOf(row));
      this.pages.delete(old);
    }
  }
}

/** A source over rows that are all here: filters by `search` in every text and by conditions on members, sorts by members. */
export function localSource<Row extends object>(rows: () => readonly Row[] | Promise<readonly Row[]>): Source<Row> {
  return async ({ search, where, sort }, offset, limit) => {
    const all = await rows();
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const conditions = where.flatMap((one) => readCondition(one, Object.keys(all[0] ?? {})) ?? []);
    const fitting = all.filter((row) => {
      const text = Object.values(row).join(' ').toLowerCase();
      return words.every((word) => text.includes(word)) && conditions.every((condition) => holds(condition, (row as Record<string, unknown>)[condition.column]));
    });
    const sorted = [...fitting].sort((a, b) => compare(a as Record<string, unknown>, b as Record<string, unknown>, sort));
    return { total: fitting.length, known: all.length, rows: sorted.slice(offset, offset + limit) };
  };
}

/** Whether a member fulfils a condition. Numbers are compared as numbers; a text may begin or end with `*`; no value fulfils `!=` alone. */
function holds({ operator, value }: Condition, member: unknown): boolean {
  if (member == null) return operator === '!=';
  const [x, y] = typeof member === 'number' ? [member, Number(value)] : [String(member), value];
  switch (operator) {
    case '=':
      return typeof y === 'string' ? fits(String(x), y) : x === y;
    case '!=':
      return typeof y === 'string' ? !fits(String(x), y) : x !== y;
    case '>':
      return x > y;
    case '>=':
      return x >= y;
    case '<':
      return x < y;
    case '<=':
      return x <= y;
  }
}

function fits(text: string, pattern: string): boolean {
  const [begin, end] = [pattern.startsWith('*'), pattern.endsWith('*')];
  const core = pattern.slice(begin ? 1 : 0, end && pattern.length > 1 ? -1 : undefined);
  return begin && end ? text.includes(core) : begin ? text.endsWith(core) : end ? text.startsWith(core) : text === core;
}

function compare(a: Record<string, unknown>, b: Record<string, unknown>, sort: readonly string[]): number {
  for (const column of sort) {
    const name = column.replace(/^-/, '');
    const [x, y] = [a[name], b[name]];
    if (x === y) continue;
    // What does not apply is last in either direction.
    if (x == null) return 1;
    if (y == null) return -1;
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
    if (order !== 0) return column.startsWith('-') ? -order : order;
  }
  return 0;
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
