import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListRows, localSource, PAGE_ROWS, type Source } from '../src/grid/rows.ts';

interface Row {
  name: string;
  depth: number;
}

/** A source of `total` rows that counts what it is asked for. */
function counted(total: number, asked: number[]): Source<Row> {
  return async (_, offset, limit) => {
    asked.push(offset);
    const rows = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, index) => ({ name: `Q${offset + index}`, depth: 0 }));
    return { total, known: total, rows };
  };
}

test('pages are asked for when they are seen, each once', async () => {
  const asked: number[] = [];
  const rows = new ListRows(counted(10_000, asked), ({ name }) => name);
  await rows.show({ search: '', where: [], sort: [] });
  rows.want(0, 40);
  rows.want(PAGE_ROWS * 3 - 5, PAGE_ROWS * 3 + 5);
  await rows.range(PAGE_ROWS * 3 - 5, PAGE_ROWS * 3 + 5);
  assert.deepEqual(asked, [0, PAGE_ROWS * 2, PAGE_ROWS * 3]);
  assert.equal(rows.row(PAGE_ROWS * 3)?.name, `Q${PAGE_ROWS * 3}`);
});

test('the answer of a superseded query is dropped', async () => {
  const waiting: ((total: number) => void)[] = [];
  const source: Source<Row> = () => new Promise((done) => waiting.push((total) => done({ total, known: 9, rows: [] })));
  const rows = new ListRows(source, ({ name }) => name);
  const first = rows.show({ search: 'a', where: [], sort: [] });
  const second = rows.show({ search: 'ab', where: [], sort: [] });
  waiting[1]?.(2);
  await second;
  waiting[0]?.(1);
  await first;
  assert.equal(rows.total.value, 2);
});

test('a live value changes its row in place, and tells when the order is old', async () => {
  const source = localSource<Row>(() => [{ name: 'A', depth: 5 }, { name: 'B', depth: 3 }]);
  const rows = new ListRows(source, ({ name }) => name);
  await rows.show({ search: '', where: [], sort: ['-depth'] });
  rows.update('B', { depth: 9 });
  assert.deepEqual([rows.row(0)?.name, rows.row(1)?.depth, rows.isOrderOld.value], ['A', 9, true]);
  await rows.refresh();
  assert.equal(rows.isOrderOld.value, false);
});

test('a failure keeps the rows that are there', async () => {
  let isBroken = false;
  const rows = new ListRows<Row>(async () => {
    if (isBroken) throw new Error('no');
    return { total: 1, known: 1, rows: [{ name: 'A', depth: 1 }] };
  }, ({ name }) => name);
  await rows.show({ search: '', where: [], sort: [] });
  isBroken = true;
  await rows.refresh();
  assert.equal((rows.failure.value as Error).message, 'no');
  assert.equal(rows.row(0)?.name, 'A');
});

test('rows that are here are searched in every text and sorted, what does not apply last', async () => {
  const all = [{ name: 'B', depth: 2 }, { name: 'A', depth: null }, { name: 'PAY', depth: 7 }];
  const source = localSource(() => all);
  const none = new AbortController().signal;
  assert.deepEqual((await source({ search: 'pa', where: [], sort: [] }, 0, 10, none)).rows.map(({ name }) => name), ['PAY']);
  assert.deepEqual((await source({ search: '', where: [], sort: ['-depth'] }, 0, 10, none)).rows.map(({ name }) => name), ['PAY', 'B', 'A']);
});

test('nothing is asked for before a query is shown', async () => {
  const asked: number[] = [];
  const rows = new ListRows(counted(10_000, asked), ({ name }) => name);
  rows.want(0, 40);
  await rows.show({ search: 'a', where: [], sort: [] });
  rows.want(0, 40);
  assert.deepEqual(asked, [0]);
});
