import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf } from '../src/charts/plot.ts';
import { isQuiet, rangeOf, scaleOf, type Series, stepSeconds, summaryOf, timesOf, zoomed } from '../src/charts/series.ts';

const depth: Series = { name: 'queue/A/depth', unit: 'messages', since: null, values: [null, 4, 2], min: [null, 1, 2], max: [null, 9, 2] };

test('a point stands at the end of its step', () => {
  assert.equal(stepSeconds('1m'), 60);
  assert.deepEqual(timesOf({ from: '2026-11-26T06:00:00Z', step: '10s', series: [depth] }).map((at) => at % 60), [10, 20, 30]);
});

test('a summary has the peak inside a point, and passes over what is not known', () => {
  assert.deepEqual(summaryOf(depth), { least: 1, most: 9, last: 2 });
  assert.deepEqual(summaryOf({ ...depth, values: [null], min: [null], max: [null] }), { least: null, most: null, last: null });
});

test('the scale of values begins at zero and is never flat', () => {
  assert.deepEqual(scaleOf(0), [0, 1]);
  assert.deepEqual(scaleOf(null), [0, 1]);
  assert.ok(scaleOf(100)[1] > 100);
});

test('a line is drawn between the edges of its band', () => {
  const { values, min, max } = depth;
  assert.deepEqual(dataOf({ times: [1, 2, 3], lines: [{ values, min, max, kind: 'area', colour: 1 }] }), [[1, 2, 3], values, max, min]);
});

test('a zoom is ordered, a minute wide at least, and ends at this moment at the latest', () => {
  const now = 1_000_000;
  assert.deepEqual(zoomed({ from: now - 100, to: now - 400 }, now), { from: now - 400, to: now - 100 });
  const narrow = zoomed({ from: now - 5, to: now + 5 }, now);
  assert.ok(narrow.to <= now && narrow.to - narrow.from >= 60);
});

test('a range of the address counts only when it is one', () => {
  assert.deepEqual(rangeOf(new URLSearchParams('from=10&to=20')), { from: 10, to: 20 });
  for (const text of ['', 'from=20&to=10', 'from=a&to=20', 'to=20']) assert.equal(rangeOf(new URLSearchParams(text)), undefined);
});

test('a chart is quiet when its last points are alike, whatever was before and whatever is not known yet', () => {
  assert.equal(isQuiet([{ ...depth, values: [9, 4, 4, 4, 4, 4, 4, null] }]), true);
  assert.equal(isQuiet([{ ...depth, values: [4, 4, 5] }]), false);
  assert.equal(isQuiet([{ ...depth, values: [0, 0] }, { ...depth, values: [0, 1] }]), false);
});
