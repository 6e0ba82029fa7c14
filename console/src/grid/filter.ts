// What a person types into the filter box: words to search for, and conditions such as `depth>80%` that become chips.
//
// Pure. The server knows the same conditions as `where`; a column that a list does not have stays a word.

/** A condition as it is sent: column, comparison, value. */
export interface Condition {
  column: string;
  operator: Operator;
  value: string;
}

export const OPERATORS = ['=', '!=', '>', '>=', '<', '<='] as const;
export type Operator = (typeof OPERATORS)[number];

const FORM = /^([A-Za-z]+)(!=|>=|<=|=|>|<)(.+)$/;

export function readCondition(text: string, columns: readonly string[]): Condition | undefined {
  const [, name = '', operator, value = ''] = FORM.exec(text) ?? [];
  const column = columns.find((known) => known.toLowerCase() === name.toLowerCase());
  return column && operator ? { column, operator: operator as Operator, value } : undefined;
}

export function writeCondition({ column, operator, value }: Condition): string {
  return column + operator + value;
}

/** Takes what was typed apart. Quotes hold words with blanks together. */
export function readFilter(text: string, columns: readonly string[]): { search: string; where: string[] } {
  const words: string[] = [];
  const where: string[] = [];
  for (const word of text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []) {
    const plain = word.replaceAll('"', '');
    const condition = readCondition(plain, columns);
    if (condition) where.push(writeCondition(condition));
    else if (plain !== '') words.push(plain);
  }
  return { search: words.join(' '), where };
}

/** Conditions with one more. A second one of the same column and direction replaces the first. */
export function withCondition(where: readonly string[], added: string, columns: readonly string[]): string[] {
  const next = readCondition(added, columns);
  const kept = where.filter((one) => {
    const known = readCondition(one, columns);
    return !(next && known && known.column === next.column && known.operator[0] === next.operator[0]);
  });
  return [...kept, added];
}
