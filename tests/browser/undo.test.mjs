// Jobs that were wrong are taken back: a replay from the page of dead letters, a move from the page of jobs, and a copy.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { api, until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';
import { COPIES, deadLetter, DEFINITIONS, SETTINGS } from './lib/world.mjs';

const DEAD = 'DEV.DEAD.LETTER.QUEUE';
const check = suite({
  server: { mqsc: DEFINITIONS, copies: COPIES, settings: SETTINGS },
  prepare: async (server) => {
    for (let at = 0; at < 4; at += 1) await deadLetter(server, 'PAY.REPLY', 2053, `reply ${at}`);
    for (let at = 0; at < 3; at += 1) await server.put('PAY.REQ', { body: { text: `request ${at}` } });
  },
});

const main = (page) => page.getByRole('main');
const dialog = (page) => page.getByRole('dialog');
const toast = (page, text) => page.locator('.toast', { hasText: text });
const press = (page, name) => dialog(page).getByRole('button', { name }).click();

/** Bodies and headers of the messages of a queue. */
async function messages(server, queue) {
  const { json } = await server.good('admin', 'GET', `${api(queue)}/messages`);
  return json.messages.map(({ headers, body, id }) => ({ headers, body, id }));
}

/** Waits until the dialog has counted, and gives its figures. */
async function counted(page) {
  await dialog(page).locator('.job-found').waitFor();
  await dialog(page).locator('button[type=submit]:not([disabled])').waitFor();
  return dialog(page).locator('.job-found dd').allInnerTexts();
}

async function runJob(server, queue, order) {
  const { json } = await server.good('admin', 'POST', `${api(queue)}/jobs`, { json: order });
  return until('the job has ended', async () => {
    const job = (await server.good('admin', 'GET', `/api/v1/jobs/${json.id}`)).json;
    return job.state !== 'running' && job;
  });
}

check('a replay is taken back at once, with the dead-letter headers, as far as no program was faster', async ({ visit, server }) => {
  const before = await messages(server, DEAD);
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm('/dead-letters'));
  await main(page).getByRole('button', { name: 'Replay all 4' }).click();
  await press(page, /Replay 4 messages/);
  await toast(page, '4 messages are replayed.').getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual((await counted(page)).slice(0, 2), ['4', '0']);
  await dialog(page).getByText('with the dead-letter headers that they had').waitFor();
  await dialog(page).getByText(/curl .*\/undo/).first().waitFor();
  assert.deepEqual(await visitor.axe({ within: 'dialog' }), []);
  await press(page, 'Put back 4 messages');
  await toast(page, '4 messages are taken back.').waitFor();
  assert.deepEqual(await messages(server, DEAD), before);
  assert.equal(await server.depth('PAY.REPLY'), 0);
  // The page counts them again.
  await main(page).getByRole('button', { name: 'Replay all 4' }).waitFor();
});

check('the page of dead letters offers the last replay until it is taken back, and says how many are gone', async ({ visit, server }) => {
  await runJob(server, DEAD, { action: 'replay' });
  await server.good('app', 'DELETE', `${api('PAY.REPLY')}/messages`);
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm('/dead-letters'));
  const last = main(page).locator('.last-replay', { hasText: '4 messages of this queue were replayed' });
  await last.waitFor();
  assert.deepEqual(await visitor.axe({ within: 'main' }), []);
  await last.getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual((await counted(page)).slice(0, 2), ['3', '1']);
  await press(page, 'Put back 3 messages');
  await toast(page, '3 messages are taken back. 1 was gone.').waitFor();
  await last.waitFor({ state: 'detached' });
  assert.equal(await server.depth(DEAD), 3);
});

check('the page of jobs takes back a move and a copy, and says what cannot be undone', async ({ visit, server }) => {
  const moved = await runJob(server, 'PAY.REQ', { action: 'move', to: { queue: 'PAY.PARKED' } });
  await runJob(server, 'PAY.PARKED', { action: 'copy', to: { queue: 'INVOICES' } });
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm('/jobs'));
  const line = (action, queue) => page.locator('.jobs-table tbody tr', { hasText: action }).filter({ hasText: queue });
  await line('Copy', 'PAY.PARKED').getByRole('button', { name: 'Undo' }).click();
  await counted(page);
  await press(page, 'Remove 3 copies');
  await until('the copies are gone', async () => (await server.depth('INVOICES')) === 0);
  await line('Copy', 'PAY.PARKED').getByText('undone').waitFor();
  await line('Move', 'PAY.REQ').getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual((await counted(page)).slice(0, 2), ['3', '0']);
  await press(page, 'Put back 3 messages');
  await until('they are back', async () => (await server.depth('PAY.REQ')) === 3);
  await line('Move', 'PAY.REQ').getByText('undone').waitFor();
  // The report of the undo leads to that of the job, and has no undo of its own.
  await line('Undo', 'PAY.REQ').first().getByRole('link').first().click();
  await dialog(page).getByText('It cannot be undone: it is an undo').waitFor();
  assert.equal(await dialog(page).getByRole('button', { name: 'Undo' }).count(), 0);
  await dialog(page).locator(`a[href*="${moved.id}"]`).click();
  await dialog(page).getByRole('heading', { name: /Move/ }).waitFor();
});

check('who may only look is offered no undo', async ({ visit, server }) => {
  await runJob(server, 'PAY.REQ', { action: 'move', to: { queue: 'PAY.PARKED' } });
  const visitor = await visit();
  await visitor.signIn('reader', qm('/jobs'));
  assert.equal(await visitor.page.getByRole('button', { name: 'Undo' }).count(), 0);
});
