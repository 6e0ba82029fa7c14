import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scrollFor, windowOf } from '../src/grid/window.ts';

test('the first screen draws from the first row, a few more than fit', () => {
  const { first, last, top, height } = windowOf(10_000, 32, 0, 640);
  assert.deepEqual([first, top, height], [0, 0, 320_000]);
  assert.ok(last >= 20 && last < 40);
});

test('any row of a list of any length can be scrolled into view', () => {
  for (const total of [1, 30, 10_000, 1_000_000, 50_000_000]) {
    for (const index of [0, Math.floor(total / 2), total - 1]) {
      const at = scrollFor(index, total, 32, 0, 640);
      const { first, last, height } = windowOf(total, 32, at, 640);
      assert.ok(at >= 0 && at <= Math.max(0, height - 640) + 1, `${total} ${index}: ${at} of ${height}`);
      assert.ok(first <= index && index <= last, `${total} ${index}: ${first} to ${last}`);
      assert.ok(height <= 8_000_000);
    }
  }
});

test('a row that is in view does not scroll the list', () => {
  assert.equal(scrollFor(105, 10_000, 32, 3200, 640), 3200);
});
