import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, asTable, asText } from '../src/pages/mqsc/answer.ts';
import { offers } from '../src/pages/mqsc/complete.ts';
import { faultOf, type Grammar, isDestructive, isSecret } from '../src/pages/mqsc/grammar.ts';
import { type Command, commandsOf, isUnfinished, placeAt, tokensOf, wordAt } from '../src/pages/mqsc/script.ts';

const GRAMMAR: Grammar = {
  verbs: ['ALTER', 'DEFINE', 'DELETE', 'DISPLAY', 'SET', 'STOP'],
  objects: [
    {
      object: 'QLOCAL', synonyms: ['QL'],
      commands: [
        { verb: 'DEFINE', parameters: '(name) LIKE(name) REPLACE|NOREPLACE attributes', keywords: [{ keyword: 'LIKE', operand: 'name' }, { keyword: 'REPLACE' }], help: 'Creates an object.' },
        { verb: 'DISPLAY', parameters: '(generic-name) ALL attributes', keywords: [{ keyword: 'ALL' }], help: 'Shows attributes.' },
        { verb: 'DELETE', parameters: '(name) PURGE|NOPURGE', keywords: [{ keyword: 'PURGE' }], help: 'Deletes a queue.' },
      ],
      attributes: [
        { keyword: 'MAXDEPTH', value: { is: 'number', minimum: 0, maximum: 999999999 }, default: '5000', setBy: ['DEFINE', 'ALTER'], help: 'Most messages.' },
        { keyword: 'CURDEPTH', value: { is: 'number' }, setBy: [], help: 'Messages.' },
        { keyword: 'PUT', value: { is: 'word', words: ['ENABLED', 'DISABLED'] }, setBy: ['DEFINE', 'ALTER'], help: 'Puts.' },
      ],
    },
    {
      object: 'CHANNEL', synonyms: ['CHL'], typeKeyword: 'CHLTYPE',
      commands: [
        { verb: 'DEFINE', parameters: '(name) LIKE(name) attributes', keywords: [], help: 'Creates.' },
        { verb: 'ALTER', parameters: '(name) FORCE attributes', keywords: [], help: 'Changes.' },
      ],
      attributes: [
        { keyword: 'MAXINST', value: { is: 'number' }, setBy: ['DEFINE'], types: ['SVRCONN'], help: 'Instances.' },
        { keyword: 'CONNAME', value: { is: 'text' }, setBy: ['DEFINE'], types: ['SDR', 'CLNTCONN'], help: 'Where.' },
        { keyword: 'CHLTYPE', value: { is: 'word', words: ['SVRCONN', 'SDR', 'CLNTCONN'] }, setBy: ['DEFINE'], help: 'Kind.' },
        { keyword: 'PASSWORD', value: { is: 'secret' }, setBy: ['DEFINE'], help: 'Secret.' },
      ],
    },
    {
      object: 'CHLAUTH', synonyms: [],
      commands: [{ verb: 'SET', parameters: '(profile) TYPE(type) keys ACTION(ADD|REMOVE)', keywords: [{ keyword: 'TYPE', operand: 'type' }, { keyword: 'ACTION', operand: 'ADD|REMOVE', words: ['ADD', 'REMOVE'] }], help: 'Sets.' }],
      shown: [{ keyword: 'CHLAUTH', value: { is: 'text' } }, { keyword: 'ADDRESS', value: { is: 'text' } }],
    },
  ],
};
const one = (text: string): Command => ({ text, from: 0, to: text.length, line: 1 });
const texts = (marked: string) => offers(GRAMMAR, placeAt(marked.replace('|', ''), marked.indexOf('|'))).map(({ text }) => text);

test('a command is a line; + and - go on, ; ends, * is a comment', () => {
  const script = "* first\nDEFINE QLOCAL(A) +\n   DESCR('x')\n\nDEFINE QL(B) DESCR('one -\n  two');DIS QMGR\nDELETE QL('A;B')";
  assert.deepEqual(commandsOf(script).map(({ text, line }) => [line, text]), [
    [2, "DEFINE QLOCAL(A) DESCR('x')"],
    [5, "DEFINE QL(B) DESCR('one   two')"],
    [5, 'DIS QMGR'],
    [7, "DELETE QL('A;B')"],
  ]);
});

test('a comment on its own ends no command, and a command at the end of the text is one', () => {
  assert.deepEqual(commandsOf('DEFINE QL(A) +\n* why\n PUT(ENABLED)').map(({ text }) => text), ['DEFINE QL(A) PUT(ENABLED)']);
  assert.deepEqual(commandsOf('DIS QMGR +').map(({ text }) => text), ['DIS QMGR']);
});

test('tokens have their places, and an apostrophe may be doubled', () => {
  assert.deepEqual(tokensOf("DEF QL(A) DESCR('it''s')").map(({ kind, text, from }) => [kind, text, from]), [
    ['word', 'DEF', 0], ['word', 'QL', 4], ['(', '(', 6], ['word', 'A', 7], [')', ')', 8], ['word', 'DESCR', 10], ['(', '(', 15], ['text', "it's", 16], [')', ')', 23],
  ]);
});

test('verbs, objects of the verb, keywords and words of a value are offered', () => {
  assert.deepEqual(texts('D|'), ['DEFINE', 'DELETE', 'DISPLAY']);
  assert.deepEqual(texts('DELETE |'), ['QLOCAL']);
  assert.deepEqual(texts('def ql(X) m|'), ['MAXDEPTH']);
  assert.deepEqual(texts('DEFINE QL(X) PUT(|'), ['ENABLED', 'DISABLED']);
  assert.deepEqual(texts('DEFINE QL(X) PUT(D|)'), ['DISABLED']);
});

test('a keyword that is written, or that no command sets, is not offered', () => {
  assert.deepEqual(texts('DEFINE QL(X) MAXDEPTH(5) |'), ['LIKE', 'REPLACE', 'PUT']);
  assert.ok(texts('DISPLAY QL(X) |').includes('CURDEPTH'));
});

test('keywords follow the type of the channel, wherever it is written', () => {
  assert.deepEqual(texts('DEFINE CHANNEL(X) M| CHLTYPE(SVRCONN)'), ['MAXINST']);
  assert.deepEqual(texts('DEFINE CHANNEL(X) CHLTYPE(SDR) |'), ['CONNAME', 'PASSWORD']);
  assert.deepEqual(texts('DEFINE CHANNEL(X) CHLTYPE(S|)'), ['SVRCONN', 'SDR']);
});

test('each command of a script is a place of its own', () => {
  assert.deepEqual(texts('DISPLAY QL(A)\nDE|\nDISPLAY QL(B)'), ['DEFINE', 'DELETE']);
  assert.equal(wordAt('DEF QL(A) MAXDEPTH(7)', 20), 'MAXDEPTH');
  assert.equal(wordAt('DEF QL(A) MAXDEPTH(7)', 12), 'MAXDEPTH');
});

test('what the grammar refuses is found with the word', () => {
  const code = (text: string) => faultOf(GRAMMAR, one(text))?.code;
  assert.equal(code('DEF QL(A) MAXDEPTH(7) PUT(ENABLED)'), undefined);
  assert.equal(code('FOO QL(A)'), 'verb');
  assert.equal(code('DE QL(A)'), 'verb');
  assert.equal(code('DEFINE FOO(A)'), 'object');
  assert.equal(code('STOP QL(A)'), 'command');
  assert.equal(code('DEF QL(A) FOO(1)'), 'keyword');
  assert.equal(code('DEF QL(A) MAXDEPTH(abc)'), 'number');
  assert.equal(code('DEF QL(A) PUT(YES)'), 'word');
  assert.equal(code('DEF QL(A'), 'open');
  assert.equal(code("DEF QL(A) DESCR('x)"), 'quote');
});

test('keywords that tell the kind, and keys of records, are no faults', () => {
  assert.equal(faultOf(GRAMMAR, one("ALTER CHANNEL(A) CHLTYPE(SVRCONN)")), undefined);
  assert.equal(faultOf(GRAMMAR, one("SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') ACTION(ADD)")), undefined);
  assert.equal(faultOf(GRAMMAR, one("SET CHLAUTH('*') TYPE(ADDRESSMAP) ADRESS('*')"))?.code, 'keyword');
  assert.deepEqual(texts("SET CHLAUTH('*') AD|"), ['ADDRESS']);
});

test('what destroys is asked about, and what is secret is not remembered', () => {
  assert.equal(isDestructive(GRAMMAR, one('DEL QL(A)')), true);
  assert.equal(isDestructive(GRAMMAR, one('DEFINE QL(A) REPLACE')), true);
  assert.equal(isDestructive(GRAMMAR, one('DISPLAY QL(A)')), false);
  assert.equal(isSecret(GRAMMAR, one("DEF CHL(A) PASSWORD('x')")), true);
  assert.equal(isSecret(undefined, one("ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD('x')")), true);
  assert.equal(isSecret(GRAMMAR, one('DEF QL(A) MAXDEPTH(1)')), false);
});

test('an open parenthesis or a mark of continuation is unfinished', () => {
  assert.equal(isUnfinished('DEF QL(A'), true);
  assert.equal(isUnfinished('DEF QL(A) +'), true);
  assert.equal(isUnfinished('DEF QL(A)'), false);
});

const REPLY = {
  commandResponse: [
    { completionCode: 0, reasonCode: 0, text: ['AMQ8409I: Display Queue details.   QUEUE(A)   TYPE(QLOCAL)   DESCR(one (or two)   )   SHARE'] },
    { completionCode: 0, reasonCode: 0, text: ['AMQ8409I: Display Queue details.   QUEUE(B)   TYPE(QLOCAL)   MAXDEPTH(5)'] },
  ],
  overallCompletionCode: 0, overallReasonCode: 0,
} as unknown as Parameters<typeof answerOf>[0];

test('an answer becomes columns, in the order in which they come', () => {
  assert.deepEqual(asTable(answerOf(REPLY)), {
    columns: ['QUEUE', 'TYPE', 'DESCR', 'SHARE', 'MAXDEPTH'],
    rows: [['A', 'QLOCAL', 'one (or two)', '', ''], ['B', 'QLOCAL', '', '', '5']],
  });
});

test('an answer as text has two attributes a line', () => {
  assert.match(asText(answerOf(REPLY)), /^AMQ8409I: Display Queue details\.\n {3}QUEUE\(A\) +TYPE\(QLOCAL\)\n/);
});

test('a message without attributes is a sentence', () => {
  const reply = { commandResponse: [{ completionCode: 2, reasonCode: 2085, text: ['AMQ8147E: Object A.B not found.'] }], overallCompletionCode: 2, overallReasonCode: 3008 } as unknown as Parameters<typeof answerOf>[0];
  const answer = answerOf(reply);
  assert.equal(answer.isGood, false);
  assert.equal(asTable(answer), undefined);
  assert.equal(asText(answer), 'AMQ8147E: Object A.B not found.');
});
