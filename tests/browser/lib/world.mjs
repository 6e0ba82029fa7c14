// A queue manager on a bad day: what the pages have to show. Queues of each kind and fullness, messages of each form, dead letters of several
// reasons, programs that are connected, one that holds a unit of work, refusals, a service, an API and an API requester.

import { once } from 'node:events';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { api, PASSWORDS, start, until } from './server.mjs';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** Definitions of the first start. */
export const DEFINITIONS = [
  "DEFINE QLOCAL(ORDERS) MAXDEPTH(20) DESCR('Orders of the shop')",
  "DEFINE QLOCAL(PAY.REQ) MAXDEPTH(5000) DESCR('Payment requests')",
  "DEFINE QLOCAL(PAY.REPLY) DESCR('Payment replies')",
  "DEFINE QLOCAL(PAY.PARKED) DESCR('Payments put aside')",
  "DEFINE QLOCAL(CLAIMS) BOQNAME(CLAIMS.ASIDE) DESCR('Claims of the insurance')",
  "DEFINE QLOCAL(CLAIMS.ASIDE) DESCR('Claims that no program could take')",
  "DEFINE QLOCAL(INVOICES) DESCR('Invoices, first in first out') MSGDLVSQ(FIFO)",
  "DEFINE QLOCAL(AUDIT) DESCR('Not for programs')",
  "DEFINE QALIAS(PAY.IN) TARGET(PAY.REQ) DESCR('Entrance of payments')",
  "DEFINE QREMOTE(BANK.OUT) RNAME(IN) RQMNAME(BANK) XMITQ(BANK) DESCR('Queue of the bank')",
  "DEFINE QLOCAL(BANK) USAGE(XMITQ) DESCR('To the bank')",
  "DEFINE QMODEL(REPLY.MODEL) DEFTYPE(TEMPDYN) DESCR('Replies of one program')",
  "DEFINE TOPIC(PRICES) TOPICSTR('prices') DESCR('Prices of the market')",
  "DEFINE SUB(PRICES.KEPT) TOPICSTR('prices/#') DEST(INVOICES)",
  "DEFINE CHANNEL(ORDERS.SVRCONN) CHLTYPE(SVRCONN) DESCR('Programs of the shop')",
  "DEFINE CHANNEL(BLOCKED.SVRCONN) CHLTYPE(SVRCONN) DESCR('No client comes in here')",
  "SET CHLAUTH('BLOCKED.SVRCONN') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)",
  "SET AUTHREC PROFILE('ORDERS') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)",
  "SET AUTHREC PROFILE('PAY.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP,PASSALL,SETALL)",
  "SET AUTHREC PROFILE('CLAIMS.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)",
  "SET AUTHREC PROFILE('CLAIMS') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)",
  "SET AUTHREC PROFILE('INVOICES') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)",
  "SET AUTHREC PROFILE('PRICES') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB,SUB)",
];

/** Where the remote API of the requester would be: nothing listens there. */
export const SETTINGS = '[endpoint_connections.Server2Ref]\nhost = "127.0.0.1"\nport = 9\n';

export const COPIES = { 'copybooks/LOANREQ.cpy': `${EXAMPLES}two-way-service/LOANREQ.cpy` };

/** Messages of each form on PAY.REQ, ORDERS and INVOICES. */
export async function putMessages(server) {
  await server.putAll('PAY.REQ', Array.from({ length: 30 }, (_, at) => ({
    priority: at % 10, persistence: at % 3 ? 'nonPersistent' : 'persistent', properties: { region: at % 2 ? 'EU' : 'US', amount: at * 100 },
    correlationId: at.toString(16).padStart(48, '0'), replyTo: { queue: 'PAY.REPLY' }, body: { json: { payment: at, customer: `C${String(at).padStart(6, '0')}`, amount: at * 100 } },
  })));
  await server.put('PAY.REQ', { body: { text: '<payment><amount currency="EUR">12.50</amount></payment>' } });
  await until('the copybook is known', async () => (await server.ask('app', 'GET', '/api/v1/copybooks/LOANREQ')).status === 200);
  await server.putAll('INVOICES', [
    { body: { copybook: 'LOANREQ', record: { customer_name: 'ADA BYRON', loan_amount: 12500, months: 24, income: 2345.67 } } },
    { body: { text: 'Invoice 1 of Zoë, naïve façade €' } },
    { body: { json: { invoice: 2, lines: [{ item: 'rope', count: 3 }, { item: 'anchor', count: 1 }] } } },
    { body: { base64: Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('base64') } },
  ]);
  await server.putAll('ORDERS', Array.from({ length: 20 }, (_, at) => ({ body: { json: { order: at } } })));
}

/** Receives a message `times` and gives it back, so that its backout count rises. */
export async function backOut(server, queue, times) {
  for (let turn = 0; turn < times; turn += 1) {
    const { json } = await server.good('app', 'POST', `${api(queue)}/deliveries`, { json: { max: 1, wait: '5s', lock: '60s' } });
    await server.good('app', 'POST', `/api/v1/qmgr/QM1/deliveries/${json.messages[0].token}/abandon`);
  }
}

/** Puts a message to a queue and has it go to the dead-letter queue for a reason. */
export async function deadLetter(server, queue, reason, text) {
  await server.put(queue, { body: { text } });
  const { json } = await server.good('app', 'POST', `${api(queue)}/deliveries`, { json: { max: 1, wait: '5s', lock: '60s' } });
  await server.good('app', 'POST', `/api/v1/qmgr/QM1/deliveries/${json.messages[0].token}/dead-letter`, { json: { reason } });
}

/** Dead letters of three reasons. */
export async function putDeadLetters(server) {
  for (let at = 0; at < 5; at += 1) await deadLetter(server, 'PAY.REPLY', 2053, `reply ${at} of payments`);
  for (let at = 0; at < 3; at += 1) await deadLetter(server, 'CLAIMS', 65537, `claim ${at}`);
  await deadLetter(server, 'PAY.REPLY', 2051, 'reply that was inhibited');
}

/** A put that is refused with 2035. */
export async function beRefused(server, queue = 'AUDIT') {
  const { status } = await server.ask('app', 'POST', `${api(queue)}/messages?envelope`, { json: { body: { text: 'x' } } });
  if (status !== 403) throw new Error(`a put of app to ${queue} is answered with ${status}`);
}

/** A program of MQ that is connected by a channel and waits for requests of a queue; `end` ends it. */
export async function connectProgram(server, { queue = 'PAY.REPLY', channel = 'DEV.APP.SVRCONN', more = [] } = {}) {
  const passwords = join(server.data, 'passwords-of-test');
  writeFileSync(passwords, `app ${PASSWORDS.app}\n`);
  const child = start(
    process.env.QUAYMASTER_BIN,
    ['workload', 'responder', '--queue', queue, '--channel', channel, '--mq', server.listeners.mq, '--qmgr', 'QM1', '--password-file', passwords, ...more],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  server.programs.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  return { child, said: () => said, end: () => (child.kill('SIGKILL'), child.exited) };
}

/** A program that got one message and neither commits nor backs out. */
export async function holdUnitOfWork(server, queue) {
  const program = join(server.data, 'never-answers');
  writeFileSync(program, '#!/bin/sh\nexec cat > /dev/null\n');
  chmodSync(program, 0o755);
  const held = await connectProgram(server, { queue, more: ['--program', program, '--records', 'line', '--program-timeout', '1h'] });
  await until(`a message of ${queue} is uncommitted`, async () => (await server.mqsc(`DISPLAY QSTATUS('${queue}') UNCOM`)).join(' ').match(/UNCOM\((YES|[1-9])/));
  return held;
}

/** The examples' two-way service, the API before it, and an API requester. Nothing answers requests of the service until `answerLoans`. */
export async function deploy(server) {
  for (const queue of ['DEV.LOAN.ASIDE', 'DEV.LOAN.REQUEST', 'DEV.LOAN.REPLY']) await server.mqsc(`DEFINE QLOCAL('${queue}') REPLACE`);
  const put = (resource, file) => server.good('admin', 'POST', `/zosConnect/${resource}`, { text: readFileSync(join(server.data, file)), headers: { 'content-type': 'application/zip' } });
  await run(server, ['service', 'build', `${EXAMPLES}two-way-service`, '-o', 'loanCheck.sar']);
  await put('services', 'loanCheck.sar');
  await run(server, ['service', 'build', `${EXAMPLES}two-way-service/api.yaml`, '-o', 'loans.aar']);
  await put('apis', 'loans.aar');
  writeFileSync(join(server.data, 'APIRPERF.json'), await describedApi(server));
  cpSync(`${EXAMPLES}api-requester/APIRPERF.properties`, join(server.data, 'APIRPERF.properties'));
  await run(server, ['zconbt', '-p', 'APIRPERF.properties', '-f', 'APIRPERF.ara']);
  await put('apiRequesters', 'APIRPERF.ara');
}

/** The document of the remote API that the example's requester calls. */
async function describedApi(server) {
  const provider = start(process.env.QUAYMASTER_BIN, ['workload', 'provider', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  server.programs.add(provider);
  const [ready] = await once(createInterface({ input: provider.stdout }), 'line');
  const answer = await fetch(`http://${JSON.parse(ready).http}/ibm/api/docs?root=/APIrequesterPerformanceRemoteAPI`);
  const document = await answer.text();
  provider.kill('SIGKILL');
  return document;
}

export function callService(server) {
  return server.ask('app', 'POST', '/zosConnect/services/loanCheck?action=invoke', { json: { customer_name: 'ADA BYRON', loan_amount: 12500, months: 24, income: 2345.67 } });
}

/** Answers requests of the service with a record that says no. */
export function answerLoans(server) {
  const program = join(server.data, 'answers-loans.mjs');
  // Records of 31 bytes in, of 82 bytes out: not approved, and every other field blank or zero.
  writeFileSync(program, `#!${process.execPath}
let held = Buffer.alloc(0);
process.stdin.on('data', (bytes) => {
  held = Buffer.concat([held, bytes]);
  while (held.length >= 31) {
    const record = Buffer.alloc(82, 0x20);
    held.copy(record, 0, 0, 20);
    record[20] = 0x4e;
    Buffer.from([0, 0, 0, 0, 0x0c]).copy(record, 21);
    record.fill(0, 80);
    process.stdout.write(record);
    held = held.subarray(31);
  }
});
`);
  chmodSync(program, 0o755);
  return connectProgram(server, { queue: 'DEV.LOAN.REQUEST', more: ['--program', program, '--request-length', '31', '--reply-length', '82'] });
}

/** Runs the program in the server's folder. */
async function run(server, args) {
  const child = start(process.env.QUAYMASTER_BIN, args, { cwd: server.data, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const code = await child.exited;
  if (code !== 0) throw new Error(`quaymaster ${args.join(' ')}: ${code} ${said}`);
}

/** All of it. */
export async function fill(server) {
  await putMessages(server);
  await putDeadLetters(server);
  await server.put('CLAIMS', { body: { text: 'a claim that no program can take' } });
  await backOut(server, 'CLAIMS', 6);
  await server.put('PAY.PARKED', { body: { text: 'parked by hand' } });
  for (let turn = 0; turn < 3; turn += 1) await beRefused(server);
  await deploy(server);
  await connectProgram(server, { queue: 'PAY.REPLY' });
  await holdUnitOfWork(server, 'PAY.PARKED');
  const refused = await connectProgram(server, { channel: 'BLOCKED.SVRCONN' });
  await until('the refused program has ended', () => refused.child.exitCode !== null);
}
