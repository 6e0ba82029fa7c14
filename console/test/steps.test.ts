import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationsProblem } from '../src/api/operations.ts';
import { session } from '../src/api/session.ts';
import { PAGES } from '../src/pages.ts';
import { homeOf, stepsOf } from '../src/pages/now/steps.ts';

const problem: OperationsProblem = {
  id: 'queue-full:A/B', rule: 'queue-full', severity: 'error', since: '2026-11-26T05:00:00Z', object: { type: 'queue', name: 'A/B' }, values: {}, text: 'A/B is full.', mutedUntil: null,
  next: [
    { action: 'mqsc', text: 'Raise MAXDEPTH', mqsc: ["ALTER QLOCAL('A/B') MAXDEPTH(10)"] },
    { action: 'queue', text: 'See the queue', queue: 'A/B' },
    { action: 'unheard-of', text: 'Do it' },
  ],
};

/** Signs a user in who may do this. */
function signIn(may: { administer: boolean; change: boolean; messages: boolean }): void {
  session.value = { user: 'u', method: 'form', roles: [], ends: null, issuer: null, version: '', now: '', may, qmgrs: [] };
}

test('a step that changes something is offered to those who may change something', () => {
  signIn({ administer: true, change: true, messages: false });
  assert.deepEqual(stepsOf('QM1', problem).map(({ name }) => name), ['Raise MAXDEPTH', 'See the queue']);
  signIn({ administer: true, change: false, messages: false });
  assert.deepEqual(stepsOf('QM1', problem).map(({ name }) => name), ['See the queue']);
});

test('every step leads to a page that is there', () => {
  signIn({ administer: true, change: true, messages: true });
  for (const step of stepsOf('QM1', problem)) assert.ok('run' in step || step.href.startsWith('/ibmmq/console/qm/QM1/queue/A%2FB'));
  assert.equal(homeOf('QM1', problem.object), '/ibmmq/console/qm/QM1/queue/A%2FB');
  assert.equal(homeOf('QM1', { type: 'nothing', name: 'x' }), undefined);
});

test('pages with keys have different ones', () => {
  const keys = Object.values(PAGES).flatMap((entry) => entry?.keys ?? []);
  assert.equal(new Set(keys).size, keys.length);
});
