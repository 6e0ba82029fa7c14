// What was run, with its answers, oldest first: as text, or as tables.

import { useEffect, useRef } from 'preact/hooks';
import { clock, moment } from '../../format.ts';
import { IconButton } from '../../parts/button.tsx';
import { copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { t } from '../../text.ts';
import { type Answer, asTable, asText } from './answer.ts';

export interface Entry {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  command?: string;
  answer?: Answer;
  /** The server refused the request. */
  failure?: string;
  /** A sentence of the console. */
  note?: string;
}

/** Pixels below which two attributes do not fit a line. */
const NARROW = 760;
/** Rows of a table that are drawn; the copy has all. */
const MOST_ROWS = 500;

interface TranscriptProps {
  entries: readonly Entry[];
  isTable: boolean;
  isBusy: boolean;
  /** Puts a command into the editor. */
  again(command: string): void;
}

export function Transcript({ entries, isTable, isBusy, again }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [entries.length, isTable]);
  return (
    <div ref={box} class="mqsc-log" role="log" aria-label={t('mqsc.transcript')} tabIndex={0}>
      {entries.length === 0 && !isBusy && (
        <div class="state">
          <p class="state-title">{t('mqsc.empty')}</p>
          <p class="state-text">{t('mqsc.examples')}</p>
          <p class="mqsc-examples">
            {['DISPLAY QLOCAL(*) WHERE(CURDEPTH GT 0) CURDEPTH IPPROCS OPPROCS', 'DISPLAY CHSTATUS(*) ALL', 'DISPLAY QMSTATUS ALL'].map((one) => (
              <button key={one} type="button" class="link" onClick={() => again(one)}><code>{one}</code></button>
            ))}
          </p>
        </div>
      )}
      {entries.map((entry) => <One key={entry.id} entry={entry} isTable={isTable} again={again} />)}
      {isBusy && <p class="quiet" role="status">{t('change.busy')}</p>}
    </div>
  );
}

function One({ entry: { command, answer, failure, note, at }, isTable, again }: { entry: Entry; isTable: boolean; again(command: string): void }) {
  if (note !== undefined) return <p class="mqsc-note"><Icon name="warning" class="is-warning" /> {note}</p>;
  const isBad = failure !== undefined || answer?.isGood === false;
  return (
    <article class={isBad ? 'mqsc-entry is-bad' : 'mqsc-entry'}>
      <header>
        <button type="button" class="mqsc-command" title={t('mqsc.again')} onClick={() => again(command ?? '')}>{command}</button>
        <time class="quiet" title={moment(at / 1000)}>{clock(at / 1000)}</time>
        {answer && <IconButton icon="copy" label={t('shell.copy', { what: t('mqsc.answer') })} onClick={() => void copy(asText(answer))} />}
      </header>
      {failure !== undefined && <p class="is-error">{failure}</p>}
      {answer && <AnswerView answer={answer} isTable={isTable} />}
    </article>
  );
}

function AnswerView({ answer, isTable }: { answer: Answer; isTable: boolean }) {
  const table = isTable ? asTable(answer) : undefined;
  if (!table) return <pre class="mqsc-text">{asText(answer, innerWidth < NARROW ? 1 : 2)}</pre>;
  const others = answer.messages.filter(({ attributes }) => attributes.length === 0);
  return (
    <>
      {others.length > 0 && <pre class="mqsc-text">{others.map(({ text }) => text).join('\n')}</pre>}
      <div class="mqsc-table" tabIndex={0} role="region" aria-label={t('mqsc.answer')}>
        <table>
          <thead>
            <tr>{table.columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr>
          </thead>
          <tbody>
            {table.rows.slice(0, MOST_ROWS).map((row, index) => (
              <tr key={index}>{row.map((value, at) => (at === 0 ? <th key={at} scope="row">{value}</th> : <td key={at} class={/^-?\d+$/.test(value) ? 'is-end' : undefined}>{value}</td>))}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.rows.length > MOST_ROWS && <p class="quiet">{t('mqsc.moreRows', { count: table.rows.length - MOST_ROWS })}</p>}
    </>
  );
}
