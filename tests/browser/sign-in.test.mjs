// Signing in and out, and a sign-in that ends in the middle of work.

import assert from 'node:assert/strict';
import { CONSOLE, qm } from './lib/browser.mjs';
import { PASSWORDS } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const check = suite();

check('the root leads to the sign-in, and the right password to the first page', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  // With sources in the place of the server's own pages, what a redirect leads to cannot be replaced.
  await page.goto(process.env.CONSOLE_SOURCES ? `${CONSOLE}/` : '/');
  await visitor.fillSignIn('admin');
  await visitor.ready();
  assert.match(page.url(), /\/ibmmq\/console\/qm\/QM1$/);
  assert.match(await page.title(), /Now/);
  const cookies = await page.context().cookies();
  const token = cookies.find(({ name }) => name.startsWith('LtpaToken2'));
  assert.ok(token?.httpOnly && token.secure, `the token is for the server alone: ${JSON.stringify(cookies.map(({ value: _, ...rest }) => rest))}`);
});

check('a wrong password is told, empties nothing that was right, and a right one goes on', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.goto(qm('/queues'));
  await visitor.fillSignIn('admin', 'no such password');
  await page.getByRole('alert').getByText('User or password is wrong.').waitFor();
  assert.equal(await page.getByLabel('User').inputValue(), 'admin');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'sign-in-password');
  await visitor.fillSignIn('admin');
  await visitor.ready();
  assert.match(page.url(), /\/qm\/QM1\/queues/, 'the address that was asked for is opened');
});

check('an address is opened with its filter after the sign-in', async ({ visit }) => {
  const visitor = await visit();
  await visitor.signIn('reader', `${qm('/queues')}?search=dead&where=type%3Dlocal`);
  await visitor.page.getByRole('grid').getByText('DEV.DEAD.LETTER.QUEUE').first().waitFor();
  assert.equal(await visitor.page.getByRole('grid').getByText('DEV.QUEUE.1').count(), 0);
});

check('a sign-in that ends in the middle of work is asked for again, and the work is kept', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm('/queue/DEV.QUEUE.1/properties'));
  const described = page.getByLabel('Description', { exact: false }).first();
  await described.fill('typed before the end');
  const speakAgain = await visitor.loseSignIn();
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in' });
  await again.waitFor();
  await speakAgain();
  assert.equal(await again.getByLabel('User').inputValue(), 'admin');
  await page.keyboard.press('Escape');
  await again.waitFor();
  await again.getByLabel('Password', { exact: true }).fill(PASSWORDS.admin);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await page.getByText('Queue DEV.QUEUE.1 is changed.').first().waitFor();
  assert.ok((await server.mqsc("DISPLAY QLOCAL('DEV.QUEUE.1') DESCR")).join(' ').includes('typed before the end'));
});

check('signing out ends the sign-in on the server too', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm());
  await page.getByRole('button', { name: /admin.*account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('form.sign-in').waitFor();
  const status = await page.evaluate(async () => (await fetch('/api/v1/session')).status);
  assert.equal(status, 401);
  await visitor.goto(qm('/queues'));
  await page.locator('form.sign-in').waitFor();
});

check('by plain HTTP the page leads to HTTPS and asks for no password', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  visitor.server = { origin: `http://${server.listeners.http}` };
  // The browser has another origin here, on purpose.
  await page.goto(`http://${server.listeners.http}/ibmmq/console/`);
  const secure = page.getByRole('link', { name: 'Open it by HTTPS' });
  await secure.waitFor();
  assert.equal(new URL(await secure.getAttribute('href')).port, new URL(server.origin).port);
  visitor.takeWrong();
});

check('a session that the server says is near its end is told in time', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await page.route('**/api/v1/session', async (route) => {
    const answer = await route.fetch();
    if (!answer.ok()) return route.fulfill({ response: answer });
    return route.fulfill({ response: answer, json: { ...(await answer.json()), ends: new Date(Date.now() + 120_000).toISOString() } });
  });
  await visitor.signIn('admin', qm());
  await page.getByText('Your sign-in ends in', { exact: false }).first().waitFor();
});
