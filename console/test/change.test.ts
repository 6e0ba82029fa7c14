import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keywords, object, quoted } from '../src/api/mqsc.ts';
import { asCommand, asCurl, asMqsc, shell } from '../src/change/change.ts';

test('apostrophes in MQSC are doubled', () => {
  assert.equal(quoted("it's"), "'it''s'");
  assert.equal(`ALTER ${object('qlocal', 'a.b')} ${keywords({ maxdepth: 5, DESCR: { text: "o'clock" } })}`, "ALTER QLOCAL('a.b') MAXDEPTH(5) DESCR('o''clock')");
});

test('a word with blanks or apostrophes is one word for a shell', () => {
  assert.equal(shell('QM1'), 'QM1');
  assert.equal(shell("DESCR('x')"), `'DESCR('\\''x'\\'')'`);
});

test('one step is shown as MQSC, curl and command line, with the same text in each', () => {
  const steps = [{ mqsc: "ALTER QLOCAL('ORDERS') PUT(DISABLED)" }];
  assert.equal(asMqsc(steps), "ALTER QLOCAL('ORDERS') PUT(DISABLED)");
  assert.equal(asCommand('QM1', steps), `quaymaster mqsc QM1 'ALTER QLOCAL('\\''ORDERS'\\'') PUT(DISABLED)'`);
  const curl = asCurl('QM1', steps, 'admin', 'https://mq:9443');
  assert.match(curl, /-X POST https:\/\/mq:9443\/ibmmq\/rest\/v3\/admin\/action\/qmgr\/QM1\/mqsc/);
  assert.match(curl, /"command":"ALTER QLOCAL/);
});

test('a step of REST has no MQSC and no command line, unless it brings one', () => {
  const steps = [{ operation: 'DELETE /api/v1/jobs/{job}' as const, path: { job: '7' } }];
  assert.equal(asMqsc(steps), undefined);
  assert.equal(asCommand('QM1', steps), undefined);
  assert.match(asCurl('QM1', steps, 'admin', 'https://mq'), /-X DELETE https:\/\/mq\/api\/v1\/jobs\/7/);
});
