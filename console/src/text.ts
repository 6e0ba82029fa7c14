// Texts of the console, by typed keys: `t('queues.title')`, `t('list.selected', { count: 3 })`.
//
// text/en.json holds them in groups. A text with {name} takes values; one with `one` and `other` is chosen by `count`. Names and payloads
// are values, never translated. The compiler refuses a key that the file does not have.
//
// The build splits the file: groups that the first page names are in its script, the others come with `laterTexts` before a page that is loaded
// later is drawn.

import en from './text/en.json';

type Texts = typeof en;
export type TextKey = { [Group in keyof Texts & string]: `${Group}.${keyof Texts[Group] & string}` }[keyof Texts & string];
export type Values = Record<string, string | number>;

export const language = 'en';
const known: Record<string, Record<string, Entry> | undefined> = { ...en };
const plural = new Intl.PluralRules(language);
const number = new Intl.NumberFormat(language);

/** The text of a key. Numbers among the values are written with separators. */
export function t(key: TextKey, values: Values = {}): string {
  return fill(find(key) ?? key, values);
}

/** The text of a key that the server names, such as a rule; undefined: there is none. */
export function textOf(key: string, values: Values = {}): string | undefined {
  const found = find(key);
  return found === undefined ? undefined : fill(found, values);
}

let later: Promise<void> | undefined;

/** Fetches the texts of pages that are loaded later, once. */
export function laterTexts(): Promise<void> {
  later ??= import('./text/en.json?later').then(({ default: more }) => void Object.assign(known, more));
  // A failure is told by what is loaded beside it; the next page asks again.
  later.catch(() => (later = undefined));
  return later;
}

type Entry = string | { one: string; other: string };

function find(key: string): Entry | undefined {
  const dot = key.indexOf('.');
  return known[key.slice(0, dot)]?.[key.slice(dot + 1)];
}

function fill(entry: Entry, values: Values): string {
  const text = typeof entry === 'string' ? entry : plural.select(Number(values['count'])) === 'one' ? entry.one : entry.other;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? number.format(value) : value;
  });
}
