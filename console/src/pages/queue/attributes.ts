// Attributes of queues that the page of properties shows and changes: their groups, and what each may be.
//
// A keyword without an entry here is shown among the others and is not changed by a form; MQSC can change it.
// Source: docs/attributes.md of this repository.

import { count } from '../../format.ts';
import { textOf } from '../../text.ts';

export type Kind =
  | { kind: 'number'; min: number; max: number }
  | { kind: 'text'; length: number }
  | { kind: 'name'; length: number }
  /** A number or a word, without apostrophes. */
  | { kind: 'word'; length: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'fixed' };

export interface AttributeGroup {
  group: 'general' | 'storage' | 'application' | 'backout' | 'trigger' | 'events' | 'monitoring' | 'cluster' | 'remote' | 'dates';
  attributes: Readonly<Record<string, Kind>>;
}

const number = (min: number, max: number): Kind => ({ kind: 'number', min, max });
const text = (length: number): Kind => ({ kind: 'text', length });
const name: Kind = { kind: 'name', length: 48 };
const word: Kind = { kind: 'word', length: 12 };
const choice = (...values: string[]): Kind => ({ kind: 'choice', values });
const fixed: Kind = { kind: 'fixed' };
const LONG = 999_999_999;
const switchOf = choice('ENABLED', 'DISABLED');
const yesNo = choice('YES', 'NO');

export const GROUPS: readonly AttributeGroup[] = [
  { group: 'general', attributes: { descr: text(64), put: switchOf, get: switchOf, usage: choice('NORMAL', 'XMITQ'), target: name, targtype: choice('QUEUE', 'TOPIC') } },
  { group: 'remote', attributes: { rname: name, rqmname: name, xmitq: name } },
  {
    group: 'storage',
    attributes: {
      maxdepth: number(0, LONG), maxmsgl: number(0, 104_857_600), defpsist: yesNo, npmclass: choice('NORMAL', 'HIGH'), msgdlvsq: choice('PRIORITY', 'FIFO'),
      defprty: number(0, 9), capexpry: word, imgrcovq: choice('QMGR', 'YES', 'NO'), maxfsize: word,
    },
  },
  {
    group: 'application',
    attributes: {
      share: choice('YES', 'NO'), defsopt: choice('SHARED', 'EXCL'), defpresp: choice('SYNC', 'ASYNC'), defreada: choice('NO', 'YES', 'DISABLED'),
      propctl: choice('COMPAT', 'NONE', 'ALL', 'FORCE', 'V6COMPAT'), distl: yesNo, retintvl: number(0, LONG), scope: choice('QMGR', 'CELL'),
      streamq: name, strmqos: choice('BESTEF', 'MUSTDUP'),
    },
  },
  { group: 'backout', attributes: { bothresh: number(0, LONG), boqname: name, hardenbo: yesNo } },
  {
    group: 'trigger',
    attributes: {
      trigger: choice('YES', 'NO'), trigtype: choice('FIRST', 'EVERY', 'DEPTH', 'NONE'), trigdpth: number(1, LONG), trigmpri: number(0, 9), initq: name, process: name, trigdata: text(64),
    },
  },
  {
    group: 'events',
    attributes: {
      qdepthhi: number(0, 100), qdepthlo: number(0, 100), qdpmaxev: switchOf, qdphiev: switchOf, qdploev: switchOf,
      qsvcint: number(0, LONG), qsvciev: choice('NONE', 'HIGH', 'OK'),
    },
  },
  {
    group: 'monitoring',
    attributes: { monq: choice('QMGR', 'OFF', 'LOW', 'MEDIUM', 'HIGH'), acctq: choice('QMGR', 'ON', 'OFF'), statq: choice('QMGR', 'ON', 'OFF') },
  },
  {
    group: 'cluster',
    attributes: {
      cluster: text(48), clusnl: name, clchname: text(20), defbind: choice('OPEN', 'NOTFIXED', 'GROUP'), clwlprty: number(0, 9), clwlrank: number(0, 9),
      clwluseq: choice('QMGR', 'ANY', 'LOCAL'),
    },
  },
  { group: 'dates', attributes: { crdate: fixed, crtime: fixed, altdate: fixed, alttime: fixed, deftype: fixed, custom: text(128) } },
];

/** Members of an answer that are no properties of their own. */
export const NO_PROPERTIES: ReadonlySet<string> = new Set(['queue', 'type', 'curdepth', 'ipprocs', 'opprocs']);

/** The text of a value: that of the keyword where there is one, else that of the word. */
export function valueText(keyword: string, value: string | number | undefined): string {
  if (typeof value === 'number') return count(value);
  const text = String(value ?? '');
  return text === '' ? '–' : (textOf(`value.${keyword}.${text}`) ?? textOf(`value.${text}`) ?? text);
}
