// Connections as the list resource shows them, put together by program, user or channel. Pure but for the request.

import { request } from '../../api/request.ts';
import { objects } from '../../grid/source.ts';

export interface ConnectionRow {
  /** CONN: 16 hexadecimal digits. */
  id: string;
  application: string | null;
  user: string | null;
  /** null: a program of the server's own machine, or the server itself. */
  channel: string | null;
  address: string | null;
  /** Moments are seconds since 1970. */
  since: number | null;
  puts: number | null;
  gets: number | null;
  /** Open handles. */
  open: number | null;
  uncommitted: number | null;
  /** When the open unit of work began; null: none is open. */
  unitSince: number | null;
  client: string | null;
}

export const CONNECTION_COLUMNS = ['id', 'application', 'user', 'channel', 'address', 'since', 'puts', 'gets', 'open', 'uncommitted', 'unitSince', 'client'] as const;

/** What connections are put together by. */
export const BY = ['application', 'user', 'channel'] as const;
export type By = (typeof BY)[number];

export interface Group {
  /** The common value; an empty text where there is none. */
  name: string;
  connections: number;
  applications: string;
  users: string;
  channels: string;
  addresses: number;
  puts: number;
  gets: number;
  open: number;
  uncommitted: number;
  /** The oldest unit of work that is open. */
  unitSince: number | null;
  /** The first of them that connected, and the last. */
  first: number | null;
  last: number | null;
  /** Members that are not shown as columns. */
  members: ConnectionRow[];
}

export function grouped(rows: readonly ConnectionRow[], by: By): Group[] {
  const groups = new Map<string, ConnectionRow[]>();
  for (const row of rows) {
    const name = row[by] ?? '';
    const members = groups.get(name);
    if (members) members.push(row);
    else groups.set(name, [row]);
  }
  return [...groups].map(([name, members]) => ({
    name, connections: members.length, members,
    applications: names(members, 'application'), users: names(members, 'user'), channels: names(members, 'channel'),
    addresses: new Set(members.flatMap(({ address }) => address ?? [])).size,
    puts: sum(members, 'puts'), gets: sum(members, 'gets'), open: sum(members, 'open'), uncommitted: sum(members, 'uncommitted'),
    unitSince: least(members.map(({ unitSince }) => unitSince)), first: least(members.map(({ since }) => since)), last: most(members.map(({ since }) => since)),
  }));
}

function names(rows: readonly ConnectionRow[], member: By): string {
  return [...new Set(rows.flatMap((row) => row[member] ?? []))].sort().join(', ');
}

function sum(rows: readonly ConnectionRow[], member: 'puts' | 'gets' | 'open' | 'uncommitted'): number {
  return rows.reduce((total, row) => total + (row[member] ?? 0), 0);
}

function least(values: readonly (number | null)[]): number | null {
  return values.reduce((all, value) => (value === null ? all : all === null ? value : Math.min(all, value)), null);
}

function most(values: readonly (number | null)[]): number | null {
  return values.reduce((all, value) => (value === null ? all : all === null ? value : Math.max(all, value)), null);
}

const PAGE = 1000;
/** Most connections that are put together. */
export const MOST = 10_000;

/** All connections, up to a bound. */
export async function connectionsOf(qmgr: string, signal?: AbortSignal): Promise<ConnectionRow[]> {
  const found = new Map<string, ConnectionRow>();
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const answer = await request('GET /api/v1/qmgr/{qmgr}/connections', {
      path: { qmgr }, query: { columns: CONNECTION_COLUMNS.join(','), offset, limit: PAGE }, ...(signal ? { signal } : {}),
    });
    // A connection that moved to a later page while another one ended is there once.
    for (const row of objects<ConnectionRow>(answer)) found.set(row.id, row);
    if (offset + PAGE >= answer.total) break;
  }
  return [...found.values()];
}
