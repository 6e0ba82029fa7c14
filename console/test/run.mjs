// Runs the unit tests: bundles each test file for Node, and gives all of them to `node --test`.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { splitTexts } from '../build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'console-tests-'));
try {
  const tests = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
  await esbuild.build({
    entryPoints: tests.map((name) => join(here, name)), outdir: out, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', platform: 'node', target: 'node18',
    jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning', plugins: [splitTexts([])], sourcemap: 'inline',
    // The address of a page, for modules that read it when they are loaded.
    banner: { js: "globalThis.location ??= new URL('https://localhost/ibmmq/console/');" },
  });
  const built = readdirSync(out).map((name) => join(out, name));
  process.exitCode = spawnSync(process.execPath, ['--test', ...built], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
