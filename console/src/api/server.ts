// Resources of the server as a whole: what services have done, the log, changes of definitions, how programs connect, the grammar of MQSC.
//
// Their shapes are written here: the pages read members that the OpenAPI document describes as maps, or that it does not have in this version.

import { type Operation, request } from './request.ts';

/** What services, APIs and API requesters have done. Times are in milliseconds; null: nothing was answered in the time. */
export interface Activity {
  at: string;
  services: Active[];
  apis: Active[];
  requesters: Active[];
}

export interface Active {
  name: string;
  state: 'started' | 'stopped';
  requests: number;
  inFlight: number;
  succeeded: number;
  refused: number;
  failed: number;
  unanswered: number;
  abandoned: number;
  /** Of the last `seconds`. */
  recent: { seconds: number; requests: number; perSecond: number; refused: number; failed: number; unanswered: number; p50: number | null; p95: number | null };
  /** The newest first. */
  errors: { at: string; status: number; milliseconds: number | null; answer: string }[];
}

export interface LogLine {
  number: number;
  at: string;
  level: string;
  text: string;
  fields: Record<string, unknown>;
}

export interface Change {
  at: string;
  user: string | null;
  /** By which way: 'command line', 'REST', … */
  by?: string;
  object: { type: string; name: string };
  what: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  mqsc?: string | null;
}

/** What a program of the user needs to connect. What is null cannot be had that way. */
export interface ConnectCard {
  qmgr: string;
  user: string;
  host: string;
  httpPort: number | null;
  httpsPort: number | null;
  listeners: { name: string; port: number; tls: boolean }[];
  /** Those that would let the user in. */
  channels: { name: string; user: string; cipherSpec: string | null; certificateRequired: boolean }[];
  certificateAuthority: string | null;
  ccdt: unknown;
  curl: string;
  jms: string | null;
  mqserver: string | null;
}

export const activity = (signal?: AbortSignal) => ask<Activity>('GET /api/v1/activity', {}, {}, signal);
export const mqscGrammar = (signal?: AbortSignal) => ask<unknown>('GET /api/v1/mqsc/grammar', {}, {}, signal);
export const log = (query: { after?: number; level?: string; limit?: number }, signal?: AbortSignal) =>
  ask<{ lines: LogLine[]; next: number | null }>('GET /api/v1/log', {}, query, signal);
export const changes = (qmgr: string, query: { since?: string; limit?: number }, signal?: AbortSignal) =>
  ask<{ changes: Change[] }>('GET /api/v1/qmgr/{qmgr}/changes', { qmgr }, query, signal);
export const connectCard = (qmgr: string, signal?: AbortSignal) => ask<ConnectCard>('GET /api/v1/qmgr/{qmgr}/connect-card', { qmgr }, {}, signal);

function ask<Type>(name: string, path: Record<string, string>, query: Record<string, unknown>, signal?: AbortSignal): Promise<Type> {
  return request(name as Operation, { path, query, ...(signal ? { signal } : {}) } as never) as Promise<unknown> as Promise<Type>;
}
