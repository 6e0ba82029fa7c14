// Every page of the console's table of paths (console/src/routes.ts), with an address that shows something in the world of world.mjs.

import { readFileSync } from 'node:fs';
import { api, QMGR } from './server.mjs';
import { SOURCES } from './sources.mjs';

/** `[name, path]` of PATHS. */
function paths() {
  const source = readFileSync(`${SOURCES}/src/routes.ts`, 'utf8');
  const [, table] = /export const PATHS = \{([^]*?)\n\} as const;/.exec(source);
  const found = [...table.matchAll(/^\s+(\w+): '([^']*)',$/gm)].map(([, name, path]) => [name, path]);
  if (found.length < 20) throw new Error(`only ${found.length} paths are read from routes.ts`);
  return found;
}

/** Names of pages to their addresses. The first page and the sign-in are pages of their own. */
export async function addresses(server, queue = 'PAY.REQ') {
  const values = { qmgr: QMGR, queue, channel: 'DEV.APP.SVRCONN', service: 'loanCheck', api: 'loans', requester: 'zCEE-API-requester-Performance-Remote-API_1.0.0', ...(await found(server, queue)) };
  const pages = paths().filter(([name]) => !['home', 'signIn'].includes(name));
  return Object.fromEntries(pages.map(([name, path]) => [name, path.replace(/\{(\w+)\}/g, (_, parameter) => encodeURIComponent(values[parameter]))]));
}

/** What has no name of ours: a message, a connection. */
async function found(server, queue) {
  const { json: browsed } = await server.good('app', 'GET', `${api(queue)}/messages?limit=1`);
  const { json: connected } = await server.good('admin', 'GET', `/api/v1/qmgr/${QMGR}/connections?columns=id&limit=1&where=channel%3DDEV.APP.SVRCONN`);
  return { message: browsed.messages[0].position, connection: connected.rows[0]?.[0] ?? 'none' };
}
