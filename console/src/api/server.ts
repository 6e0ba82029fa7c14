// Resources of the server as a whole: what services have done, the log, changes of definitions, how programs connect, the grammar of MQSC.

import type { Activity, Changes, LogLine } from './operations.ts';
import { request } from './request.ts';

export type { LogLine } from './operations.ts';
/** What one service, API or API requester has done. Times are in milliseconds; null: nothing was answered in the time. */
export type Active = Activity['services'][number];
type LogLevel = LogLine['level'];
export type Change = Changes['changes'][number];

export const activity = (signal?: AbortSignal) => request('GET /api/v1/activity', of(signal));
export const mqscGrammar = (signal?: AbortSignal) => request('GET /api/v1/mqsc/grammar', of(signal));
export const log = (query: { after?: number; level?: LogLevel; limit?: number }, signal?: AbortSignal) => request('GET /api/v1/log', { query, ...of(signal) });
export const changes = (qmgr: string, query: { since?: string; limit?: number }, signal?: AbortSignal) =>
  request('GET /api/v1/qmgr/{qmgr}/changes', { path: { qmgr }, query, ...of(signal) });
export const connectCard = (qmgr: string, signal?: AbortSignal) => request('GET /api/v1/qmgr/{qmgr}/connect-card', { path: { qmgr }, ...of(signal) });

const of = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
