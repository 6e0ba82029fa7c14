// The page of messages that was looked at last, so that the page of one message leads to its neighbours.

interface Walk {
  qmgr: string;
  queue: string;
  positions: readonly string[];
  /** The query of the list, to go back to the same page. */
  search: string;
}

let last: Walk | undefined;

export function remember(qmgr: string, queue: string, positions: readonly string[], search: string): void {
  last = { qmgr, queue, positions, search };
}

export function neighbours(qmgr: string, queue: string, position: string): { previous?: string | undefined; next?: string | undefined; search: string; at?: number; of?: number } {
  if (last?.qmgr !== qmgr || last.queue !== queue) return { search: '' };
  const at = last.positions.indexOf(position);
  if (at < 0) return { search: last.search };
  return { previous: last.positions[at - 1], next: last.positions[at + 1], search: last.search, at, of: last.positions.length };
}
