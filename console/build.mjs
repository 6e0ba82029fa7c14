// Builds the console: `node build.mjs` writes dist/ and the generated types, `--check` fails where the committed ones differ.
//
// dist/ is committed, so that building the server needs no Node. It holds index.html, assets/NAME-HASH.ext, and assets.json:
// `[{path, type, sha256, plain, gzip, brotli}]`, from which the server embeds its files. A text stands three times: as it is, as .gz and as .br.
//
// Invariants
// - The same sources and the same lock file give the same bytes, on Node 18 and on Node 20, in whatever folder they lie.
// - Nothing is loaded from elsewhere, and no file holds inline script or style.
// - `--check` writes nothing. It compares what compressed files unpack to, because compressors differ between versions of Node.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import esbuild from 'esbuild';
import { declaredTwice, operations } from './openapi.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const BASE = '/ibmmq/console/';
const GENERATED = 'src/api/operations.ts';
const PENDING = 'src/api/pending.ts';
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** Bytes after brotli that a page may cost; see docs/console.md. */
const BUDGETS = { 'sign-in': 6_000, 'first page': 45_000, 'styles': 12_000, 'further page': 12_000, 'own scripts': 220_000, 'fonts': 64_000 };
/** Chunks that hold a library, or the texts of pages that are loaded later, by the beginning of their name. They have budgets of their own. */
const LIBRARIES = { uplot: 22_000, codemirror: 89_000, en: 20_000 };

/** Builds everything in memory. Gives a map of paths below dist/ to bytes. */
export async function build({ minify = true } = {}) {
  const common = {
    absWorkingDir: here, bundle: true, write: false, minify, target: 'es2022', charset: 'utf8', legalComments: 'none', outdir: 'assets',
    publicPath: `${BASE}assets/`, loader: { '.woff2': 'file' }, assetNames: '[name]-[hash]', entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]',
    jsx: 'automatic', jsxImportSource: 'preact', metafile: true, logLevel: 'warning',
    // Preact looks for its developer tools where this is not set.
    define: { 'process.env.NODE_ENV': '"production"' },
  };
  const wanted = { ...common, entryPoints: ['src/app.tsx', 'src/styles/console.css'], format: 'esm', splitting: true };
  // Twice: the first time says which sources belong to the first page, the second time they become one chunk.
  const { first, later } = closureOf((await esbuild.build({ ...wanted, plugins: [splitTexts([])] })).metafile);
  const app = await esbuild.build({ ...wanted, plugins: [splitTexts(first), oneChunk(first, later)] });
  const entries = namesOfEntries(app.metafile);
  // With pages that are loaded later, the application is in the chunk that they share, and its entry only leads there.
  const chunk = Object.keys(app.metafile.outputs).find((path) => app.metafile.outputs[path].inputs['src/app.tsx']?.bytesInOutput > 0);
  if (chunk !== entries['src/app.tsx']) {
    app.outputFiles = app.outputFiles.filter(({ path }) => relative(here, path).replaceAll('\\', '/') !== entries['src/app.tsx']);
    entries['src/app.tsx'] = chunk;
  }
  const start = await esbuild.build({
    ...common, entryPoints: ['src/start.ts'], format: 'iife', external: [`${BASE}*`],
    define: { ...common.define, APP: JSON.stringify(BASE + entries['src/app.tsx']) },
  });
  Object.assign(entries, namesOfEntries(start.metafile));
  const files = new Map();
  for (const file of [...app.outputFiles, ...start.outputFiles]) {
    files.set(relative(here, file.path).replaceAll('\\', '/'), Buffer.from(file.contents));
  }
  const licences = licencesOf([app.metafile, start.metafile]);
  const licenceFile = `assets/licences-${sha256(licences).slice(0, 8).toUpperCase()}.txt`;
  files.set(licenceFile, licences);
  const fonts = [...files.keys()].filter((path) => path.endsWith('.woff2') && path.includes('Sans'));
  const page = readFileSync(join(here, 'index.html'), 'utf8')
    .replaceAll('{{base}}', BASE)
    .replace('{{start}}', entries['src/start.ts'])
    .replace('{{app}}', entries['src/app.tsx'])
    .replace('{{styles}}', entries['src/styles/console.css'])
    .replace('{{licences}}', licenceFile)
    .replace('{{fonts}}', fonts.sort().map((path) => `<link rel="preload" href="${BASE}${path}" as="font" type="font/woff2" crossorigin>`).join('\n'));
  files.set('index.html', Buffer.from(page));
  return { files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))), entries, metafile: app.metafile };
}

/** The sources that the application loads at once, and those that begin a page which is loaded later. */
function closureOf({ inputs }) {
  const later = new Set();
  const visit = (path, seen) => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) {
      if (external) continue;
      if (kind === 'dynamic-import') later.add(next);
      else visit(next, seen);
    }
    return seen;
  };
  const first = visit('src/app.tsx', new Set());
  // A page that is loaded later may load a part, such as an editor, later still. The set grows while it is walked.
  for (const path of later) visit(path, new Set());
  return { first: [...first].filter((path) => path.startsWith('src/') && /\.tsx?$/.test(path)).sort(), later: [...later].filter((path) => !first.has(path)) };
}

/**
 * Makes one chunk of the first page's sources. esbuild makes a chunk for each set of pages that share a source, which are dozens of requests; with this,
 * every later page is said to need all of the first page, which is there anyway.
 */
function oneChunk(first, later) {
  const pages = new Set(later.map((path) => join(here, path)));
  // Relative to the page: what a file is named by must not depend on where the sources lie.
  const all = (page) => first.map((path) => `import ${JSON.stringify(`./${relative(dirname(page), join(here, path))}`.replaceAll('\\', '/'))};`).join('');
  return {
    name: 'one-chunk',
    setup(builder) {
      builder.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        if (!pages.has(path)) return undefined;
        return { contents: `${readFileSync(path, 'utf8')}\n${all(path)}\n`, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}

/**
 * Splits texts/LANGUAGE.json: the import of the file itself has the groups that the sources of the first page name, `?later` has the others. A source
 * names a group by a text that begins with it and a dot, as `t('queues.title')` does.
 */
export function splitTexts(first) {
  const code = first.map((path) => readFileSync(join(here, path), 'utf8')).join('\n');
  const isNamed = (group) => ["'", '"', '`'].some((quote) => code.includes(`${quote}${group}.`));
  const part = (path, isFirst) => {
    const groups = Object.entries(JSON.parse(readFileSync(path, 'utf8'))).filter(([group]) => isNamed(group) === isFirst);
    return { contents: JSON.stringify(Object.fromEntries(groups)), loader: 'json' };
  };
  return {
    name: 'split-texts',
    setup(builder) {
      builder.onResolve({ filter: /\.json\?later$/ }, ({ path, resolveDir }) => ({ path: relative(here, join(resolveDir, path.replace('?later', ''))), namespace: 'later' }));
      builder.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => part(join(here, path), false));
      builder.onLoad({ filter: /[/\\]text[/\\][a-z]+\.json$/ }, ({ path }) => part(path, true));
    },
  };
}

/** The built name of each entry point. */
function namesOfEntries(metafile) {
  const names = {};
  for (const [path, output] of Object.entries(metafile.outputs)) {
    if (output.entryPoint) names[output.entryPoint] = path;
  }
  return names;
}

/** The licences of what is bundled, in one text. */
function licencesOf(metafiles) {
  const packages = new Set();
  for (const metafile of metafiles) {
    for (const input of Object.keys(metafile.inputs)) {
      const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (found) packages.add(found[1]);
    }
  }
  const texts = [...packages].sort().map((name) => {
    const folder = join(here, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file ? readFileSync(join(folder, file), 'utf8') : `Licence: ${license}\n`;
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  const fonts = `IBM Plex Sans, IBM Plex Mono\n\n${readFileSync(join(here, 'src/fonts/OFL.txt'), 'utf8').trim()}\n`;
  return Buffer.from([...texts, fonts].join(`\n${'-'.repeat(80)}\n\n`));
}

/** Adds compressed forms and assets.json. */
function packed(files) {
  const out = new Map(files);
  const assets = [];
  for (const [path, plain] of files) {
    const asset = { path, type: TYPES[extname(path)], sha256: sha256(plain), plain: plain.length, gzip: null, brotli: null };
    if (!asset.type) throw new Error(`${path}: build.mjs knows no media type for '${extname(path)}'`);
    if (asset.type.startsWith('text/')) {
      const gzip = gzipSync(plain, { level: 9 });
      gzip[9] = 255; // the byte that names the operating system
      const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } });
      out.set(`${path}.gz`, gzip).set(`${path}.br`, brotli);
      Object.assign(asset, { gzip: gzip.length, brotli: brotli.length });
    }
    assets.push(asset);
  }
  out.set('assets.json', Buffer.from(`[\n${assets.map((asset) => `  ${JSON.stringify(asset)}`).join(',\n')}\n]\n`));
  return { out, assets };
}

/** Sentences about what costs more than it may. */
function overBudget({ entries, metafile }, assets) {
  const size = (path) => assets.find((asset) => asset.path === path)?.brotli ?? 0;
  const first = closure(metafile, entries['src/app.tsx']);
  const scripts = assets.filter((asset) => asset.path.endsWith('.js'));
  const sum = (list) => list.reduce((total, { brotli, plain }) => total + (brotli ?? plain), 0);
  const costs = [
    ['sign-in', size(entries['src/start.ts'])],
    ['first page', [...first].reduce((total, path) => total + size(path), size(entries['src/start.ts']))],
    ['styles', sum(assets.filter((asset) => asset.path.endsWith('.css')))],
    ['own scripts', sum(scripts.filter(({ path }) => !libraryOf(path)))],
    ['fonts', sum(assets.filter((asset) => asset.path.endsWith('.woff2')))],
  ];
  const problems = [];
  for (const { path, brotli } of scripts) {
    if (first.has(path) || path === entries['src/start.ts']) continue;
    const library = libraryOf(path);
    const budget = library ? LIBRARIES[library] : BUDGETS['further page'];
    if (brotli > budget) problems.push(`${path}: ${brotli} bytes, ${budget} are the most`);
  }
  for (const [what, bytes] of costs) {
    console.log(`${what.padEnd(12)} ${String(bytes).padStart(7)} of ${BUDGETS[what]}`);
    if (bytes > BUDGETS[what]) problems.push(`${what}: ${bytes} bytes, ${BUDGETS[what]} are the most`);
  }
  return problems;
}

/** The library that a chunk holds. */
function libraryOf(path) {
  return Object.keys(LIBRARIES).find((name) => path.startsWith(`assets/${name}-`));
}

/** A script and those that it loads at once. */
function closure(metafile, path, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
    if (kind === 'import-statement') closure(metafile, next, seen);
  }
  return seen;
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The committed files below dist/, by path. */
function committed(folder = join(here, 'dist'), prefix = '') {
  const found = new Map();
  if (!existsSync(folder)) return found;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) for (const [name, bytes] of committed(join(folder, entry.name), `${path}/`)) found.set(name, bytes);
    else found.set(path, readFileSync(join(folder, entry.name)));
  }
  return found;
}

function unpacked(path, bytes) {
  try {
    if (path.endsWith('.gz')) return gunzipSync(bytes);
    if (path.endsWith('.br')) return brotliDecompressSync(bytes);
    if (path === 'assets.json') return Buffer.from(JSON.stringify(JSON.parse(bytes), (key, value) => (key === 'gzip' || key === 'brotli' ? undefined : value)));
  } catch (error) {
    return Buffer.from(String(error));
  }
  return bytes;
}

/** Paths that differ between what is built and what is committed. */
function differences(out) {
  const there = committed();
  const paths = new Set([...out.keys(), ...there.keys()]);
  return [...paths].filter((path) => {
    const [built, found] = [out.get(path), there.get(path)];
    return !built || !found || !unpacked(path, built).equals(unpacked(path, found));
  });
}

async function main() {
  const isCheck = process.argv.includes('--check');
  const types = operations();
  const stale = [];
  if (!existsSync(join(here, GENERATED)) || readFileSync(join(here, GENERATED), 'utf8') !== types) {
    if (isCheck) stale.push(GENERATED);
    else writeFileSync(join(here, GENERATED), types);
  }
  const built = await build();
  const { out, assets } = packed(built.files);
  if (isCheck) {
    stale.push(...differences(out).map((path) => `dist/${path}`));
  } else {
    rmSync(join(here, 'dist'), { recursive: true, force: true });
    for (const [path, bytes] of out) {
      mkdirSync(dirname(join(here, 'dist', path)), { recursive: true });
      writeFileSync(join(here, 'dist', path), bytes);
    }
  }
  const problems = overBudget(built, assets);
  const twice = declaredTwice(types, readFileSync(join(here, PENDING), 'utf8'));
  if (twice.length > 0) problems.push(`${PENDING}: the OpenAPI document has ${twice.join(', ')}; remove it there`);
  // Compressed forms follow from the plain ones.
  const named = stale.filter((path) => !/\.(gz|br)$/.test(path));
  if (stale.length > 0) problems.push(`${named.length} files are not as the sources say, such as ${named.slice(0, 3).join(', ')}; run 'make console'`);
  for (const problem of problems) console.error(`console: ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
