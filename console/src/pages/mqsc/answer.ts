// An answer of MQSC: its messages, the attributes in them, and the same as the columns of a table. Pure.

import type { MqscReply } from '../../api/operations.ts';

export interface Message {
  /** 'AMQ8409I: Display Queue details.' */
  text: string;
  attributes: [keyword: string, value: string][];
}

export interface Answer {
  isGood: boolean;
  messages: Message[];
}

export function answerOf(reply: MqscReply): Answer {
  const lines = reply.commandResponse.flatMap(({ text, message }) => text ?? message ?? []);
  return { isGood: reply.overallCompletionCode !== 2, messages: lines.map(messageOf) };
}

/** A line of the answer: a message, and attributes that stand behind three spaces each. */
export function messageOf(line: string): Message {
  const attributes: [string, string][] = [];
  const first = /^(.*?)(?: {3}(?=[A-Z][A-Z0-9]*(?:\(|$| {3}))|$)/s.exec(line);
  const text = first?.[1] ?? line;
  // What a syntax error quotes is no attribute.
  if (/^AMQ84(05|25)/.test(text)) return { text: line.replaceAll(/ {3,}/g, '\n  '), attributes };
  const pattern = /([A-Z][A-Z0-9]*)(?:\((.*?)\))?(?= {3}[A-Z]|\s*$)/gs;
  for (const [, keyword = '', value = ''] of line.slice(text.length).matchAll(pattern)) attributes.push([keyword, value.trim()]);
  return { text, attributes };
}

/** As runmqsc prints it: two attributes a line, or one where lines are short. */
export function asText({ messages }: Answer, columns: 1 | 2 = 2): string {
  return messages.map(({ text, attributes }) => {
    const cells = attributes.map(([keyword, value]) => (value === '' ? `${keyword}( )` : `${keyword}(${value})`));
    const lines: string[] = [];
    for (let at = 0; at < cells.length; at += 1) {
      const [one = '', two] = [cells[at], cells[at + 1]];
      if (columns === 2 && two !== undefined && one.length < 39 && two.length < 39) {
        lines.push(`   ${one.padEnd(39)} ${two}`);
        at += 1;
      } else {
        lines.push(`   ${one}`);
      }
    }
    return [text, ...lines].join('\n');
  }).join('\n');
}

export interface Table {
  columns: string[];
  rows: string[][];
}

/** Columns of all messages with attributes, in the order in which they come first; undefined: there are none. */
export function asTable({ messages }: Answer): Table | undefined {
  const shown = messages.filter(({ attributes }) => attributes.length > 0);
  if (shown.length === 0) return undefined;
  const columns = [...new Set(shown.flatMap(({ attributes }) => attributes.map(([keyword]) => keyword)))];
  return { columns, rows: shown.map(({ attributes }) => columns.map((column) => attributes.find(([keyword]) => keyword === column)?.[1] ?? '')) };
}
