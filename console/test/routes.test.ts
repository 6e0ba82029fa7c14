import assert from 'node:assert/strict';
import { test } from 'node:test';
import { link, match, PATHS, BASE } from '../src/routes.ts';

test('an address that is written is read as the same page and parameters', () => {
  for (const name of ['ORDERS', 'A/B', '100%', 'SYSTEM.DEAD.LETTER.QUEUE', 'x?y#z']) {
    assert.deepEqual(match(link.queue({ qmgr: 'QM1', queue: name })), { page: 'queue', parameters: { qmgr: 'QM1', queue: name } });
  }
});

test('every path of the table leads to its own page', () => {
  for (const [page, path] of Object.entries(PATHS)) {
    const pathname = BASE + path.replace(/\{\w+\}/g, 'x');
    assert.equal(match(pathname)?.page, page);
  }
});

test('an address outside of the console, or with a broken escape, names no page', () => {
  assert.equal(match('/ibmmq/consoles'), undefined);
  assert.equal(match(`${BASE}/qm/QM1/queue/%E0%A4%A`), undefined);
  assert.equal(match(`${BASE}/nothing/here`), undefined);
});

test('a list in a query is repeated, and undefined is left out', () => {
  assert.equal(link.queues({ qmgr: 'QM1' }, { where: ['depth>0', 'type=local'], sort: undefined }), `${BASE}/qm/QM1/queues?where=depth%3E0&where=type%3Dlocal`);
});
