// Signing in at a real issuer of OpenID Connect, oidc-provider, which is another site for the browser: it has another scheme.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { newVisitor, qm, startBrowser } from './lib/browser.mjs';
import { start, startServer } from './lib/server.mjs';

const LIMIT_MS = 600_000;
const SECRET = 'secret-of-the-console-of-tests';
let issuer, server, browser;

/** The issuer of the tests with tokens, as a process. */
async function startIssuer() {
  const program = process.env.ISSUER_OF_TESTS;
  if (!program) throw new Error('ISSUER_OF_TESTS names no issuer.mjs: run this by `cargo test`');
  const child = start('node', [program, 'ES256'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const [url] = await once(lines, 'line');
  const tell = async (what) => {
    child.stdin.write(`${what}\n`);
    const [said] = await once(lines, 'line');
    assert.equal(said, 'done');
  };
  return { url, tell, end: () => (child.kill('SIGKILL'), child.exited) };
}

before(async () => {
  issuer = await startIssuer();
  const settings = `[identity.oidc.company]
issuer = "${issuer.url}"
audiences = ["urn:mq"]
user_claim = "preferred_username"
groups_claim = "realm_access.roles"
client_id = "console of tests"
client_secret = "${SECRET}"
title = "The Company"
[web.roles]
MQWebUser = ["group:mq-users"]
MQWebAdminRO = ["group:mq-readers"]
`;
  [server, browser] = await Promise.all([startServer({ settings }), startBrowser()]);
  await issuer.tell(`console ${server.origin}/ibmmq/console/sign-in/company/callback ${SECRET} client_secret_basic`);
}, { timeout: LIMIT_MS });

after(async () => {
  await browser?.close();
  await server?.close();
  await issuer?.end();
});

/** A test with a visitor, who may go to the issuer. No secret of the sign-in stays in the browser, and none is in an address of the server. */
function check(name, run, view) {
  test(name, { timeout: LIMIT_MS }, async () => {
    const visitor = await newVisitor(browser, server, view);
    visitor.elsewhere.push(issuer.url);
    try {
      await run(visitor);
      const kept = await visitor.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
      assert.doesNotMatch(kept, /eyJ|qs_|code=|state=/);
      for (const request of visitor.requests) assert.doesNotMatch(request.url(), /eyJ|qs_|id_token|access_token|secret-of/);
    } finally {
      await visitor.close();
    }
  });
}

/** What is on the screen, for people to look at, where BROWSER_PICTURES names a folder. */
async function picture(page, name) {
  const folder = process.env.BROWSER_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

const offer = (page) => page.getByRole('link', { name: 'Sign in with The Company' });

/** At the page of the issuer. */
async function goOn(page, name) {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Go on' }).click();
}

check('a person signs in at the issuer, is led to the page that was wanted, and signs out', async (visitor) => {
  const { page } = visitor;
  await visitor.goto(`${qm('/queues')}?search=dead`);
  await offer(page).click();
  await goOn(page, 'reader');
  await visitor.ready();
  assert.equal(page.url(), `${server.origin}/ibmmq/console${qm('/queues')}?search=dead`);
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name, value }) => name === 'LtpaToken2' && value.startsWith('qs_'));
  assert.deepEqual([session?.httpOnly, session?.secure, session?.sameSite], [true, true, 'Strict']);
  assert.ok(!cookies.some(({ name }) => name === 'quaymasterSignIn'), 'what bound the sign-in to the browser is gone');
  await page.getByRole('button', { name: /reader\.of\.issuer.*account/ }).click();
  await page.getByText('company', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out of this console.', { exact: false }).waitFor();
  assert.equal(await page.evaluate(async () => (await fetch('/api/v1/session')).status), 401);
  await picture(page, 'signed-out');
  const there = page.getByRole('link', { name: 'Sign out of The Company' });
  assert.ok((await there.getAttribute('href')).startsWith(`${issuer.url}/session/end?client_id=`));
});

check('a person who cancels or has no role is told so and begins again', async (visitor) => {
  const { page } = visitor;
  await visitor.goto(qm('/channels'));
  await offer(page).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alert').getByText('cancelled or not allowed', { exact: false }).waitFor();
  assert.equal(page.url(), `${server.origin}/ibmmq/console${qm('/channels')}`);
  await offer(page).click();
  await goOn(page, 'stranger');
  await page.getByRole('alert').getByText('Your user has no role here.', { exact: false }).waitFor();
  // The issuer would give the same person again.
  await page.getByRole('link', { name: 'Sign out of The Company' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByText('You have signed out.').waitFor();
  await page.goto(`/ibmmq/console${qm('/channels')}`);
  await offer(page).click();
  await goOn(page, 'worker');
  await visitor.ready();
  assert.equal(page.url(), `${server.origin}/ibmmq/console${qm('/channels')}`);
});

check('an address of the way back that is opened again says what to do', async (visitor) => {
  const { page } = visitor;
  const back = page.waitForRequest(/\/callback\?/);
  await visitor.goto(qm('/queues'));
  await offer(page).click();
  await goOn(page, 'reader');
  await visitor.ready();
  const address = (await back).url();
  await page.context().clearCookies();
  await page.goto(address);
  await page.getByRole('alert').getByText('This sign-in is not under way.', { exact: false }).waitFor();
  assert.equal(page.url(), `${server.origin}/ibmmq/console/`);
});

check('a sign-in that ends in the middle of work goes on in another tab, and the work is kept', async (visitor) => {
  const { page } = visitor;
  await visitor.goto(qm('/queues'));
  await offer(page).click();
  await goOn(page, 'worker');
  await visitor.ready();
  await page.evaluate(() => (globalThis.work = 'kept'));
  const speakAgain = await visitor.loseSignIn();
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).first().click();
  const again = page.getByRole('dialog', { name: 'Sign in' });
  await offer(again).waitFor();
  await speakAgain();
  await page.waitForFunction(() => document.activeElement?.dataset.issuer === 'company');
  await picture(page, 'sign-in-again');
  const opened = page.waitForEvent('popup');
  await offer(again).click();
  const other = await opened;
  // The issuer knows the person by now, and asks for nothing.
  await other.waitForURL(`${server.origin}/ibmmq/console${qm('/channels')}`);
  await other.close();
  await page.bringToFront();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await again.waitFor({ state: 'detached' });
  await visitor.ready();
  assert.equal(await page.evaluate(() => globalThis.work), 'kept');
});

for (const theme of ['light', 'dark']) {
  check(`the page for signing in is accessible with an issuer and its problem (${theme})`, async (visitor) => {
    await visitor.goto('/sign-in?problem=state&to=%2Fibmmq%2Fconsole%2Fserver');
    await offer(visitor.page).waitFor();
    assert.deepEqual(await visitor.axe(), []);
    await picture(visitor.page, `sign-in-issuer-${theme}`);
  }, { theme });
}
