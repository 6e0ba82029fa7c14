import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64Of, bytesOfHex, draftOf, emptyDraft, envelopeOf, lacking } from '../src/pages/messages/draft.ts';
import { bytesIn, momentMs, namesOf, queryOf } from '../src/pages/messages/filters.ts';
import { preview, type SeenMessage } from '../src/pages/messages/seen.ts';
import { visible, visibleLine } from '../src/pages/messages/visible.ts';
import { readings } from '../src/pages/messages/views/hex.ts';
import { around, jsonRows, NotJson, pretty, unfolded } from '../src/pages/messages/views/json.ts';
import { valueAt } from '../src/pages/messages/views/record.ts';
import { lineAt, lineOf, wrap } from '../src/pages/messages/views/wrap.ts';

const message = (members: Partial<SeenMessage>): SeenMessage => ({ position: '1', length: 5, ...members });

test('conditions of fields become a selector, and other names are properties', () => {
  assert.deepEqual(queryOf('', ['user=app', 'priority>4', 'region=EU', 'orderNo>=5', 'persistence=persistent'], ''), {
    selector: "JMSXUserID = 'app' AND JMSPriority > 4 AND region = 'EU' AND orderNo >= 5 AND JMSDeliveryMode = 'PERSISTENT'",
  });
});

test('a star in a text is a pattern, and quotes stay inside', () => {
  assert.equal(queryOf('', ['user=a_p*'], '').selector, "JMSXUserID LIKE 'a\\_p%' ESCAPE '\\'");
  assert.equal(queryOf('', ["format!=O'X"], '').selector, "JMS_IBM_Format <> 'O''X'");
});

test('a selector of the person holds together with conditions, and identifiers are parameters', () => {
  assert.deepEqual(queryOf('abc', ['priority=1', 'id=0xAB'], 'a = 1 OR b = 2'), { contains: 'abc', id: 'ab', selector: 'JMSPriority = 1 AND (a = 1 OR b = 2)' });
});

test('sizes are lengths of the data, in bytes, KiB and MiB', () => {
  assert.deepEqual(queryOf('', ['size>1000', 'size<=64k'], ''), { minLength: 1001, maxLength: 65536 });
  assert.deepEqual(queryOf('', ['size<1.5M', 'priority=1'], ''), { maxLength: 1572863, selector: 'JMSPriority = 1' });
  assert.deepEqual(queryOf('', ['size=0'], ''), { minLength: 0, maxLength: 0 });
  assert.deepEqual(queryOf('', ['size<0'], ''), { minLength: 1, maxLength: 0 });
  assert.deepEqual(["1", '2kB', '3MiB', '1g', 'many'].map(bytesIn), [1, 2048, 3145728, 1073741824, 0]);
});

test('a moment may be a time ago', () => {
  assert.equal(momentMs('10m', 1_000_000), 400_000);
  assert.equal(momentMs('2026-11-26T00:00:00Z'), Date.UTC(2026, 10, 26));
});

test('properties of messages on screen can be filtered by', () => {
  assert.deepEqual(namesOf([{ properties: { region: 1, 'not.one': 2 } }], ['colour=red']).slice(-2), ['colour', 'region']);
});

test('characters that deceive are shown, and letters of other scripts stay', () => {
  assert.equal(visible('a\u202eb\u0000\n\tc'), 'a⟨202E⟩b⟨00⟩ c');
  assert.equal(visibleLine('שלום\tمرحبا'), 'שלום\tمرحبا');
});

test('a message made to break pages has a preview', () => {
  const json = JSON.parse('{"__proto__":{"toString":5}}') as unknown;
  assert.equal(preview(message({ body: { json } }))?.text, '{"__proto__":{"toString":5}}');
  assert.equal(preview(message({ body: { text: '<script>' } }))?.text, '<script>');
  assert.equal(preview(message({ length: 0, body: { text: '' } })), undefined);
  assert.equal(preview(message({ ccsid: 37, body: { base64: 'wcTB' } }))?.text, 'ADA');
});

test('JSON keeps numbers, doubled names and order as they are written', () => {
  const text = '{"a":9007199254740993,"a":1e400,"b":[true,null,{}],"c":"\\u00e9"}';
  const rows = jsonRows(text);
  assert.equal(pretty(rows).replace(/\s/g, ''), text);
  assert.equal(rows[0]?.size, 4);
});

test('what is no JSON names the place', () => {
  for (const [text, at] of [['{"a" 1}', 5], ['[1,]', 3], ['[1 2]', 3], ['{"a":01}', 6], ['"a\u0001"', 0], ['', 0], ['1 2', 2], ['[1}', 2], ['[', 1]] as const) {
    assert.throws(() => jsonRows(text), (error) => error instanceof NotJson && error.at === at, text);
  }
});

test('JSON of any depth is taken apart and folded', () => {
  const depth = 100_000;
  const rows = jsonRows('['.repeat(depth) + ']'.repeat(depth));
  assert.equal(rows.length, 2 * depth);
  assert.deepEqual([...unfolded(rows, new Set([1]))], [0, 1, 2 * depth - 1]);
  assert.deepEqual(around(jsonRows('[[],[1]]'), 4), [0, 3]);
});

test('a long line is broken at the width, and no pair of code units is cut', () => {
  const wrapped = wrap('ab\u{1f600}c\r\nde', 3);
  assert.deepEqual(Array.from({ length: wrapped.count }, (_, index) => lineOf(wrapped, index)), ['ab', '\u{1f600}c', 'de']);
  assert.equal(lineAt(wrapped, 5), 1);
});

test('four megabytes on one line are broken in time', () => {
  const begun = performance.now();
  assert.equal(wrap('x'.repeat(4 << 20), 100).count, Math.ceil((4 << 20) / 100));
  assert.ok(performance.now() - begun < 20_000);
});

test('bytes are read as COBOL and C would', () => {
  const of = (hex: string, name: string) => readings(bytesOfHex(hex) ?? new Uint8Array(), false).find((reading) => reading.name === name)?.value;
  assert.equal(of('00 12 50 0d', 'packed'), '-12500');
  assert.equal(of('f1 f2 d3', 'zoned'), '-123');
  assert.equal(of('ff fe', 'signed'), '-2');
  assert.equal(of('41 10 00 00', 'hexFloat'), '1');
  assert.equal(of('c8 c9', 'ebcdic'), 'HI');
  assert.equal(of('aa aa', 'packed'), undefined);
});

test('the value of a field is found by the name that the copybook gives it', () => {
  assert.equal(valueAt({ loan_amount: 5, parts: [{ name: 'a' }, { name: 'b' }] }, 'LOAN-REQUEST.LOAN-AMOUNT'), 5);
  assert.deepEqual(valueAt({ parts: [{ name: 'a' }, { name: 'b' }] }, 'R.PARTS.NAME'), ['a', 'b']);
});

test('a draft says what it lacks', () => {
  const draft = emptyDraft('Q');
  assert.equal(lacking(draft), undefined);
  assert.equal(lacking({ ...draft, kind: 'json', text: '{' }), 'json');
  assert.equal(lacking({ ...draft, kind: 'hex', hex: 'abc' }), 'hex');
  assert.equal(lacking({ ...draft, properties: [{ name: '', type: 'string', value: 'x' }] }), 'property');
});

test('an envelope has what was chosen and nothing else', () => {
  assert.deepEqual(envelopeOf({ ...emptyDraft('Q'), text: 'a', priority: '7', expiry: '10m', properties: [{ name: 'n', type: 'long', value: '9007199254740993' }, { name: 'b', type: 'boolean', value: 'true' }] }), {
    priority: 7, expiry: '10m', properties: { n: { type: 'long', value: '9007199254740993' }, b: true }, body: { text: 'a' },
  });
  assert.deepEqual(envelopeOf({ ...emptyDraft('Q'), kind: 'hex', hex: 'c1 c2' }).body, { base64: base64Of(Uint8Array.from([0xc1, 0xc2])) });
});

test('a message that is sent again keeps what the form does not show, and its identifier only when that is ticked', () => {
  const seen = message({ id: 'aa', encoding: 785, ccsid: 37, headers: [{ structure: 'MQCIH' }], backoutCount: 3, user: 'bob', body: { text: 'x' } });
  const envelope = envelopeOf(draftOf('Q', seen)) as Record<string, unknown>;
  assert.deepEqual([envelope['encoding'], envelope['headers'], envelope['id'], envelope['user'], envelope['backoutCount']], [785, [{ structure: 'MQCIH' }], undefined, undefined, undefined]);
  assert.equal((envelopeOf({ ...draftOf('Q', seen), keepsId: true, keepsHeaders: false }) as Record<string, unknown>)['id'], 'aa');
});
