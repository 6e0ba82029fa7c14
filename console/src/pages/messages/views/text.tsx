// The data as text, in the message's own character set or another, with a search.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { bytes } from '../../../format.ts';
import { useAsked } from '../../../parts/asked.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { copy } from '../../../parts/copy.tsx';
import { Failed, Loading } from '../../../parts/states.tsx';
import { setQuery } from '../../../router.ts';
import { t } from '../../../text.ts';
import { FIRST_TEXT, textOf, type Where } from '../body.ts';
import { visibleLine } from '../visible.ts';
import { characterSet, OFFERED_SETS } from '../words.ts';
import { Lines } from './lines.tsx';
import { beginsLine, lineAt, lineOf, wrap } from './wrap.ts';

interface TextProps {
  where: Where;
  length: number;
  /** The CCSID to read it in, and that of the message. */
  ccsid: number;
  own: number;
}

export default function TextView({ where, length, ccsid, own }: TextProps) {
  const most = useSignal(FIRST_TEXT);
  const asked = useAsked(`${where.position} ${ccsid} ${most.value}`, (signal) => textOf(where, ccsid, Math.min(most.value, length), signal));
  const find = useSignal('');
  const hit = useSignal(0);
  const text = asked.answer ?? '';
  const hits = useMemo(() => findAll(text, find.value), [text, find.value]);
  useEffect(() => {
    hit.value = 0;
  }, [find.value]);
  const sets = [...new Set([own, ...OFFERED_SETS])];
  return (
    <div class="body-view">
      <div class="toolbar">
        <label class="inline-field">
          <span>{t('message.readIn')}</span>
          <select value={String(ccsid)} onChange={(event) => setQuery({ ccsid: Number(event.currentTarget.value) === own ? undefined : event.currentTarget.value })}>
            {sets.map((set) => <option key={set} value={String(set)}>{set} {characterSet(set)}{set === own ? ` · ${t('message.ownSet')}` : ''}</option>)}
          </select>
        </label>
        {asked.answer !== undefined && <Button kind="plain" icon="copy" onClick={() => void copy(asked.answer ?? '')}>{t('message.copyAll')}</Button>}
        <Find value={find} hit={hit} count={hits.length} />
      </div>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {asked.answer === undefined && asked.error === undefined && <Loading />}
      {asked.answer !== undefined && asked.error === undefined && <Shown text={asked.answer} find={find.value} place={hits[hit.value]} />}
      {most.value < length && (
        <p class="cut">
          <span>{t('message.cut', { shown: bytes(most.value), all: bytes(length) })}</span>
          <Button kind="plain" onClick={() => (most.value = length)}>{t('message.showAll')}</Button>
        </p>
      )}
    </div>
  );
}

function Shown({ text, find, place }: { text: string; find: string; place: number | undefined }) {
  const width = useSignal(120);
  const wrapped = useMemo(() => wrap(text, width.value), [text, width.value]);
  return (
      <Lines
        label={t('message.text')} count={wrapped.count} onWidth={(characters) => (width.value = characters)} goTo={place === undefined ? undefined : lineAt(wrapped, place)}
        line={(index) => (
          <>
            <span class="line-number" aria-hidden="true">{beginsLine(wrapped, index) ? wrapped.numbers[index] : ''}</span>
            <bdi class="line-text">{marked(visibleLine(lineOf(wrapped, index)), find)}</bdi>
          </>
        )}
      />
  );
}

/** Places of a text that are found, as far as a person may want to walk through. */
const MOST_HITS = 10_000;

export function findAll(text: string, wanted: string): number[] {
  if (wanted.length === 0) return [];
  const found: number[] = [];
  const [all, part] = [text.toLowerCase(), wanted.toLowerCase()];
  for (let at = all.indexOf(part); at >= 0 && found.length < MOST_HITS; at = all.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** A line with what is looked for marked. */
export function marked(line: string, wanted: string) {
  if (wanted.length === 0) return line;
  const parts = [];
  const [all, part] = [line.toLowerCase(), wanted.toLowerCase()];
  let from = 0;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, from)) {
    parts.push(line.slice(from, at), <mark key={at}>{line.slice(at, at + part.length)}</mark>);
    from = at + part.length;
  }
  parts.push(line.slice(from));
  return parts;
}

/** A box to search in what is shown, with the number of the hit. */
export function Find({ value, hit, count }: { value: { value: string }; hit: { value: number }; count: number }) {
  const step = (by: number) => count > 0 && (hit.value = (hit.value + by + count) % count);
  return (
    <div class="find" role="search">
      <input
        type="search" placeholder={t('message.find')} aria-label={t('message.find')} spellcheck={false} value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      {value.value !== '' && (
        <>
          <span class="quiet" role="status">{count === 0 ? t('message.noHit') : t('message.hit', { at: hit.value + 1, of: count })}</span>
          <IconButton icon="up" label={t('message.previousHit')} disabled={count === 0} onClick={() => step(-1)} />
          <IconButton icon="down" label={t('message.nextHit')} disabled={count === 0} onClick={() => step(1)} />
        </>
      )}
    </div>
  );
}
