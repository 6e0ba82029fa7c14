// 10,000 queues: how soon the first page can be used, how many bytes it costs, how rows scroll, how the list stays fresh, and what memory an hour
// of live updates costs, compressed to minutes.
//
// Times are reported. What is asserted is generous, because tests run beside other tests; `make bench` holds the bars.

import assert from 'node:assert/strict';
import { CONSOLE, qm } from './lib/browser.mjs';
import { until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';

const COUNT = 10_000;
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

check('the first page is usable soon, and costs few bytes', async ({ visit, say }) => {
  const times = [];
  for (let turn = 0; turn < 3; turn += 1) {
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
    times.push(Date.now() - begun);
    const list = Date.now();
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    await page.getByRole('grid').getByText(name(9999)).waitFor();
    say(`first page ${times.at(-1)} ms, the list of ${COUNT} queues ${Date.now() - list} ms more, ${JSON.stringify(bytes)}`);
    const all = bytes.assets + bytes.data;
    // Sources in the place of the server's files are not compressed.
    if (!process.env.CONSOLE_SOURCES) assert.ok(all > 20_000 && all <= 250_000, `the first page and the list cost ${all} bytes`);
    visitor.takeWrong();
  }
  assert.ok(Math.min(...times) < 3000, `the first page is usable after ${times} ms`);
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

check('scrolling costs few milliseconds a frame on a processor that is four times slower', async ({ visit, browser, say }) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.signIn('admin', `${qm('/queues')}?search=APP.QUEUE&sort=name`);
  const grid = page.getByRole('grid');
  await grid.getByText(name(0)).waitFor();
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await grid.evaluate((element) => new Promise((done) => {
    let frames = 0;
    const step = () => {
      element.scrollTop += 100;
      frames += 1;
      if (frames < 300) requestAnimationFrame(step);
      else done();
    };
    requestAnimationFrame(step);
  }));
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  // Processor time of the page's own thread: what other tests do meanwhile does not count. A frame is what runs from one to the next; several
  // callbacks of one frame are in one task.
  const callbacks = traceEvents.filter(({ name: of }) => of === 'FireAnimationFrame');
  const { pid, tid } = callbacks[0];
  const tasks = traceEvents.filter((event) => event.ph === 'X' && event.tdur !== undefined && event.pid === pid && event.tid === tid && /RunTask$/.test(event.name)).sort((one, other) => one.ts - other.ts);
  const starts = tasks.map(({ ts, dur }) => callbacks.some((callback) => callback.ts >= ts && callback.ts <= ts + dur));
  const times = [];
  for (const [index, { tdur }] of tasks.entries()) {
    if (starts[index]) times.push(0);
    if (times.length > 0) times[times.length - 1] += (tdur / 1000) * 4;
  }
  times.sort((one, other) => one - other);
  assert.ok(times.length >= 250, `${times.length} frames are in the trace`);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(1);
  const late = times.filter((time) => time > 50).length;
  say(`processor time of a frame, times four: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(0.999)} ms; ${late} of ${times.length} above 50 ms`);
  assert.ok(Number(at(0.5)) < 40 && late <= times.length / 20, `${late} of ${times.length} frames take more than 50 ms`);
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
  const heap = async () => {
    await debug.send('HeapProfiler.collectGarbage');
    return (await debug.send('Runtime.getHeapUsage')).usedSize / 1e6;
  };
  const nodes = async () => (await debug.send('Memory.getDOMCounters')).nodes;
  await debug.send('Performance.enable');
  let events = 0;
  await debug.send('Network.enable');
  debug.on('Network.eventSourceMessageReceived', () => (events += 1));
  const busy = (async () => {
    const end = Date.now() + 40_000;
    while (Date.now() < end) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => server.put(name(at), { body: { text: 'x' } })));
      await Promise.all(Array.from({ length: 20 }, (_, at) => server.ask('app', 'DELETE', `/api/v1/qmgr/QM1/queue/${name(at)}/messages?max=10`)));
    }
  })();
  await until('the first events have come', () => events > 50);
  const [before, nodesBefore] = [await heap(), await nodes()];
  await busy;
  const [after, nodesAfter] = [await heap(), await nodes()];
  say(`${events} events: heap ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB; nodes ${nodesBefore}, then ${nodesAfter}`);
  assert.ok(events > 500, `${events} events came`);
  assert.ok(after < 25 && after < before + 5, `the heap grew from ${before} to ${after} MB`);
  assert.ok(nodesAfter < nodesBefore + 500, `nodes grew from ${nodesBefore} to ${nodesAfter}`);
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
