// One browser and one server for a file of tests, and a visitor for each test.

import { after, before, test } from 'node:test';
import { newVisitor, startBrowser } from './browser.mjs';
import { startServer } from './server.mjs';

/** Longest time of one test. */
const LIMIT_MS = 600_000;

/**
 * Declares the server of a file; `begin` starts another one than `server` says. `prepare` fills it. The result declares tests: `check('sentence', async ({ visit, server }) => …)`.
 * `visit` opens visitors, which are closed with the test; a closed visitor fails when a page did what none may.
 */
export function suite({ server: options = {}, begin = () => startServer(options), prepare } = {}) {
  const shared = {};
  before(async () => {
    [shared.server, shared.browser] = await Promise.all([begin(), startBrowser()]);
    await prepare?.(shared.server);
  }, { timeout: LIMIT_MS });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.close();
  });
  return (name, run, { limit = LIMIT_MS } = {}) =>
    test(name, { timeout: limit }, async (context) => {
      const visitors = [];
      const visit = async (view) => {
        const visitor = await newVisitor(shared.browser, shared.server, view);
        visitors.push(visitor);
        return visitor;
      };
      let failure;
      try {
        await run({ visit, server: shared.server, browser: shared.browser, say: (line) => context.diagnostic(line) });
      } catch (error) {
        failure = error;
        await pictureOfFailure(visitors, name);
      }
      for (const visitor of visitors) await visitor.close().catch((error) => (failure ??= error));
      if (failure) throw failure;
    });
}

/** Where BROWSER_FAILURES names a folder, what was on the screen is kept there. */
async function pictureOfFailure(visitors, name) {
  const folder = process.env.BROWSER_FAILURES;
  if (!folder) return;
  for (const [at, { page }] of visitors.entries()) {
    await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, '-')}-${at}.png` }).catch(() => undefined);
  }
}
