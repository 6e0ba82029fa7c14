import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConnectionRow, grouped } from '../src/pages/applications/connections.ts';
import { handlesOf } from '../src/pages/applications/handles.ts';

const row: ConnectionRow = {
  id: 'A', application: 'shop', user: 'app', channel: 'C', address: '10.0.0.1', since: 100, puts: 5, gets: 1, open: 2, uncommitted: 0, unitSince: null, client: null,
};

test('a group has the sums of its connections and the oldest open unit of work', () => {
  const [shop] = grouped([row, { ...row, id: 'B', user: 'eva', address: '10.0.0.2', uncommitted: 7, unitSince: 50 }, { ...row, id: 'C', uncommitted: 1, unitSince: 40 }], 'application');
  assert.equal(shop?.connections, 3);
  assert.equal(shop?.users, 'app, eva');
  assert.equal(shop?.addresses, 2);
  assert.equal(shop?.puts, 15);
  assert.equal(shop?.uncommitted, 8);
  assert.equal(shop?.unitSince, 40);
  assert.deepEqual(shop?.members.map(({ id }) => id), ['A', 'B', 'C']);
});

test('connections without a channel are a group of their own', () => {
  assert.deepEqual(grouped([row, { ...row, channel: null }], 'channel').map(({ name, connections }) => [name, connections]), [['C', 1], ['', 1]]);
});

test('a handle reads, browses and writes by its open options', () => {
  const connection = {
    conn: 'A', appltag: 'shop', appldesc: '', appltype: 'USER', userid: 'app', channel: '', conname: '', pid: 1, clientid: '', conntag: '', urtype: 'QMGR', uowstate: 'ACTIVE',
    uowstda: '2026-11-26', uowstti: '06.00.00',
  };
  const handle = { objname: 'Q', objtype: 'QUEUE', hstate: 'ACTIVE', reada: 'NO' };
  const found = handlesOf({ ...connection, objects: [{ ...handle, openopts: ['MQOO_INPUT_EXCLUSIVE', 'MQOO_OUTPUT'] }, { ...handle, openopts: ['MQOO_BROWSE'] }] });
  assert.deepEqual(found.map(({ reads, browses, writes, exclusive }) => [reads, browses, writes, exclusive]), [[true, false, true, true], [false, true, false, false]]);
  assert.equal(found[0]?.unitSince, Date.parse('2026-11-26T06:00:00Z') / 1000);
  assert.equal(found[0]?.options, 'INPUT_EXCLUSIVE, OUTPUT');
  assert.equal(found[0]?.channel, null);
});
