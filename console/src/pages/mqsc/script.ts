// MQSC as text: a script's commands, the tokens of a command, and what stands at a place of it.
//
// A command is a line; a line that ends with + or - goes on in the next one, `;` ends a command too, and a line that begins with * is a
// comment. Pure: what the words mean is asked of the grammar (grammar.ts).

export interface Command {
  /** One line, as it is sent. */
  text: string;
  /** Where it stands in the script. */
  from: number;
  to: number;
  /** Number of its first line, from 1. */
  line: number;
}

export interface Token {
  kind: 'word' | 'text' | '(' | ')' | ',' | 'comment';
  /** As written; a text without its apostrophes. */
  text: string;
  from: number;
  to: number;
  /** An apostrophe that ends it is missing. */
  isOpen?: boolean;
}

/** The commands of a script, in order. */
export function commandsOf(script: string): Command[] {
  const commands: Command[] = [];
  let open: Command | undefined;
  let from = 0;
  for (const [index, line] of script.split('\n').entries()) {
    const start = from;
    from += line.length + 1;
    const text = line.replace(/\s+$/, '');
    if (/^\s*\*/.test(text) || (text.trim() === '' && !open)) continue;
    const goesOn = /[+-]$/.test(text);
    const part = goesOn ? text.slice(0, -1) : text;
    if (open) {
      open.text += open.text.endsWith('\u0000') ? part : part.trimStart();
      open.to = start + text.length;
    } else {
      open = { text: part, from: start, to: start + text.length, line: index + 1 };
    }
    // After '-' the next line is taken from its first column on, after '+' from its first character.
    open.text = open.text.replace('\u0000', '');
    if (goesOn) {
      if (text.endsWith('-')) open.text += '\u0000';
      continue;
    }
    commands.push(...atSemicolons(open));
    open = undefined;
  }
  if (open) commands.push(...atSemicolons({ ...open, text: open.text.replace('\u0000', '') }));
  return commands;
}

/** A line may hold several commands. */
function atSemicolons(command: Command): Command[] {
  if (!command.text.includes(';')) return [{ ...command, text: command.text.trim() }].filter(({ text }) => text !== '');
  const parts: string[] = [''];
  let isQuoted = false;
  for (const char of command.text) {
    if (char === "'") isQuoted = !isQuoted;
    if (char === ';' && !isQuoted) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((text) => ({ ...command, text: text.trim() })).filter(({ text }) => text !== '');
}

/** Tokens with their places. Marks of continuation and semicolons are none. */
export function tokensOf(text: string, offset = 0): Token[] {
  const tokens: Token[] = [];
  const pattern = /^[ \t]*\*.*$|[+-][ \t]*(?=\n|$)|'(?:[^']|'')*('?)|[(),]|[^\s(),';]+/gm;
  for (const { 0: found, 1: end, index } of text.matchAll(pattern)) {
    const place = { from: offset + index, to: offset + index + found.length };
    if (found === '') continue;
    if (/^[+-][ \t]*$/.test(found)) continue;
    // A * that begins a line is a comment, but not between parentheses.
    if (/^[ \t]*\*/.test(found) && !isWithin(tokens) && (index === 0 || text[index - 1] === '\n')) {
      tokens.push({ kind: 'comment', text: found, ...place });
      continue;
    }
    if (found.startsWith("'")) tokens.push({ kind: 'text', text: found.slice(1, end ? -1 : undefined).replaceAll("''", "'"), ...place, ...(end ? {} : { isOpen: true }) });
    else if (found === '(' || found === ')' || found === ',') tokens.push({ kind: found, text: found, ...place });
    else tokens.push({ kind: 'word', text: found, ...place });
  }
  return tokens;
}

function isWithin(tokens: readonly Token[]): boolean {
  return tokens.reduce((depth, { kind }) => depth + (kind === '(' ? 1 : kind === ')' ? -1 : 0), 0) > 0;
}

/** A keyword of a command, with what stands between its parentheses. */
export interface Written {
  keyword: Token;
  /** Undefined: it has no parentheses. */
  values: Token[] | undefined;
  isClosed: boolean;
}

/** A command by its words: verb, object with name, keywords with values. */
export interface Parsed {
  verb?: Token;
  object?: Written;
  keywords: Written[];
}

export function parse(tokens: readonly Token[]): Parsed {
  const parsed: Parsed = { keywords: [] };
  let open: Written | undefined;
  for (const token of tokens) {
    if (token.kind === 'comment') continue;
    if (open?.values && !open.isClosed) {
      if (token.kind === ')') open.isClosed = true;
      else if (token.kind !== ',' && token.kind !== '(') open.values.push(token);
      continue;
    }
    if (token.kind === '(') {
      if (open) Object.assign(open, { values: [], isClosed: false });
      continue;
    }
    if (token.kind !== 'word') continue;
    if (!parsed.verb) {
      parsed.verb = token;
      continue;
    }
    open = { keyword: token, values: undefined, isClosed: true };
    if (!parsed.object) parsed.object = open;
    else parsed.keywords.push(open);
  }
  return parsed;
}

/** What stands at a place of a script, for completion and help. */
export interface Place {
  expects: 'verb' | 'object' | 'name' | 'keyword' | 'value' | 'nothing';
  /** What is written of it before the place. */
  prefix: string;
  /** Where that begins. */
  from: number;
  verb: string;
  object: string;
  /** The keyword whose value is written, or that the place is in. */
  keyword: string;
  /** Keywords of the whole command with their first value, in capitals. */
  has: ReadonlyMap<string, string>;
}

/** What is expected at `at`. */
export function placeAt(script: string, at: number): Place {
  const command = commandsOf(script).findLast(({ from, to }) => from <= at && at <= lineEnd(script, to));
  const start = command?.from ?? script.lastIndexOf('\n', at - 1) + 1;
  const whole = parse(tokensOf(script.slice(start, command?.to ?? at), start));
  const before = tokensOf(script.slice(start, at), start);
  const has = new Map(whole.keywords.map(({ keyword, values }) => [keyword.text.toUpperCase(), (values?.[0]?.text ?? '').toUpperCase()]));
  const parsed = parse(before);
  const last = before.at(-1);
  const isPartial = last !== undefined && last.to === at && (last.kind === 'word' || last.kind === 'text');
  const prefix = isPartial ? last.text : '';
  const from = isPartial ? last.from : at;
  const base = { prefix, from, verb: upper(parsed.verb), object: upper(parsed.object?.keyword), has };
  if (last?.kind === 'comment') return { ...base, expects: 'nothing', keyword: '' };
  const open = [parsed.object, ...parsed.keywords].find((one) => one?.values && !one.isClosed);
  if (open) return { ...base, expects: open === parsed.object ? 'name' : 'value', keyword: upper(open.keyword) };
  const complete = (parsed.verb ? 1 : 0) + (parsed.object ? 1 : 0) + parsed.keywords.length - (isPartial ? 1 : 0);
  const keyword = isPartial ? prefix.toUpperCase() : '';
  if (complete <= 0) return { ...base, expects: 'verb', verb: '', keyword: '' };
  if (complete === 1) return { ...base, expects: 'object', object: '', keyword: '' };
  return { ...base, expects: 'keyword', keyword };
}

/** The word that the place is in or behind: what help is about. */
export function wordAt(script: string, at: number): string {
  const place = placeAt(script, at);
  const rest = /^[\w]*/.exec(script.slice(at))?.[0] ?? '';
  return place.expects === 'value' || place.expects === 'name' ? place.keyword : (place.prefix + rest).toUpperCase();
}

/** A command that one more line may belong to. */
export function isUnfinished(script: string): boolean {
  const last = script.split('\n').at(-1) ?? '';
  if (/[+-]\s*$/.test(last)) return true;
  const tokens = tokensOf(script);
  return isWithin(tokens) || tokens.some(({ isOpen }) => isOpen);
}

function lineEnd(script: string, at: number): number {
  const end = script.indexOf('\n', at);
  return end < 0 ? script.length : end;
}

function upper(token: Token | undefined): string {
  return token?.text.toUpperCase() ?? '';
}
