// The commands that the server knows: verbs, objects, keywords, values, and a sentence for each. Read once.
//
// Pure but for `grammar`. What is checked here is what a reader of the manual would see; the server decides.

import { mqscGrammar } from '../../api/server.ts';
import type { Command, Written } from './script.ts';
import { parse, tokensOf } from './script.ts';

export interface Grammar {
  verbs: string[];
  objects: GrammarObject[];
}

export interface GrammarObject {
  object: string;
  synonyms: string[];
  commands: GrammarCommand[];
  /** The keyword that tells several kinds apart, such as CHLTYPE. */
  typeKeyword?: string;
  attributes?: Attribute[];
  /** What DISPLAY shows of things that are no definitions. */
  shown?: { keyword: string; value: Value }[];
}

export interface GrammarCommand {
  verb: string;
  parameters: string;
  keywords: { keyword: string; operand?: string; words?: string[] }[];
  help: string;
}

export interface Attribute {
  keyword: string;
  synonyms?: string[];
  value: Value;
  default?: string;
  setBy: string[];
  /** Kinds of the object that have it; all, where it is missing. */
  types?: string[];
  help: string;
}

export interface Value {
  is: string;
  minimum?: number;
  maximum?: number;
  most?: number;
  unit?: string;
  words?: string[];
}

/** A keyword that a command may have. */
export interface Keyword {
  keyword: string;
  value?: Value;
  operand?: string;
  default?: string;
  setBy?: string[];
  help?: string;
}

let known: Promise<Grammar> | undefined;

export function grammar(): Promise<Grammar> {
  known ??= (mqscGrammar() as Promise<Grammar>).catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** A verb that is written whole, or cut to three letters or more that begin no other. */
export function verbOf({ verbs }: Grammar, word: string): string | undefined {
  const wanted = word.toUpperCase();
  if (verbs.includes(wanted)) return wanted;
  const fitting = verbs.filter((verb) => verb.startsWith(wanted));
  return wanted.length >= 3 && fitting.length === 1 ? fitting[0] : undefined;
}

export function objectOf({ objects }: Grammar, word: string): GrammarObject | undefined {
  const wanted = word.toUpperCase();
  return objects.find(({ object, synonyms }) => object === wanted || synonyms.includes(wanted));
}

/** Objects that a verb works on. */
export function objectsOf({ objects }: Grammar, verb: string): GrammarObject[] {
  return objects.filter(({ commands }) => commands.some((command) => command.verb === verb));
}

export function commandOf(object: GrammarObject | undefined, verb: string): GrammarCommand | undefined {
  return object?.commands.find((command) => command.verb === verb);
}

/** Keywords of a command. `type`: the kind that the command names, such as SVRCONN. */
export function keywordsOf(object: GrammarObject, verb: string, type = ''): Keyword[] {
  const command = commandOf(object, verb);
  if (!command) return [];
  const own = command.keywords.map(({ keyword, operand, words }) => {
    // The line of the manual has a word such as `type`; the attribute of that name has the values.
    const attribute = operand === undefined || words ? undefined : object.attributes?.find((one) => one.keyword === keyword);
    return { ...attribute, keyword, ...(operand === undefined ? {} : { operand, value: attribute?.value ?? { is: words ? 'word' : operand, ...(words ? { words } : {}) } }) };
  });
  const isShown = verb === 'DISPLAY';
  const takes = new Set(command.parameters.split(/[ |]/));
  const fits = ({ keyword, setBy, types }: Attribute) => (isShown || setBy.includes(verb) || TELLS_KIND.has(keyword)) && (!types || type === '' || types.includes(type));
  const all: Keyword[] = [...own];
  if (takes.has('attributes')) all.push(...(object.attributes ?? []).filter(fits), ...(isShown ? (object.shown ?? []) : []));
  // Records of channel authentication have keys that differ between their types; what is shown of them names them all.
  if (takes.has('keys')) all.push(...(object.shown ?? []).filter(({ keyword }) => keyword !== object.object));
  const seen = new Set<string>();
  return all.filter(({ keyword }) => !seen.has(keyword) && seen.add(keyword));
}

/** Attributes that a command names although it does not change them: they say which kind is meant. */
export const TELLS_KIND = new Set(['CHLTYPE', 'AUTHTYPE', 'TRPTYPE']);

export function keywordOf(object: GrammarObject, verb: string, word: string, type = ''): Keyword | undefined {
  const wanted = word.toUpperCase();
  const all = keywordsOf(object, verb, type);
  return all.find(({ keyword }) => keyword === wanted) ?? all.find((one) => (one as Attribute).synonyms?.includes(wanted));
}

/** Whether an object has a keyword in any command: whether this one takes it is the server's to say. */
function isKnown({ attributes = [], shown = [], commands }: GrammarObject, word: string): boolean {
  const wanted = word.toUpperCase();
  return [...attributes, ...shown, ...commands.flatMap(({ keywords }) => keywords)].some((one) => one.keyword === wanted || (one as Attribute).synonyms?.includes(wanted));
}

export type Fault =
  | { code: 'verb' | 'object' | 'keyword' | 'open' | 'quote'; word: string; command: Command }
  | { code: 'word'; word: string; keyword: string; words: readonly string[]; command: Command }
  | { code: 'number'; word: string; keyword: string; minimum: number; maximum: number | undefined; command: Command }
  | { code: 'command'; word: string; object: string; command: Command };

/** What the server would refuse in a command by its words alone; undefined: nothing. */
export function faultOf(grammar: Grammar, command: Command): Fault | undefined {
  const tokens = tokensOf(command.text);
  const { verb: first, object: second, keywords } = parse(tokens);
  if (tokens.some(({ isOpen }) => isOpen)) return { code: 'quote', word: command.text, command };
  const depth = tokens.reduce((sum, { kind }) => sum + (kind === '(' ? 1 : kind === ')' ? -1 : 0), 0);
  if (depth !== 0) return { code: 'open', word: command.text, command };
  const verb = first && verbOf(grammar, first.text);
  if (!verb) return { code: 'verb', word: first?.text ?? command.text, command };
  const object = second && objectOf(grammar, second.keyword.text);
  if (!object) return { code: 'object', word: second?.keyword.text ?? '', command };
  if (!commandOf(object, verb)) return { code: 'command', word: verb, object: object.object, command };
  const type = object.typeKeyword === undefined ? '' : (keywords.find(({ keyword }) => keyword.text.toUpperCase() === object.typeKeyword)?.values?.[0]?.text.toUpperCase() ?? '');
  for (const written of keywords) {
    const fault = faultOfKeyword(object, verb, type, written, command);
    if (fault) return fault;
  }
  return undefined;
}

function faultOfKeyword(object: GrammarObject, verb: string, type: string, { keyword, values }: Written, command: Command): Fault | undefined {
  const known = keywordOf(object, verb, keyword.text, type);
  if (!known) return isKnown(object, keyword.text) ? undefined : { code: 'keyword', word: keyword.text, command };
  const [value, ...more] = values ?? [];
  const { value: takes } = known;
  // DISPLAY names attributes; a value there is a condition of its own.
  if (!value || !takes || more.length > 0 || value.kind === 'text' || verb === 'DISPLAY') return undefined;
  const text = value.text.toUpperCase();
  if (takes.is === 'word' && takes.words && !takes.words.includes(text)) return { code: 'word', word: value.text, keyword: known.keyword, words: takes.words, command };
  if (takes.is !== 'number' || takes.words?.includes(text)) return undefined;
  const number = Number(text);
  const isIn = /^-?\d+$/.test(text) && number >= (takes.minimum ?? -Infinity) && number <= (takes.maximum ?? Infinity);
  return isIn ? undefined : { code: 'number', word: value.text, keyword: known.keyword, minimum: takes.minimum ?? 0, maximum: takes.maximum, command };
}

/** Verbs and keywords after which something is gone, or stands still. */
const DESTROYS = new Set(['DELETE', 'CLEAR', 'STOP', 'PURGE', 'RESET', 'REFRESH']);

/** Whether a command destroys or stops something. */
export function isDestructive(grammar: Grammar | undefined, { text }: Command): boolean {
  const { verb, keywords } = parse(tokensOf(text));
  const name = verb && ((grammar && verbOf(grammar, verb.text)) ?? verb.text.toUpperCase());
  const removes = keywords.some(({ keyword, values }) => /^(PURGE|REPLACE|AUTHRMV)$/i.test(keyword.text) || (/^ACTION$/i.test(keyword.text) && /^REMOVE/i.test(values?.[0]?.text ?? '')));
  return name !== undefined && (DESTROYS.has(name) || [...DESTROYS].some((one) => name.length >= 3 && one.startsWith(name)) || removes);
}

/** Whether a command holds a password or the like: such a command is not remembered. */
export function isSecret(grammar: Grammar | undefined, { text }: Command): boolean {
  const { verb, object: named, keywords } = parse(tokensOf(text));
  const object = grammar && named && objectOf(grammar, named.keyword.text);
  const name = grammar && verb && verbOf(grammar, verb.text);
  return keywords.some(({ keyword, values }) => {
    if (values === undefined) return false;
    const known = object && name ? keywordOf(object, name, keyword.text) : undefined;
    return known?.value?.is === 'secret' || /PWD|PASSW|CRYP/i.test(keyword.text);
  });
}
