// MQSC: commands with completion and help, answers as text or as a table, and scripts that are checked first and stop at the first error.
//
// What is written here is sent as it is written. Commands that destroy or stop something are asked about once; the others run at once.

import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { send } from '../api/mqsc.ts';
import { problemIn } from '../api/request.ts';
import type { PageProps } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Lazy } from '../parts/lazy.tsx';
import { Menu } from '../parts/menu.tsx';
import { announce } from '../parts/toasts.tsx';
import { t } from '../text.ts';
import { answerOf } from './mqsc/answer.ts';
import { namesFor, offers } from './mqsc/complete.ts';
import type { EditorHandle, EditorProps } from './mqsc/codemirror.tsx';
import { faultOf, type Fault, type Grammar, grammar, isDestructive, isSecret } from './mqsc/grammar.ts';
import { Help } from './mqsc/help.tsx';
import { History } from './mqsc/history.ts';
import { type Command, commandsOf, type Place } from './mqsc/script.ts';
import { type Entry, Transcript } from './mqsc/transcript.tsx';

const loadEditor = () => import('./mqsc/codemirror.tsx');
/** Entries that are kept on screen. */
const MOST_ENTRIES = 200;
/** The transcripts, by queue manager: going to another page and back keeps them. */
const transcripts = new Map<string, readonly Entry[]>();
const isTable = signal(false);
let lastEntry = 0;

export default function MqscPage({ parameters: { qmgr = '' } }: PageProps) {
  const entries = useSignal<readonly Entry[]>(transcripts.get(qmgr) ?? []);
  const known = useSignal<Grammar | undefined>(undefined);
  const unknown = useSignal<unknown>(undefined);
  const cursor = useSignal({ text: '', at: 0 });
  const faults = useSignal<readonly Fault[]>([]);
  const asked = useSignal<readonly Command[] | undefined>(undefined);
  const isBusy = useSignal(false);
  const editor = useRef<EditorHandle>();
  const history = useMemo(() => new History(), []);
  const stop = useRef(new AbortController());

  useEffect(() => {
    grammar().then((found) => (known.value = found), (error: unknown) => (unknown.value = error));
    return () => stop.current.abort();
  }, []);

  function record(entry: Omit<Entry, 'id'>): void {
    lastEntry += 1;
    entries.value = [...entries.peek(), { ...entry, id: lastEntry }].slice(-MOST_ENTRIES);
    transcripts.set(qmgr, entries.peek());
  }

  /** What the grammar refuses of a script. Marks it in the editor. */
  function check(commands: readonly Command[]): boolean {
    const found = known.peek();
    faults.value = found ? commands.flatMap((command) => faultOf(found, command) ?? []) : [];
    editor.current?.mark(faults.peek().map(({ command }) => command));
    return faults.peek().length === 0;
  }

  function start(): void {
    if (isBusy.peek()) return;
    const commands = scriptOf(editor.current?.text() ?? '');
    if (commands.length === 0) return;
    // One command is answered by the server; of a script nothing runs before all of it reads well.
    if (commands.length > 1 && !check(commands)) return;
    faults.value = [];
    if (commands.some((command) => isDestructive(known.peek(), command))) asked.value = commands;
    else void run(commands);
  }

  async function run(commands: readonly Command[]): Promise<void> {
    asked.value = undefined;
    isBusy.value = true;
    stop.current = new AbortController();
    const { signal } = stop.current;
    const text = editor.current?.text() ?? '';
    if (!commands.some((command) => isSecret(known.peek(), command))) history.add(text.trim());
    history.rest();
    editor.current?.set('');
    for (const [index, command] of commands.entries()) {
      const shown = isSecret(known.peek(), command) ? masked(command.text) : command.text;
      try {
        const answer = answerOf(await send(qmgr, command.text, signal));
        record({ command: shown, answer, at: Date.now() });
        if (answer.isGood) continue;
      } catch (error) {
        if (signal.aborted) break;
        record({ command: shown, failure: problemIn(error).detail, at: Date.now() });
      }
      const left = commands.length - index - 1;
      if (left > 0) {
        record({ note: t('mqsc.stopped', { count: left, line: command.line }), at: Date.now() });
        editor.current?.set(commands.slice(index).map((one) => one.text).join('\n'));
      }
      break;
    }
    isBusy.value = false;
    announce(t('mqsc.ran', { count: commands.length }));
    editor.current?.focus();
  }

  async function complete(place: Place, signal: AbortSignal) {
    const found = known.peek();
    if (!found) return [];
    const own = offers(found, place);
    return own.length > 0 ? own : namesFor(found, qmgr, place, signal);
  }

  const props: EditorProps = {
    label: t('mqsc.editor'), hint: t('mqsc.hint'), complete, run: start,
    ready: (handle) => (editor.current = handle),
    moved: (text, at) => {
      cursor.value = { text, at };
      if (faults.peek().length > 0) faults.value = [];
    },
    step: (by, current) => history.step(by, current),
  };
  const commands = scriptOf(cursor.value.text);
  return (
    <div class="mqsc">
      <header class="page-head page-title">
        <h1>{t('pages.mqsc')}</h1>
        <div class="mqsc-tools">
          <div class="segments" role="group" aria-label={t('mqsc.shape')}>
            <button type="button" aria-pressed={!isTable.value} onClick={() => (isTable.value = false)}>{t('mqsc.text')}</button>
            <button type="button" aria-pressed={isTable.value} onClick={() => (isTable.value = true)}>{t('mqsc.table')}</button>
          </div>
          <Menu
            button={<Icon name="more" />} class="icon-button" label={t('list.more')} edge="end"
            actions={[
              { name: t('mqsc.clear'), icon: 'remove', run: () => ((entries.value = []), transcripts.delete(qmgr)) },
              { name: t('mqsc.forget'), icon: 'remove', run: () => history.forget() },
            ]}
          />
        </div>
      </header>
      <Transcript
        entries={entries.value} isTable={isTable.value} isBusy={isBusy.value}
        again={(command) => {
          editor.current?.set(command);
          editor.current?.focus();
        }}
      />
      <div class="mqsc-write">
        <Lazy load={loadEditor} props={props} />
        <div class="mqsc-buttons">
          <Button kind="primary" disabled={commands.length === 0 || isBusy.value} onClick={start}>{commands.length > 1 ? t('mqsc.runAll', { count: commands.length }) : t('mqsc.run')}</Button>
          {isBusy.value
            ? <Button kind="plain" onClick={() => stop.current.abort()}>{t('mqsc.stop')}</Button>
            : <Button kind="plain" disabled={commands.length === 0 || !known.value} onClick={() => check(commands) && announce(t('mqsc.good'))}>{t('mqsc.check')}</Button>}
        </div>
      </div>
      {faults.value.length > 0 ? <Faults faults={faults.value} /> : <Help grammar={known.value} failure={unknown.value} text={cursor.value.text} at={cursor.value.at} />}
      {asked.value && <Ask commands={asked.value} known={known.value} qmgr={qmgr} onClose={() => (asked.value = undefined)} onRun={(all) => void run(all)} />}
    </div>
  );
}

/** The commands of a script, up to END. */
function scriptOf(text: string): Command[] {
  const all = commandsOf(text);
  const end = all.findIndex((command) => /^(END|EXIT|QUIT)$/i.test(command.text));
  return end < 0 ? all : all.slice(0, end);
}

/** A command whose secrets are not shown again. */
function masked(text: string): string {
  return text.replace(/((?:PWD|PASSW\w*|\w*CRYP\w*|\w*PWD)\()[^)]*\)/gi, '$1…)');
}

function Faults({ faults }: { faults: readonly Fault[] }) {
  return (
    <div class="mqsc-help" role="alert">
      <ul>
        {faults.slice(0, 5).map((fault) => (
          <li key={`${fault.command.from} ${fault.word}`} class="is-error">{t('mqsc.atLine', { line: fault.command.line })} {sentence(fault)}</li>
        ))}
      </ul>
      {faults.length > 5 && <p class="quiet">{t('mqsc.moreFaults', { count: faults.length - 5 })}</p>}
    </div>
  );
}

function sentence(fault: Fault): string {
  switch (fault.code) {
    case 'command':
      return t('mqsc.notFor', { verb: fault.word, object: fault.object });
    case 'word':
      return t('mqsc.notWord', { word: fault.word, keyword: fault.keyword, words: fault.words.slice(0, 12).join(', ') });
    case 'number':
      return t('mqsc.notNumber', { word: fault.word, keyword: fault.keyword, minimum: fault.minimum, maximum: fault.maximum ?? '∞' });
    case 'verb':
    case 'object':
    case 'keyword':
    case 'open':
    case 'quote':
      return t(`mqsc.${fault.code}Fault`, { word: fault.word });
  }
}

/** Asks once for all commands that destroy or stop something. */
function Ask({ commands, known, qmgr, onClose, onRun }: { commands: readonly Command[]; known: Grammar | undefined; qmgr: string; onClose(): void; onRun(commands: readonly Command[]): void }) {
  const destructive = commands.filter((command) => isDestructive(known, command));
  return (
    <Dialog
      title={t('mqsc.ask', { count: destructive.length })} above={qmgr} onClose={onClose}
      actions={<><Button onClick={onClose}>{t('change.cancel')}</Button><Button kind="danger" onClick={() => onRun(commands)}>{commands.length > 1 ? t('mqsc.runAll', { count: commands.length }) : t('mqsc.run')}</Button></>}
    >
      <p>{commands.length === 1 ? t('mqsc.askOne') : t('mqsc.askText', { count: destructive.length, all: commands.length })}</p>
      <Code label={t('change.mqsc')} text={destructive.map(({ text }) => text).join('\n')} />
    </Dialog>
  );
}
