// MQSC commands by REST: what is displayed as values, and what changes something as the very text that was shown.
//
// Names and texts are quoted here and nowhere else.

import type { MqscReply } from './operations.ts';
import { request, Refused } from './request.ts';

const AT = 'POST /ibmmq/rest/{version}/admin/action/qmgr/{qmgr}/mqsc';
export const MQSC_PATH = '/ibmmq/rest/v3/admin/action/qmgr/{qmgr}/mqsc';

/** Values of an object, by their MQSC keywords in lower case. */
export type Attributes = Record<string, string | number | undefined>;

export interface DisplayWish {
  name?: string;
  /** Keywords of the command beside the name, such as `{ type: 'handle' }`. */
  parameters?: Record<string, string>;
  wanted?: readonly string[];
  signal?: AbortSignal;
}

/** There is no such object, status, connection or record. */
const NONE: ReadonlySet<number> = new Set([2085, 3065, 3174, 3200, 3338]);

/** DISPLAY: one entry an object. What is not there gives none. */
export async function displayAll<Found extends object = Attributes>(qmgr: string, qualifier: string, { name, parameters, wanted = ['all'], signal }: DisplayWish): Promise<Found[]> {
  const reply = await request(AT, {
    path: { version: 'v3', qmgr },
    json: {
      type: 'runCommandJSON', command: 'display', qualifier, responseParameters: [...wanted],
      ...(name === undefined ? {} : { name }), ...(parameters ? { parameters } : {}),
    },
    ...(signal ? { signal } : {}),
  });
  const found: Found[] = [];
  for (const { completionCode, reasonCode, parameters: values, message, text } of reply.commandResponse) {
    if (completionCode === 2 && !NONE.has(reasonCode)) throw refused(message ?? text ?? [], reasonCode);
    if (values) found.push(values as Found);
  }
  return found;
}

/** DISPLAY of one object or a generic name, without other keywords. */
export function display(qmgr: string, qualifier: string, name: string, wanted: readonly string[], signal?: AbortSignal): Promise<Attributes[]> {
  return displayAll(qmgr, qualifier, { name, wanted, ...(signal ? { signal } : {}) });
}

/** Sends one command as it is written, and gives the answer as it is: what fails is no refusal here. */
export function send(qmgr: string, command: string, signal?: AbortSignal): Promise<MqscReply> {
  return request(AT, { path: { version: 'v3', qmgr }, json: { type: 'runCommand', parameters: { command } }, ...(signal ? { signal } : {}) });
}

/** Runs one command as it is written. Gives the answer's lines. */
export async function run(qmgr: string, command: string): Promise<string[]> {
  const reply = await send(qmgr, command);
  const lines = reply.commandResponse.flatMap(({ text, message }) => text ?? message ?? []);
  if (reply.overallCompletionCode === 2) {
    const failed = reply.commandResponse.find(({ completionCode }) => completionCode === 2);
    throw refused(lines, failed?.reasonCode ?? reply.overallReasonCode);
  }
  return lines;
}

function refused(lines: readonly string[], reason: number): Refused {
  const detail = lines.map((line) => line.trim()).filter(Boolean).join(' ') || `MQSC: ${reason}`;
  return new Refused(200, { type: 'about:blank', title: '', status: 200, detail, reason: { code: reason } });
}

/** A value between apostrophes: `'it''s'`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** An object: `QLOCAL('ORDERS')`. */
export function object(type: string, name: string): string {
  return `${type.toUpperCase()}(${quoted(name)})`;
}

/** Keywords with values: `MAXDEPTH(5000) DESCR('new')`. A number and a word stand as they are, texts are `{ text }`. */
export function keywords(values: Record<string, string | number | { text: string }>): string {
  return Object.entries(values)
    .map(([keyword, value]) => `${keyword.toUpperCase()}(${typeof value === 'object' ? quoted(value.text) : value})`)
    .join(' ');
}
