// The filter box of a list: words and conditions as they are typed, chips for what holds, and a small form for who prefers it.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Popover } from '../parts/menu.tsx';
import { t, textOf } from '../text.ts';
import { OPERATORS, readCondition, readFilter, withCondition } from './filter.ts';

/** A condition that is offered by a name. */
export interface QuickFilter {
  name: string;
  where: string;
}

interface FilterBoxProps {
  label: string;
  search: string;
  where: readonly string[];
  columns: readonly string[];
  quick: readonly QuickFilter[];
  /** A condition of this list, for who does not know the form. */
  example: string;
  /** What may be typed, and what the form says of it, where that is more than words and conditions. */
  placeholder?: string | undefined;
  hint?: string | undefined;
  onSearch(search: string): void;
  onWhere(where: readonly string[]): void;
}

/** After so long without a key the list is asked for. */
const TYPING_MS = 180;

export function FilterBox({ label, search, where, columns, quick, example, placeholder, hint, onSearch, onWhere }: FilterBoxProps) {
  const text = useSignal(search);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // The address has changed by another way.
  useEffect(() => {
    if (document.activeElement !== input.current) text.value = search;
  }, [search]);

  function take(isWhole: boolean): void {
    clearTimeout(timer.current);
    const read = readFilter(text.peek(), columns);
    if (isWhole && read.where.length > 0) {
      text.value = read.search;
      onWhere(read.where.reduce<string[]>((all, one) => withCondition(all, one, columns), [...where]));
    }
    // A condition that is still typed is no word to search for.
    if (read.search !== search) onSearch(read.search);
  }

  return (
    <div class="filter" role="search">
      <div class="filter-box" onClick={(event) => event.target === event.currentTarget && input.current?.focus()}>
        <Icon name="search" />
        {where.map((condition) => (
          <button
            key={condition} type="button" class="chip" title={t('list.removeFilter', { filter: chipText(condition, quick, columns) })}
            aria-label={t('list.removeFilter', { filter: chipText(condition, quick, columns) })}
            onClick={() => {
              onWhere(where.filter((other) => other !== condition));
              input.current?.focus();
            }}
          >
            <span>{chipText(condition, quick, columns)}</span>
            <Icon name="close" />
          </button>
        ))}
        <input
          ref={input} type="search" value={text.value} spellcheck={false} autocomplete="off" aria-label={t('list.filterLabel', { what: label })}
          placeholder={placeholder ?? (columns.length > 0 ? t('list.filter', { example }) : t('list.filterWords'))}
          data-filter
          onInput={(event) => {
            text.value = event.currentTarget.value;
            clearTimeout(timer.current);
            timer.current = setTimeout(() => take(text.peek().endsWith(' ')), TYPING_MS);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') take(true);
            else if (event.key === 'Backspace' && text.peek() === '' && where.length > 0) onWhere(where.slice(0, -1));
            else if (event.key === 'ArrowDown') event.currentTarget.closest('.list')?.querySelector<HTMLElement>('[role=grid]')?.focus();
            else if (event.key === 'Escape' && text.peek() !== '') {
              text.value = '';
              take(true);
            } else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </div>
      {columns.length + quick.length > 0 && (
        <Popover button={<><Icon name="filter" /><span>{t('list.addFilter')}</span></>} label={undefined}>
          <FilterForm where={where} columns={columns} quick={quick} onWhere={onWhere} example={example} hint={hint} />
        </Popover>
      )}
    </div>
  );
}

function FilterForm({ where, columns, quick, example, hint, onWhere }: Pick<FilterBoxProps, 'where' | 'columns' | 'quick' | 'example' | 'hint' | 'onWhere'>) {
  const column = useSignal(columns[0] ?? '');
  const operator = useSignal<string>('=');
  const value = useSignal('');
  return (
    <div class="chooser">
      {quick.length > 0 && (
        <fieldset>
          <legend>{t('list.quick')}</legend>
          {quick.map((filter) => (
            <label key={filter.where} class="check">
              <input
                type="checkbox" checked={where.includes(filter.where)}
                onChange={(event) => onWhere(event.currentTarget.checked ? withCondition(where, filter.where, columns) : where.filter((one) => one !== filter.where))}
              />
              <span>{filter.name}</span>
            </label>
          ))}
        </fieldset>
      )}
      <form
        class="filter-form"
        onSubmit={(event) => {
          event.preventDefault();
          const added = column.value + operator.value + value.value.trim();
          if (!readCondition(added, columns)) return;
          onWhere(withCondition(where, added, columns));
          value.value = '';
        }}
      >
        <select aria-label={t('list.column')} value={column.value} onChange={(event) => (column.value = event.currentTarget.value)}>
          {columns.map((name) => <option key={name} value={name}>{columnName(name)}</option>)}
        </select>
        <select aria-label={t('list.operator')} value={operator.value} onChange={(event) => (operator.value = event.currentTarget.value)}>
          {OPERATORS.map((one) => <option key={one} value={one}>{SIGNS[one] ?? one}</option>)}
        </select>
        <input aria-label={t('list.value')} type="text" value={value.value} spellcheck={false} onInput={(event) => (value.value = event.currentTarget.value)} />
        <Button submit icon="add">{t('list.add')}</Button>
      </form>
      <p class="quiet">{hint ?? t('list.filterHint', { example })}</p>
    </div>
  );
}

const SIGNS: Record<string, string> = { '!=': '≠', '>=': '≥', '<=': '≤' };

function columnName(name: string): string {
  return textOf(`column.${name}`) ?? name;
}

function chipText(condition: string, quick: readonly QuickFilter[], columns: readonly string[]): string {
  const known = quick.find(({ where }) => where === condition);
  if (known) return known.name;
  const read = readCondition(condition, columns);
  if (!read) return condition;
  const { column, operator, value } = read;
  return `${columnName(column)} ${SIGNS[operator] ?? operator} ${value}`;
}
