/**
 * What wraps the body of a test, in any framework whose tests are functions: it gets a server, and when it fails, the lines that
 * the server has logged meanwhile are shown.
 */
'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

const { MqscError, Server } = require('./server.js');

/** The server of the run, once a test has asked for it. */
let shared;
let number = 0;

/** A test with the server of the run and queues of its own: `server.queue('ORDERS')` resolves to the name of one. */
function withServer(body) {
  return wrapped(body, async () => {
    shared ??= Server.start();
    const isolated = isolate(await shared, `DEV.T${process.pid}.${++number}`);
    return { server: isolated, clean: () => isolated.clean() };
  });
}

/** A test with a server that no other test sees. */
function withServerAlone(body, options = {}) {
  return wrapped(body, async () => {
    const server = await Server.start(options);
    return { server, clean: () => server.stop() };
  });
}

/** The same, whose clock can be moved, whose calls can be made to fail and whose traffic can be recorded and mocked. */
function withServerControlled(body, options = {}) {
  return withServerAlone(body, { ...options, testControl: true });
}

/** Takes no argument, so that no framework hands it a callback. */
function wrapped(body, prepare) {
  return async () => {
    const { server, clean } = await prepare();
    const begin = server.log.length;
    try {
      return await body(server);
    } catch (error) {
      // What was logged before the last answer may still be in the pipe.
      await sleep(100);
      console.error(`Quaymaster log of this test:\n${server.log.slice(begin)}`);
      throw error;
    } finally {
      await clean();
    }
  };
}

/** A server as one test sees it. What is not here is asked of the server itself. */
function isolate(server, prefix) {
  const queues = [];
  const own = {
    /** Makes a queue of this test, which the user `app` may put to and get from. Resolves to its whole name. */
    async queue(name, attributes = '') {
      const whole = `${prefix}.${name}`;
      await server.define(`QLOCAL(${whole}) ${attributes}`.trimEnd());
      queues.push(whole);
      return whole;
    },
    /** Deletes the queues with their messages. */
    async clean() {
      for (const queue of queues.splice(0).reverse()) {
        try {
          await server.mqsc(`DELETE QLOCAL(${queue}) PURGE`);
        } catch (error) {
          // A program of the test may still have it open; its name is not used again.
          if (!(error instanceof MqscError)) throw error;
        }
      }
    },
  };
  const bound = (name) => (typeof server[name] === 'function' ? server[name].bind(server) : server[name]);
  return new Proxy(own, { get: (target, name) => (name in target ? target[name] : bound(name)) });
}

module.exports = { withServer, withServerAlone, withServerControlled };
