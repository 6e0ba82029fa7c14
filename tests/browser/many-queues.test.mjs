// 10,000 queues: how many requests and bytes the first page costs, how rows scroll, how the list stays fresh, and what memory an hour of live
// updates costs, compressed to minutes.
//
// What is asserted are counts, because tests run beside other tests. Times are reported here, and measured by measure.mjs.

import assert from 'node:assert/strict';
import { CONSOLE, qm } from './lib/browser.mjs';
import { until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const COUNT = 10_000;
/** What is scrolled: so many times, by so many pixels. */
const [FRAMES, PIXELS] = [300, 100];
/** Longest time of the updates of an hour: ten times what they take on a machine with nothing else to do. */
const UPDATES_MS = 420_000;
const name = (at) => `APP.QUEUE.${String(at).padStart(5, '0')}`;
const check = suite({
  server: {
    mqsc: [...Array.from({ length: COUNT }, (_, at) => `DEFINE QLOCAL('${name(at)}')`), "SET AUTHREC PROFILE('APP.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)"],
  },
  prepare: async (server) => {
    for (const at of [17, 4711, 9999]) await server.putAll(name(at), Array.from({ length: at % 40 }, (_, number) => ({ body: { text: `${number}` } })));
  },
});

/** Bytes of answers as they came over the wire, by kind. */
async function countBytes(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Network.enable');
  const urls = new Map();
  const bytes = { assets: 0, data: 0, requests: 0 };
  debug.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, response.url));
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId) ?? '';
    if (url.startsWith('data:')) return;
    bytes.requests += 1;
    bytes[url.includes(CONSOLE) ? 'assets' : 'data'] += encodedDataLength;
  });
  return bytes;
}

/** What the page does meanwhile, in calls of functions and in work of the browser: counts, which no load of the machine changes. */
async function countWork(page, run) {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Profiler.enable');
  await debug.send('Performance.enable');
  await debug.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const work = async () => Object.fromEntries((await debug.send('Performance.getMetrics')).metrics.map(({ name: of, value }) => [of, value]));
  const before = await work();
  const seen = await run();
  const after = await work();
  const { result } = await debug.send('Profiler.takePreciseCoverage');
  await debug.send('Profiler.stopPreciseCoverage');
  const calls = result.filter(({ url }) => url.includes(CONSOLE)).flatMap(({ functions }) => functions).reduce((sum, { ranges }) => sum + ranges[0].count, 0);
  return { ...seen, calls, layouts: after.LayoutCount - before.LayoutCount, styles: after.RecalcStyleCount - before.RecalcStyleCount };
}

check('the first page and the list cost few requests and bytes', async ({ visit, say }) => {
  for (let turn = 0; turn < 2; turn += 1) {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.goto('/');
    await page.locator('form.sign-in').waitFor();
    await page.evaluate(async (password) => {
      await fetch('/ibmmq/rest/v3/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'admin', password }) });
    }, 'admin-password-of-tests');
    const debug = await page.context().newCDPSession(page);
    await debug.send('Network.clearBrowserCache');
    await page.goto('about:blank');
    const bytes = await countBytes(page);
    const begun = Date.now();
    await page.goto(CONSOLE + qm(), { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.locator('#now-headline').waitFor();
    await page.getByText(name(9999)).first().waitFor();
    const list = Date.now();
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    await page.getByRole('grid').getByText(name(9999)).waitFor();
    say(`first page ${list - begun} ms, the list of ${COUNT} queues ${Date.now() - list} ms more, ${JSON.stringify(bytes)}`);
    const all = bytes.assets + bytes.data;
    assert.ok(bytes.requests > 5 && bytes.requests <= 35, `the first page and the list ask ${bytes.requests} times`);
    // Sources in the place of the server's files are not compressed.
    if (!process.env.CONSOLE_SOURCES) assert.ok(all > 20_000 && all <= 250_000, `the first page and the list cost ${all} bytes`);
    visitor.takeWrong();
  }
});

check('all files of the console are at most 900 kB compressed', async ({ server, say }) => {
  const { readFileSync } = await import('node:fs');
  const { SOURCES } = await import('./lib/sources.mjs');
  const assets = JSON.parse(readFileSync(`${SOURCES}/dist/assets.json`, 'utf8'));
  const list = Array.isArray(assets) ? assets : assets.assets;
  const all = list.reduce((sum, { plain, gzip }) => sum + (gzip ?? plain), 0);
  say(`${list.length} files, ${all} bytes by gzip`);
  assert.ok(all > 50_000 && all <= 900_000, `${all} bytes`);
});

check('an asset is served by brotli and gzip, for good, and the page is asked for again', async ({ server, visit }) => {
  if (process.env.CONSOLE_SOURCES) return;
  const base = `http://${server.listeners.http}`;
  const html = await (await fetch(`${base}${CONSOLE}/`)).text();
  const script = /src="([^"]+start[^"]+)"/.exec(html)[1];
  for (const encoding of ['br', 'gzip']) {
    const answer = await fetch(base + script, { headers: { 'accept-encoding': encoding } });
    assert.equal(answer.headers.get('content-encoding'), encoding);
    assert.match(answer.headers.get('cache-control'), /immutable/);
  }
  const page = await fetch(`${base}${CONSOLE}${qm('/queues')}`);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  const again = await fetch(`${base}${CONSOLE}/`, { headers: { 'if-none-match': page.headers.get('etag') } });
  assert.equal(again.status, 304);
  assert.equal((await fetch(`${base}${CONSOLE}/assets/none-00000000.js`)).status, 404);
  const policy = page.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.ok(!policy.includes('unsafe'), policy);
});

check('10,000 rows scroll to the last, and each is what the server lists there', async ({ visit, say }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', `${qm('/queues')}?search=APP.QUEUE&sort=name`);
  const grid = page.getByRole('grid');
  await until('every queue has a row below the heading', async () => (await grid.getAttribute('aria-rowcount')) === String(COUNT + 1));
  await grid.focus();
  await page.keyboard.press('End');
  await grid.getByText(name(COUNT - 1)).waitFor();
  await page.keyboard.press('Home');
  await grid.getByText(name(0)).waitFor();
  // Rows by their number: what stands in row n is queue n - 2, wherever the person has scrolled to.
  for (const share of [0.123, 0.5, 0.876]) {
    await grid.evaluate((element, part) => (element.scrollTop = element.scrollHeight * part), share);
    let rows = [];
    await until('the rows in view are loaded', async () => {
      rows = await grid.evaluate((element) => [...element.querySelectorAll('.grid-body [role=row]')].map((row) => [Number(row.getAttribute('aria-rowindex')), row.textContent]));
      return rows.length > 10 && rows.every(([, text]) => text.includes('APP.QUEUE.'));
    });
    for (const [index, text] of rows) assert.ok(text.includes(name(index - 2)), `row ${index} shows ${text}`);
  }
});

check('scrolling draws the rows that come into view, in elements that are there', async ({ visit, say }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', `${qm('/queues')}?search=APP.QUEUE&sort=name`);
  const grid = page.getByRole('grid');
  await grid.getByText(name(0)).waitFor();
  const seen = await countWork(page, () => grid.evaluate((element, [count, pixels]) => new Promise((done) => {
    const seen = { rows: 0, made: 0, changed: 0 };
    const body = element.querySelector('.grid-body');
    const watcher = new MutationObserver((changes) => {
      for (const { type, addedNodes } of changes) {
        if (type === 'childList') seen.made += [...addedNodes].reduce((sum, node) => sum + 1 + (node.querySelectorAll?.('*').length ?? 0), 0);
        else seen.changed += 1;
      }
    });
    watcher.observe(body, { attributes: true, characterData: true, childList: true, subtree: true });
    let frames = 0;
    const step = () => {
      seen.rows = Math.max(seen.rows, body.querySelectorAll('[role=row]').length);
      if (frames === count) return done(seen);
      element.scrollTop += pixels;
      frames += 1;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }), [FRAMES, PIXELS]));
  const passed = (FRAMES * PIXELS) / (await grid.locator('.grid-body [role=row]').first().evaluate((row) => row.offsetHeight));
  const { rows, made, changed, calls, styles, layouts } = seen;
  const [ofRow, ofFrame] = [(count) => count / passed, (count) => count / FRAMES];
  say(`${rows} rows at most; for a row that comes into view ${ofRow(made).toFixed(1)} nodes, ${ofRow(changed).toFixed(1)} changes, ${ofRow(calls).toFixed(0)} calls; for a frame ${ofFrame(styles).toFixed(1)} times styles, ${ofFrame(layouts).toFixed(1)} layouts`);
  // The window of rows, whatever their number is.
  assert.ok(rows > 20 && rows <= 60, `${rows} rows are elements at once`);
  // A row that stays in view is not drawn again, and one that comes takes the elements of one that left.
  assert.ok(ofRow(made) < 10 && ofRow(changed) > 1 && ofRow(changed) < 15, `a row that comes into view makes ${ofRow(made)} nodes and ${ofRow(changed)} changes`);
  assert.ok(ofRow(calls) < 4000, `a row that comes into view takes ${ofRow(calls)} calls`);
  // What is drawn is not measured in between.
  assert.ok(ofFrame(styles) < 3 && ofFrame(layouts) < 2, `a frame takes ${ofFrame(styles)} passes of styles and ${ofFrame(layouts)} of layout`);
});

check('filter, order and counts are the server\'s, and rows are fresh without asking', async ({ visit, server }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', qm('/queues'));
  const grid = page.getByRole('grid');
  const filter = page.getByRole('searchbox', { name: /Filter/ });
  await filter.fill('app 471 depth>30 ');
  await page.waitForURL(/where=depth/);
  await grid.getByText(name(4711)).waitFor();
  await until('one queue is listed', async () => (await grid.getAttribute('aria-rowcount')) === '2');
  await server.put(name(4711), { body: { text: 'one more' } });
  await grid.locator('[role=row]', { hasText: name(4711) }).getByText(String((4711 % 40) + 1), { exact: true }).first().waitFor();
});

check('an hour of live updates leaves the memory of the page as it was', async ({ visit, server, say }) => {
  const visitor = await visit();
  const { page } = visitor;
  // Each row that changes is one event. An hour of two events a second for one busy queue is 7200; twenty queues of the page change at once here.
  await visitor.signIn('admin', `${qm('/queues')}?search=APP.QUEUE.000&sort=name`);
  await page.getByRole('grid').getByText(name(0)).waitFor();
  const debug = await page.context().newCDPSession(page);
  await debug.send('HeapProfiler.enable');
  const memory = async () => {
    await debug.send('HeapProfiler.collectGarbage');
    return { heap: (await debug.send('Runtime.getHeapUsage')).usedSize / 1e6, nodes: (await debug.send('Memory.getDOMCounters')).nodes };
  };
  let events = 0;
  await debug.send('Network.enable');
  debug.on('Network.eventSourceMessageReceived', () => (events += 1));
  const live = async (count) => {
    const [enough, end] = [events + count, Date.now() + UPDATES_MS];
    while (events < enough) {
      assert.ok(Date.now() < end, `${events} events came`);
      await Promise.all(Array.from({ length: 20 }, (_, at) => server.put(name(at), { body: { text: 'x' } })));
      await Promise.all(Array.from({ length: 20 }, (_, at) => server.ask('app', 'DELETE', `/api/v1/qmgr/QM1/queue/${name(at)}/messages?max=10`)));
    }
  };
  await live(50);
  const before = await memory();
  await live(1600);
  // One collection may find what is about to be let go still in use. What leaks stays, however often it is looked for.
  await until('the page takes as much memory as it took', async () => {
    const now = await memory();
    assert.ok(now.heap < 25 && now.heap < before.heap + 5, `the heap grew from ${before.heap} to ${now.heap} MB`);
    assert.ok(now.nodes < before.nodes + 500, `nodes grew from ${before.nodes} to ${now.nodes}`);
    say(`${events} events: heap ${before.heap.toFixed(1)} MB, then ${now.heap.toFixed(1)} MB; nodes ${before.nodes}, then ${now.nodes}`);
    return true;
  }, 60_000);
});

check('the page asks for nothing while nothing changes', async ({ visit, say }) => {
  const visitor = await visit();
  const { page } = visitor;
  for (const address of [qm(), qm('/queues')]) {
    if (address === qm()) await visitor.signIn('admin', address);
    else await visitor.move(address);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.waitForLoadState('load');
    // What is asked for once the page stands; a poll would show within its 5 seconds.
    await new Promise((done) => setTimeout(done, 3000));
    const count = visitor.requests.length;
    await new Promise((done) => setTimeout(done, 8000));
    const asked = visitor.requests.slice(count).map((request) => `${request.method()} ${request.url()}`);
    assert.deepEqual(asked, [], `${address} is idle`);
  }
});
