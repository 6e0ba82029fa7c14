// A message that is being written: what the form holds, and the envelope that the server takes.
//
// Pure. JSON is sent as the text that was typed, so that no number is rounded. Of a message that is sent again, what the form does not show is
// kept: headers, group, reports.

import type { Message } from '../../api/operations.ts';
import { asPut, type SeenMessage } from './seen.ts';
import { jsonRows, NotJson } from './views/json.ts';

export type Kind = 'text' | 'json' | 'hex' | 'file' | 'record' | 'kept';

export interface PropertyRow {
  name: string;
  type: string;
  value: string;
}

export interface Draft {
  queue: string;
  kind: Kind;
  text: string;
  hex: string;
  file?: { name: string; type: string; base64: string; size: number };
  copybook: string;
  record: Record<string, string>;
  format: string;
  ccsid: string;
  contentType: string;
  type: string;
  priority: string;
  persistence: string;
  expiry: string;
  delay: string;
  replyQueue: string;
  replyQmgr: string;
  correlationId: string;
  groupId: string;
  report: string[];
  properties: PropertyRow[];
  repeat: string;
  /** Of a message that is sent again. */
  original?: SeenMessage;
  keepsId: boolean;
  keepsHeaders: boolean;
  removes: boolean;
}

export const PROPERTY_TYPES = ['string', 'boolean', 'int', 'long', 'double', 'byte', 'short', 'float', 'bytes', 'null'] as const;

export function emptyDraft(queue: string): Draft {
  return {
    queue, kind: 'text', text: '', hex: '', copybook: '', record: {}, format: '', ccsid: '', contentType: '', type: '', priority: '', persistence: 'asQueue', expiry: '', delay: '',
    replyQueue: '', replyQmgr: '', correlationId: '', groupId: '', report: [], properties: [], repeat: '1', keepsId: false, keepsHeaders: true, removes: false,
  };
}

/** Longest data that are edited as digits. */
const LONGEST_HEX = 64 * 1024;

/** The draft of a message that is sent again. `body` was asked for as `auto`. */
export function draftOf(queue: string, message: SeenMessage): Draft {
  const draft = emptyDraft(queue);
  const { body } = message;
  const properties = Object.entries(message.properties ?? {}).map(([name, value]) => propertyRow(name, value));
  const shown: Pick<Draft, 'kind' | 'text' | 'hex'> =
    body?.text !== undefined ? { kind: 'text', text: body.text, hex: '' }
    : body?.json !== undefined ? { kind: 'text', text: '', hex: '' }
    : message.length <= LONGEST_HEX ? { kind: 'hex', text: '', hex: hexOf(body?.base64 ?? '') }
    : { kind: 'kept', text: '', hex: '' };
  return {
    ...draft, ...shown, original: message, properties, format: message.format ?? '', ccsid: message.ccsid === undefined ? '' : String(message.ccsid),
    contentType: message.contentType ?? '', type: message.type ?? '', priority: String(message.priority ?? ''), persistence: message.persistence ?? 'asQueue',
    replyQueue: message.replyTo?.queue ?? '', replyQmgr: message.replyTo?.qmgr ?? '', correlationId: message.correlationId ?? '', groupId: message.groupId ?? '', report: message.report ?? [],
  };
}

function propertyRow(name: string, value: unknown): PropertyRow {
  if (value === null) return { name, type: 'null', value: '' };
  if (typeof value === 'boolean') return { name, type: 'boolean', value: String(value) };
  if (typeof value === 'number') return { name, type: Number.isInteger(value) ? 'int' : 'double', value: String(value) };
  if (typeof value === 'object') {
    const { type = 'string', value: inner = '' } = value as { type?: string; value?: unknown };
    return { name, type, value: String(inner) };
  }
  return { name, type: 'string', value: String(value) };
}

/** Why the draft cannot be sent yet, as the key of a text; undefined: it can. */
export function lacking(draft: Draft): 'queue' | 'json' | 'hex' | 'file' | 'copybook' | 'property' | 'identifier' | undefined {
  if (draft.queue.trim() === '') return 'queue';
  if (draft.kind === 'json' && wrongJson(draft.text) !== undefined) return 'json';
  if (draft.kind === 'hex' && bytesOfHex(draft.hex) === undefined) return 'hex';
  if (draft.kind === 'file' && !draft.file) return 'file';
  if (draft.kind === 'record' && draft.copybook === '') return 'copybook';
  if (draft.properties.some(({ name, value }) => name.trim() === '' && value !== '')) return 'property';
  if ([draft.correlationId, draft.groupId].some((digits) => digits !== '' && !/^[0-9a-f]{48}$/i.test(digits))) return 'identifier';
  return undefined;
}

/** Where a text ceases to be JSON. */
export function wrongJson(text: string): number | undefined {
  try {
    jsonRows(text);
    return undefined;
  } catch (error) {
    if (error instanceof NotJson) return error.at;
    throw error;
  }
}

/** The message as it is sent. */
export function envelopeOf(draft: Draft): Message {
  const kept = draft.original ? keptOf(draft, draft.original) : {};
  const properties = draft.properties.filter(({ name }) => name.trim() !== '').map((row) => [row.name.trim(), propertyValue(row)] as const);
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text));
  const word = (text: string) => text.trim() || undefined;
  const envelope = {
    ...kept,
    type: word(draft.type), format: word(draft.format), ccsid: number(draft.ccsid), priority: number(draft.priority),
    persistence: draft.persistence === 'asQueue' ? undefined : draft.persistence, expiry: word(draft.expiry) ?? kept['expiry'], delay: word(draft.delay),
    replyTo: draft.replyQueue.trim() === '' ? undefined : { queue: draft.replyQueue.trim(), ...(draft.replyQmgr.trim() === '' ? {} : { qmgr: draft.replyQmgr.trim() }) },
    correlationId: word(draft.correlationId), groupId: word(draft.groupId), report: draft.report.length > 0 ? draft.report : undefined,
    contentType: draft.kind === 'json' ? 'application/json' : word(draft.contentType) ?? (draft.kind === 'file' ? word(draft.file?.type ?? '') : undefined),
    properties: properties.length > 0 ? Object.fromEntries(properties) : undefined,
    body: bodyOf(draft),
  };
  if (draft.kind === 'record') Object.assign(envelope, { format: word(draft.format), contentType: undefined });
  return Object.fromEntries(Object.entries(envelope).filter(([, value]) => value !== undefined)) as Message;
}

/** What a message that is sent again keeps beside what the form shows. */
function keptOf(draft: Draft, original: SeenMessage): Record<string, unknown> {
  const { id, headers, body: _, properties: _1, contentType: _2, expiry: _3, expiresAt, ...rest } = asPut(original) as Record<string, unknown>;
  return {
    ...rest, ...(draft.keepsId ? { id } : {}), ...(draft.keepsHeaders && headers ? { headers } : {}),
    ...(expiresAt !== undefined && draft.expiry === '' ? { expiresAt } : {}),
  };
}

function bodyOf(draft: Draft): Message['body'] {
  switch (draft.kind) {
    case 'text':
    case 'json':
      return { text: draft.text };
    case 'hex':
      return { base64: base64Of(bytesOfHex(draft.hex) ?? new Uint8Array()) };
    case 'file':
      return { base64: draft.file?.base64 ?? '' };
    case 'record':
      return { copybook: draft.copybook, record: Object.fromEntries(Object.entries(draft.record).filter(([, text]) => text !== '').map(([name, text]) => [name, memberOf(text)])) };
    case 'kept':
      return { base64: draft.original?.body?.base64 ?? '' };
  }
}

/** A field of a record: a number or JSON where it is one, else a text. */
function memberOf(text: string): unknown {
  if (/^(-?(0|[1-9]\d*)(\.\d+)?|\{.*\}|\[.*\]|true|false)$/s.test(text.trim())) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}

function propertyValue({ type, value }: PropertyRow): unknown {
  switch (type) {
    case 'string':
      return value;
    case 'null':
      return null;
    case 'boolean':
      return /^(true|1|yes)$/i.test(value);
    case 'int':
    case 'double':
      return Number(value);
    default:
      return { type, value };
  }
}

/** Bytes of hexadecimal digits with blanks; undefined: there is something else, or half a byte. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/\s|0x/gi, '');
  if (!/^([0-9a-f]{2})*$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function hexOf(base64: string): string {
  const digits = Array.from(atob(base64), (character) => character.charCodeAt(0).toString(16).padStart(2, '0'));
  return digits.map((two, index) => (index > 0 && index % 16 === 0 ? `\n${two}` : index > 0 ? ` ${two}` : two)).join('');
}
