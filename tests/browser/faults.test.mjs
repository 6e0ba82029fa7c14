// Five planted faults, each told from the first page alone: the sentence names the object, the cause and what to do next.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';
import { answerLoans, backOut, beRefused, callService, connectProgram, COPIES, DEFINITIONS, deploy, SETTINGS } from './lib/world.mjs';

const check = suite({ server: { mqsc: DEFINITIONS, copies: COPIES, settings: SETTINGS }, prepare: deploy });

/** What the first page says, without a click; `words` are those that a new user needs to tell the cause. */
async function isTold(visit, words, next) {
  const visitor = await visit();
  await visitor.signIn('admin', qm());
  const problems = visitor.page.locator('.now-problems .problem');
  const text = await until(`a sentence with ${words.join(', ')}`, async () => {
    const said = await problems.allInnerTexts();
    return said.find((one) => words.every((word) => word.test(one)));
  });
  assert.match(text, next, 'what to do next is offered');
  assert.equal(visitor.clicks, 0);
}

check('the page says that nothing is wrong while nothing is', async ({ visit }) => {
  const visitor = await visit();
  await visitor.signIn('admin', qm());
  const said = await visitor.page.locator('.now-problems .problem').allInnerTexts();
  // What is said of the machine that runs the tests, such as of its disk, is true as well.
  assert.deepEqual(said.filter((text) => !/disk|certificate|password/i.test(text)), []);
});

check('a program without the authority', async ({ visit, server }) => {
  await beRefused(server, 'AUDIT');
  await isTold(visit, [/app/, /2035/, /PUT/, /AUDIT/], /Grant/);
});

check('a full queue that no program reads', async ({ visit, server }) => {
  await server.putAll('ORDERS', Array.from({ length: 20 }, (_, at) => ({ body: { text: `${at}` } })));
  await isTold(visit, [/ORDERS/, /is full/, /2053/, /No application reads it/], /MAXDEPTH/);
});

check('a poison message', async ({ visit, server }) => {
  await server.put('CLAIMS', { body: { text: 'poison' } });
  await backOut(server, 'CLAIMS', 6);
  await isTold(visit, [/CLAIMS/, /was backed out 6 times/, /holds up those behind it/], /move/i);
});

check('a channel whose clients are refused by a CHLAUTH record', async ({ visit, server }) => {
  const refused = await connectProgram(server, { channel: 'BLOCKED.SVRCONN' });
  await until('it has ended', () => refused.child.exitCode !== null);
  await isTold(visit, [/BLOCKED\.SVRCONN/, /CHLAUTH/, /127\.0\.0\.1/], /See which step refuses|Let/);
});

check('a service whose responder has stopped', async ({ visit, server }) => {
  const answering = await answerLoans(server);
  assert.equal((await callService(server)).status, 200);
  await answering.end();
  const answers = await Promise.all(Array.from({ length: 6 }, () => callService(server)));
  assert.ok(answers.every(({ status }) => status !== 200), 'nothing answers');
  await isTold(visit, [/loanCheck/, /no reply/, /No application reads DEV\.LOAN\.REQUEST/], /See loanCheck/);
});
