import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoted } from '../src/api/mqsc.ts';
import { questionOf, questionOfRefusal } from '../src/pages/authority/answers.ts';
import { changeOf, nameOf } from '../src/pages/authority/words.ts';
import { commandOf, matches, ruleOf } from '../src/pages/channels/rule.ts';
import { gets } from '../src/pages/topics/topics.ts';
import { localSource } from '../src/grid/rows.ts';
import { written } from '../src/routes.ts';

const record = { profile: "A'B", type: 'QUEUE', entity: 'eva', kind: 'GROUP' } as const;

test('a change of a record adds what is new and takes away what is gone', () => {
  assert.equal(changeOf(record, ['PUT', 'GET'], ['PUT', 'BROWSE'], quoted), "SET AUTHREC PROFILE('A''B') OBJTYPE(QUEUE) GROUP('eva') AUTHADD(BROWSE) AUTHRMV(GET)");
  assert.equal(changeOf(record, ['PUT'], ['PUT'], quoted), undefined);
});

test('a record of the queue manager has no profile', () => {
  assert.equal(nameOf({ ...record, type: 'QMGR' }, quoted), "OBJTYPE(QMGR) GROUP('eva')");
});

test('a question is about a call where it names an object, and about a client where it names a channel alone', () => {
  const of = (text: string) => questionOf(new URLSearchParams(text));
  assert.deepEqual(of('user=app&queue=Q&wants=put&view=calls'), { about: 'call', query: { user: 'app', queue: 'Q', wants: 'put' } });
  assert.equal(of('name=C&address=10.1.1.1&user=app')?.about, 'client');
  assert.equal(of('channel=C&user=app&address=10.1.1.1')?.query['name'], 'C');
  assert.equal(of('queue=Q'), undefined);
  assert.equal(of('search=x'), undefined);
});

test('a refusal leads to the question that explains it', () => {
  const refusal = { at: '', firstAt: '', count: 1, user: 'app', by: 'application', cause: '' };
  const asked = (one: Parameters<typeof questionOfRefusal>[0]) => questionOf(new URLSearchParams(written(questionOfRefusal(one))));
  assert.deepEqual(asked({ ...refusal, object: { type: 'QUEUE', name: 'Q' }, wants: ['PUT'], channel: 'C', address: '10.1.1.1' })?.query, {
    user: 'app', queue: 'Q', wants: 'put', channel: 'C', address: '10.1.1.1', authenticated: 'true',
  });
  assert.equal(asked({ ...refusal, object: { type: 'QMGR', name: 'QM1' }, wants: ['INQ'] })?.query['type'], 'qmgr');
  assert.equal(asked({ ...refusal, channel: 'C', address: '10.1.1.1' })?.about, 'client');
});

test('a rule is removed by the keywords that name it, and added with its effect', () => {
  const rule = { chlauth: 'DEV.*', type: 'USERMAP', clntuser: 'eva', address: '10.*', usersrc: 'MAP', mcauser: 'app', chckclnt: 'REQUIRED', descr: 'x' } as const;
  assert.equal(commandOf(rule, 'REMOVE', quoted), "SET CHLAUTH('DEV.*') TYPE(USERMAP) CLNTUSER('eva') ADDRESS('10.*') ACTION(REMOVE)");
  assert.equal(commandOf(rule, 'ADD', quoted), "SET CHLAUTH('DEV.*') TYPE(USERMAP) CLNTUSER('eva') ADDRESS('10.*') USERSRC(MAP) MCAUSER('app') CHCKCLNT(REQUIRED) DESCR('x') ACTION(ADD)");
  assert.equal(commandOf({ chlauth: '*', type: 'BLOCKADDR', addrlist: ['10.1.*', '10.2.*'] }, 'ADD', quoted), "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.1.*','10.2.*') ACTION(ADD)");
  assert.equal(ruleOf({ chlauth: '*', type: 'BLOCKUSER', userlist: ['*MQADMIN'] }).isRefusal, true);
});

test('a profile stands for the channels that begin with it', () => {
  assert.deepEqual(['*', 'DEV.*', 'DEV.APP', 'DEV+APP', 'SYSTEM.*'].map((profile) => matches(profile, 'DEV.APP')), [true, true, true, false, false]);
});

test('a wildcard subscription gets what is published below it', () => {
  const cases: [string, string, boolean][] = [
    ['a/b', 'a/b', true], ['a/b', 'a/c', false], ['a/+', 'a/b', true], ['a/+', 'a/b/c', false], ['a/#', 'a', true], ['a/#', 'a/b/c', true], ['#', 'a/b', true], ['+/c', 'a/c', true], ['#/c', 'a/b/c', true], ['a/#', 'b', false],
  ];
  for (const [pattern, topic, expected] of cases) assert.equal(gets(pattern, topic), expected, `${pattern} ${topic}`);
});

test('rows that are here are filtered by conditions as the server does it', async () => {
  const source = localSource(() => [{ name: 'alpha', depth: 9 as number | null, on: true }, { name: 'beta', depth: 10, on: false }, { name: 'gamma', depth: null, on: false }]);
  const found = async (...where: string[]) => (await source({ search: '', where, sort: [] }, 0, 10, new AbortController().signal)).rows.map(({ name }) => name);
  assert.deepEqual(await found('depth>9'), ['beta']);
  assert.deepEqual(await found('depth!=9'), ['beta', 'gamma']);
  assert.deepEqual(await found('name=*a', 'on=false'), ['beta', 'gamma']);
  assert.deepEqual(await found('name=al*'), ['alpha']);
  assert.deepEqual(await found('on=true'), ['alpha']);
});
