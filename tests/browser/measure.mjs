// What the console costs the browser and the server with 10,000 queues: the figures of `make bench`, group console, as one line of JSON.
//
//   QUAYMASTER_BIN=… node tests/browser/measure.mjs [ROUNDS]
//
// Times of the browser are those of an empty cache and a new profile. Processor time is that of the server's process.

import { readFileSync } from 'node:fs';
import { CONSOLE, newVisitor, qm, startBrowser } from './lib/browser.mjs';
import { PASSWORDS, startServer } from './lib/server.mjs';

const QUEUES = 10_000;
const PUBLISHED = [1000, 2000, 3000];
const ROUNDS = Number(process.argv[2] ?? 5);
/** How long an overview is open while its cost is measured. */
const OPEN_MS = 60_000;
/** Queues that change while it is. */
const BUSY = 20;
const FRAMES = 600;
/** What `Emulation.setCPUThrottlingRate` slows the page by. */
const SLOWED = 4;
/** USER_HZ of Linux. */
const TICK_MS = 10;

const name = (at) => `APP.QUEUE.${String(at).padStart(5, '0')}`;
const widget = (size, at) => `W${size}.${String(at).padStart(5, '0')}`;
const range = (count, of) => Array.from({ length: count }, (_, at) => of(at));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

function cpuMs(server) {
  const [, fields] = /\) (.*)/s.exec(readFileSync(`/proc/${server.pid}/stat`, 'utf8'));
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

/** A new visitor with a session, and nothing of the console loaded. */
async function signedIn(browser, server) {
  const visitor = await newVisitor(browser, server);
  await visitor.goto('/sign-in');
  await visitor.page.evaluate(async (password) => {
    const json = JSON.stringify({ username: 'admin', password });
    await fetch('/ibmmq/rest/v3/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: json });
  }, PASSWORDS.admin);
  const debug = await visitor.page.context().newCDPSession(visitor.page);
  await debug.send('Network.enable');
  await debug.send('Network.clearBrowserCache');
  await visitor.page.goto('about:blank');
  return { visitor, page: visitor.page, debug };
}

/** Until the first page can be used: problems and rows stand there. Bytes as they came over the wire. */
async function firstPage(browser, server) {
  const { visitor, page, debug } = await signedIn(browser, server);
  let bytes = 0;
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const begun = performance.now();
  await page.goto(CONSOLE + qm(), { waitUntil: 'commit' });
  await page.locator('#now-headline').waitFor();
  await page.getByText(name(QUEUES - 1)).first().waitFor();
  const usable = performance.now() - begun;
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await visitor.page.context().close();
  return { usable, bytes };
}

/** Times between frames while the list of 10,000 rows is scrolled, by a processor that is four times slower. */
async function scroll(browser, server) {
  const { visitor, page, debug } = await signedIn(browser, server);
  await page.goto(`${CONSOLE}${qm('/queues')}?search=APP.QUEUE&sort=name`);
  const grid = page.getByRole('grid');
  await grid.getByText(name(0)).waitFor();
  await pause(2000);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  const times = await grid.evaluate(
    (element, count) =>
      new Promise((done) => {
        const seen = [];
        let before = performance.now();
        const step = (now) => {
          seen.push(now - before);
          before = now;
          element.scrollTop += 100;
          if (seen.length < count) requestAnimationFrame(step);
          else done(seen.slice(5));
        };
        requestAnimationFrame(step);
      }),
    FRAMES,
  );
  await visitor.page.context().close();
  times.sort((a, b) => a - b);
  return { longest: times.at(-1), p99: times[Math.floor(times.length * 0.99)], late: times.filter((time) => time > 50).length, count: times.length };
}

/** What an open overview with live updates costs the server while queues change, beyond the puts and gets that change them. */
async function overview(browser, server) {
  const busy = async (until) => {
    let turns = 0;
    while (performance.now() < until) {
      await server.put(name(turns % BUSY), { body: { text: 'x' } });
      await server.ask('app', 'DELETE', `/api/v1/qmgr/QM1/queue/${name(turns % BUSY)}/messages`);
      turns += 1;
      await pause(500);
    }
  };
  const cost = async () => {
    const [before, begun] = [cpuMs(server), performance.now()];
    await busy(begun + OPEN_MS);
    return ((cpuMs(server) - before) / (performance.now() - begun)) * 100;
  };
  const without = await cost();
  const { visitor, page, debug } = await signedIn(browser, server);
  await page.goto(CONSOLE + qm());
  await page.getByText(name(QUEUES - 1)).first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await pause(3000);
  const withPage = await cost();
  await debug.send('HeapProfiler.enable');
  await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  await visitor.page.context().close();
  return { percent: withPage - without, without, heapMb: usedSize / 1e6 };
}

/** What the list page asks for as it opens with so many queues in it, and what a refresh of it costs the server. */
async function list(browser, server, size) {
  const { visitor, page } = await signedIn(browser, server);
  const address = `${CONSOLE}${qm('/queues')}?search=W${size}.&columns=name,type,depth&sort=name`;
  const asked = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/') && !pathname.endsWith('/stream') && !pathname.endsWith('/watch')) asked.push(`${request.method()} ${pathname}${search}`);
  });
  await page.goto(address);
  await page.getByRole('grid').getByText(widget(size, 0)).waitFor();
  await pause(1000);
  const requests = [...asked];
  const turns = 20;
  const before = cpuMs(server);
  for (let turn = 0; turn < turns; turn += 1) {
    await page.reload();
    await page.getByRole('grid').getByText(widget(size, 0)).waitFor();
  }
  const ms = (cpuMs(server) - before) / turns;
  await visitor.page.context().close();
  return { size, ms, requests };
}

const mqsc = [
  ...range(QUEUES, (at) => `DEFINE QLOCAL('${name(at)}')`),
  ...PUBLISHED.flatMap((size) => range(size, (at) => `DEFINE QLOCAL('${widget(size, at)}')`)),
  "SET AUTHREC PROFILE('APP.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)",
];
const [server, browser] = await Promise.all([startServer({ mqsc }), startBrowser()]);
await server.putAll(name(QUEUES - 1), range(50, (at) => ({ body: { text: `${at}` } })));
const pages = [];
for (let round = 0; round < ROUNDS; round += 1) pages.push(await firstPage(browser, server));
const scrolls = [];
for (let round = 0; round < ROUNDS; round += 1) scrolls.push(await scroll(browser, server));
const lists = [];
for (const size of PUBLISHED) lists.push(await list(browser, server, size));
const open = await overview(browser, server);
await browser.close();
await server.close();
console.log(JSON.stringify({
  usableMs: median(pages.map(({ usable }) => usable)), firstPageBytes: median(pages.map(({ bytes }) => bytes)),
  longestFrameMs: median(scrolls.map(({ longest }) => longest)), lateFrames: median(scrolls.map(({ late }) => late)), frames: scrolls[0].count,
  p99FrameMs: median(scrolls.map(({ p99 }) => p99)), overviewPercent: open.percent, loadPercent: open.without, heapMb: open.heapMb, lists,
}));
