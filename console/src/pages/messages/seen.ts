// A message as the server shows it, and what a page says of it in one line.
//
// Types only and pure functions. What the OpenAPI document calls Message is the part that can be put; the rest is about the message on its queue.

import type { Message } from '../../api/operations.ts';
import { ebcdic } from './views/hex.ts';
import { visible } from './visible.ts';
import { isEbcdic } from './words.ts';

export interface Header {
  structure: string;
  [field: string]: unknown;
}

export interface SeenMessage extends Omit<Message, 'headers' | 'body'> {
  position: string;
  /** Bytes of the data, without headers. */
  length: number;
  putAt?: string;
  putApplication?: { name?: string; type?: number };
  user?: string;
  backoutCount?: number;
  feedback?: number;
  sequence?: number;
  offset?: number;
  isLastInGroup?: boolean;
  isPreview?: boolean;
  headers?: Header[];
  /** Why the data is no record of the copybook that was asked for. */
  problem?: { field?: string; pointer?: string; offset?: number; detail: string };
  body?: { text?: string; json?: unknown; base64?: string; raw?: string; copybook?: string; record?: unknown };
}

export interface Page {
  messages: SeenMessage[];
  cursor?: string;
  previous?: string;
  lookedAt: number;
}

/** Characters of a preview. */
const PREVIEW = 160;

/** The beginning of a body in one line; undefined: it is empty. */
export function preview({ body, length, ccsid }: SeenMessage): { as: 'text' | 'json' | 'bytes'; text: string } | undefined {
  if (!body || length === 0) return undefined;
  if (body.text !== undefined) return { as: 'text', text: line(body.text) };
  if (body.base64 !== undefined) return { as: 'bytes', text: isEbcdic(ccsid) ? ebcdicOf(body.base64) : hexOf(body.base64) };
  if (body.record !== undefined) return { as: 'json', text: line(JSON.stringify(body.record)) };
  return { as: 'json', text: line(JSON.stringify(body.json)) };
}

function line(text: string): string {
  return visible(text.slice(0, PREVIEW));
}

/** Bytes of a mainframe say more as its characters. */
function ebcdicOf(base64: string): string {
  return Array.from(atob(base64), (character) => ebcdic(character.charCodeAt(0))).join('').slice(0, PREVIEW);
}

function hexOf(base64: string): string {
  const bytes = atob(base64.slice(0, 64));
  return Array.from(bytes.slice(0, 32), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
}

export function deadLetterOf(message: SeenMessage): { reason: number; queue: string } | undefined {
  const header = message.headers?.find(({ structure }) => structure === 'MQDLH');
  return header && { reason: Number(header['reason']), queue: String(header['destinationQueue'] ?? '') };
}

/** What a message carries beside its data, as it is put. */
export function asPut(message: SeenMessage): Message {
  const { position: _, length: _1, putAt: _2, putApplication: _3, user: _4, backoutCount: _5, isPreview: _6, problem: _7, ...rest } = message;
  return rest as Message;
}
