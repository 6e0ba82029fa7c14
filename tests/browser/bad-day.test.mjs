// Twenty-five jobs of a bad day. Each begins on the first page after the sign-in, is done as a person does it, and may take as many clicks as
// docs/console.md says. A click, a choice of a menu and Enter count one; typing, also a single key of a list, counts nothing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { qm } from './lib/browser.mjs';
import { api, QMGR, until } from './lib/server.mjs';
import { suite } from './lib/suite.mjs';
import { COPIES, DEFINITIONS, fill, holdUnitOfWork, SETTINGS } from './lib/world.mjs';

const DEEP = 100_000;
const check = suite({
  server: {
    mqsc: [...DEFINITIONS, `DEFINE QLOCAL(DEEP) MAXDEPTH(999999) DESCR('${DEEP} messages')`, "SET AUTHREC PROFILE('DEEP') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)"],
    copies: COPIES, settings: SETTINGS,
  },
  prepare: async (server) => {
    await fill(server);
    await server.putAll('DEEP', Array.from({ length: DEEP }, (_, at) => ({ properties: { number: at }, body: { text: `message ${at}` } })));
  },
});

/** Number of a job to the clicks that it may take: the table of docs/console.md. */
const allowed = new Map(
  [...readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8').matchAll(/^\| (\d+) \| [^|]+ \| [^|]+ \| (\d+) \|$/gm)].map(([, number, clicks]) => [Number(number), Number(clicks)]),
);

/** Declares a job. `run` gets a visitor on the first page. */
function job(number, name, run, user = 'admin') {
  check(`${number}. ${name}`, async ({ visit, server, say }) => {
    const visitor = await visit();
    await visitor.signIn(user, qm());
    await visitor.page.locator('#now-headline').waitFor();
    visitor.clicks = 0;
    await run(visitor, visitor.page, server);
    const most = allowed.get(number);
    assert.notEqual(most, undefined, `docs/console.md has no row ${number}`);
    say(`${visitor.clicks} of ${most} clicks`);
    assert.ok(visitor.clicks <= most, `${visitor.clicks} clicks, ${most} are allowed`);
  });
}

/** Opens something by the search over everything: one Enter. */
async function find(visitor, text, option = text) {
  const { page } = visitor;
  await page.keyboard.press('/');
  const box = page.getByRole('combobox', { name: 'Search over everything' });
  await box.fill(text);
  await page.getByRole('option', { name: option }).first().waitFor();
  await visitor.enter(box);
  await visitor.ready();
}

const main = (page) => page.getByRole('main');
const dialog = (page) => page.getByRole('dialog');
const problem = (page, text) => page.locator('.problem', { hasText: text }).first();
const row = (page, text) => page.getByRole('grid').locator('[role=row]', { hasText: text }).first();

/** The button of the dialog that makes the change. */
async function apply(visitor, name = 'Apply') {
  await visitor.click(dialog(visitor.page).getByRole('button', { name }));
  await dialog(visitor.page).waitFor({ state: 'detached' });
}

job(1, 'is anything wrong?', async (_, page) => {
  await page.locator('#now-headline').getByText(/need attention/).waitFor();
  await problem(page, 'ORDERS is full').waitFor();
});

job(2, 'the fullest of all queues', async (_, page) => {
  const fullest = page.getByRole('region', { name: 'Fullest queues' });
  await fullest.getByRole('row').first().getByText('ORDERS').waitFor();
});

job(3, 'is it growing, and since when', async (visitor, page) => {
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'PAY.REQ' }));
  await page.getByRole('heading', { name: 'PAY.REQ' }).waitFor();
  await main(page).getByRole('figure', { name: /Depth/ }).or(main(page).locator('.chart', { hasText: 'Depth' })).first().waitFor();
});

job(4, 'who reads it and who writes it', async (visitor, page) => {
  await find(visitor, 'PAY.PARKED');
  await visitor.click(page.getByRole('link', { name: 'Handles' }));
  await main(page).getByText('DEV.APP.SVRCONN').first().waitFor();
  await main(page).getByText('app', { exact: true }).first().waitFor();
});

job(5, 'the age of the oldest message', async (_, page) => {
  const oldest = page.getByRole('region', { name: 'Oldest messages' });
  await oldest.getByRole('link', { name: 'ORDERS' }).or(oldest.getByRole('link', { name: 'PAY.REQ' })).first().waitFor();
  await oldest.locator('time').first().waitFor();
});

job(6, 'the first payload of a queue', async (visitor, page) => {
  await visitor.click(problem(page, 'ORDERS is full').getByRole('link', { name: 'Look at the messages of ORDERS' }));
  await row(page, '"order":0').waitFor();
});

job(7, `the last of ${DEEP} messages`, async (visitor, page) => {
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'DEEP' }));
  await visitor.click(page.getByRole('link', { name: 'Messages', exact: true }));
  await visitor.click(page.getByRole('button', { name: 'Last page' }));
  await row(page, `message ${DEEP - 1}`).waitFor();
});

job(8, 'a message by a property or by its text', async (visitor, page) => {
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'PAY.REQ' }));
  await visitor.click(page.getByRole('link', { name: 'Messages', exact: true }));
  const filter = page.getByRole('searchbox', { name: /Filter|Find/ }).first();
  await filter.fill('C000007 ');
  await until('one message is shown', async () => (await page.getByRole('grid').getAttribute('aria-rowcount')) === '2');
  await row(page, 'C000007').waitFor();
  await filter.fill('region=EU ');
  await until('those of the property are shown', async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) > 2);
  await until('none of another region is shown', async () => (await row(page, 'C000002').count()) === 0);
  await filter.fill('size>1k ');
  await until('all of them are small', async () => (await page.getByRole('grid').locator('[role=row]', { hasText: 'C0000' }).count()) === 0);
});

job(9, 'a record in EBCDIC by its copybook', async (visitor, page) => {
  await find(visitor, 'INVOICES');
  await visitor.click(page.getByRole('link', { name: 'Messages', exact: true }));
  await row(page, /1/).waitFor();
  await visitor.click(page.getByRole('grid').locator('[role=row]').nth(1));
  // The copybook that fits the length of the record, or the one that was used for this queue before.
  await main(page).getByText('ADA BYRON').first().waitFor();
  await main(page).getByText(/customer.name/i).first().waitFor();
});

job(10, 'why messages are on the dead-letter queue', async (visitor, page) => {
  await visitor.click(problem(page, /holds 5 messages for PAY\.REPLY/).getByRole('link', { name: /dead letters/ }));
  await main(page).getByText('2053').first().waitFor();
  await main(page).getByText('PAY.REPLY').first().waitFor();
});

job(11, 'one dead letter goes to where it was to go', async (visitor, page, server) => {
  const before = await server.depth('DEV.DEAD.LETTER.QUEUE');
  await visitor.click(problem(page, /for CLAIMS/).getByRole('link', { name: /dead letters/ }));
  await visitor.click(main(page).getByRole('button', { name: 'Replay one' }).first());
  await apply(visitor, /Replay 1 message/);
  await until('it is gone from there', async () => (await server.depth('DEV.DEAD.LETTER.QUEUE')) === before - 1);
});

job(12, 'all dead letters of one reason go to where they were to go', async (visitor, page, server) => {
  const before = await server.depth('PAY.REPLY');
  await visitor.click(problem(page, /holds 5 messages for PAY\.REPLY/).getByRole('link', { name: /dead letters/ }));
  await visitor.click(main(page).getByRole('button', { name: 'Replay all 5' }));
  await apply(visitor, /Replay 5 messages/);
  await until('they have left', async () => (await server.mqsc('DISPLAY QLOCAL(DEV.DEAD.LETTER.QUEUE) CURDEPTH')) && (await server.depth('DEV.DEAD.LETTER.QUEUE')) <= 4);
  assert.ok((await server.depth('PAY.REPLY')) >= before);
});

job(13, 'some messages go to a parking queue', async (visitor, page, server) => {
  const before = await server.depth('PAY.PARKED');
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'PAY.REQ' }));
  await visitor.click(page.getByRole('link', { name: 'Messages', exact: true }));
  await row(page, 'payment').waitFor();
  const grid = page.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+ArrowDown');
  await visitor.click(page.getByRole('region', { name: 'What is ticked' }).getByRole('button', { name: 'Move' }));
  await dialog(page).getByLabel('To queue').fill('PAY.PARKED');
  await apply(visitor, /Move 2 messages/);
  await until('they are there', async () => (await server.depth('PAY.PARKED')) === before + 2);
});

job(14, 'a message is edited and sent again', async (visitor, page, server) => {
  await visitor.click(problem(page, /CLAIMS/).filter({ hasText: 'backed out' }).getByRole('link').filter({ hasText: /message|Look/i }).first());
  await row(page, 'a claim').waitFor();
  await visitor.click(page.getByRole('grid').locator('[role=row]').nth(1));
  await visitor.click(main(page).getByRole('button', { name: 'Edit and send again' }));
  await dialog(page).getByRole('textbox', { name: /Data|Text/ }).first().fill('a claim that was mended');
  await apply(visitor, 'Put');
  const { text } = await server.good('app', 'GET', `${api('CLAIMS')}/messages?contains=mended`);
  assert.ok(text.includes('a claim that was mended'), text);
});

job(15, 'a test message with properties is put', async (visitor, page, server) => {
  await find(visitor, 'INVOICES');
  await visitor.click(main(page).getByRole('button', { name: 'Put a message' }));
  await dialog(page).getByRole('textbox', { name: /Data|Text/ }).first().fill('a test message');
  await dialog(page).getByLabel('Property', { exact: true }).first().fill('colour');
  await dialog(page).getByLabel('Value', { exact: true }).first().fill('red');
  await apply(visitor, 'Put');
  const { text } = await server.good('app', 'GET', `${api('INVOICES')}/messages?selector=${encodeURIComponent("colour='red'")}`);
  assert.ok(text.includes('a test message'), text);
});

job(16, 'one poison message is deleted', async (visitor, page, server) => {
  const before = await server.depth('CLAIMS');
  await visitor.click(problem(page, /CLAIMS/).filter({ hasText: 'backed out' }).getByRole('link').filter({ hasText: /message|Look/i }).first());
  await row(page, 'a claim').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('x');
  await visitor.click(page.getByRole('region', { name: 'What is ticked' }).getByRole('button', { name: 'Delete' }));
  await apply(visitor, /Purge 1 message/);
  await until('it is gone', async () => (await server.depth('CLAIMS')) === before - 1);
});

job(17, 'a queue is cleared by a person who knows what goes', async (visitor, page, server) => {
  await visitor.click(problem(page, 'ORDERS is full').getByRole('link', { name: 'Look at the messages of ORDERS' }));
  await row(page, '"order":0').waitFor();
  await visitor.click(main(page).getByRole('button', { name: 'Purge' }).or(main(page).getByRole('button', { name: 'Purge the queue…' })));
  await dialog(page).getByText('"order":0').first().waitFor();
  await dialog(page).getByText('20', { exact: true }).first().waitFor();
  await apply(visitor, /Purge 20 messages/);
  await until('they are gone', async () => (await server.depth('ORDERS')) === 0);
});

job(18, 'messages are handed to a developer', async (visitor, page) => {
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'PAY.REQ' }));
  await visitor.click(page.getByRole('link', { name: 'Messages', exact: true }));
  await row(page, 'payment').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('x');
  const download = page.waitForEvent('download');
  await visitor.click(page.getByRole('region', { name: 'What is ticked' }).getByRole('button', { name: 'Export' }));
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\n');
  assert.equal(lines.length, 1);
  assert.ok(JSON.parse(lines[0]).body, lines[0]);
});

job(19, 'why a program gets 2035', async (visitor, page) => {
  await visitor.click(problem(page, /2035.*AUDIT/).getByRole('link', { name: 'See which rule decides' }));
  await main(page).getByText('AUDIT').first().waitFor();
  await main(page).getByText(/This is refused/).waitFor();
  await main(page).getByText(/PUT/).first().waitFor();
});

job(20, 'the authority that is missing is granted', async (visitor, page, server) => {
  await visitor.click(problem(page, /2035.*AUDIT/).getByRole('button', { name: /Grant/ }));
  await apply(visitor);
  const { status } = await server.ask('app', 'POST', `${api('AUDIT')}/messages?envelope`, { json: { body: { text: 'x' } } });
  assert.equal(status, 201);
});

job(21, 'a stopped channel is started', async (visitor, page, server) => {
  await server.mqsc('STOP CHANNEL(ORDERS.SVRCONN)');
  await problem(page, 'Channel ORDERS.SVRCONN is stopped').waitFor();
  await visitor.click(problem(page, 'Channel ORDERS.SVRCONN is stopped').getByRole('button', { name: /Start/ }));
  await apply(visitor);
  await until('the problem is gone', async () => !(await server.good('admin', 'GET', `/api/v1/qmgr/${QMGR}/problems`)).text.includes('ORDERS.SVRCONN is stopped'));
});

job(22, 'one application is thrown out', async (visitor, page, server) => {
  const connections = async () => (await server.good('admin', 'GET', `/api/v1/qmgr/${QMGR}/connections?where=channel%3DDEV.APP.SVRCONN`)).json.total;
  const before = await connections();
  assert.ok(before > 0);
  await visitor.click(page.getByRole('navigation').getByRole('link', { name: 'Applications' }));
  await row(page, 'quaymaster workload').waitFor();
  await page.getByRole('searchbox', { name: /Filter/ }).fill('workload ');
  await until('one program is listed', async () => (await page.getByRole('grid').getAttribute('aria-rowcount')) === '2');
  await page.getByRole('grid').focus();
  await page.keyboard.press('x');
  await visitor.click(page.getByRole('region', { name: 'What is ticked' }).getByRole('button', { name: 'End connections' }));
  await apply(visitor, /^End connection/);
  await until('it is gone', async () => (await connections()) < before);
});

job(23, 'MAXDEPTH is raised', async (visitor, page, server) => {
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'PAY.REQ' }));
  await visitor.click(main(page).getByRole('button', { name: /Change Maximum depth/ }));
  await dialog(page).getByLabel(/Maximum depth/).fill('7000');
  await apply(visitor);
  assert.ok((await server.mqsc('DISPLAY QLOCAL(PAY.REQ) MAXDEPTH')).join(' ').includes('MAXDEPTH(7000)'));
});

job(23, 'puts are inhibited', async (visitor, page, server) => {
  await visitor.click(page.getByRole('region', { name: 'Fullest queues' }).getByRole('link', { name: 'PAY.REQ' }));
  await visitor.click(main(page).getByRole('button', { name: 'Inhibit puts' }));
  await apply(visitor);
  assert.ok((await server.mqsc('DISPLAY QLOCAL(PAY.REQ) PUT')).join(' ').includes('PUT(DISABLED)'));
});

job(24, 'who holds the open unit of work', async (visitor, page, server) => {
  const holding = await holdUnitOfWork(server, 'PAY.PARKED');
  await visitor.click(page.getByRole('navigation').getByRole('link', { name: 'Applications' }));
  await page.getByRole('searchbox', { name: /Filter/ }).fill('uncommitted>0 ');
  await until('one connection is shown', async () => (await page.getByRole('grid').getAttribute('aria-rowcount')) === '2');
  await row(page, 'DEV.APP.SVRCONN').getByText('app').first().waitFor();
  await holding.end();
});

job(25, 'what has changed in the last hour', async (visitor, page, server) => {
  await server.mqsc("ALTER QLOCAL(AUDIT) DESCR('changed a moment ago')");
  await visitor.click(page.getByRole('navigation').getByRole('link', { name: 'Changes' }).or(main(page).getByRole('link', { name: /changes/i })).first());
  await main(page).getByText('AUDIT').first().waitFor();
  await main(page).getByText('admin').first().waitFor();
});

check('every job of the table in docs/console.md is done here', () => {
  assert.deepEqual([...allowed.keys()].sort((a, b) => a - b), Array.from({ length: 25 }, (_, at) => at + 1));
});
