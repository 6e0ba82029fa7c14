// The main jobs without a pointer. Every step is a key; where the keyboard is, is always seen.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { PASSWORDS } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const check = suite({ server: { mqsc: ["DEFINE QLOCAL(KEYS.ONE) DESCR('one')", 'DEFINE QLOCAL(KEYS.TWO)', 'DEFINE QLOCAL(KEYS.THREE)'] } });

/** Presses Tab until `wanted` has the focus, at most so often. Each stop is visible and has a mark of the focus. */
async function tabTo(page, wanted, limit = 60) {
  for (let turn = 0; turn < limit; turn += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      const { width, height } = element.getBoundingClientRect();
      const marks = [element, element.parentElement].map((one) => getComputedStyle(one)).map(({ outlineStyle, outlineWidth, boxShadow }) => (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none');
      return { isBody: element === document.body, name: `${element.tagName}.${element.className} ${element.textContent.slice(0, 30)}`, isSeen: width > 0 && height > 0, isMarked: marks.some(Boolean) };
    });
    if (!stop.isBody) {
      assert.ok(stop.isSeen, `${stop.name} has the focus and is not to be seen`);
      assert.ok(stop.isMarked, `${stop.name} has the focus and no mark of it`);
    }
    if (await wanted.evaluate((element) => element === document.activeElement).catch(() => false)) return;
  }
  throw new Error(`${wanted} is not reached by Tab`);
}

/** Signs in by keys alone. */
async function signIn(visitor, path) {
  await visitor.goto(path);
  await visitor.page.locator('form.sign-in').waitFor();
  await visitor.page.keyboard.type('admin');
  await visitor.page.keyboard.press('Tab');
  await visitor.page.keyboard.type(PASSWORDS.admin);
  await visitor.page.keyboard.press('Enter');
  await visitor.ready();
}

check('signing in, and skipping to the page', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm());
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Skip to the page' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'page');
});

check('a queue is found by the search over everything and opened', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm());
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search over everything' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('keys.two');
  await page.getByRole('option', { name: /KEYS\.TWO/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'KEYS.TWO' }).waitFor();
});

check('the search has the focus before the next key, and before the next frame', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm());
  const role = await page.evaluate(async () => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
    // No frame is drawn and no other event comes between: these are the microtasks of this event.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    return document.activeElement?.getAttribute('role');
  });
  assert.equal(role, 'combobox');
});

check('a list is filtered, walked, ticked and changed', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm());
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  await page.getByRole('grid').getByText('DEV.QUEUE.1').first().waitFor();
  await page.keyboard.press('f');
  await page.keyboard.type('keys');
  await page.keyboard.press('Enter');
  const grid = page.getByRole('grid');
  await page.waitForFunction(() => document.querySelector('[role=grid]').getAttribute('aria-rowcount') === '4');
  await page.keyboard.press('ArrowDown');
  assert.ok(await grid.evaluate((element) => element === document.activeElement), 'the arrow leads from the filter to the rows');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 ticked').waitFor();
  await tabTo(page, page.getByRole('button', { name: 'Inhibit puts' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/PUT\(DISABLED\)/).first().waitFor();
  await tabTo(page, dialog.getByRole('button', { name: 'Apply' }), 20);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const states = await Promise.all(['KEYS.ONE', 'KEYS.TWO', 'KEYS.THREE'].map(async (name) => (await server.mqsc(`DISPLAY QLOCAL('${name}') PUT`)).join(' ').includes('PUT(DISABLED)')));
  assert.equal(states.filter(Boolean).length, 2, String(states));
});

check('a property is changed, and Escape gives up what is open', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm('/queue/KEYS.ONE/properties'));
  const depth = page.getByLabel('Maximum depth');
  await depth.waitFor();
  await tabTo(page, depth);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('777');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await depth.inputValue(), '777', 'what was typed is kept');
  assert.ok(await depth.evaluate((element) => element === document.activeElement || document.activeElement !== document.body), 'the focus is where it was');
  await depth.press('Enter');
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Apply' }), 20);
  await page.keyboard.press('Enter');
  await page.getByText('Queue KEYS.ONE is changed.').first().waitFor();
  assert.ok((await server.mqsc('DISPLAY QLOCAL(KEYS.ONE) MAXDEPTH')).join(' ').includes('MAXDEPTH(777)'));
});

check('single keys do nothing while a person types, and can be switched off', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm('/queues'));
  await page.keyboard.press('f');
  await page.keyboard.type('gq?/x');
  assert.equal(await page.getByRole('searchbox', { name: /Filter/ }).inputValue(), 'gq?/x');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('grid').focus();
  await page.keyboard.press('?');
  const box = page.getByRole('dialog').getByRole('checkbox', { name: 'Single keys act' });
  await tabTo(page, box, 20);
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await page.getByRole('grid').focus();
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  assert.equal(await page.getByRole('dialog').count(), 0);
});

check('a menu is opened, walked and closed, and gives the focus back', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await signIn(visitor, qm('/queues'));
  const actions = page.getByRole('main').getByRole('button', { name: 'More', exact: true });
  await actions.waitFor();
  await tabTo(page, actions);
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem').nth(1).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem').first().waitFor({ state: 'hidden' });
  assert.ok(await actions.evaluate((element) => element === document.activeElement));
});
