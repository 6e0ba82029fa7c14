// With CONSOLE_SOURCES=1 the pages are built from console/src and served in the place of those in the server, with the server's policy.
//
// For work on pages: a change is tried without building the server. The API, the sign-in and the origin are the real ones.

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

const BASE = '/ibmmq/console/';
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.txt': 'text/plain; charset=utf-8', '.woff2': 'font/woff2' };

let built;

export async function serveSources(context) {
  built ??= import('../../../console/build.mjs').then(({ build }) => build());
  const { files } = await built;
  await context.route(({ pathname }) => pathname.startsWith(BASE), (route) => {
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
  const source = readFileSync(new URL('../../../console/dev.mjs', import.meta.url), 'utf8');
  const [, list] = /const POLICY = (\[[^\]]*\])/.exec(source);
  return JSON.parse(list.replace(/,\s*\]/, ']').replaceAll('\n', ' ')).join('; ');
}
