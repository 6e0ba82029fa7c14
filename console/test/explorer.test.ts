import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { callOf, documentOf, found } from '../src/pages/explorer/document.ts';
import { bytesOf, curlOf, hex, textOf } from '../src/pages/try/call.ts';
import { examples, resolve, sample, typed, typeText, valueAt, withValue } from '../src/pages/try/schema.ts';

/** The document that the server has. */
const SOURCE: unknown = JSON.parse(readFileSync('../crates/web/tests/golden/openapi.json', 'utf8'));
const DOCUMENT = documentOf(SOURCE);
const ALL = DOCUMENT.groups.flatMap(({ operations }) => operations);
const operation = (id: string) => ALL.find((one) => one.id === id) ?? assert.fail(id);

test('every operation of the document is in a group, once', () => {
  const paths = (SOURCE as { paths: Record<string, Record<string, { operationId?: string }>> }).paths;
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []));
  assert.ok(ids.length > 90);
  assert.deepEqual(ALL.map(({ id }) => id).sort(), ids.sort());
});

test('all words have to be in method, path, summary or group', () => {
  const names = found(DOCUMENT, 'POST jobs').flatMap(({ operations }) => operations.map(({ id }) => id));
  assert.ok(names.length >= 1 && names.every((id) => operation(id).method === 'POST'));
  assert.deepEqual(found(DOCUMENT, 'no such thing'), []);
});

test('a filled form is the request: names are encoded, what is empty is left out', () => {
  const put = operation('putMessages');
  const { call, missing } = callOf(put, { values: { 'path qmgr': 'QM1', 'path queue': 'A/B', 'query envelope': 'true', 'header Idempotency-Key': 'k1' }, type: 'text/plain', body: 'x' });
  assert.deepEqual(missing, []);
  assert.deepEqual(call, { method: 'POST', address: '/api/v1/qmgr/QM1/queue/A%2FB/messages?envelope=true', headers: { 'Idempotency-Key': 'k1', 'Content-Type': 'text/plain' }, body: 'x' });
});

test('what is required and empty is named, but not the header against foreign pages', () => {
  assert.deepEqual(callOf(operation('putMessages'), { values: {}, type: '', body: '' }).missing, ['qmgr', 'queue', 'body']);
  const mqsc = ALL.find(({ path, method }) => path.endsWith('/mqsc') && method === 'POST') ?? assert.fail();
  assert.ok(!callOf(mqsc, { values: {}, type: '', body: '' }).missing.includes('ibm-mq-rest-csrf-token'));
});

test('every schema of the document ends, with a sample', () => {
  for (const one of ALL) {
    for (const { schema } of one.bodies) assert.ok(examples(SOURCE, schema).length > 0, one.id);
    for (const { schema } of one.answers) if (schema) JSON.stringify(sample(SOURCE, schema));
  }
});

test('a schema that holds itself ends', () => {
  const source = { defs: { node: { type: 'object', properties: { next: { $ref: '#/defs/node' } } } } };
  assert.equal(typeof sample(source, { $ref: '#/defs/node' }), 'object');
  assert.deepEqual(resolve(source, { $ref: '#/defs/a~1b' }), {});
});

test('values are put in and taken out at paths', () => {
  const list = withValue(undefined, ['a', 'b', 0], 'x');
  assert.deepEqual(list, { a: { b: ['x'] } });
  assert.equal(valueAt(list, ['a', 'b', 0]), 'x');
  assert.deepEqual(withValue(list, ['a', 'b', 0], undefined), { a: { b: [] } });
  assert.deepEqual(withValue({ a: 1, c: 2 }, ['a'], undefined), { c: 2 });
});

test('what is typed becomes a value of the type; what is none stays for the server to refuse', () => {
  assert.equal(typed({ type: 'integer' }, '7'), 7);
  assert.equal(typed({ type: 'number' }, 'abc'), 'abc');
  assert.equal(typed({ type: 'boolean' }, 'true'), true);
  assert.equal(typed({ type: 'string' }, ''), undefined);
  assert.equal(typeText({ type: 'integer', minimum: 0, maximum: 999 }), 'integer 0–999');
});

test('a call as curl quotes what a shell would read', () => {
  const text = curlOf({ method: 'POST', address: '/a?b=c', headers: { 'Content-Type': 'application/json' }, body: `{"a":"it's"}` }, 'app', 'https://h:1');
  assert.match(text, /-X POST 'https:\/\/h:1\/a\?b=c'/);
  assert.match(text, /-d '\{"a":"it'\\''s"\}'/);
});

test('bytes are written as hexadecimal digits and read from them', () => {
  assert.deepEqual(bytesOf('c1 C4\n40'), Uint8Array.of(0xc1, 0xc4, 0x40));
  assert.equal(bytesOf('c'), undefined);
  assert.equal(hex(Uint8Array.of(0x41, 0x00)), `000000  41 00${' '.repeat(42)}  A.`);
  assert.equal(textOf({ type: 'application/json', bytes: new TextEncoder().encode('{"a":1}') }), '{\n  "a": 1\n}');
});
