// A list as a page has it: filter box with chips, columns, the grid, and the bar of what is ticked. Its state is in the address.
//
// `?search=&where=&sort=&columns=`; what is not in the address has its default. Values of rows on screen come live where the list says so.

import { useComputed, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { onLive, watch } from '../api/live.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, Popover } from '../parts/menu.tsx';
import { copy } from '../parts/copy.tsx';
import { Empty, Failed } from '../parts/states.tsx';
import { announce } from '../parts/toasts.tsx';
import { route, setQuery } from '../router.ts';
import { columnsOf } from '../settings.ts';
import { count } from '../format.ts';
import { t } from '../text.ts';
import { FilterBox, type QuickFilter } from './filter-box.tsx';
import { type Column, Grid } from './grid.tsx';
import { ListRows, type Source } from './rows.ts';
import { Selection } from './selection.ts';

export type { Column, QuickFilter };

export interface ListProps<Row extends object> {
  /** Under which name the choice of columns is kept. */
  name: string;
  label: string;
  /** Gives the source for the columns that are needed. A change of `sourceKey` makes a new one. */
  source(columns: readonly string[]): Source<Row>;
  sourceKey: string;
  keyOf(row: Row): string;
  /** The same array as long as nothing of it changes. */
  columns: readonly (Column<Row> & { needs?: readonly string[] })[];
  /** Keys of the columns that are shown at first. */
  shown: readonly string[];
  /** Columns of the resource that are always asked for. */
  always: readonly string[];
  sort: readonly string[];
  /** Conditions that hold at first, such as `system=false`. */
  where?: readonly string[];
  /** Columns that conditions may name. */
  filters: readonly string[];
  quick?: readonly QuickFilter[];
  /** A condition that the filter box shows as an example. */
  example?: string;
  href?(row: Row): string;
  /** Queue manager whose rows of queues come live. */
  live?: { qmgr: string } | undefined;
  /** Asks again after so many milliseconds, for values that do not come live. A hidden tab asks for nothing. */
  every?: number;
  /** Asks again when it changes, for rows that are here. */
  turn?: number;
  rowClass?(row: Row): string | undefined;
  /** Buttons for what is ticked; rows can be ticked where this is given. */
  actions?(selection: Selection<Row>, rows: ListRows<Row>): ComponentChildren;
  /** Buttons at the end of the toolbar, such as Create. */
  toolbar?: ComponentChildren;
}

export function List<Row extends object>(props: ListProps<Row>) {
  const { name, label, source, sourceKey, keyOf, columns, shown, always, live } = props;
  const query = useComputed(() => route.value?.query ?? new URLSearchParams());
  const keys = shownKeys(query.value.get('columns'), columnsOf.value[name], shown, columns);
  const visible = useMemo(() => columns.filter(({ key }) => keys.includes(key)), [columns, keys.join()]);
  const needed = [...new Set([...always, ...visible.flatMap(({ key, needs }) => needs ?? [key])])];
  const rows = useMemo(() => new ListRows<Row>(source(needed), keyOf), [sourceKey, needed.join()]);
  const selection = useMemo(() => (props.actions ? new Selection<Row>(keyOf, () => rows.total.value ?? 0) : undefined), [rows]);

  const search = query.value.get('search') ?? '';
  const where = query.value.has('where') ? query.value.getAll('where').filter(Boolean) : [...(props.where ?? [])];
  const sort = query.value.get('sort')?.split(',').filter(Boolean) ?? [...props.sort];
  const shownQuery = JSON.stringify([search, where, sort]);
  useEffect(() => {
    selection?.clear();
    void rows.show({ search, where, sort });
  }, [rows, shownQuery]);

  useEffect(() => onLive('reload', () => void rows.refresh()), [rows]);
  useEffect(() => {
    if (props.every === undefined) return;
    const timer = setInterval(() => document.hidden || void rows.refresh(), props.every);
    return () => clearInterval(timer);
  }, [rows, props.every]);
  useEffect(() => {
    if (props.turn !== undefined && rows.total.peek() !== undefined) void rows.refresh();
  }, [rows, props.turn]);
  const watching = useMemo(() => (live ? watch({}) : undefined), [live?.qmgr]);
  useEffect(() => () => watching?.end(), [watching]);
  useEffect(() => {
    if (!live) return;
    return onLive('row', ({ view, qmgr, key, gone, ...members }) => {
      if (view === name && qmgr === live.qmgr && !gone) rows.update(key, members as Partial<Row>);
    });
  }, [rows, live?.qmgr]);

  useSignalEffect(() => {
    const total = rows.total.value;
    if (total !== undefined) announce(t('list.announced', { count: total, what: label }));
  });

  /** The default conditions are not written into the address. */
  function setWhere(next: readonly string[]): void {
    const isDefault = next.join('\n') === (props.where ?? []).join('\n');
    setQuery({ where: isDefault ? undefined : next.length === 0 ? [''] : next });
  }

  const total = rows.total.value;
  // A user who may see no row at all is not helped by another filter.
  const isFiltered = (search !== '' || where.length > 0) && rows.known.value !== 0;
  return (
    <section class="list" aria-label={label}>
      <div class="toolbar">
        <FilterBox
          label={label} search={search} where={where} columns={props.filters} quick={props.quick ?? []} example={props.example ?? 'depth>80%'}
          onSearch={(next) => setQuery({ search: next === '' ? undefined : next })} onWhere={setWhere}
        />
        <p class="list-count" aria-hidden={total === undefined}>
          {total === undefined ? '' : total === rows.known.value ? count(total) : t('list.of', { total, known: rows.known.value ?? 0 })}
        </p>
        {rows.isOrderOld.value && <Button kind="plain" icon="refresh" onClick={() => void rows.refresh()}>{t('list.orderOld')}</Button>}
        <ColumnChooser columns={columns} keys={keys} defaults={shown} name={name} sort={sort} />
        <Menu
          button={<Icon name="more" />} class="icon-button" label={t('list.more')} edge="end"
          actions={[
            { name: t('list.copyLink'), icon: 'copy', run: () => void copy(location.href) },
            { name: t('list.copyCsv'), icon: 'copy', run: () => void copyCsv(rows, visible) },
            { name: t('list.refresh'), icon: 'refresh', run: () => void rows.refresh() },
          ]}
        />
        {props.toolbar}
      </div>
      {rows.failure.value !== undefined && <Failed error={rows.failure.value} again={() => void rows.refresh()} />}
      <Grid
        label={label} rows={rows} columns={visible} sort={sort} onSort={(next) => setQuery({ sort: next.join() === props.sort.join() ? undefined : next.join(',') })}
        selection={selection} href={props.href} rowClass={props.rowClass}
        onSeen={watching && live ? (seen) => watching.change({ queues: { qmgr: live.qmgr, names: seen.map(keyOf) } }) : undefined}
        empty={
          isFiltered ? (
            <Empty
              title={t('list.noneFits')}
              action={
                <Button
                  onClick={() => {
                    setQuery({ search: undefined, where: [''] });
                  }}
                >
                  {t('list.showAll')}
                </Button>
              }
            />
          ) : <Empty title={t('list.none')} />
        }
      />
      {selection && <SelectionBar selection={selection} total={total ?? 0}>{props.actions?.(selection, rows)}</SelectionBar>}
    </section>
  );
}

function shownKeys<Row>(address: string | null, kept: string[] | undefined, shown: readonly string[], columns: readonly Column<Row>[]): string[] {
  const wanted = address?.split(',') ?? kept ?? shown;
  const known = columns.map(({ key }) => key).filter((key) => wanted.includes(key));
  return known.length > 0 ? known : [...shown];
}

interface ChooserProps<Row> {
  columns: readonly Column<Row>[];
  keys: readonly string[];
  defaults: readonly string[];
  name: string;
  sort: readonly string[];
}

/** Which columns are shown, and by which the list is sorted. */
function ColumnChooser<Row>({ columns, keys, defaults, name, sort }: ChooserProps<Row>) {
  function choose(next: readonly string[]): void {
    const { [name]: _, ...others } = columnsOf.peek();
    columnsOf.value = next.join() === defaults.join() ? others : { ...others, [name]: [...next] };
    setQuery({ columns: undefined });
  }
  const first = sort[0] ?? '';
  return (
    <Popover button={<Icon name="columns" />} class="icon-button" label={t('list.columns')} edge="end">
      <div class="chooser">
        <label class="field">
          <span>{t('list.sortBy')}</span>
          <select value={first.replace(/^-/, '')} onChange={(event) => setQuery({ sort: event.currentTarget.value })}>
            {columns.some(({ key }) => key === first.replace(/^-/, '')) ? null : <option value={first.replace(/^-/, '')}>{t('list.defaultOrder')}</option>}
            {columns.filter(({ sorts }) => sorts !== false).map(({ key, title }) => <option key={key} value={key}>{title}</option>)}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={first.startsWith('-')} onChange={(event) => setQuery({ sort: (event.currentTarget.checked ? '-' : '') + first.replace(/^-/, '') })} />
          <span>{t('list.largeFirst')}</span>
        </label>
        <ColumnChoice columns={columns} keys={keys} choose={choose} reset={() => choose(defaults)} />
      </div>
    </Popover>
  );
}

interface ChoiceProps {
  columns: readonly { key: string; title: string; help?: string }[];
  keys: readonly string[];
  choose: (keys: string[]) => void;
  reset: () => void;
}

/** A box for each column, and the way back to the columns that are shown at first. */
export function ColumnChoice({ columns, keys, choose, reset }: ChoiceProps) {
  return (
    <>
      <fieldset>
        <legend>{t('list.columns')}</legend>
        {columns.map(({ key, title, help }) => (
          <label key={key} class="check" title={help}>
            <input
              type="checkbox" checked={keys.includes(key)}
              onChange={(event) => choose(columns.map((column) => column.key).filter((other) => (other === key ? event.currentTarget.checked : keys.includes(other))))}
            />
            <span>{title}</span>
          </label>
        ))}
      </fieldset>
      <button type="button" class="link" onClick={reset}>{t('list.defaultColumns')}</button>
    </>
  );
}

function SelectionBar({ selection, total, children }: { selection: Pick<Selection<never>, 'count' | 'all' | 'clear'>; total: number; children: ComponentChildren }) {
  const { value: ticked } = selection.count;
  if (ticked === 0) return null;
  return (
    <div class="selection" role="region" aria-label={t('list.selection')}>
      <p aria-live="polite">{t('list.selected', { count: ticked })}</p>
      {ticked < total && <button type="button" class="link" onClick={() => selection.all()}>{t('list.all', { count: total })}</button>}
      <div class="selection-actions">{children}</div>
      <IconButton icon="close" label={t('list.clear')} onClick={() => selection.clear()} />
    </div>
  );
}

/** Rows that a copy takes at most; a longer list is for the export of the server. */
const MOST_COPIED = 5000;

async function copyCsv<Row extends object>(rows: ListRows<Row>, columns: readonly Column<Row>[]): Promise<void> {
  const found = await rows.range(0, Math.min(MOST_COPIED, rows.total.peek() ?? 0) - 1);
  const lines = found.map((row) => columns.map((column) => cell(column.text?.(row) ?? (row as Record<string, unknown>)[column.key])).join(','));
  await copy([columns.map(({ title }) => cell(title)).join(','), ...lines].join('\n'));
}

function cell(value: unknown): string {
  const text = value == null ? '' : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
