// The editor of MQSC commands: CodeMirror with completion, colours and history. Loaded when the page of commands is opened.
//
// It lives in a shadow tree, because CodeMirror then uses style sheets made by script (`adoptedStyleSheets`), which the policy of the page
// allows; in a document it writes a <style> element, which the policy refuses. Variables of tokens.css are inherited.
//
// Never here: what the words mean (grammar.ts, complete.ts) and what is done with a command (mqsc.tsx).

import { acceptCompletion, autocompletion, type Completion, type CompletionContext, type CompletionResult, completionStatus, startCompletion } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { EditorState, Prec, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, placeholder, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';
import type { Offer } from './complete.ts';
import { isUnfinished, type Place, placeAt, tokensOf } from './script.ts';

export interface EditorHandle {
  text(): string;
  set(text: string): void;
  focus(): void;
  /** Underlines places; none: takes marks away. */
  mark(places: readonly { from: number; to: number }[]): void;
}

export interface EditorProps {
  label: string;
  hint: string;
  ready(handle: EditorHandle): void;
  complete(place: Place, signal: AbortSignal): Promise<readonly Offer[]>;
  /** The place of the cursor, after each move. */
  moved(text: string, at: number): void;
  run(): void;
  /** What Up (-1) and Down (1) show; undefined: nothing. */
  step(by: -1 | 1, current: string): string | undefined;
}

/** Above this, colours are left out: the editor is for scripts, not for dumps of megabytes. */
const MOST_COLOURED = 200_000;

export default function Editor(props: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true });
    const view = new EditorView({ root, parent: root, state: EditorState.create({ extensions: extensions(latest) }) });
    latest.current.ready({
      text: () => view.state.doc.toString(),
      set(text) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: text.length }, scrollIntoView: true });
      },
      focus: () => view.focus(),
      mark: (places) => view.dispatch({ effects: marked.of(places) }),
    });
    view.focus();
    return () => view.destroy();
  }, []);
  return <div ref={host} class="mqsc-editor" />;
}

function extensions(latest: { current: EditorProps }) {
  const run = () => {
    latest.current.run();
    return true;
  };
  const step = (by: -1 | 1) => (view: EditorView) => {
    const { state } = view;
    const line = state.doc.lineAt(state.selection.main.head);
    const isAtEdge = by < 0 ? line.number === 1 : line.number === state.doc.lines;
    if (!isAtEdge || completionStatus(state) === 'active') return false;
    const text = latest.current.step(by, state.doc.toString());
    if (text === undefined) return false;
    view.dispatch({ changes: { from: 0, to: state.doc.length, insert: text }, selection: { anchor: text.length } });
    return true;
  };
  return [
    history(),
    autocompletion({ override: [(context) => source(latest, context)], activateOnCompletion: () => true, icons: false, maxRenderedOptions: 60 }),
    Prec.high(keymap.of([
      { key: 'Mod-Enter', run },
      { key: 'Enter', run: ({ state }) => state.doc.lines === 1 && state.doc.length > 0 && !isUnfinished(state.doc.toString()) && run() },
      { key: 'Tab', run: acceptCompletion },
      { key: ')', run: overParenthesis },
      { key: 'ArrowUp', run: step(-1) },
      { key: 'ArrowDown', run: step(1) },
    ])),
    keymap.of([...historyKeymap, ...standardKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': latest.current.label, 'autocapitalize': 'off', 'spellcheck': 'false' }),
    placeholder(latest.current.hint),
    EditorView.updateListener.of((update: ViewUpdate) => {
      if (update.docChanged || update.selectionSet) latest.current.moved(update.state.doc.toString(), update.state.selection.main.head);
    }),
    coloured,
    marks,
    look,
  ];
}

/** A parenthesis that is there is gone over, not written twice: completion writes pairs. */
function overParenthesis(view: EditorView): boolean {
  const { empty, head } = view.state.selection.main;
  if (!empty || view.state.sliceDoc(head, head + 1) !== ')') return false;
  view.dispatch({ selection: { anchor: head + 1 } });
  return true;
}

async function source(latest: { current: EditorProps }, context: CompletionContext): Promise<CompletionResult | null> {
  const place = placeAt(context.state.doc.toString(), context.pos);
  if (!context.explicit && place.expects === 'verb' && place.prefix === '') return null;
  const stop = new AbortController();
  context.addEventListener('abort', () => stop.abort());
  const found = await latest.current.complete(place, stop.signal).catch(() => []);
  if (context.aborted || found.length === 0) return null;
  return { from: place.from, filter: false, options: found.map(option) };
}

/** Parentheses come in pairs, with the cursor between them. */
function option({ text, apply, detail, help, kind }: Offer): Completion {
  const written = apply ?? text;
  const common = { label: text, type: kind, ...(detail ? { detail } : {}), ...(help ? { info: help } : {}) };
  if (!written.endsWith('(')) return { ...common, apply: written };
  return {
    ...common,
    apply: (view, _, from, to) => {
      const hasOne = view.state.sliceDoc(to, to + 1) === '(';
      const insert = hasOne ? written.slice(0, -1) : `${written})`;
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + written.length }, userEvent: 'input.complete' });
      startCompletion(view);
    },
  };
}

const classes = {
  verb: Decoration.mark({ class: 'is-verb' }), keyword: Decoration.mark({ class: 'is-keyword' }), text: Decoration.mark({ class: 'is-text' }),
  comment: Decoration.mark({ class: 'is-comment' }),
};

const coloured = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = colours(view.state);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = colours(update.state);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function colours(state: EditorState): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  if (state.doc.length > MOST_COLOURED) return builder.finish();
  const text = state.doc.toString();
  let depth = 0;
  let words = 0;
  let last = 0;
  for (const token of tokensOf(text)) {
    // A command begins on a line of its own, unless the one before goes on.
    const between = text.slice(last, token.from);
    if (depth === 0 && /\n|;/.test(between) && !/[+-][ \t]*\n/.test(text.slice(Math.max(0, last - 1), token.from))) words = 0;
    last = token.to;
    if (token.kind === '(') depth += 1;
    if (token.kind === ')') depth = Math.max(0, depth - 1);
    if (token.kind === 'word' && depth === 0) words += 1;
    const look = token.kind === 'comment' ? classes.comment : token.kind === 'text' ? classes.text : token.kind !== 'word' || depth > 0 ? undefined : words === 1 ? classes.verb : classes.keyword;
    if (look && token.to > token.from) builder.add(token.from, token.to, look);
  }
  return builder.finish();
}

const marked = StateEffect.define<readonly { from: number; to: number }[]>();
const fault = Decoration.mark({ class: 'is-fault' });
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    let next = transaction.docChanged ? Decoration.none : decorations;
    for (const effect of transaction.effects) {
      if (effect.is(marked)) next = Decoration.set(effect.value.filter(({ from, to }) => to > from).map(({ from, to }) => fault.range(from, to)), true);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--field)', color: 'var(--text)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)', minHeight: '44px' },
  '.cm-line': { padding: '0 12px' },
  '.cm-placeholder': { color: 'var(--text-help)' },
  '.is-verb': { color: 'var(--link)', fontWeight: '600' },
  '.is-keyword': { color: 'var(--text)' },
  '.is-text': { color: 'var(--good)' },
  '.is-comment': { color: 'var(--text-help)', fontStyle: 'italic' },
  '.is-fault': { textDecoration: 'underline wavy var(--error)', textUnderlineOffset: '3px' },
  '.cm-tooltip': { backgroundColor: 'var(--layer-raised)', color: 'var(--text)', border: '1px solid var(--line-firm)', boxShadow: 'var(--shadow)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '13px', maxHeight: '14em', minWidth: '260px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 12px', lineHeight: '20px', display: 'flex', gap: '16px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--selected)', color: 'var(--text)', boxShadow: 'inset 3px 0 var(--action)' },
  '.cm-completionDetail': { marginInlineStart: 'auto', fontStyle: 'normal', color: 'var(--text-help)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 12px', maxWidth: '320px', fontFamily: 'var(--sans)', fontSize: '13px', lineHeight: '18px' },
});
