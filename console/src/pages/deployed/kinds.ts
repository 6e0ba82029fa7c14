// Services, APIs and API requesters: what they have in common, and what is asked of the server for each.
//
// Never here: how they are shown (list.tsx, page.tsx).

import { type Operation, Refused, request } from '../../api/request.ts';
import { activity, type Active } from '../../api/server.ts';
import { link } from '../../routes.ts';
import type { Step } from '../../change/change.ts';

export type Kind = 'service' | 'api' | 'requester';

interface KindOf {
  list: 'services' | 'apis' | 'requesters';
  /** Path of the list; one is below it. */
  at: string;
  parameter: string;
  /** How archives end. */
  suffix: string;
  href(name: string, query?: Record<string, string>): string;
}

export const KINDS: Record<Kind, KindOf> = {
  service: { list: 'services', at: '/zosConnect/services', parameter: 'service', suffix: '.sar', href: (service, query) => link.service({ service }, query) },
  api: { list: 'apis', at: '/zosConnect/apis', parameter: 'api', suffix: '.aar', href: (api, query) => link.api({ api }, query) },
  requester: { list: 'requesters', at: '/zosConnect/apiRequesters', parameter: 'requester', suffix: '.ara', href: (requester, query) => link.requester({ requester }, query) },
};

/** A line of a list. What the server does not count is null. */
export interface Row {
  name: string;
  description: string;
  version: string | null;
  state: 'started' | 'stopped' | null;
  connection: string | null;
  requests: number | null;
  rate: number | null;
  /** Percent of the last minutes that failed or had no reply. */
  failed: number | null;
  p50: number | null;
  p95: number | null;
  inFlight: number | null;
  lastError: string | null;
}

/** What the details of one say, in the documented members. */
export type Details = Record<string, unknown>;

type Listed = Record<string, string | undefined>;

/** Where states are not in one answer, so many are asked for one by one. */
const MOST_SINGLE = 100;

export async function rowsOf(kind: Kind): Promise<Row[]> {
  const { at, list } = KINDS[kind];
  const [answer, active] = await Promise.all([request(`GET ${at}` as Operation, {} as never) as Promise<Record<string, Listed[]>>, activities()]);
  const listed = Object.values(answer)[0] ?? [];
  const known = new Map((active?.[list] ?? []).map((one) => [one.name, one]));
  const rows = listed.map((one) => rowOf(one, known.get(one['name'] ?? one['ServiceName'] ?? '')));
  if (active) return rows;
  return Promise.all(rows.map(async (row, index) => (row.state !== null || index >= MOST_SINGLE ? row : { ...row, ...(await single(kind, row.name)) })));
}

async function single(kind: Kind, name: string): Promise<Pick<Row, 'state' | 'version'>> {
  const { state, version } = summary(kind, await detailsOf(kind, name));
  return { state, version };
}

/** Null: this server, or this user, has no activity. */
async function activities() {
  try {
    return await activity();
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

export async function activeOf(kind: Kind, name: string): Promise<Active | undefined> {
  return (await activities())?.[KINDS[kind].list].find((one) => one.name === name);
}

export function rowOf(listed: Listed, active: Active | undefined): Row {
  const recent = active?.recent;
  return {
    name: listed['name'] ?? listed['ServiceName'] ?? '',
    description: listed['description'] ?? listed['ServiceDescription'] ?? '',
    version: listed['version'] ?? null,
    state: active?.state ?? stateOf(listed['status']),
    connection: listed['connection'] ?? null,
    requests: active?.requests ?? null,
    rate: recent?.perSecond ?? null,
    failed: failedShare(active),
    p50: recent?.p50 ?? null,
    p95: recent?.p95 ?? null,
    inFlight: active?.inFlight ?? null,
    lastError: active?.errors[0]?.at ?? null,
  };
}

/** Percent of the last minutes' requests that failed or had no reply; null: there were none. */
export function failedShare(active: Active | undefined): number | null {
  const { requests = 0, failed = 0, unanswered = 0 } = active?.recent ?? {};
  // An answer without a reply may be counted as failed too; a share is never more than all.
  return requests === 0 ? null : Math.min(100, ((failed + unanswered) / requests) * 100);
}

/** What an answer that was kept says: the sentences of an error of services, or the beginning of the body. */
export function saidIn(answer: string): string {
  try {
    const { errorMessage, errorDetails } = JSON.parse(answer) as { errorMessage?: string; errorDetails?: string };
    const said = [errorMessage, errorDetails].filter(Boolean).join(' ');
    return said === '' ? answer : said.replaceAll('&#39;', "'");
  } catch {
    // A body that was cut is no JSON.
    return answer.replaceAll('&#39;', "'");
  }
}

export function stateOf(status: string | undefined): Row['state'] {
  return status === undefined ? null : status.toLowerCase() === 'started' ? 'started' : 'stopped';
}

export function detailsOf(kind: Kind, name: string, signal?: AbortSignal): Promise<Details> {
  const { at, parameter } = KINDS[kind];
  return request(`GET ${at}/{${parameter}}` as Operation, { path: { [parameter]: name }, ...(signal ? { signal } : {}) } as never) as Promise<Details>;
}

export interface Summary {
  description: string;
  version: string | null;
  state: Row['state'];
  /** The archive's own settings. */
  settings: Record<string, string>;
}

/** What all kinds say, from the members that each has. */
export function summary(kind: Kind, details: Details): Summary {
  if (kind === 'service') {
    const { zosConnect = {}, ...others } = details as { zosConnect?: Listed };
    const settings = (Object.values(others)[0] ?? {}) as Record<string, string>;
    return { description: zosConnect['serviceDescription'] ?? '', version: zosConnect['version'] ?? null, state: stateOf(zosConnect['serviceStatus']), settings };
  }
  const { description = '', version, status } = details as Listed;
  return { description, version: version ?? null, state: stateOf(status), settings: {} };
}

/** Steps of what can be done with one that is deployed. */
export function start(kind: Kind, name: string): Step {
  return statusStep(kind, name, 'started');
}

export function stop(kind: Kind, name: string): Step {
  return statusStep(kind, name, 'stopped');
}

export function remove(kind: Kind, name: string): Step {
  const { at, parameter } = KINDS[kind];
  return { operation: `DELETE ${at}/{${parameter}}` as Operation, path: { [parameter]: name } };
}

export function deploy(kind: Kind, file: File): Step {
  return { operation: `POST ${KINDS[kind].at}` as Operation, file: archive(file) };
}

export function replace(kind: Kind, name: string, file: File): Step {
  const { at, parameter } = KINDS[kind];
  return { operation: `PUT ${at}/{${parameter}}` as Operation, path: { [parameter]: name }, query: { status: 'started' }, file: archive(file) };
}

function statusStep(kind: Kind, name: string, status: 'started' | 'stopped'): Step {
  const { at, parameter } = KINDS[kind];
  return { operation: `PUT ${at}/{${parameter}}` as Operation, path: { [parameter]: name }, query: { status } };
}

function archive(file: File) {
  return { name: file.name, type: 'application/zip', bytes: file };
}
