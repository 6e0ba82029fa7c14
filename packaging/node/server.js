/** A server of its own for each test run: on free ports, in memory, gone with its object. */
'use strict';

const { spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const http = require('node:http');
const path = require('node:path');
const readline = require('node:readline');

const { program } = require('./program.js');
const recordings = require('./recordings.js');

const ADMINISTRATOR = 'admin';
const USER = 'app';
/** Milliseconds: more than the 30 seconds that the server gives to work in progress when it ends. */
const END = 40_000;
const JSON_BODY = { 'Content-Type': 'application/json' };
/** Of its own, so that no proxy is between a test and its server. */
const agent = new http.Agent();

/** The server refused a request: `status`, and its answer as the message. */
class RestError extends Error {
  constructor(status, text) {
    super(`${status}: ${text}`);
    this.name = 'RestError';
    this.status = status;
  }
}

/** A command failed; the message has the lines of its answer. */
class MqscError extends Error {
  constructor(text) {
    super(text);
    this.name = 'MqscError';
  }
}

/** `quaymaster serve --ephemeral`, made by `Server.start`. */
class Server {
  #child;
  #ended;
  #lines = [];
  #kill = () => this.#child.kill();

  /** Resolves when the server is ready. index.d.ts says what the options mean. */
  static async start(options = {}) {
    const server = new Server(options);
    await server.#becomeReady(options.patience ?? 60_000);
    return server;
  }

  constructor({ queueManager = 'QM1', testControl = false, args = [], env = {} }) {
    this.queueManager = queueManager;
    this.user = USER;
    this.password = randomBytes(18).toString('base64url');
    this.administrator = ADMINISTRATOR;
    this.administratorPassword = randomBytes(18).toString('base64url');
    const words = ['serve', '--ephemeral', '--qmgr', queueManager, '--https', '127.0.0.1:0', '--http', '127.0.0.1:0'];
    words.push('--mq', '127.0.0.1:0', '--metrics', 'off', ...(testControl ? ['--test-control'] : []), ...args);
    this.#child = spawn(program(), words, { env: { ...this.#inherited(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#lines.push(`${error.message}\n`);
        resolve();
      });
      this.#child.once('close', resolve);
    });
    readline.createInterface({ input: this.#child.stderr }).on('line', (line) => this.#lines.push(`${line}\n`));
    // A server that was not stopped ends with this process, and does not keep it from ending.
    process.once('exit', this.#kill);
    this.#ended.then(() => process.removeListener('exit', this.#kill));
  }

  /** The environment without variables that a server reads, and with the passwords of its users. */
  #inherited() {
    const kept = Object.entries(process.env).filter(([name]) => !/^(MQ|QUAYMASTER)_/.test(name));
    return { ...Object.fromEntries(kept), MQ_APP_PASSWORD: this.password, MQ_ADMIN_PASSWORD: this.administratorPassword };
  }

  async #becomeReady(patience) {
    const line = new Promise((resolve) => readline.createInterface({ input: this.#child.stdout }).once('line', resolve));
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), patience);
    const said = await Promise.race([line, this.#ended]);
    clearTimeout(timer);
    if (!said) {
      throw new Error(`the server did not become ready:\n${this.log}`);
    }
    this.ready = JSON.parse(said);
    for (const handle of [this.#child, this.#child.stdout, this.#child.stderr]) {
      handle.unref();
    }
  }

  /** Ends the server. What it holds is gone. A second call does nothing. */
  async stop() {
    this.#child.kill();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END);
    await this.#ended;
    clearTimeout(timer);
  }

  /** What the server has logged so far. */
  get log() {
    return this.#lines.join('');
  }

  /** Address of the MQ listener, `host(port)` as connection names are written. */
  get mq() {
    return this.ready.mq.replace(/:(\d+)$/, '($1)');
  }

  /** Base of HTTP addresses without TLS. */
  get http() {
    return `http://${this.ready.http}`;
  }

  /** Base of HTTPS addresses; `caFile` has the authority to trust. */
  get https() {
    return `https://${this.ready.https}`;
  }

  /** The authority that signed the server's certificate. */
  get caFile() {
    return path.join(this.ready.dataDirectory, 'tls', 'ca.crt');
  }

  /** Variables with which MQ clients in C, such as the package ibmmq, find the server. */
  environment(channel = 'DEV.APP.SVRCONN') {
    return { MQSERVER: `${channel}/TCP/${this.mq}`, MQSAMP_USER_ID: this.user };
  }

  /** A request to REST; `path` begins with a slash. Resolves to status and text; rejects with RestError from 400 on. */
  request(method, path, { body, headers = {}, administrator = false } = {}) {
    const auth = administrator
      ? `${this.administrator}:${this.administratorPassword}`
      : `${this.user}:${this.password}`;
    const own = { Authorization: `Basic ${Buffer.from(auth).toString('base64')}`, 'ibm-mq-rest-csrf-token': 'x' };
    return new Promise((resolve, reject) => {
      const request = http.request(`${this.http}${path}`, { agent, method, headers: { ...own, ...headers } });
      request.once('error', reject);
      request.once('response', (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(parts).toString();
          if (answer.statusCode >= 400) {
            reject(new RestError(answer.statusCode, text));
          } else {
            resolve({ status: answer.statusCode, text });
          }
        });
      });
      request.end(body);
    });
  }

  /** Runs one MQSC command as the administrator. Resolves to the lines of its answer; rejects with MqscError when it fails. */
  async mqsc(command) {
    const path = `/ibmmq/rest/v3/admin/action/qmgr/${encodeURIComponent(this.queueManager)}/mqsc`;
    const body = JSON.stringify({ type: 'runCommand', parameters: { command } });
    const { text } = await this.request('POST', path, { body, headers: JSON_BODY, administrator: true });
    const answer = JSON.parse(text);
    const lines = (answer.commandResponse ?? []).flatMap((part) => part.text ?? []);
    if (answer.overallCompletionCode) {
      throw new MqscError(`${command}: ${lines.join('\n')}`);
    }
    return lines;
  }

  /** `define('QLOCAL(A) MAXDEPTH(5)')`: makes or replaces an object. */
  define(definition) {
    return this.mqsc(`DEFINE ${definition} REPLACE`);
  }

  /** Puts a text as the user `app`, who has authority for queues below DEV. */
  async put(queue, text, { persistent = false, headers = {} } = {}) {
    const kept = persistent ? { 'ibm-mq-md-persistence': 'persistent' } : {};
    await this.#message('POST', queue, { body: text, headers: { 'Content-Type': 'text/plain;charset=utf-8', ...headers, ...kept } });
  }

  /** Gets and removes the next message as a text; `null` when there is none within `wait` milliseconds. */
  get(queue, { wait = 0 } = {}) {
    return this.#message('DELETE', queue, {}, wait ? `?wait=${wait}` : '');
  }

  /** The next message as a text, which stays; `null` when there is none. */
  browse(queue) {
    return this.#message('GET', queue, {});
  }

  /** Makes a rule: which calls or requests fail, and how. Resolves to it, with its `id`. docs/test-control.md has the members. */
  fault(rule) {
    return this.#control('POST', 'faults', rule);
  }

  /** The rules, with how many calls each was about (`seen`) and has hit (`hits`). */
  async faults() {
    return (await this.#control('GET', 'faults')).faults;
  }

  /** Deletes all rules. */
  async clearFaults() {
    await this.#control('DELETE', 'faults');
  }

  /** Moves the clock forward: `advance('1h')`. What expires or ends until then does. Resolves to the new time. */
  async advance(duration) {
    return (await this.#control('POST', 'clock', { advance: duration })).now;
  }

  /** Sets the clock: `setClock('2030-01-31T12:00:00Z')`. With `running: false` it stands there. Resolves to the new time. */
  async setClock(moment, { running = true } = {}) {
    return (await this.#control('POST', 'clock', { set: moment, running })).now;
  }

  /** Takes a snapshot of the queue manager, which must have no unit of work open. Resolves to its id. */
  async snapshot() {
    return (await this.#control('POST', `qmgr/${encodeURIComponent(this.queueManager)}/snapshots`)).id;
  }

  /** Restores the queue manager as it was. Clients are cut off, and connect again. */
  async restore(snapshot) {
    await this.#control('POST', `snapshots/${snapshot}/restore`);
  }

  /** Records what programs put, get and call while the body runs, and writes it to a file. A body that fails writes none. Resolves to its result. */
  async record(file, { queues = [], calls = false }, body) {
    if (queues.length || !calls) {
      await this.#control('PUT', 'traffic', { mode: 'record', queues: names(queues) });
    }
    if (calls) {
      await this.#control('PUT', 'exchanges', { mode: 'record', exchanges: [] });
    }
    let [result, traffic, exchanges] = [];
    try {
      result = await body();
    } finally {
      traffic = await this.#control('GET', 'traffic');
      exchanges = await this.#control('GET', 'exchanges');
      await this.stopMock();
    }
    const messages = queues.length ? await this.#test('GET', 'traffic/records') : '';
    await recordings.write(file, messages, calls ? exchanges.exchanges : []);
    const leftOut = traffic.leftOut + exchanges.leftOut;
    if (leftOut) {
      throw new Error(`${file} lacks ${leftOut} messages and calls, for which the server had no room`);
    }
    return result;
  }

  /** Answers in place of the recorded programs and APIs, until `stopMock` or the end of the server. */
  async mock(file, { queues = [], like = ['body'] } = {}) {
    const { messages, calls } = await recordings.read(file);
    if (messages) {
      await this.#test('PUT', 'traffic/records', messages);
      await this.#control('PUT', 'traffic', { mode: 'mock', queues: names(queues), like: names(like) });
    }
    if (calls.length) {
      await this.#control('PUT', 'exchanges', { mode: 'replay', exchanges: calls });
    }
  }

  /** Requests are not answered any more, and API requesters call their APIs. */
  async stopMock() {
    await this.#control('PUT', 'traffic', { mode: 'off' });
    await this.#control('PUT', 'exchanges', { mode: 'off' });
  }

  /** Puts again what was put, to these queues or to all. Resolves to the number of messages. */
  async replay(file, { queues = [], pace = 'atOnce' } = {}) {
    const { messages } = await recordings.read(file);
    await this.#test('PUT', 'traffic/records', messages);
    return (await this.#control('POST', 'traffic/replay', { queues: names(queues), pace })).put;
  }

  async #control(method, resource, body) {
    const text = await this.#test(method, resource, body && JSON.stringify(body));
    return text ? JSON.parse(text) : null;
  }

  async #test(method, resource, body) {
    const options = { body, headers: JSON_BODY, administrator: true };
    return (await this.request(method, `/api/v1/test/${resource}`, options)).text;
  }

  async #message(method, queue, options, query = '') {
    const [manager, name] = [this.queueManager, queue].map(encodeURIComponent);
    const path = `/ibmmq/rest/v3/messaging/qmgr/${manager}/queue/${name}/message${query}`;
    const { status, text } = await this.request(method, path, options);
    return status === 204 ? null : text;
  }
}

/** One name, or several. */
function names(given) {
  return [given].flat();
}

// For `await using`, where the runtime has it.
if (Symbol.asyncDispose) {
  Server.prototype[Symbol.asyncDispose] = Server.prototype.stop;
}

module.exports = { MqscError, RestError, Server };
