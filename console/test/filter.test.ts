import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCondition, readFilter, withCondition } from '../src/grid/filter.ts';

const COLUMNS = ['depth', 'readers', 'type', 'putEnabled'];

test('words are searched for, and conditions of known columns become filters', () => {
  assert.deepEqual(readFilter('pay depth>80% "two words" readers=0', COLUMNS), { search: 'pay two words', where: ['depth>80%', 'readers=0'] });
});

test('a condition of a column that the list does not have stays a word', () => {
  assert.deepEqual(readFilter('region=EU', COLUMNS), { search: 'region=EU', where: [] });
});

test('a condition without a value is not one yet', () => {
  assert.equal(readCondition('depth>', COLUMNS), undefined);
  assert.deepEqual(readCondition('DEPTH>=5', COLUMNS), { column: 'depth', operator: '>=', value: '5' });
  assert.deepEqual(readCondition('putenabled=false', COLUMNS), { column: 'putEnabled', operator: '=', value: 'false' });
});

test('a second condition of one column replaces the first, but a range keeps both ends', () => {
  assert.deepEqual(withCondition(['depth>5', 'type=local'], 'depth>10', COLUMNS), ['type=local', 'depth>10']);
  assert.deepEqual(withCondition(['depth>5'], 'depth<10', COLUMNS), ['depth>5', 'depth<10']);
});
