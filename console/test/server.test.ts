import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from '../src/pages/events/differences.ts';
import { Ring } from '../src/pages/events/ring.ts';
import { samplesOf, shown } from '../src/pages/server/metrics.ts';
import { failedShare, rowOf, saidIn, summary } from '../src/pages/deployed/kinds.ts';

test('metrics become certificates, pools and recovery logs, the first to end first', () => {
  const text = [
    '# HELP x y', 'quaymaster_certificate_end_time_seconds{file="a.crt",subject="CN=\\"one\\""} 2000', 'quaymaster_certificate_end_time_seconds{file="b.crt",subject="CN=two"} 1000',
    'quaymaster_connection_pool_in_use{used_by="services",qmgr="QM1",remote="no"} 3', 'quaymaster_connection_pool_waited_total{used_by="services",qmgr="QM1",remote="no"} 14',
    'quaymaster_log_extents{qmgr="QM1"} 4', 'quaymaster_log_syncs_total{qmgr="QM1"} 10', 'quaymaster_log_sync_seconds_total{qmgr="QM1"} 0.5', 'quaymaster_log_full{qmgr="QM1"} 1', '',
  ].join('\n');
  const { certificates, pools, logs } = shown(samplesOf(text));
  assert.deepEqual(certificates.map(({ file, subject, ends }) => [file, subject, ends]), [['b.crt', 'CN=two', 1000], ['a.crt', 'CN="one"', 2000]]);
  assert.deepEqual([pools.length, pools[0]?.inUse, pools[0]?.waited], [1, 3, 14]);
  assert.deepEqual([logs[0]?.extents, logs[0]?.syncMs, logs[0]?.isFull, logs[0]?.verified], [4, 50, true, null]);
});

test('rows that arrive in a pause are held back and come in their order', () => {
  const ring = new Ring<{ id: number }>(3, ({ id }) => String(id));
  ring.add([{ id: 1 }]);
  ring.pause(true);
  ring.add([{ id: 2 }, { id: 1 }]);
  assert.deepEqual([ring.rows.length, ring.waiting], [1, 1]);
  ring.pause(false);
  ring.add([{ id: 3 }, { id: 4 }]);
  assert.deepEqual(ring.rows.map(({ id }) => id), [2, 3, 4]);
});

test('differences have what was there on one side only', () => {
  assert.deepEqual(differences({ MAXDEPTH: '5', PUT: 'ENABLED' }, { MAXDEPTH: '7', PUT: 'ENABLED', DESCR: 'x' }), [
    { name: 'DESCR', from: '', to: 'x' }, { name: 'MAXDEPTH', from: '5', to: '7' },
  ]);
});

test('what is deployed has its state with and without activity', () => {
  assert.equal(rowOf({ ServiceName: 'a' }, undefined).state, null);
  assert.equal(rowOf({ name: 'a', status: 'Started' }, undefined).state, 'started');
  const details = { zosConnect: { serviceStatus: 'Stopped', version: '1.0', serviceDescription: 'd' }, a: { destination: 'Q' } };
  assert.deepEqual(summary('service', details), { description: 'd', version: '1.0', state: 'stopped', settings: { destination: 'Q' } });
});

test('the share of failed calls is of the last minutes, and of nothing there is none', () => {
  const recent = { seconds: 300, requests: 50, perSecond: 0.2, refused: 1, failed: 4, unanswered: 1, p50: 1, p95: 2 };
  const active = { name: 'a', state: 'started' as const, requests: 90, inFlight: 0, succeeded: 80, refused: 1, failed: 4, unanswered: 1, abandoned: 0, recent, errors: [] };
  assert.equal(failedShare(active), 10);
  assert.equal(failedShare({ ...active, recent: { ...recent, requests: 0 } }), null);
  assert.equal(failedShare(undefined), null);
});

test('an answer that was kept is read as its sentences, a body that was cut as it is', () => {
  assert.equal(saidIn('{"errorMessage":"BAQ: &#39;a&#39;.","errorDetails":"Why."}'), "BAQ: 'a'. Why.");
  assert.equal(saidIn('{"errorMess'), '{"errorMess');
});
