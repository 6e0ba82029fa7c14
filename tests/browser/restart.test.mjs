// The server ends and starts again while a page is open: what is on the page stays, it says that values are old, and goes on by itself.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { suite } from './lib/suite.mjs';

const check = suite();

for (const [how, end] of [['stopped', 'stop'], ['killed', 'kill']]) {
  check(`a list outlives its server that is ${how}, and is fresh again after its start`, async ({ visit, server }) => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.signIn('admin', `${qm('/queues')}?sort=name`);
    const row = page.getByRole('grid').locator('[role=row]', { hasText: 'DEV.QUEUE.1' });
    await row.waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await server[end]();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'hidden' });
    assert.ok(await row.isVisible(), 'the rows stay');
    await server.start();
    const text = `put after the server was ${how}`;
    await server.put('DEV.QUEUE.1', { persistence: 'persistent', body: { text } });
    const depth = String(await server.depth('DEV.QUEUE.1'));
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 120_000 });
    await row.getByText(depth, { exact: true }).first().waitFor();
    assert.match(page.url(), /sort=name/);
  });
}

check('a change while the server is away is told, kept, and made afterwards', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  const watched = page.waitForResponse(/\/watch$/);
  await visitor.signIn('admin', qm('/queue/DEV.QUEUE.2/properties'));
  await watched;
  await page.getByLabel('Description').first().fill('typed while the server was away');
  await server.kill();
  await page.getByRole('button', { name: 'Review change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.getByText('The server does not answer.').waitFor();
  await server.start();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Queue DEV.QUEUE.2 is changed.').first().waitFor({ timeout: 120_000 });
  assert.ok((await server.mqsc("DISPLAY QLOCAL('DEV.QUEUE.2') DESCR")).join(' ').includes('typed while the server was away'));
});

check('a page that is loaded while the server is away can be loaded when it is back', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm());
  await server.stop();
  await page.getByRole('link', { name: 'Queues', exact: true }).click();
  await page.getByText('The server does not answer.').first().waitFor();
  await server.start();
  await page.getByRole('grid').getByText('DEV.QUEUE.1').first().waitFor({ timeout: 120_000 });
});
