// The data as JSON: indented, folded, searched. Numbers and names are shown as they are written.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { bytes } from '../../../format.ts';
import { useAsked } from '../../../parts/asked.ts';
import { Button } from '../../../parts/button.tsx';
import { copy } from '../../../parts/copy.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Empty, Failed, Loading } from '../../../parts/states.tsx';
import { t } from '../../../text.ts';
import { textOf, type Where } from '../body.ts';
import { visible } from '../visible.ts';
import { around, type JsonRow, jsonRows, NotJson, pretty, unfolded } from './json.ts';
import { Lines } from './lines.tsx';
import { Find, marked } from './text.tsx';

/** Longer data are shown as text. */
const LONGEST = 32 * 1024 * 1024;
/** Rows above which only the outer levels are open at first. */
const OPEN_ROWS = 5000;
/** Characters of a value on its row, and spaces of the deepest indentation. */
const LONGEST_VALUE = 2000;
const DEEPEST = 40;

export default function JsonView({ where, length, ccsid }: { where: Where; length: number; ccsid: number }) {
  const isTooLong = length > LONGEST;
  const asked = useAsked(isTooLong ? undefined : `${where.position} ${ccsid}`, async (signal) => {
    const text = await textOf(where, ccsid, length, signal);
    try {
      return { rows: jsonRows(text) };
    } catch (error) {
      if (error instanceof NotJson) return { wrong: error.at, near: text.slice(Math.max(0, error.at - 20), error.at + 40) };
      throw error;
    }
  });
  if (isTooLong) return <Empty title={t('message.tooLong', { size: bytes(LONGEST) })} />;
  if (asked.error !== undefined) return <Failed error={asked.error} again={asked.again} />;
  if (!asked.answer) return <Loading />;
  if (!asked.answer.rows) return <Empty title={t('message.notJson', { at: asked.answer.wrong ?? 0 })}><bdi class="mono">{visible(asked.answer.near ?? '')}</bdi></Empty>;
  return <Tree rows={asked.answer.rows} />;
}

function Tree({ rows }: { rows: JsonRow[] }) {
  const folded = useSignal<ReadonlySet<number>>(new Set());
  const find = useSignal('');
  const hit = useSignal(0);
  useEffect(() => {
    folded.value = rows.length > OPEN_ROWS ? deeper(rows, 2) : new Set();
  }, [rows]);
  const hits = useMemo(() => {
    const wanted = find.value.toLowerCase();
    if (wanted === '') return [];
    const found: number[] = [];
    for (const [index, row] of rows.entries()) if (row.text.toLowerCase().includes(wanted) || row.name?.toLowerCase().includes(wanted)) found.push(index);
    return found;
  }, [rows, find.value]);
  const place = hits[hit.value];
  useEffect(() => {
    hit.value = 0;
  }, [find.value]);
  useEffect(() => {
    if (place === undefined) return;
    const hiding = around(rows, place).filter((index) => folded.peek().has(index));
    if (hiding.length > 0) folded.value = new Set([...folded.peek()].filter((index) => !hiding.includes(index)));
  }, [place]);
  const shown = useMemo(() => unfolded(rows, folded.value), [rows, folded.value]);
  const goTo = place === undefined ? undefined : shown.indexOf(place);
  function toggle(index: number): void {
    const next = new Set(folded.peek());
    if (!next.delete(index)) next.add(index);
    folded.value = next;
  }
  return (
    <div class="body-view">
      <div class="toolbar">
        <Button kind="plain" onClick={() => (folded.value = deeper(rows, 1))}>{t('message.fold')}</Button>
        <Button kind="plain" onClick={() => (folded.value = new Set())}>{t('message.unfold')}</Button>
        <Button kind="plain" icon="copy" onClick={() => void copy(pretty(rows))}>{t('message.copyAll')}</Button>
        <Find value={find} hit={hit} count={hits.length} />
      </div>
      <Lines
        label={t('message.json')} count={shown.length} goTo={goTo === undefined || goTo < 0 ? undefined : goTo}
        line={(index) => {
          const at = shown[index] ?? 0;
          const row = rows[at];
          return row && <Row row={row} isFolded={folded.value.has(at)} isHit={at === place} find={find.value} toggle={() => toggle(at)} />;
        }}
      />
    </div>
  );
}

function Row({ row, isFolded, isHit, find, toggle }: { row: JsonRow; isFolded: boolean; isHit: boolean; find: string; toggle(): void }) {
  const { depth, name, text, kind, comma, size = 0 } = row;
  const indent = { 'padding-inline-start': `${8 + Math.min(depth, DEEPEST) * 16}px` };
  const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
  return (
    <span class={isHit ? 'json-row is-hit' : 'json-row'} style={indent}>
      {kind === 'open' && size > 0 ? (
        <button type="button" class="fold" aria-expanded={!isFolded} aria-label={t('message.foldRow', { name: name ?? text })} onClick={toggle}>
          <Icon name={isFolded ? 'next' : 'open'} />
        </button>
      ) : <span class="fold" />}
      {name !== undefined && <><bdi class="json-name">{marked(visible(name), find)}</bdi>{': '}</>}
      <bdi class={`json-${kind}`}>{marked(visible(shown), find)}</bdi>
      {isFolded && <span class="quiet"> {t('message.members', { count: size })} {text === '{' ? '}' : ']'}</span>}
      {comma && !isFolded && ','}
    </span>
  );
}

function deeper(rows: readonly JsonRow[], depth: number): Set<number> {
  const found = new Set<number>();
  for (const [index, row] of rows.entries()) if (row.kind === 'open' && row.depth >= depth) found.add(index);
  return found;
}
