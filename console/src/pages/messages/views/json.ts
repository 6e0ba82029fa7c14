// JSON taken apart into rows for a folding view: every number, name and order as it is written, nothing rounded and nothing merged.
//
// Pure, and without recursion: depth costs memory only. What is no JSON is said with the place where it ends to be.

export interface JsonRow {
  depth: number;
  /** The name of a member, as it is written. */
  name?: string;
  /** The value, or the bracket that opens or closes. */
  text: string;
  kind: 'string' | 'number' | 'word' | 'open' | 'close';
  /** Of an opening bracket: the row that closes it. */
  close?: number;
  /** A value follows. */
  comma: boolean;
  /** Members or elements, of an opening bracket. */
  size?: number;
}

export class NotJson extends Error {
  constructor(readonly at: number) {
    super(`at character ${at}`);
  }
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** @throws {NotJson} */
export function jsonRows(text: string): JsonRow[] {
  const rows: JsonRow[] = [];
  const open: number[] = [];
  let at = 0;
  const skip = (form: RegExp): string => {
    form.lastIndex = at;
    const found = form.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const closed = (): void => {
    const last = rows.at(-1);
    skip(SPACE);
    if (text[at] === ',' && open.length > 0 && last) {
      last.comma = true;
      at += 1;
    }
  };
  for (;;) {
    skip(SPACE);
    const parent = open.at(-1);
    const container = parent === undefined ? undefined : rows[parent];
    const before = rows.at(-1);
    const isBehind = before !== undefined && before !== container;
    if (container && (text[at] === '}' || text[at] === ']')) {
      const isRight = (text[at] === '}') === (container.text === '{');
      if (!isRight || (isBehind && before.comma)) throw new NotJson(at);
      rows.push({ depth: container.depth, text: text[at] ?? '', kind: 'close', comma: false });
      container.close = rows.length - 1;
      open.pop();
      at += 1;
      closed();
      if (open.length === 0) break;
      continue;
    }
    if (container && isBehind && !before.comma) throw new NotJson(at);
    const row: JsonRow = { depth: open.length, text: '', kind: 'word', comma: false };
    if (container) container.size = (container.size ?? 0) + 1;
    if (container?.text === '{') {
      row.name = skip(STRING);
      skip(SPACE);
      if (row.name === '' || text[at] !== ':') throw new NotJson(at);
      at += 1;
      skip(SPACE);
    }
    const first = text[at];
    if (first === '{' || first === '[') {
      rows.push({ ...row, text: first, kind: 'open', size: 0 });
      open.push(rows.length - 1);
      at += 1;
      continue;
    }
    const value = first === '"' ? skip(STRING) : first === '-' || (first !== undefined && first >= '0' && first <= '9') ? skip(NUMBER) : skip(WORD);
    if (value === '') throw new NotJson(at);
    rows.push({ ...row, text: value, kind: first === '"' ? 'string' : /[tfn]/.test(first ?? '') ? 'word' : 'number' });
    closed();
    if (open.length === 0) break;
  }
  skip(SPACE);
  if (at < text.length) throw new NotJson(at);
  return rows;
}

/** The rows on screen when some are folded. */
export function unfolded(rows: readonly JsonRow[], folded: ReadonlySet<number>): Uint32Array {
  const shown: number[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    shown.push(index);
    const { close } = rows[index] ?? {};
    if (close !== undefined && folded.has(index)) index = close;
  }
  return Uint32Array.from(shown);
}

/** The brackets around a row, from outside. */
export function around(rows: readonly JsonRow[], index: number): number[] {
  const found: number[] = [];
  for (let at = 0; at < index; at += 1) {
    const { close } = rows[at] ?? {};
    if (close === undefined) continue;
    if (close >= index) found.push(at);
    else at = close;
  }
  return found;
}

/** The whole as indented text. */
export function pretty(rows: readonly JsonRow[]): string {
  return rows.map((row) => `${'  '.repeat(row.depth)}${row.name === undefined ? '' : `${row.name}: `}${row.text}${row.comma ? ',' : ''}`).join('\n');
}
