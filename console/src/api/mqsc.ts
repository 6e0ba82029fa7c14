// MQSC commands by REST: what is displayed as values, and what changes something as the very text that was shown.
//
// Names and texts are quoted here and nowhere else.

import type { MqscReply } from './operations.ts';
import { request, Refused } from './request.ts';

const AT = 'POST /ibmmq/rest/{version}/admin/action/qmgr/{qmgr}/mqsc';
export const MQSC_PATH = '/ibmmq/rest/v3/admin/action/qmgr/{qmgr}/mqsc';

/** Values of an object, by their MQSC keywords in lower case. */
export type Attributes = Record<string, string | number | undefined>;

/** DISPLAY: one entry an object. An object that is not there gives none. */
export async function display(qmgr: string, qualifier: string, name: string, wanted: readonly string[], signal?: AbortSignal): Promise<Attributes[]> {
  const reply = await request(AT, {
    path: { version: 'v3', qmgr },
    json: { type: 'runCommandJSON', command: 'display', qualifier, name, responseParameters: [...wanted] },
    ...(signal ? { signal } : {}),
  });
  const found: Attributes[] = [];
  for (const { completionCode, reasonCode, parameters, message, text } of reply.commandResponse) {
    // 2085 and 3065: there is no such object, or none with a status.
    if (completionCode === 2 && reasonCode !== 2085 && reasonCode !== 3065) throw refused(message ?? text ?? [], reasonCode);
    if (parameters) found.push(parameters as Attributes);
  }
  return found;
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
