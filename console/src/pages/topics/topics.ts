// Topic strings and subscriptions as the list resources show them, and who publishes and subscribes to one.

import { displayAll } from '../../api/mqsc.ts';

export interface TopicRow {
  /** The topic object of the string; null: it has none of its own. */
  name: string | null;
  topicString: string;
  publishers: number | null;
  subscribers: number | null;
  retained: boolean | null;
}

export interface SubscriptionRow {
  name: string | null;
  /** SUBID. */
  id: string;
  topicString: string;
  destination: string | null;
  user: string | null;
  durable: boolean | null;
  messages: number | null;
  type: string | null;
  /** The last publication, seconds since 1970. */
  last: number | null;
  /** CONN of the connection that has it open. */
  connection: string | null;
  selector: string | null;
}

export interface Publisher {
  topicstr: string;
  actconn: string;
  lpubdate: string;
  lpubtime: string;
  numpubs: number;
}

export function publishersOf(qmgr: string, topicString: string, signal?: AbortSignal): Promise<Publisher[]> {
  return displayAll<Publisher>(qmgr, 'tpstatus', { name: topicString, parameters: { type: 'pub' }, ...(signal ? { signal } : {}) });
}

/** The last 16 digits of an active connection are its CONN. */
export function connectionOf(actconn: string): string | undefined {
  return actconn === '' ? undefined : actconn.slice(-16);
}

/** Whether a subscription to `pattern` gets what is published to `topic`: `+` is one level, `#` any number of them. */
export function gets(pattern: string, topic: string): boolean {
  return pattern === topic || fits(pattern.split('/'), topic.split('/'));
}

function fits([first, ...rest]: readonly string[], levels: readonly string[]): boolean {
  if (first === undefined) return levels.length === 0;
  if (first === '#') return fits(rest, levels) || (levels.length > 0 && fits(['#', ...rest], levels.slice(1)));
  return levels.length > 0 && (first === '+' || first === levels[0]) && fits(rest, levels.slice(1));
}
