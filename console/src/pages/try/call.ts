// One call that a person makes by a form: what is sent, the same as curl, and what came back with its time.
//
// Unlike api/request.ts nothing is a failure here: a refusal is an answer to look at. The call has the sign-in of the page.

import { shell } from '../../change/change.ts';

export interface Call {
  method: string;
  /** Path and query. */
  address: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

export interface Reply {
  status: number;
  statusText: string;
  ms: number;
  headers: [name: string, value: string][];
  type: string;
  bytes: Uint8Array;
}

/** Answers are read up to here; a stream has no end. */
const MOST_BYTES = 2_000_000;
/** A stream of events is read as long. */
const STREAM_MS = 10_000;

export async function make({ method, address, headers, body }: Call, signal: AbortSignal): Promise<Reply> {
  const begun = performance.now();
  const sent = { ...(method === 'GET' || method === 'HEAD' ? {} : { 'ibm-mq-rest-csrf-token': 'console' }), ...headers };
  const answer = await fetch(address, { method, headers: sent, credentials: 'same-origin', cache: 'no-store', signal, ...(body === undefined ? {} : { body: body as BodyInit }) });
  const type = answer.headers.get('content-type') ?? '';
  const ms = performance.now() - begun;
  const bytes = await read(answer, type.startsWith('text/event-stream'));
  return { status: answer.status, statusText: answer.statusText, ms, headers: [...answer.headers.entries()], type, bytes };
}

async function read(answer: Response, isStream: boolean): Promise<Uint8Array> {
  const reader = answer.body?.getReader();
  if (!reader) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  const end = isStream ? setTimeout(() => void reader.cancel(), STREAM_MS) : undefined;
  try {
    while (length < MOST_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
  } finally {
    clearTimeout(end);
    void reader.cancel().catch(() => undefined);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The call as a curl command, for the user who is signed in. */
export function curlOf({ method, address, headers, body }: Call, user: string, origin: string): string {
  const lines = [`curl --cacert ca.crt -u ${shell(user)}${method === 'GET' ? '' : ` -X ${method}`} ${shell(new URL(address, origin).href)}`];
  const sent = { ...(method === 'GET' || method === 'HEAD' ? {} : { 'ibm-mq-rest-csrf-token': 'curl' }), ...headers };
  for (const [name, value] of Object.entries(sent)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (typeof body === 'string' && body !== '') lines.push(`-d ${shell(body)}`);
  if (body instanceof Uint8Array && body.length > 0) lines.push('--data-binary @record');
  return lines.join(' \\\n  ');
}

/** A body as text: JSON is laid out, what is no text is hexadecimal. */
export function textOf({ type, bytes }: Pick<Reply, 'type' | 'bytes'>): string {
  if (bytes.length === 0) return '';
  if (!/^(text\/|application\/(.*\+)?(json|xml|x-ndjson|yaml|x-yaml))|^$/.test(type)) return hex(bytes);
  const text = new TextDecoder().decode(bytes);
  if (!/json/.test(type) || /ndjson/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Sixteen bytes a line, with their places and characters. */
export function hex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const cells = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    lines.push(`${at.toString(16).padStart(6, '0')}  ${cells}  ${row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')}`);
  }
  return lines.join('\n');
}

/** Bytes of hexadecimal digits; undefined: it is none. */
export function bytesOf(text: string): Uint8Array | undefined {
  const digits = text.replace(/\s+/g, '');
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
