// With CONSOLE_SOURCES=1 the pages are built from console/src and served in the place of those in the server, with the server's policy.
// CONSOLE_SOURCES may also name the console folder of another work tree.
//
// For work on pages: a change is tried without building the server. The API, the sign-in and the origin are the real ones.

import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const BASE = '/ibmmq/console/';
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.txt': 'text/plain; charset=utf-8', '.woff2': 'font/woff2' };

const named = process.env.CONSOLE_SOURCES;
/** The folder of the console's sources. */
export const SOURCES = named && named !== '1' ? resolve(named) : fileURLToPath(new URL('../../../console', import.meta.url));

let built;

export async function serveSources(context) {
  built ??= import(pathToFileURL(`${SOURCES}/build.mjs`)).then(({ build }) => build());
  const { files } = await built;
  await context.route(({ pathname }) => pathname.startsWith(BASE) && !pathname.startsWith(`${BASE}sign-in/`), (route) => {
    const { pathname } = new URL(route.request().url());
    const isAsset = pathname.startsWith(`${BASE}assets/`);
    const path = isAsset ? pathname.slice(BASE.length) : 'index.html';
    const body = files.get(path);
    if (!body) return route.fulfill({ status: 404 });
    return route.fulfill({ body, headers: { 'content-type': TYPES[extname(path)], 'cache-control': 'no-cache', ...(isAsset ? {} : { 'content-security-policy': policy() }) } });
  });
}

/** The policy as dev.mjs writes it, word by word. */
function policy() {
  const source = readFileSync(`${SOURCES}/dev.mjs`, 'utf8');
  const [, list] = /const POLICY = (\[[^\]]*\])/.exec(source);
  return JSON.parse(list.replace(/,\s*\]/, ']').replaceAll('\n', ' ')).join('; ');
}
