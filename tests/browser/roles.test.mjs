// Roles: what the pages offer to an administrator, a reader and a user, and what the server says to requests that no page would make.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { addresses } from './lib/pages.mjs';
import { api, QMGR } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const SECRET = 'NOT.FOR.APP';
const check = suite({
  server: { mqsc: [`DEFINE QLOCAL('${SECRET}')`, "SET AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)"] },
  prepare: async (server) => {
    await server.put('DEV.QUEUE.1', { body: { text: 'kept' } });
    await server.put('DEV.QUEUE.2', { body: { text: 'shown' } });
  },
});

/** A request as the page would make it, with the cookie of the visitor. */
function handMade(visitor, method, path, json) {
  return visitor.page.evaluate(
    async ([method, path, json]) => {
      const answer = await fetch(path, {
        method, headers: { 'ibm-mq-rest-csrf-token': 'x', ...(json ? { 'content-type': 'application/json' } : {}) }, body: json ? JSON.stringify(json) : undefined,
      });
      return answer.status;
    },
    [method, path, json],
  );
}

const MQSC = `/ibmmq/rest/v3/admin/action/qmgr/${QMGR}/mqsc`;
const command = (text) => ({ type: 'runCommand', parameters: { command: text } });

check('an administrator is offered changes', async ({ visit }) => {
  const visitor = await visit();
  await visitor.signIn('admin', qm('/queues'));
  await visitor.page.getByRole('button', { name: 'Create queue' }).waitFor();
  await visitor.move(qm('/queue/DEV.QUEUE.1'));
  await visitor.page.getByRole('button', { name: 'Inhibit puts' }).waitFor();
  await visitor.page.getByRole('button', { name: 'Actions' }).click();
  await visitor.page.getByRole('menuitem', { name: 'Delete queue' }).waitFor();
});

check('a reader sees everything, is offered no change, and is refused each', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('reader', qm('/queues'));
  await page.getByRole('grid').getByText(SECRET).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Create queue' }).count(), 0);
  assert.equal(await page.getByRole('grid').getByRole('checkbox').count(), 0, 'rows cannot be ticked for a change');
  await visitor.move(qm('/queue/DEV.QUEUE.1'));
  assert.equal(await page.getByRole('button', { name: /Actions|Inhibit/ }).count(), 0);
  await visitor.move(qm('/queue/DEV.QUEUE.1/properties'));
  await page.getByText('You may look at these properties, not change them.').waitFor();
  assert.equal(await page.locator('main form input:not([type=search]), main form select').count(), 0);
  const refusals = {
    'MQSC that changes': await handMade(visitor, 'POST', MQSC, command("ALTER QLOCAL('DEV.QUEUE.1') PUT(DISABLED)")),
    'a put': await handMade(visitor, 'POST', `${api('DEV.QUEUE.1')}/messages?envelope`, { body: { text: 'x' } }),
    'a get': await handMade(visitor, 'DELETE', `${api('DEV.QUEUE.1')}/messages`),
    'a purge': await handMade(visitor, 'POST', `${api('DEV.QUEUE.1')}/jobs`, { action: 'purge' }),
  };
  for (const [what, status] of Object.entries(refusals)) assert.equal(status, 403, what);
  assert.equal(await server.depth('DEV.QUEUE.1'), 1);
  assert.ok((await server.mqsc("DISPLAY QLOCAL('DEV.QUEUE.1') PUT")).join(' ').includes('PUT(ENABLED)'));
});

check('a user sees what its authorities show, and nothing else by any address', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('app', qm('/queues'));
  await page.getByRole('grid').getByText('DEV.QUEUE.1').first().waitFor();
  assert.equal(await page.getByRole('grid').getByText(SECRET).count(), 0);
  await visitor.move(qm(`/queue/${SECRET}`));
  await page.getByText(`There is no queue ${SECRET}, or not for you.`).waitFor();
  for (const [method, path, json] of [
    ['GET', `${api(SECRET)}/messages`],
    ['POST', `${api(SECRET)}/messages?envelope`, { body: { text: 'x' } }],
    ['POST', `${api(SECRET)}/jobs`, { action: 'purge' }],
    ['GET', '/api/v1/log'],
    ['DELETE', `/ibmmq/rest/v2/admin/qmgr/${QMGR}/queue/${SECRET}`],
  ]) {
    const status = await handMade(visitor, method, path, json);
    assert.ok(status === 403 || status === 404, `${method} ${path}: ${status}`);
  }
  // The command is answered with 200 and refused in the answer.
  await handMade(visitor, 'POST', MQSC, command(`DELETE QLOCAL('${SECRET}')`));
  assert.equal(await server.depth(SECRET), 0, 'the queue is still there');
});

for (const user of ['reader', 'app']) {
  check(`every page opens for ${user}, and what it may not see is said`, async ({ visit, server }) => {
    const visitor = await visit();
    await visitor.signIn(user, qm());
    const wrong = [];
    for (const [name, address] of Object.entries(await addresses(server, 'DEV.QUEUE.2'))) {
      await visitor.move(address).catch((error) => wrong.push(`${name} does not come to rest: ${error.message.split('\n')[0]}`));
      wrong.push(...visitor.takeWrong().map((line) => `${name}: ${line}`));
    }
    assert.deepEqual(wrong, []);
  });
}

check('without a sign-in the server answers nothing but the page', async ({ visit, server }) => {
  const visitor = await visit();
  await visitor.goto('/');
  await visitor.page.locator('form.sign-in').waitFor();
  for (const path of [`/api/v1/qmgr/${QMGR}/queues`, `/api/v1/qmgr/${QMGR}/problems`, '/api/v1/session', '/api/v1/log', `${api('DEV.QUEUE.1')}/messages`]) {
    assert.equal(await handMade(visitor, 'GET', path), 401, path);
  }
  // The page itself holds nothing of the server: no name of a queue manager, no version.
  const html = await (await visitor.page.request.get('/ibmmq/console/')).text();
  assert.ok(!html.includes(QMGR), html);
});

check('a change by the cookie of another site is refused', async ({ visit, server }) => {
  const visitor = await visit();
  await visitor.signIn('admin', qm());
  const [{ name, value }] = (await visitor.page.context().cookies()).filter((cookie) => cookie.name.startsWith('LtpaToken2'));
  const forged = await visitor.page.request.post(`${api('DEV.QUEUE.1')}/messages`, {
    headers: { cookie: `${name}=${value}`, origin: 'https://elsewhere.example', 'content-type': 'text/plain' }, data: 'forged',
  });
  assert.equal(forged.status(), 403);
  assert.equal(await server.depth('DEV.QUEUE.1'), 1);
});
