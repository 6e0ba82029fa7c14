// What the page of a group computes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, oldestHolder, operationsOfBatch, shellWord, toneOf } from '../src/pages/group/figures.ts';
import type { GroupDatabase } from '../src/api/operations.ts';

const database = (batches: number, operations: number) => ({ batches, operations }) as GroupDatabase;

test('a member that says that it is active and shows no life is an error', () => {
  assert.equal(toneOf({ state: 'ACTIVE', secondsSinceBeat: 0.4 }), 'good');
  assert.equal(toneOf({ state: 'ACTIVE', secondsSinceBeat: null }), 'error');
  assert.equal(toneOf({ state: 'RECOVERING', secondsSinceBeat: null }), 'warning');
  assert.equal(toneOf({ state: 'INACTIVE', secondsSinceBeat: null }), 'quiet');
});

test('operations of a batch are those of all databases', () => {
  assert.equal(operationsOfBatch({ databases: [database(10, 40), database(10, 20)] }), 3);
  assert.equal(operationsOfBatch({ databases: [database(0, 0)] }), null);
});

test('the oldest holder is the one that has lasted longest, and a slot without an age is none', () => {
  const holder = (name: string, seconds: number | null) => ({ kind: 'transaction', pid: 1, name, user: null, state: null, seconds });
  assert.equal(oldestHolder({ holders: [holder('a', 3), holder('b', 90), holder('slot', null)] })?.name, 'b');
  assert.equal(oldestHolder({ holders: [holder('slot', null)] }), undefined);
});

test('times are short, and names of MQ are words of a shell', () => {
  assert.deepEqual([milliseconds(null), milliseconds(0.61), milliseconds(28.4)], ['–', '0.6 ms', '28 ms']);
  assert.deepEqual([shellWord('QM2'), shellWord("Q%'M")], ['QM2', `'Q%'\\''M'`]);
});
