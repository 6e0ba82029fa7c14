// What an operator sees of a queue-sharing group: two members on PostgreSQL, of which one is killed.

import assert from 'node:assert/strict';
import { startGroup } from './lib/group.mjs';
import { qm } from './lib/browser.mjs';
import { until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const VIEWS = { light: { theme: 'light' }, dark: { theme: 'dark' }, narrow: { theme: 'light', width: 640, height: 450, scale: 2 }, 'very narrow': { theme: 'dark', width: 320, height: 640 } };

const check = suite({ begin: startGroup });

const row = (page, name) => page.getByRole('row').filter({ hasText: name });

/** The same everywhere: what axe finds, and what is wider than the window. */
async function wrong(visitor, where) {
  const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return [...(await visitor.axe()), ...(wide > 1 ? [`${wide} pixels too wide`] : [])].map((line) => `${where}: ${line}`);
}

check('the page shows members, structures and the database, and meets WCAG 2.2 AA in each view', async ({ visit }) => {
  const found = [];
  for (const [name, view] of Object.entries(VIEWS)) {
    const visitor = await visit(view);
    const { page } = visitor;
    await visitor.signIn('admin', qm('/group'));
    await page.getByRole('heading', { level: 1, name: 'Group QSG1' }).waitFor();
    await row(page, 'QM2').getByText('active').waitFor();
    assert.match(await row(page, 'QM1').innerText(), /this one/);
    assert.match(await row(page, 'APP1').innerText(), /the home/);
    assert.match(await page.getByRole('article', { name: 'Home' }).innerText(), /PostgreSQL \d+/);
    await page.getByText(/checks are fine/).click();
    found.push(...(await wrong(visitor, name)));
  }
  assert.deepEqual(found, []);
});

check('a structure and a shared queue are made from the page, and stand in the list of queues', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  await visitor.signIn('admin', qm('/group'));
  await page.getByRole('button', { name: 'Create structure' }).click();
  await dialog.getByLabel('Name').fill('BATCH');
  await dialog.getByLabel('Persistent messages').selectOption('NO');
  await dialog.getByText(/DEFINE CFSTRUCT\('?BATCH'?\).*RECOVER\(NO\)/).first().waitFor();
  assert.deepEqual(await wrong(visitor, 'create a structure'), []);
  await dialog.getByRole('button', { name: 'Create structure' }).click();
  await row(page, 'BATCH').getByText('No', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Actions for BATCH' }).click();
  await page.getByRole('menuitem', { name: 'Create shared queue' }).click();
  await dialog.getByLabel('Name').fill('QUOTES');
  await dialog.getByLabel('Persistent by default').selectOption('NO');
  await dialog.getByRole('button', { name: 'Create shared queue' }).click();
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'BATCH').getByRole('link', { name: 'BATCH' }).click();
  await visitor.ready();
  await page.getByRole('row').filter({ hasText: 'QUOTES' }).getByText('BATCH').waitFor();
  assert.equal(await page.getByRole('row').filter({ hasText: 'ORDERS' }).count(), 0, 'the list shows the queues of the structure alone');
  assert.deepEqual(await wrong(visitor, 'queues of a structure'), []);
  await visitor.move(qm('/queues?where=disposition%3Dshared&sort=structure'));
  await page.getByRole('row').filter({ hasText: 'ORDERS' }).waitFor();
  const names = (await page.getByRole('row').allInnerTexts()).map((text) => /ORDERS|QUOTES/.exec(text)?.[0]).filter(Boolean);
  assert.deepEqual(names, ['ORDERS', 'QUOTES'], 'in order of structures');
  await visitor.move(qm('/queue/ORDERS'));
  await page.getByText('shared · APP1').waitFor();
});

check('the page is offered to those who operate the server', async ({ visit }) => {
  const reader = await visit();
  await reader.signIn('reader', qm('/group'));
  await reader.page.getByRole('heading', { level: 1, name: 'Group QSG1' }).waitFor();
  assert.equal(await reader.page.getByRole('button', { name: 'Create structure' }).count(), 0);
});

check('a member that is killed is told on the first page, with what a peer gave back and the command that takes it out', async ({ visit, server }) => {
  await server.mqsc("SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('admin') AUTHADD(ALL)");
  const visitor = await visit();
  const { page } = visitor;
  await server.putAll('ORDERS', [1, 2, 3].map((at) => ({ body: { text: `order ${at}` }, persistence: 'persistent' })), 'admin');
  server.members.QM2.kill();
  await visitor.signIn('admin', qm());
  const told = page.locator('.now-problems .problem').filter({ hasText: 'QM2 has failed, and was recovered' });
  await told.waitFor({ timeout: 120_000 });
  assert.match(await told.innerText(), /quaymaster group leave QM2/);
  await told.getByRole('link', { name: 'See the group' }).click();
  await visitor.ready();
  await row(page, 'QM2').getByText('failed').waitFor();
  assert.match(await row(page, 'QM2').innerText(), /by QM1, .* back/);
  await page.getByRole('button', { name: 'Actions for QM2' }).click();
  await page.getByRole('menuitem', { name: /Take out/ }).click();
  await page.getByRole('dialog').getByText('quaymaster group leave QM2').waitFor();
  assert.deepEqual(await wrong(visitor, 'take a member out'), []);
  await page.keyboard.press('Escape');
  const { json } = await server.good('admin', 'GET', `/api/v1/qmgr/QM1/group`);
  const said = json.checks.filter(({ verdict }) => verdict !== 'ok').map(({ text }) => text);
  const shown = await until('the page has all that needs attention', async () => {
    const texts = await page.locator('.group-page .problem').allInnerTexts();
    return texts.length >= said.length && texts.join('\n');
  });
  for (const text of said) assert.ok(shown.toLowerCase().includes(text.replaceAll('`', '').slice(0, 40).toLowerCase()), `${text} is not in ${shown}`);
});
