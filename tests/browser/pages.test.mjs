// Every page of routes.ts: it is there, it shows what it has, and it meets WCAG 2.2 AA, in light and dark, when narrow and when zoomed.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { addresses } from './lib/pages.mjs';
import { suite } from './lib/suite.mjs';
import { COPIES, DEFINITIONS, fill, SETTINGS } from './lib/world.mjs';

/** A page 1280 pixels wide at 200 percent has 640 of them; at 400 percent, as WCAG 1.4.10 says, 320. */
const VIEWS = {
  light: { theme: 'light' },
  dark: { theme: 'dark' },
  'at 200 percent': { theme: 'light', width: 640, height: 450, scale: 2 },
  'at 320 pixels': { theme: 'dark', width: 320, height: 640 },
};

const check = suite({ server: { mqsc: DEFINITIONS, copies: COPIES, settings: SETTINGS }, prepare: fill });

check('what no page may do is noticed', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm());
  await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.ran = true';
    document.body.append(script);
  }).catch(() => undefined);
  await page.evaluate(() => (document.body.innerHTML = '<b>markup</b>')).catch(() => undefined);
  await page.evaluate(() => (document.querySelector('main').setAttribute('style', 'color: red')));
  await page.evaluate(() => fetch('https://elsewhere.example/').catch(() => undefined));
  await page.evaluate(() => setTimeout(() => { throw new Error('thrown'); }));
  await page.waitForFunction(() => document.querySelector('main'));
  await page.evaluate(() => document.querySelector('main').append(document.createElement('input')));
  const seen = [...(await visitor.axe()), ...visitor.takeWrong()].join('\n');
  for (const expected of [/label \(critical\)/, /policy: require-trusted-types-for/, /policy: style-src/, /policy: connect-src/, /script: Error: thrown/]) {
    assert.match(seen, expected);
  }
  visitor.takeWrong();
});

check('the sign-in meets WCAG 2.2 AA in each view', async ({ visit }) => {
  const wrong = [];
  for (const [name, view] of Object.entries(VIEWS)) {
    const visitor = await visit(view);
    await visitor.goto('/');
    await visitor.page.locator('form.sign-in').waitFor();
    await visitor.fillSignIn('admin', 'wrong');
    await visitor.page.getByRole('alert').getByText('wrong').waitFor();
    wrong.push(...(await visitor.axe()).map((line) => `${name}: ${line}`), ...(await overflow(visitor)).map((line) => `${name}: ${line}`));
  }
  assert.deepEqual(wrong, []);
});

for (const [name, view] of Object.entries(VIEWS)) {
  check(`every page meets WCAG 2.2 AA, and fits: ${name}`, async ({ visit, server }) => {
    const visitor = await visit(view);
    await visitor.signIn('admin', qm());
    /** What is wrong, and on which pages. */
    const wrong = new Map();
    for (const [page, address] of Object.entries(await addresses(server))) {
      for (const line of await lookAt(visitor, address)) wrong.set(line, [...(wrong.get(line) ?? []), page]);
    }
    assert.deepEqual([...wrong].map(([line, pages]) => `${pages.length > 6 ? `${pages.length} pages` : pages.join(', ')}: ${line}`), []);
  });
}

check('every tab and every form of a page meets WCAG 2.2 AA', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm());
  const wrong = new Map();
  let count = 0;
  for (const [name, address] of Object.entries(await addresses(server))) {
    await visitor.move(address);
    const tabs = page.getByRole('main').locator('nav.tabs a, nav.segments a, .segments button');
    for (const tab of await tabs.allInnerTexts()) {
      const wanted = tabs.getByText(tab, { exact: true }).first();
      if ((await wanted.count()) === 0) continue;
      await wanted.click();
      await visitor.ready();
      count += 1;
      for (const line of await look(visitor)) wrong.set(line, [...(wrong.get(line) ?? []), `${name} ${tab}`]);
    }
  }
  assert.ok(count > 20, `${count} tabs are seen`);
  assert.deepEqual([...wrong].map(([line, pages]) => `${pages.join(', ')}: ${line}`), []);
});

check('what opens over a page meets WCAG 2.2 AA too', async ({ visit }) => {
  const wrong = [];
  for (const theme of ['light', 'dark']) {
    const visitor = await visit({ theme });
    const { page } = visitor;
    await visitor.signIn('admin', qm('/queues'));
    const look = async (what) => wrong.push(...(await visitor.axe()).map((line) => `${what}, ${theme}: ${line}`));
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await look('keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search over everything' }).fill('pay');
    await page.getByRole('option', { name: /PAY\.REQ/ }).waitFor();
    await look('search');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Settings' }).click();
    await look('settings');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByRole('dialog').waitFor();
    await look('create a queue');
    await page.keyboard.press('Escape');
    await visitor.move(qm('/queue/PAY.REQ'));
    await page.getByRole('button', { name: 'Actions' }).click();
    await look('actions');
    await page.getByRole('menuitem', { name: 'Delete queue' }).click();
    await page.getByRole('dialog', { name: /Delete queue/ }).waitFor();
    await look('delete a queue');
    assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Delete queue' }).isDisabled(), 'messages are lost only after the name is typed');
    await page.keyboard.press('Escape');
  }
  assert.deepEqual(wrong, []);
});

check('animation stops for people who ask for less of it', async ({ visit }) => {
  const visitor = await visit();
  await visitor.signIn('admin', qm());
  const moving = await visitor.page.evaluate(() => document.getAnimations().filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().duration > 1).length);
  assert.equal(moving, 0);
});

/** Opens a page; what is wrong with it. */
async function lookAt(visitor, address) {
  try {
    await visitor.move(address);
  } catch (error) {
    return [`does not come to rest: ${error.message.split('\n')[0]}`];
  }
  if ((await visitor.page.getByText('There is no such page.').count()) > 0) return ['is not there'];
  return look(visitor);
}

/** What is wrong with the page that is open. Nothing of it is refused to an administrator. */
async function look(visitor) {
  const refused = (await visitor.page.getByRole('main').locator('.failed').allInnerTexts()).map((text) => `refused: ${text.replace(/\s+/g, ' ')}`);
  return [...refused, ...(await headings(visitor)), ...(await visitor.axe()), ...(await overflow(visitor)), ...visitor.takeWrong()];
}

/** One heading of the first rank, and a title that names the page. */
async function headings(visitor) {
  const found = [];
  const count = await visitor.page.locator('h1').count();
  if (count !== 1) found.push(`${count} headings h1`);
  if (!/Quaymaster/.test(await visitor.page.title())) found.push(`the title is ${await visitor.page.title()}`);
  return found;
}

/** What is wider than the page, but for tables, code and lists, which scroll by themselves. */
async function overflow(visitor) {
  return visitor.page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth + 1) return [];
    const widest = [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > clientWidth + 1).slice(0, 3);
    return [`the page is ${scrollWidth} pixels wide, the window ${clientWidth}: ${widest.map((element) => `${element.tagName}.${element.className}`).join(', ')}`];
  });
}
