// What of a group is computed for the page. Pure.

import type { Group, GroupDatabase, GroupMember } from '../../api/operations.ts';

/** How a member is shown. */
export type MemberTone = 'good' | 'warning' | 'error' | 'quiet';

export function toneOf({ state, secondsSinceBeat }: Pick<GroupMember, 'state' | 'secondsSinceBeat'>): MemberTone {
  switch (state) {
    case 'ACTIVE':
      return secondsSinceBeat === null ? 'error' : 'good';
    case 'RECOVERING':
      return 'warning';
    case 'FAILED':
      return 'error';
    case 'INACTIVE':
      return 'quiet';
  }
}

export function homeOf({ databases }: Pick<Group, 'databases'>): GroupDatabase | undefined {
  return databases.find(({ structure }) => structure === null);
}

/** Mean over all databases since the start; null: no batch was done. */
export function operationsOfBatch({ databases }: Pick<Group, 'databases'>): number | null {
  const batches = databases.reduce((sum, one) => sum + one.batches, 0);
  const operations = databases.reduce((sum, one) => sum + one.operations, 0);
  return batches === 0 ? null : operations / batches;
}

/** The oldest of what keeps dead rows, among those whose age is known. */
export function oldestHolder({ holders }: Pick<GroupDatabase, 'holders'>): GroupDatabase['holders'][number] | undefined {
  return holders.filter(({ seconds }) => seconds !== null).reduce<GroupDatabase['holders'][number] | undefined>((oldest, one) => (oldest && (oldest.seconds ?? 0) >= (one.seconds ?? 0) ? oldest : one), undefined);
}

export function milliseconds(value: number | null): string {
  return value === null ? '–' : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

/** As a shell takes it: a name of MQ may hold a quote. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
