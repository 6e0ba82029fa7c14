import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Selection } from '../src/grid/selection.ts';

test('all that match are ticked but for those that were unticked', () => {
  const selection = new Selection<string>((row) => row, () => 412);
  selection.toggle('A');
  assert.deepEqual([selection.count.value, selection.chosen()], [1, { rows: ['A'] }]);
  selection.all();
  selection.toggle('B');
  assert.deepEqual([selection.count.value, selection.has('A'), selection.has('B'), selection.chosen()], [411, true, false, { rows: undefined, exceptions: ['B'] }]);
  selection.clear();
  assert.equal(selection.count.value, 0);
});
