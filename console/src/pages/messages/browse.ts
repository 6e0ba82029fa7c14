// Pages of a queue: asked for by places, forward and backward, and filled although a request looks at a bounded number of messages.

import { request } from '../../api/request.ts';
import { isFiltered, type MessageQuery } from './filters.ts';
import type { Page, SeenMessage } from './seen.ts';

/** Messages of a page. */
export const PAGE = 200;
/** Requests that fill a page, before the person decides whether to go on. */
const MOST_ROUNDS = 10;
const LONGEST_MS = 3000;

/** Where a page is: behind a cursor, before a place or the end, or at the beginning. */
export type Place = { cursor: string } | { before: string } | Record<string, never>;

export interface FilledPage extends Page {
  /** Messages that were looked at, of all requests. */
  lookedAt: number;
}

const AT = 'GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages';

export async function fill(
  qmgr: string, queue: string, query: MessageQuery, place: Place, signal: AbortSignal, told: (lookedAt: number, found: number) => void,
): Promise<FilledPage> {
  const isBack = 'before' in place;
  const begun = performance.now();
  let messages: SeenMessage[] = [];
  let lookedAt = 0;
  let at = place;
  let first: Page | undefined;
  for (let round = 1; ; round += 1) {
    const answer = (await request(AT, { path: { qmgr, queue }, query: { ...query, ...at, limit: PAGE - messages.length, body: 'preview' }, signal })) as unknown as Page;
    first ??= answer;
    lookedAt += answer.lookedAt;
    messages = isBack ? [...answer.messages, ...messages] : [...messages, ...answer.messages];
    const more = isBack ? answer.previous : answer.cursor;
    const isFull = messages.length >= PAGE || !isFiltered(query) || round >= MOST_ROUNDS || performance.now() - begun > LONGEST_MS;
    if (more === undefined || isFull) {
      const ends = isBack ? { cursor: first.cursor, previous: answer.previous } : { cursor: answer.cursor, previous: first.previous };
      return { messages, lookedAt, ...defined(ends) };
    }
    told(lookedAt, messages.length);
    at = isBack ? { before: more } : { cursor: more };
  }
}

function defined<Type extends object>(members: Type): { [Key in keyof Type]: NonNullable<Type[Key]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
