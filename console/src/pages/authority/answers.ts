// What `why/2035` and `why/channel` answer: decisions step by step, what would change them, and the last refusals.

import { request } from '../../api/request.ts';
import type { Query } from '../../routes.ts';

/** Which record a user or a group was judged by. */
export interface Weighed {
  type: 'user' | 'group';
  name: string;
  profile: string | null;
  passedOver: string[];
  grants: string[];
}

export interface Step {
  at: string;
  text: string;
  allowed?: boolean;
  record?: string;
  by?: Weighed[];
  anyOf?: Step[];
}

export interface Remedy {
  mqsc: string[];
  scope: string;
}

export interface Explanation {
  allowed?: boolean;
  user?: string;
  groups?: string[];
  reason?: { code: number; name?: string | null };
  cause?: string;
  steps: Step[];
  remedy: Remedy[];
}

export interface Refusal {
  at: string;
  firstAt: string;
  count: number;
  user: string;
  /** Missing where a client was refused before it asked for an object. */
  object?: { type: string; name: string };
  wants?: string[];
  lacks?: string[];
  by: string;
  application?: string;
  channel?: string;
  address?: string;
  topicString?: string;
  cause: string;
  /** The first grants the least. Shown to administrators. */
  remedy?: Remedy[];
}

export interface RefusedClient {
  at: string;
  firstAt: string;
  count: number;
  by: string;
  user?: string;
  channel?: string;
  address?: string;
  cause: string;
}

/** A question as it stands in the address. */
export interface Question {
  /** A call on an object, or a client that connects. */
  about: 'call' | 'client';
  query: Record<string, string>;
}

const CALL = ['user', 'queue', 'topic', 'object', 'type', 'wants', 'channel', 'address', 'authenticated'];
const CLIENT = ['name', 'address', 'user', 'authenticated', 'subject', 'issuer'];

/** The question of an address; undefined: it asks nothing. A channel alone asks about its client. */
export function questionOf(address: URLSearchParams): Question | undefined {
  const members = (names: readonly string[]) => Object.fromEntries(names.flatMap((name) => (address.get(name) ? [[name, address.get(name) ?? '']] : [])));
  const hasObject = ['queue', 'topic', 'object', 'type'].some((name) => address.get(name));
  if (!hasObject && address.get('name')) return { about: 'client', query: members(CLIENT) };
  if (!hasObject && address.get('channel') && address.get('user')) return { about: 'client', query: { ...members(CLIENT), name: address.get('channel') ?? '' } };
  return hasObject && address.get('user') ? { about: 'call', query: members(CALL) } : undefined;
}

/** The members of the query that a question takes: cleared when it is closed. */
export const NO_QUESTION: Query = Object.fromEntries([...CALL, ...CLIENT, 'open'].map((name) => [name, undefined]));

export async function explain(qmgr: string, { about, query }: Question, signal: AbortSignal): Promise<Explanation> {
  const answer =
    about === 'call'
      ? await request('GET /api/v1/qmgr/{qmgr}/why/2035', { path: { qmgr }, query, signal })
      : await request('GET /api/v1/qmgr/{qmgr}/why/channel', { path: { qmgr }, query, signal });
  return { steps: [], remedy: [], ...(answer as Partial<Explanation>) };
}

export async function refusals(qmgr: string): Promise<Refusal[]> {
  return ((await request('GET /api/v1/qmgr/{qmgr}/why/2035', { path: { qmgr }, query: { limit: 1000 } })).refusals ?? []) as unknown as Refusal[];
}

export async function refusedClients(qmgr: string): Promise<RefusedClient[]> {
  return ((await request('GET /api/v1/qmgr/{qmgr}/why/channel', { path: { qmgr }, query: { limit: 1000 } })).refused ?? []) as unknown as RefusedClient[];
}

/** The question of a refusal, as members of an address. */
export function questionOfRefusal({ user, object, wants = [], channel, address }: Refusal): Query {
  if (!object) return { name: channel, address, user, authenticated: 'true' };
  const { type, name } = object;
  const asked: Query = type === 'QUEUE' ? { queue: name } : type === 'QMGR' ? { type: 'qmgr' } : { object: name, type: type.toLowerCase() };
  return { ...asked, user, wants: wants.join(',').toLowerCase(), ...(channel && address ? { channel, address, authenticated: 'true' } : {}) };
}
