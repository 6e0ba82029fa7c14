import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { displayAll } from '../src/api/mqsc.ts';
import { Refused } from '../src/api/request.ts';
import { make } from '../src/change/change.ts';
import { stepsToEnd } from '../src/pages/applications/end.tsx';

const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

/** Answers each MQSC command with the next of these, and keeps the commands. */
function answering(...answers: { completionCode: number; reasonCode: number; text?: string[]; parameters?: object }[]): unknown[] {
  const asked: unknown[] = [];
  globalThis.fetch = (async (_: string, init: RequestInit) => {
    asked.push(JSON.parse(String(init.body)));
    const answer = answers[asked.length - 1] ?? { completionCode: 0, reasonCode: 0 };
    return Response.json({ overallCompletionCode: answer.completionCode, overallReasonCode: answer.reasonCode, commandResponse: [answer] });
  }) as typeof fetch;
  return asked;
}

const GONE = { completionCode: 2, reasonCode: 3174, text: ['AMQ8155E: Connection not found.'] };

test('a connection that has ended by itself does not stop the change that ends the others', async () => {
  const asked = answering(GONE);
  for (const step of stepsToEnd(['A', 'B'])) await make('QM1', step);
  assert.deepEqual(asked.map((one) => (one as { parameters: { command: string } }).parameters.command), ['STOP CONN(A)', 'STOP CONN(B)']);
});

test('any other refusal stops it', async () => {
  answering({ completionCode: 2, reasonCode: 2035, text: ['not authorized'] });
  await assert.rejects(make('QM1', stepsToEnd(['A'])[0] ?? { mqsc: '' }), (error) => error instanceof Refused && error.problem.reason?.code === 2035);
  answering(GONE);
  await assert.rejects(make('QM1', { mqsc: 'STOP CONN(A)' }), Refused);
});

test('DISPLAY of what is not there gives nothing, and of what may not be seen is refused', async () => {
  const asked = answering({ completionCode: 2, reasonCode: 3200, text: ['none'] });
  assert.deepEqual(await displayAll('QM1', 'tpstatus', { name: 'a', parameters: { type: 'pub' } }), []);
  assert.deepEqual(asked, [{ type: 'runCommandJSON', command: 'display', qualifier: 'tpstatus', responseParameters: ['all'], name: 'a', parameters: { type: 'pub' } }]);
  answering({ completionCode: 2, reasonCode: 2035, text: ['no'] });
  await assert.rejects(displayAll('QM1', 'conn', { name: '*' }), Refused);
});
