// A server for work on the console: builds when a source changes, serves the page as the real server does, and passes the rest on to it.
//
//   node dev.mjs --to https://127.0.0.1:9443 [--port 9080]
//
// The policy of the page is the real one, so that what it refuses is refused here. The port is on this machine alone.

import { createServer } from 'node:http';
import { request } from 'node:https';
import { watch } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const option = (name, otherwise) => process.argv[process.argv.indexOf(`--${name}`) + 1] ?? otherwise;
const to = new URL(process.argv.includes('--to') ? option('to') : 'https://127.0.0.1:9443');
const port = Number(process.argv.includes('--port') ? option('port') : 9081);
const BASE = '/ibmmq/console/';
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.txt': 'text/plain; charset=utf-8', '.woff2': 'font/woff2' };
const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self' data:", "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
  "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
].join('; ');

let built = await build({ minify: false });
let timer;
watch(join(here, 'src'), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    try {
      built = await build({ minify: false });
      console.log('built');
    } catch {
      // esbuild has said what is wrong; the last good build stays.
    }
  }, 60);
});

createServer((incoming, answer) => {
  const { pathname } = new URL(incoming.url, 'http://localhost');
  if (pathname === '/' || pathname === '/ibmmq/console') return answer.writeHead(302, { location: BASE }).end();
  // The way to an issuer and back is the server's.
  if (pathname.startsWith(BASE) && !pathname.startsWith(`${BASE}sign-in/`)) return page(pathname, answer);
  pass(incoming, answer);
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}${BASE} in front of ${to.origin}`));

function page(pathname, answer) {
  const isAsset = pathname.startsWith(`${BASE}assets/`);
  const path = isAsset ? pathname.slice(BASE.length) : 'index.html';
  const bytes = built.files.get(path);
  if (!bytes) return answer.writeHead(404).end();
  answer.writeHead(200, {
    'content-type': TYPES[extname(path)], 'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache', 'x-content-type-options': 'nosniff',
    ...(isAsset ? {} : { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' }),
  });
  answer.end(bytes);
}

/** Passes a request on. The certificate of a server under development is its own. */
function pass(incoming, answer) {
  const outgoing = request(
    { host: to.hostname, port: to.port, method: incoming.method, path: incoming.url, headers: incoming.headers, rejectUnauthorized: false },
    (reply) => {
      const headers = { ...reply.headers };
      if (headers['set-cookie']) headers['set-cookie'] = headers['set-cookie'].map((cookie) => cookie.replace(/; *Secure/i, ''));
      answer.writeHead(reply.statusCode, headers);
      reply.on('error', () => answer.destroy());
      reply.pipe(answer);
    },
  );
  outgoing.on('error', () => answer.headersSent || answer.writeHead(502).end());
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
