// A person at a browser: signs in, clicks, types, and looks. What no page may ever do is watched, and fails the test.
//
// Watched on every page: violations of the content security policy and of Trusted Types, errors of scripts, requests to another origin,
// passwords in addresses. A click, a choice of a menu and Enter count one, typing counts nothing: `clicks`.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { PASSWORDS, QMGR, until } from './server.mjs';
import { serveSources } from './sources.mjs';

export const CONSOLE = '/ibmmq/console';
/** Longest wait for what a page shows. The machine may be busy with other tests. */
export const PATIENCE_MS = Number(process.env.BROWSER_PATIENCE ?? 120) * 1000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Starts Chromium: Debian's, or the one that CHROMIUM names. */
export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`there is no Chromium at ${executablePath}: run scripts/install.sh test`);
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info'] });
}

/** A fresh browser profile with one page, not signed in. */
export async function newVisitor(browser, server, { theme = 'light', width = 1440, height = 900, scale = 1, clock } = {}) {
  const context = await browser.newContext({
    baseURL: server.origin, ignoreHTTPSErrors: true, colorScheme: theme, reducedMotion: 'reduce', viewport: { width, height }, deviceScaleFactor: scale,
    locale: 'en-GB', timezoneId: 'UTC', acceptDownloads: true, permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (process.env.CONSOLE_SOURCES) await serveSources(context);
  const page = await context.newPage();
  if (clock) await page.clock.setFixedTime(clock);
  const visitor = new Visitor(page, server);
  await visitor.watch();
  return visitor;
}

export class Visitor {
  clicks = 0;
  requests = [];
  /** Origins that the visitor goes to besides, such as that of an issuer. */
  elsewhere = [];
  #wrong = [];
  /** Requests to the API without an answer yet. The stream of live events never has one. */
  #underWay = new Set();

  constructor(page, server) {
    this.page = page;
    this.server = server;
  }

  async watch() {
    const { page, server } = this;
    await page.exposeBinding('quaymasterViolation', (_, text) => this.#wrong.push(`policy: ${text}`));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample, sourceFile, lineNumber }) => {
        globalThis.quaymasterViolation(`${effectiveDirective} ${blockedURI} ${sample} at ${sourceFile}:${lineNumber}`);
      });
    });
    page.on('pageerror', (error) => this.#wrong.push(`script: ${error.stack || `${error.name} ${error.message}`}`));
    page.on('console', (message) => {
      // The browser writes a line for each answer that is an error; what the page makes of it is seen on the page.
      if (message.type() === 'error' && !/^Failed to load resource|^WebSocket|net::ERR_/.test(message.text())) this.#wrong.push(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      this.#wrong.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    for (const name of ['requestfinished', 'requestfailed']) page.on(name, (request) => this.#underWay.delete(request));
    page.on('request', (request) => {
      const url = new URL(request.url());
      this.requests.push(request);
      if (/^\/api\/(?!v1\/stream$)/.test(url.pathname)) this.#underWay.add(request);
      if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== server.origin && !this.elsewhere.includes(url.origin)) this.#wrong.push(`another origin: ${request.url()}`);
      for (const password of Object.values(PASSWORDS)) {
        if (request.url().includes(password)) this.#wrong.push(`a password in the address ${request.url()}`);
      }
    });
  }

  /** What was wrong until now; each is told once. */
  takeWrong() {
    return this.#wrong.splice(0);
  }

  /** Ends the visit; fails if a page did what none may. */
  async close() {
    const secrets = await this.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])).catch(() => '');
    await this.page.context().close();
    assert.deepEqual(this.takeWrong(), [], 'no page violates its policy, fails, or asks another origin');
    for (const password of Object.values(PASSWORDS)) assert.ok(!secrets.includes(password), 'a password is kept in the browser');
    assert.ok(!secrets.includes('LtpaToken'), 'the token is readable by scripts');
  }

  async goto(path) {
    await this.page.goto(CONSOLE + path, { waitUntil: 'domcontentloaded' });
  }

  /** Signs in by the form that is shown. */
  async fillSignIn(user, password = PASSWORDS[user]) {
    const form = this.page.locator('form.sign-in');
    await form.getByLabel('User').fill(user);
    await form.getByLabel('Password', { exact: true }).fill(password);
    await form.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Opens a page of the console as a user who is not signed in yet. */
  async signIn(user, path = '/') {
    await this.goto(path);
    await this.fillSignIn(user);
    await this.ready();
  }

  /** Waits until the page shows what it has: its heading, and nothing that is loading. */
  async ready() {
    const { page } = this;
    await page.locator('.app main').locator('h1, .state-title').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('main p.state[role=status], main [aria-busy=true]'));
  }

  /**
   * Takes the sign-in from the browser. What the person does next meets that, and not what the page says by itself a moment after it is drawn:
   * a dialog that opens by chance before a click would catch the click. Gives what lets the page speak again.
   */
  async loseSignIn() {
    const { page } = this;
    const watch = /\/api\/v1\/stream\/[^/]+\/watch$/;
    await page.route(watch, (route) => route.fulfill({ json: {} }));
    await until('no request is under way', () => this.#underWay.size === 0);
    await page.context().clearCookies({ name: /^LtpaToken2/ });
    return () => page.unroute(watch);
  }

  /** Goes to another page without loading the console again. */
  async move(path) {
    await this.page.evaluate((address) => {
      history.pushState(null, '', address);
      dispatchEvent(new PopStateEvent('popstate'));
      // The page before is gone after the next frame.
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
    }, CONSOLE + path);
    await this.ready();
  }

  /** A click of the person. */
  async click(locator) {
    await locator.click();
    this.clicks += 1;
  }

  /** Enter of the person. */
  async enter(locator) {
    await (locator ? locator.press('Enter') : this.page.keyboard.press('Enter'));
    this.clicks += 1;
  }

  /** Chooses an option of a native list. */
  async choose(locator, value) {
    await locator.selectOption(value);
    this.clicks += 1;
  }

  /** Text of the page's main part. */
  async text() {
    return this.page.locator('main').innerText();
  }

  /** What axe-core finds against WCAG 2.2 AA, a line each. It is evaluated by the debugger, so that the policy of the page stays as it is. */
  async axe({ within: selector } = {}) {
    const debug = await this.page.context().newCDPSession(this.page);
    const evaluate = async (expression) => {
      const { result, exceptionDetails } = await debug.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    try {
      if (!(await evaluate('typeof axe === "object"'))) await evaluate(`${AXE};0`);
      return await evaluate(`axe.run(${JSON.stringify(selector ?? null)} ?? document, { runOnly: ${JSON.stringify(WCAG)}, resultTypes: ['violations'] })
        .then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) =>
          id + ' (' + impact + ') ' + target.join(' ') + ': ' + failureSummary.replace(/\\s+/g, ' ').slice(0, 200))))`);
    } finally {
      await debug.detach();
    }
  }
}

/** Address of a page of the queue manager. */
export function qm(path = '') {
  return `/qm/${QMGR}${path}`;
}
