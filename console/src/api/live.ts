// Live events: one EventSource for the page, and what it is asked to show.
//
// A page says what it has on screen with `watch`, and gets values with `onRow` and the like. The union of all wishes goes to the server, a
// moment after the last change. A hidden tab asks for problems only. Where no stream can be had, `onReload` is called every 5 s instead.
//
// Invariants
// - Nothing on screen: nothing is asked for but problems.
// - After a loss the browser sends the last id; what could not be made up for arrives as `reload`.

import { effect, signal } from '@preact/signals';
import { signIns } from '../shell/again.ts';
import { Refused, request } from './request.ts';
import type { OperationsProblem as Trouble } from './operations.ts';
import type { Job } from './operations.ts';
import type { LogLine } from './server.ts';

export type LiveState = 'connecting' | 'live' | 'polling' | 'lost';

/** A row that changed: the members that are not in it are as they were. */
export interface LiveRow {
  view: string;
  qmgr: string;
  key: string;
  gone?: boolean;
  [member: string]: string | number | boolean | null | undefined;
}

export interface Wish {
  queues?: { qmgr: string; names: readonly string[] };
  jobs?: boolean;
  qmgrs?: boolean;
  events?: boolean;
  problems?: boolean;
  log?: boolean;
}

interface Events {
  row: LiveRow;
  problem: Trouble & { qmgr?: string; gone?: boolean };
  job: Job;
  event: { qmgr: string; queue: string; at?: string; reason: { code: number; name: string | null }; parameters: Record<string, unknown> };
  log: LogLine;
  reload: undefined;
}

export const liveState = signal<LiveState>('connecting');

const POLL_MS = 5000;
/** After so many refused connections in a row the page asks by itself. */
const PATIENCE = 3;
/** Names of one entry, and entries, of what is watched. */
const NAMES_AT_ONCE = 25;
const ENTRIES = 20;

const wishes = new Set<Wish>();
const listeners: { [Name in keyof Events]: Set<(data: Events[Name]) => void> } = {
  row: new Set(), problem: new Set(), job: new Set(), event: new Set(), log: new Set(), reload: new Set(),
};
let source: EventSource | undefined;
let stream: string | undefined;
let said = '';
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let poll: ReturnType<typeof setInterval> | undefined;

/** Calls `listener` for each event. Gives what ends that. */
export function onLive<Name extends keyof Events>(name: Name, listener: (data: Events[Name]) => void): () => void {
  listeners[name].add(listener);
  return () => listeners[name].delete(listener);
}

/** Asks for what a page shows. Call the result to take it back, or `change` to show something else. */
export function watch(wish: Wish): { change(wish: Wish): void; end(): void } {
  let current = wish;
  wishes.add(current);
  say();
  return {
    change(next) {
      wishes.delete(current);
      current = next;
      wishes.add(current);
      say();
    },
    end() {
      wishes.delete(current);
      say();
    },
  };
}

/** Opens the stream, and again after each sign-in. Called once. */
export function startLive(): void {
  document.addEventListener('visibilitychange', () => {
    say();
    // What changed while the tab was hidden was not sent.
    if (!document.hidden) tell('reload', undefined);
  });
  effect(() => {
    signIns.value;
    open();
  });
}

function open(): void {
  source?.close();
  stream = undefined;
  said = '';
  const opened = new EventSource('/api/v1/stream');
  source = opened;
  opened.addEventListener('stream', (event) => {
    const { id, resumed } = JSON.parse(event.data) as { id: string; resumed: boolean };
    const isBack = liveState.peek() !== 'connecting';
    stream = id;
    said = resumed ? said : '';
    failures = 0;
    liveState.value = 'live';
    stopPolling();
    if (isBack && !resumed) tell('reload', undefined);
    say();
  });
  for (const name of ['row', 'problem', 'job', 'event', 'log'] as const) {
    opened.addEventListener(name, (event) => tell(name, JSON.parse((event as MessageEvent<string>).data)));
  }
  opened.addEventListener('reload', () => {
    said = '';
    tell('reload', undefined);
    say();
  });
  opened.addEventListener('session', () => void request('GET /api/v1/session', {}).catch(() => undefined));
  opened.addEventListener('error', () => {
    failures += 1;
    if (liveState.peek() === 'live') liveState.value = 'lost';
    // The browser tries again by itself, unless the answer was not a stream.
    if (opened.readyState === EventSource.CLOSED || failures >= PATIENCE) startPolling();
  });
}

/** Asks at intervals while there is no stream. A server that answers again is asked for the stream again, too. */
function startPolling(): void {
  if (poll !== undefined) return;
  void look();
  poll = setInterval(() => document.hidden || void look(), POLL_MS);
}

async function look(): Promise<void> {
  const before = signIns.peek();
  try {
    // Opens the sign-in when it has ended; the effect then opens the stream.
    await request('GET /api/v1/session', {});
  } catch {
    liveState.value = 'lost';
    return;
  }
  if (liveState.peek() === 'live' || signIns.peek() !== before) return;
  liveState.value = 'polling';
  tell('reload', undefined);
  if (source?.readyState === EventSource.CLOSED) open();
}

function stopPolling(): void {
  clearInterval(poll);
  poll = undefined;
}

function tell<Name extends keyof Events>(name: Name, data: Events[Name]): void {
  for (const listener of listeners[name]) listener(data);
}

/** Sends what is wished for, once nothing has changed for a moment. */
function say(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void sayNow(), 150);
}

async function sayNow(): Promise<void> {
  if (stream === undefined) return;
  const wanted = union(document.hidden ? [...wishes].map(({ problems = false }) => ({ problems })) : wishes);
  const text = JSON.stringify(wanted);
  if (text === said) return;
  said = text;
  try {
    await request('PUT /api/v1/stream/{stream}/watch', { path: { stream }, json: wanted });
  } catch (error) {
    said = '';
    // The stream has gone: a new one is on its way, and says again what is watched.
    if (error instanceof Refused && error.status === 404) open();
  }
}

/** All wishes as one, within the bounds of the server. */
export function union(all: Iterable<Wish>): { queues: { qmgr: string; names: string[] }[] } & Omit<Wish, 'queues'> {
  const names = new Map<string, Set<string>>();
  const flags: Omit<Wish, 'queues'> = {};
  for (const { queues, ...others } of all) {
    for (const [flag, isWanted] of Object.entries(others)) {
      if (isWanted) flags[flag as keyof typeof flags] = true;
    }
    if (!queues) continue;
    const known = names.get(queues.qmgr) ?? new Set<string>();
    for (const name of queues.names) known.add(name);
    names.set(queues.qmgr, known);
  }
  const queues: { qmgr: string; names: string[] }[] = [];
  for (const [qmgr, known] of names) {
    const list = [...known].sort();
    for (let from = 0; from < list.length && queues.length < ENTRIES; from += NAMES_AT_ONCE) queues.push({ qmgr, names: list.slice(from, from + NAMES_AT_ONCE) });
  }
  return { queues, ...flags };
}
