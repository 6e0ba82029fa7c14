import assert from 'node:assert/strict';
import { test } from 'node:test';
import { union } from '../src/api/live.ts';

test('what several parts watch is asked for once, in entries of at most 25 names', () => {
  const names = Array.from({ length: 30 }, (_, index) => `Q${String(index).padStart(2, '0')}`);
  const all = union([{ queues: { qmgr: 'QM1', names } }, { queues: { qmgr: 'QM1', names: ['Q00', 'Z'] }, problems: true }, { jobs: false }]);
  assert.deepEqual(all.queues.map(({ names }) => names.length), [25, 6]);
  assert.deepEqual([all.problems, all.jobs], [true, undefined]);
});
