// A queue as the list resource shows it, and the columns of lists of queues.

export interface QueueRow {
  name: string;
  type: string;
  description: string;
  depth: number | null;
  max: number | null;
  /** Depth in percent of the maximum. */
  full: number | null;
  bytes: number | null;
  uncommitted: number | null;
  readers: number | null;
  writers: number | null;
  waiting: number | null;
  in: number | null;
  out: number | null;
  /** Moments are seconds since 1970. */
  oldest: number | null;
  lastPut: number | null;
  lastGet: number | null;
  putEnabled: boolean | null;
  getEnabled: boolean | null;
  usage: string | null;
  target: string | null;
  /** Of a queue manager in a group: qmgr, copy or shared; null in none, and where it was not asked for. */
  disposition?: string | null;
  structure?: string | null;
}

/** What conditions of a list may name. */
export const QUEUE_FILTERS = [
  'depth', 'full', 'oldest', 'readers', 'writers', 'waiting', 'uncommitted', 'in', 'out', 'bytes', 'max', 'type', 'usage', 'putEnabled', 'getEnabled', 'lastPut', 'lastGet', 'altered', 'target', 'targetQmgr', 'disposition', 'structure', 'dynamic', 'system',
] as const;

/** From these shares of the maximum on a depth is marked. */
const HIGH = 80;
const FULL = 100;

export function level(full: number | null): 'full' | 'high' | 'some' | 'none' {
  if (full === null || full === 0) return 'none';
  return full >= FULL ? 'full' : full >= HIGH ? 'high' : 'some';
}
