// The book below /docs, as a reader uses it: without signing in, in light and dark, narrow, by keyboard, with the search.

import assert from 'node:assert/strict';
import { suite } from './lib/suite.mjs';

const check = suite();

/** Rows that the search shows for a text: name and page of each. */
async function found(page, text) {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.locator('.found [role=option]').first().waitFor();
  return page.locator('.found [role=option]').evaluateAll((rows) => rows.map((row) => [row.querySelector('strong').textContent, row.querySelector('small').textContent]));
}

check('every page is there, and pages are accessible in light and dark, wide and narrow', async ({ visit }) => {
  for (const [theme, width] of [['light', 1440], ['dark', 1440], ['light', 390], ['dark', 390]]) {
    const visitor = await visit({ theme, width });
    const { page } = visitor;
    await page.goto('/docs');
    const links = await page.locator('#contents a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.ok(links.length > 40, `${links.length} pages`);
    const some = width === 1440 && theme === 'light' ? links : ['/docs', '/docs/differences', '/docs/message-api'];
    for (const link of some) {
      const answer = await page.goto(link);
      assert.equal(answer.status(), 200, link);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!isWide, `${link} is wider than the window of ${width}`);
    }
    for (const link of ['/docs', '/docs/first-http-queue']) {
      await page.goto(link);
      assert.deepEqual(await visitor.axe(), [], `${link} ${theme} ${width}`);
    }
  }
});

check('the search finds a reason code and an attribute, and Enter leads to the row', async ({ visit }) => {
  const { page } = await visit();
  await page.goto('/docs');
  assert.deepEqual((await found(page, '2033'))[0], ['2033', 'Reason codes › What they mean here']);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/reason-codes#row-2033$/);
  await page.locator('tr:target').getByText('MQRC_NO_MSG_AVAILABLE').waitFor();
  await page.goto('/docs/operating');
  const attributes = await found(page, 'maxdepth');
  assert.ok(attributes.slice(0, 4).some(([name, place]) => name === 'MAXDEPTH' && place.startsWith('Attributes')), JSON.stringify(attributes.slice(0, 4)));
  assert.ok(attributes.some(([, place]) => place.startsWith('Differences')), 'a row of the differences');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.locator('.found [aria-selected=true]').getAttribute('id'), 'found-1');
  await page.keyboard.press('Escape');
  await page.locator('.found').waitFor({ state: 'hidden' });
});

check('what is not found is said, and a name finds what has only its number', async ({ visit }) => {
  const { page } = await visit();
  await page.goto('/docs?q=MQRC_Q_FULL');
  await page.locator('.found [role=option]').first().waitFor();
  const places = await page.locator('.found small').allTextContents();
  assert.ok(places.some((place) => place.startsWith('Differences')), places.join(', '));
  await page.locator('#search input').fill('no-such-word-here');
  await page.getByText('Nothing is found for no-such-word-here.').waitFor();
});

check('the theme is that of the console, and the contents open in a narrow window', async ({ visit }) => {
  const { page } = await visit({ width: 390 });
  await page.goto('/docs');
  await page.locator('#contents').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Contents' }).click();
  await page.locator('#contents').getByRole('link', { name: 'Reason codes' }).click();
  await page.waitForURL(/\/docs\/reason-codes$/);
  for (const theme of ['light', 'dark']) {
    await page.locator('#theme').click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
  }
  assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('quaymaster.settings')).theme), 'dark');
  await page.goto('/ibmmq/console/');
  await page.locator('form.sign-in').waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
});
