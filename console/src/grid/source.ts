// Rows of a list resource: answers in columns, made into objects with the names of the columns as members.

import type { Rows, Value } from '../api/pending.ts';
import { type Operation, request } from '../api/request.ts';
import type { Source } from './rows.ts';

export type ListResource = 'queues' | 'channels' | 'channel-instances' | 'connections' | 'subscriptions' | 'topics';

/** Asks a list resource of a queue manager for these columns. */
export function listSource<Row extends object>(resource: ListResource, qmgr: string, columns: readonly string[]): Source<Row> {
  const operation = `GET /api/v1/qmgr/{qmgr}/${resource}` as Operation & `GET /api/v1/qmgr/{qmgr}/${ListResource}`;
  return async ({ search, where, sort }, offset, limit, signal) => {
    const query = {
      columns: columns.join(','), offset, limit,
      ...(search === '' ? {} : { search }), ...(where.length === 0 ? {} : { where: [...where] }), ...(sort.length === 0 ? {} : { sort: sort.join(',') }),
    };
    const answer = await request(operation, { path: { qmgr }, query, signal });
    return { total: answer.total, known: answer.known, rows: objects<Row>(answer) };
  };
}

/** The rows of an answer as objects. */
export function objects<Row extends object>({ columns, rows }: Pick<Rows, 'columns' | 'rows'>): Row[] {
  return rows.map((values) => {
    const row: Record<string, Value> = {};
    for (const [index, name] of columns.entries()) row[name] = values[index] ?? null;
    return row as Row;
  });
}
