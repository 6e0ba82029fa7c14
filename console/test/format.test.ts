import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, bytes, clock, count, moment, percent, rate, span } from '../src/format.ts';
import { zone } from '../src/settings.ts';

test('what does not apply is a dash', () => {
  assert.deepEqual([count(null), rate(null), bytes(null), percent(null), span(null), moment(null)], ['–', '–', '–', '–', '–', '–']);
});

test('numbers, rates and sizes are short', () => {
  assert.deepEqual([count(10052), rate(0), rate(12.34), rate(1204.4), percent(0.2), percent(99.9), bytes(312), bytes(1_394_000)], ['10,052', '0', '12.3', '1,204', '<1%', '99%', '312 B', '1.33 MiB']);
});

test('a span has its two largest units', () => {
  assert.deepEqual([span(12), span(250), span(11_100), span(187_200), span(3600)], ['12 s', '4 min 10 s', '3 h 5 min', '2 d 4 h', '1 h']);
});

test('a moment is written with its zone', () => {
  zone.value = 'utc';
  const at = Date.parse('2026-11-26T05:41:16Z');
  assert.equal(moment(at / 1000), '26 Nov 2026, 05:41:16 UTC');
  assert.equal(clock('2026-11-26T05:41:16Z', at + 5000), '05:41:16');
  assert.equal(clock('2026-11-20T05:41:16Z', at), '20 Nov, 05:41');
  assert.equal(age(at / 1000, at + 65_000), '1 min 5 s');
});
