// Messages, names and descriptions that are made to break pages: they are shown as what they are, and nothing of them runs.

import assert from 'node:assert/strict';
import { qm } from './lib/browser.mjs';
import { api, until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const QUEUE = 'DEV.QUEUE.1';
const MEGABYTE = 1024 * 1024;
/** Each runs if it is ever taken for markup. */
const MARKUP = [
  '<script>globalThis.broken = true</script>', '<img src=x onerror="globalThis.broken=true">', '"><svg onload=globalThis.broken=true>', '<iframe srcdoc="<script>parent.broken=true</script>">',
  "');globalThis.broken=true;('", '{{constructor.constructor("globalThis.broken=true")()}}', '<style>*{display:none}</style>', '<base href="https://elsewhere.example/">', 'javascript:globalThis.broken=true',
];
const MESSAGES = {
  'script tags': { body: { text: MARKUP.join('\n') }, properties: { markup: MARKUP[0] } },
  'script tags in JSON': { body: { json: Object.fromEntries(MARKUP.map((text) => [text, text])) } },
  'control characters': { body: { text: `before\u0000\u0001\u0007\u0008\u001b[31m\u007f\u0085\u2028\u2029after` } },
  'right-to-left text': { body: { text: '\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u2066isolated\u2069 end' } },
  'combining characters': { body: { text: `Z${'\u0335\u0301\u0489'.repeat(400)}algo` } },
  'invalid UTF-8': { body: { base64: Buffer.from([0x61, 0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf8, 0x88, 0x62]).toString('base64') } },
  'half of a surrogate pair': { body: { json: { half: '\ud83d' } } },
  'a number that JSON cannot hold': { body: { text: '{"big": 12345678901234567890, "deep": '.concat('['.repeat(3000), ']'.repeat(3000), '}') } },
  'a prototype in JSON': { body: { text: '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}, "toString": 1}' } },
  'nothing': { body: { text: '' } },
  'one line of 4 MB': { body: { text: 'x'.repeat(4 * MEGABYTE - 4096) } },
  '100,000 lines': { body: { text: 'line\n'.repeat(100_000) } },
};

const check = suite({
  server: {
    mqsc: [
      `DEFINE QLOCAL('HOSTILE.%2F/_') DESCR('<img src=x onerror=alert(1)>')`,
      `ALTER QLOCAL('${QUEUE}') MAXMSGL(8388608) DESCR('<script>globalThis.broken=true</script>')`,
      `SET AUTHREC PROFILE('${QUEUE}') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)`,
      `DEFINE TOPIC('HOSTILE') TOPICSTR('<b>/\u202e/%2F/../#x?y') DESCR('"><svg onload=alert(1)>')`,
    ],
  },
  prepare: async (server) => {
    for (const envelope of Object.values(MESSAGES)) await server.put(QUEUE, envelope);
  },
});

/** Nothing of a message has run, and the page stands. */
async function isWhole(visitor) {
  const { broken, polluted, base } = await visitor.page.evaluate(() => ({ broken: globalThis.broken, polluted: {}.polluted, base: document.baseURI }));
  assert.equal(broken, undefined, 'a text of a message has run');
  assert.equal(polluted, undefined, 'a text of a message has changed all objects');
  assert.equal(new URL(base).origin, visitor.server.origin, 'a message has moved the page');
  assert.ok(await visitor.page.getByRole('banner').isVisible());
}

check('names and descriptions are shown as they are', async ({ visit }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', `${qm('/queues')}?search=hostile`);
  await page.getByRole('grid').getByText('HOSTILE.%2F/_').first().click();
  await page.getByRole('heading', { name: 'HOSTILE.%2F/_' }).waitFor();
  assert.match(page.url(), /HOSTILE\.%252F%2F_/, 'a name is one segment of the address');
  await visitor.move(qm(`/queue/${encodeURIComponent('HOSTILE.%2F/_')}/properties`));
  assert.equal(await page.getByLabel('Description').first().inputValue(), '<img src=x onerror=alert(1)>');
  await isWhole(visitor);
});

check('addresses with hostile parts open a page that says so', async ({ visit }) => {
  const visitor = await visit();
  await visitor.signIn('admin', qm());
  for (const path of ['/qm/%3Cscript%3E', qm('/queue/%E0%A4%A'), qm('/queue/..%2f..%2fapi'), qm(`/queue/${'A'.repeat(4000)}`), `${qm('/queues')}?where=%00&sort=%3Cb%3E&search=%22%3E%3Cimg%20src=x%3E`, '/no/such/page', '//elsewhere.example/x']) {
    await visitor.goto(path).catch((error) => assert.match(String(error), /ERR_ABORTED|ERR_INVALID/));
    await visitor.page.locator('main').waitFor();
    await isWhole(visitor);
    assert.equal(new URL(visitor.page.url()).origin, visitor.server.origin);
  }
});

check('a queue of hostile messages is listed', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('app', qm(`/queue/${QUEUE}/messages`));
  const rows = String(Object.keys(MESSAGES).length + 1);
  await until('every message has a row below the heading', async () => (await page.getByRole('grid').getAttribute('aria-rowcount')) === rows);
  assert.equal(await server.depth(QUEUE), Object.keys(MESSAGES).length, 'looking takes nothing');
  await isWhole(visitor);
});

check('each hostile message is shown in each view, and its page can be left', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('app', qm());
  const { json } = await server.good('app', 'GET', `${api(QUEUE)}/messages?limit=100`);
  const wrong = [];
  for (const [at, { position }] of json.messages.entries()) {
    const kind = Object.keys(MESSAGES)[at];
    await visitor.move(qm(`/queue/${QUEUE}/message/${position}`));
    await isWhole(visitor);
    const views = page.getByRole('navigation', { name: 'Views of the data' }).getByRole('link');
    if ((await views.count()) < 4) wrong.push(`${kind}: there are ${await views.count()} views of the data`);
    for (const name of await views.allInnerTexts()) {
      await views.getByText(name, { exact: true }).click();
      await page.waitForFunction(() => !document.querySelector('main p.state[role=status]'));
      if ((await page.getByRole('main').getByText(/unknown to this resource/).count()) > 0) wrong.push(`${kind}, ${name}: the server refuses the request`);
      await isWhole(visitor);
    }
    const begun = Date.now();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    if (Date.now() - begun > 20_000) wrong.push(`${kind}: the page does not answer for ${Date.now() - begun} ms`);
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    if (nodes > 20_000) wrong.push(`${kind}: ${nodes} elements`);
  }
  assert.deepEqual(wrong, []);
  assert.equal(await server.depth(QUEUE), Object.keys(MESSAGES).length, 'looking takes nothing');
});

check('control characters and directions are made visible, and the rest of the page keeps its direction', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('app', qm());
  const { json } = await server.good('app', 'GET', `${api(QUEUE)}/messages?limit=100`);
  const position = json.messages[Object.keys(MESSAGES).indexOf('right-to-left text')].position;
  await visitor.move(qm(`/queue/${QUEUE}/message/${position}`));
  const shown = await visitor.text();
  assert.ok(!shown.includes('\u202e'), 'a mark that turns the text around is shown as a mark, not obeyed');
  assert.ok(shown.includes('\u05e9\u05dc\u05d5\u05dd'), shown);
});
