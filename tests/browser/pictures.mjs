// Writes the golden pictures of every page in light and dark to docs/console/: `QUAYMASTER_BIN=… node tests/browser/pictures.mjs [FOLDER [PAGE…]]`.
// The page Group needs PostgreSQL.
//
// People look at them; no test compares them. The data are always the same. Times, and the
// port of a group's database, are those of the run: the picture of a page changes only there.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newVisitor, qm, startBrowser } from './lib/browser.mjs';
import { startGroup } from './lib/group.mjs';
import { addresses } from './lib/pages.mjs';
import { api, startServer, until } from './lib/server.mjs';
import { answerLoans, callService, COPIES, DEFINITIONS, fill, SETTINGS } from './lib/world.mjs';

const [folder = fileURLToPath(new URL('../../docs/console/', import.meta.url)), ...wanted] = process.argv.slice(2);
/** Quality of WebP: text stays sharp, and a page has some 25 kB. */
const QUALITY = 0.75;

const WORLDS = [
  { begin: beginBadDay, has: (name) => name !== 'group' },
  { begin: beginGroup, has: (name) => name === 'group' },
];

mkdirSync(folder, { recursive: true });
const browser = await startBrowser();
const darkroom = await browser.newPage();
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
for (const { begin, has } of WORLDS) {
  if (wanted.length > 0 && !wanted.some(has)) continue;
  const { server, pages } = await begin();
  const names = Object.keys(pages).filter((name) => has(name) && isWanted(name));
  for (const theme of ['light', 'dark']) {
    const visitor = await newVisitor(browser, server, { theme, width: 1280, height: 800 });
    const { page } = visitor;
    await visitor.goto('/');
    await page.locator('form.sign-in').waitFor();
    if (has('sign-in') && isWanted('sign-in')) await take(page, 'sign-in', theme);
    await visitor.signIn('admin', qm());
    for (const name of names) {
      await page.mouse.move(700, 2);
      await visitor.move(pages[name]);
      // Charts and values that come live are drawn a moment after the page.
      await page.waitForTimeout(700);
      await take(page, name, theme);
    }
    await visitor.close();
  }
  await server.close();
}
await browser.close();
process.exit(0);

async function beginBadDay() {
  const server = await startServer({ mqsc: DEFINITIONS, copies: COPIES, settings: SETTINGS });
  await fill(server);
  const answering = await answerLoans(server);
  for (let turn = 0; turn < 3; turn += 1) await callService(server);
  await answering.end();
  await Promise.all(Array.from({ length: 6 }, () => callService(server)));
  const { json: job } = await server.good('admin', 'POST', `${api('PAY.REQ')}/jobs`, { json: { action: 'copy', to: { queue: 'PAY.PARKED' }, limit: 10 } });
  await until('the job has ended', async () => (await server.good('admin', 'GET', `/api/v1/jobs/${job.id}`)).json.state === 'done');
  const { json: invoices } = await server.good('admin', 'GET', `${api('INVOICES')}/messages?limit=1`);
  return { server, pages: { ...(await addresses(server)), record: qm(`/queue/INVOICES/message/${invoices.messages[0].position}?view=record&copybook=LOANREQ`) } };
}

/** Two members, of which one has done some work. */
async function beginGroup() {
  const server = await startGroup();
  await server.mqsc("ALTER CFSTRUCT(APP1) DESCR('Orders of the shop')");
  await server.mqsc("DEFINE CFSTRUCT(BATCH) CFLEVEL(5) RECOVER(NO) DESCR('Quotes, which may be asked for again')");
  await server.mqsc('DEFINE QLOCAL(QUOTES) QSGDISP(SHARED) CFSTRUCT(BATCH)');
  await server.mqsc("SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('admin') AUTHADD(ALL)");
  await server.mqsc("SET AUTHREC PROFILE(QUOTES) OBJTYPE(QUEUE) PRINCIPAL('admin') AUTHADD(ALL)");
  await server.putAll('ORDERS', Array.from({ length: 200 }, (_, at) => ({ body: { json: { order: at } }, persistence: 'persistent' })), 'admin');
  await server.putAll('QUOTES', Array.from({ length: 40 }, (_, at) => ({ body: { json: { quote: at } }, persistence: 'nonPersistent' })), 'admin');
  // Members look at the database from time to time, and the page shows what they have seen.
  await until('both members are active, and the database was looked at', async () => {
    const { json } = await server.good('admin', 'GET', '/api/v1/qmgr/QM1/group');
    return json.members.length === 2 && json.members.every(({ state }) => state === 'ACTIVE') && json.databases[0].secondsSinceLook !== null;
  });
  return { server, pages: { group: qm('/group') } };
}

/** Chromium writes WebP only from a canvas. */
async function take(page, name, theme) {
  const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const webp = await darkroom.evaluate(async ([png, quality]) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  }, [taken.toString('base64'), QUALITY]);
  writeFileSync(`${folder}/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${theme}.webp`, Buffer.from(webp, 'base64'));
}
