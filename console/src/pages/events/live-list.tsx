// A list of rows that arrive by themselves: it can be paused and cleared, and a row opens at the side.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type Column, List } from '../../grid/list.tsx';
import { localSource } from '../../grid/rows.ts';
import { Button } from '../../parts/button.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { announce } from '../../parts/toasts.tsx';
import { route, setQuery } from '../../router.ts';
import { t } from '../../text.ts';
import type { Ring } from './ring.ts';

/** Redraws at most so often. */
const REDRAW_MS = 400;

interface LiveListProps<Row extends object> {
  name: string;
  label: string;
  ring: Ring<Row>;
  keyOf(row: Row): string;
  columns: readonly Column<Row>[];
  shown: readonly string[];
  sort: readonly string[];
  /** Rows that are shown; a change of `chosen` asks anew. */
  chosen?: string;
  fits?(row: Row): boolean;
  rowClass?(row: Row): string | undefined;
  /** Begins to listen, and calls `add` with what arrives. Gives what ends that. */
  listen(add: (rows: readonly Row[]) => void): () => void;
  toolbar?: ComponentChildren;
  title(row: Row): string;
  details(row: Row): ComponentChildren;
}

export function LiveList<Row extends object>(props: LiveListProps<Row>) {
  const { name, label, ring, keyOf, columns, shown, sort, chosen = '', fits = () => true } = props;
  const turn = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = props.listen((rows) => {
      if (rows.length === 0) return;
      ring.add(rows);
      timer ??= setTimeout(() => {
        timer = undefined;
        turn.value += 1;
      }, REDRAW_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [ring]);
  const source = useMemo(() => () => localSource<Row>(() => ring.rows.filter(fits)), [chosen, ring]);
  const openKey = route.value?.query.get('open');
  const open = openKey === null || openKey === undefined ? undefined : ring.rows.find((row) => keyOf(row) === openKey);
  turn.value;
  function pause(): void {
    ring.pause(!ring.isPaused);
    announce(t(ring.isPaused ? 'events.paused' : 'events.goesOn'));
    turn.value += 1;
  }
  return (
    <>
      <List<Row>
        name={name} label={label} sourceKey={chosen} source={source} keyOf={keyOf} columns={columns} shown={shown} always={[]} sort={sort} filters={[]} turn={turn.value}
        {...(props.rowClass ? { rowClass: props.rowClass } : {})}
        href={(row) => hrefOf(keyOf(row))}
        toolbar={
          <>
            {props.toolbar}
            <Button kind={ring.isPaused ? 'primary' : 'plain'} onClick={pause}>{ring.isPaused ? t('events.resume', { count: ring.waiting }) : t('events.pause')}</Button>
            <Button
              kind="plain"
              onClick={() => {
                ring.clear();
                turn.value += 1;
              }}
            >
              {t('events.clear')}
            </Button>
          </>
        }
      />
      {open && (
        <Drawer title={props.title(open)} onClose={() => setQuery({ open: undefined })}>{props.details(open)}</Drawer>
      )}
    </>
  );
}

/** The present view with one row open. */
export function hrefOf(key: string): string {
  const query = new URLSearchParams(location.search);
  query.set('open', key);
  return `${location.pathname}?${query}`;
}
