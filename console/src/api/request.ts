// The one way to the server: `request('GET /api/v1/qmgr/{qmgr}/history', { path: { qmgr } })`.
//
// Types come from the OpenAPI document (operations.ts). Every refusal is a `Refused` with a problem, also where a resource answers in the
// older form with `error[]`; a server that cannot be reached is `Unreachable`. Changes carry the header against foreign pages.
//
// A 401 in the middle of work opens the sign-in over the page; the request is sent again when it is done. Reads and changes alike: the server
// has done nothing of a request that it answered with 401.

import type { Operations, Problem } from './operations.ts';
import type {} from './pending.ts';
import { signInAgain } from '../shell/again.ts';

export type Operation = keyof Operations;
export type Answer<Name extends Operation> = Operations[Name]['answer'];

type Needed<Key extends string, Type> = {} extends Type ? { [K in Key]?: Type } : { [K in Key]: Type };
type Sent<Key extends string, Type> = [Type] extends [never] ? { [K in Key]?: never } : { [K in Key]: Type };
export type Wish<Name extends Operation> = Needed<'path', Operations[Name]['path']> &
  Needed<'query', Operations[Name]['query']> &
  Sent<'json', Operations[Name]['body']> & Extra;

interface Extra {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** The server refused. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail);
  }
}

/** The server did not answer. */
export class Unreachable extends Error {}

/** A request whose answer is JSON. */
export async function request<Name extends Operation>(name: Name, wish: Wish<Name>): Promise<Answer<Name>> {
  const answer = await send(name, wish);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer<Name>;
}

/** A request whose answer is read by the caller: bytes of a body, a file. */
export async function send<Name extends Operation>(name: Name, wish: Wish<Name> | (Omit<Wish<Name>, 'json'> & { body: BodyInit })): Promise<Response> {
  const { path, query, json, body, headers, signal } = wish as {
    path?: Record<string, string>; query?: Record<string, unknown>; json?: unknown; body?: BodyInit;
    headers?: Record<string, string>; signal?: AbortSignal;
  };
  const [method, template] = name.split(' ') as [string, string];
  const init: RequestInit = { method, credentials: 'same-origin', cache: 'no-store', headers: { ...headers } };
  if (signal) init.signal = signal;
  const sent = init.headers as Record<string, string>;
  if (method !== 'GET') sent['ibm-mq-rest-csrf-token'] = 'console';
  if (json !== undefined) {
    sent['Content-Type'] = 'application/json';
    init.body = JSON.stringify(json);
  } else if (body !== undefined) {
    init.body = body;
  }
  const address = addressOf(template, path, query);
  for (;;) {
    const answer = await reach(address, init);
    if (answer.ok) return answer;
    if (answer.status !== 401) throw new Refused(answer.status, await problemOf(answer));
    await signInAgain();
  }
}

/** The address of a resource, also for what is shown as curl. */
export function addressOf(template: string, path: Record<string, string> = {}, query: Record<string, unknown> = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) parts.append(name, String(one));
    }
  }
  const text = parts.toString();
  const written = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  return text === '' ? written : `${written}?${text}`;
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable(String(error));
  }
}

/** The problem of an answer in either form, or one made of its status. */
export async function problemOf(answer: Response): Promise<Problem> {
  const plain = { type: 'about:blank', title: answer.statusText, status: answer.status, detail: `${answer.status} ${answer.statusText}` };
  let body: Partial<Problem> & { errorMessage?: string; errorDetails?: string; error?: { message?: string; action?: string; explanation?: string; reasonCode?: number }[] };
  try {
    body = await answer.json();
  } catch {
    return plain;
  }
  const first = body.error?.[0];
  if (first) {
    const { message = plain.detail, explanation = plain.title, action, reasonCode } = first;
    return { ...plain, title: explanation, detail: message, ...(action ? { hint: action } : {}), ...(reasonCode ? { reason: { code: reasonCode } } : {}) };
  }
  // Services, APIs and API requesters answer in a form of their own, with apostrophes as HTML writes them.
  if (body.errorMessage !== undefined) return { ...plain, detail: [body.errorMessage, body.errorDetails].filter(Boolean).join(' ').replaceAll('&#39;', "'") };
  return { ...plain, ...body } as Problem;
}

/** What to show of an error: the refusal of the server, or what went wrong on the way. */
export function problemIn(error: unknown): Problem {
  if (error instanceof Refused) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { type: 'about:blank', title: '', status: 0, detail };
}
