import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { addressOf, Refused, request, Unreachable } from '../src/api/request.ts';

const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

/** Answers every request with `answer`, and keeps what was asked. */
function answering(answer: () => Response | Promise<Response>): { address: string; init: RequestInit }[] {
  const asked: { address: string; init: RequestInit }[] = [];
  globalThis.fetch = (async (address: string, init: RequestInit) => {
    asked.push({ address, init });
    return answer();
  }) as typeof fetch;
  return asked;
}

test('names in a path are escaped, lists of a query are repeated, and what is undefined is left out', () => {
  const address = addressOf('/api/v1/qmgr/{qmgr}/queue/{queue}', { qmgr: 'QM1', queue: 'A/B' }, { where: ['depth>0', 'type=local'], sort: undefined, limit: 5 });
  assert.equal(address, '/api/v1/qmgr/QM1/queue/A%2FB?where=depth%3E0&where=type%3Dlocal&limit=5');
});

test('a change carries the header against foreign pages, and a look does not', async () => {
  const asked = answering(() => Response.json({}));
  await request('GET /api/v1/session', {});
  await request('PUT /api/v1/qmgr/{qmgr}/problems/{problem}/mute', { path: { qmgr: 'QM1', problem: 'full:A' }, json: { for: '1h' } });
  const headers = asked.map(({ init }) => new Headers(init.headers).get('ibm-mq-rest-csrf-token'));
  assert.deepEqual(headers, [null, 'console']);
  assert.equal(asked[1]?.init.body, '{"for":"1h"}');
});

test('a refusal is a problem, in the form of /api/v1 and in the older one', async () => {
  answering(() => Response.json({ type: 'x', title: 'y', status: 404, detail: 'There is no queue.', hint: 'Correct it.' }, { status: 404 }));
  await assert.rejects(request('GET /api/v1/session', {}), (error: Refused) => error.status === 404 && error.problem.hint === 'Correct it.');
  answering(() => Response.json({ error: [{ message: 'MQWB0001E: no', explanation: 'why', action: 'do', reasonCode: 2035 }] }, { status: 403 }));
  await assert.rejects(request('GET /api/v1/session', {}), (error: Refused) => error.message === 'MQWB0001E: no' && error.problem.reason?.code === 2035 && error.problem.hint === 'do');
});

test('a refusal without a body, and a server that is not there, are told apart', async () => {
  answering(() => new Response('gateway', { status: 502, statusText: 'Bad Gateway' }));
  await assert.rejects(request('GET /api/v1/session', {}), (error: Refused) => error.problem.detail === '502 Bad Gateway');
  answering(() => Promise.reject(new TypeError('failed to fetch')));
  await assert.rejects(request('GET /api/v1/session', {}), Unreachable);
});
