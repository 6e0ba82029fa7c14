// The real server, started for a test on free ports and in a folder of its own, and ended with the test.
//
// Invariants
// - A process that ends takes its servers with it.
// - Nothing of the caller's environment that the server would read reaches it.
// - Every wait has a bound, and its error has what the server wrote.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Longest wait for the ready line, with a folder to recover. */
const READY_MS = 300_000;
const EXIT_MS = 300_000;
export const QMGR = 'QM1';
export const PASSWORDS = { admin: 'admin-password-of-tests', reader: 'reader-password-of-tests', app: 'app-password-of-tests' };

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
process.stdout.on('error', () => process.exit(1));
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => process.exit(1));

/**
 * Starts a server. `mqsc` are commands of its first start, `copies` are files by their path in the data directory, `settings` is its
 * configuration file.
 */
export async function startServer({ mqsc = [], copies = {}, settings = '', environment = {} } = {}) {
  const data = mkdtempSync(join(tmpdir(), 'quaymaster-browser-'));
  writeFileSync(join(data, 'quaymaster.toml'), settings);
  if (mqsc.length > 0) {
    mkdirSync(join(data, 'mqsc.d'));
    writeFileSync(join(data, 'mqsc.d/test.mqsc'), `${mqsc.join('\n')}\n`);
  }
  for (const [path, from] of Object.entries(copies)) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    cpSync(from, join(data, path));
  }
  const server = new Server(data, environment);
  await server.start();
  return server;
}

/** Starts a process that ends with this one. */
export function start(program, args, options) {
  const child = spawn(program, args, options);
  running.add(child);
  child.exited = new Promise((done) => child.once('exit', done));
  void child.exited.then(() => running.delete(child));
  return child;
}

export class Server {
  #child;
  #said = '';

  constructor(data, environment) {
    this.data = data;
    /** Programs of a test that use this server; they end with it. */
    this.programs = new Set();
    this.environment = environment;
    this.listeners = { https: '127.0.0.1:0', http: '127.0.0.1:0', mq: '127.0.0.1:0' };
  }

  /** Starts the process. After the first time it listens where it did before, so that an open page finds it again. */
  async start() {
    const program = process.env.QUAYMASTER_BIN;
    if (!program) throw new Error('QUAYMASTER_BIN names no program: build the server with `make build`');
    const own = Object.entries(process.env).filter(([name]) => !/^(MQ|QUAYMASTER)_/.test(name));
    const { https, http, mq } = this.listeners;
    const child = start(program, ['serve', '--data', this.data, '--https', https, '--http', http, '--mq', mq, '--metrics', 'off'], {
      env: {
        ...Object.fromEntries(own), MQ_ADMIN_PASSWORD: PASSWORDS.admin, MQ_READER_PASSWORD: PASSWORDS.reader, MQ_APP_PASSWORD: PASSWORDS.app,
        ...this.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text) => (this.#said = (this.#said + text).slice(-200_000)));
    const line = new Promise((done) => createInterface({ input: child.stdout }).once('line', done));
    const ready = await within(READY_MS, Promise.race([line, child.exited]), () => `the server is not ready: ${this.#said}`);
    if (typeof ready !== 'string') throw new Error(`the server ended before it was ready: ${this.#said}`);
    const { https: secure, http: plain, mq: channel } = JSON.parse(ready);
    this.listeners = { https: secure, http: plain, mq: channel };
  }

  /** What it wrote to standard error. */
  get said() {
    return this.#said;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Origin of pages. */
  get origin() {
    return `https://${this.listeners.https}`;
  }

  /** A request of a user by plain HTTP and Basic: status, headers, and the body as JSON where it is. */
  async ask(user, method, path, { json, text, headers = {} } = {}) {
    const credentials = Buffer.from(`${user}:${PASSWORDS[user]}`).toString('base64');
    const answer = await fetch(`http://${this.listeners.http}${path}`, {
      method, body: json === undefined ? text : JSON.stringify(json),
      headers: {
        authorization: `Basic ${credentials}`, 'ibm-mq-rest-csrf-token': 'test', ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers,
      },
    });
    const body = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '') && !/ndjson/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, text: body, json: isJson && body !== '' ? JSON.parse(body) : undefined };
  }

  /** The same; anything but success is an error of the test. */
  async good(user, method, path, options) {
    const answer = await this.ask(user, method, path, options);
    if (answer.status < 200 || answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Runs an MQSC command as the administrator; its lines. */
  async mqsc(command) {
    const { json } = await this.good('admin', 'POST', `/ibmmq/rest/v3/admin/action/qmgr/${QMGR}/mqsc`, { json: { type: 'runCommand', parameters: { command } } });
    if (json.overallCompletionCode !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
    return json.commandResponse.flatMap(({ text }) => text);
  }

  /** Puts a message as `user`; `envelope` as of `?envelope`. */
  async put(queue, envelope, user = 'app') {
    const { json } = await this.good(user, 'POST', `${api(queue)}/messages?envelope`, { json: envelope });
    return json;
  }

  /** Puts many messages, in batches. */
  async putAll(queue, envelopes, user = 'app') {
    for (let at = 0; at < envelopes.length; at += 2000) {
      const text = envelopes.slice(at, at + 2000).map((envelope) => JSON.stringify(envelope)).join('\n');
      const answer = await this.good(user, 'POST', `${api(queue)}/messages?atomic`, { text: `${text}\n`, headers: { 'content-type': 'application/x-ndjson' } });
      const wrong = answer.text.split('\n').find((line) => line.includes('"status"'));
      if (wrong) throw new Error(`put to ${queue}: ${wrong}`);
    }
  }

  async depth(queue) {
    const [line] = (await this.mqsc(`DISPLAY QLOCAL('${queue}') CURDEPTH`)).filter((text) => text.includes('CURDEPTH'));
    return Number(/CURDEPTH\((\d+)\)/.exec(line)[1]);
  }

  /** Ends the process as an operator would, and keeps its folder. */
  async stop() {
    await this.#end('SIGTERM');
  }

  /** Ends it at once, as a power cut would, and keeps its folder. */
  async kill() {
    await this.#end('SIGKILL');
  }

  async #end(signal) {
    const child = this.#child;
    child.kill(signal);
    await within(EXIT_MS, child.exited, () => `the server does not end: ${this.#said}`);
  }

  /** Ends it and removes its folder. */
  async close() {
    for (const program of this.programs) program.kill('SIGKILL');
    if (running.has(this.#child)) await this.kill();
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** The address of a queue in the message API. */
export function api(queue) {
  return `/api/v1/qmgr/${QMGR}/queue/${encodeURIComponent(queue)}`;
}

/** The value of a promise, or an error when it takes longer. */
export async function within(limit, promise, said) {
  let timer;
  const late = new Promise((_, refuse) => (timer = setTimeout(() => refuse(new Error(`after ${limit} ms: ${said()}`)), limit)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks until the answer is not false, undefined or null. */
export async function until(what, ask, limit = 120_000) {
  const end = Date.now() + limit;
  let last;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, 50));
  } while (Date.now() < end);
  throw new Error(`after ${limit} ms still not: ${what} (${last})`);
}
