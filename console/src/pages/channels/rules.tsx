// CHLAUTH records: which clients a channel lets in, and as whom. The most specific record that matches decides.

import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { displayAll, quoted } from '../../api/mqsc.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { type Column, List } from '../../grid/list.tsx';
import { type ListRows, localSource } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { setQuery } from '../../router.ts';
import { t } from '../../text.ts';
import { commandOf, type Displayed, matches, type Rule, ruleOf, RULE_TYPES, type RuleType, USER_SOURCES } from './rule.ts';

interface RulesProps {
  qmgr: string;
  turn: number;
  changed(): void;
  /** Records that concern this channel alone. */
  channel?: string;
}

export function Rules({ qmgr, turn, changed, channel }: RulesProps) {
  const source = useMemo(
    () => localSource<Rule>(async () => (await displayAll<Displayed>(qmgr, 'chlauth', { name: '*' })).map(ruleOf).filter(({ profile }) => channel === undefined || matches(profile, channel))),
    [qmgr, turn, channel],
  );
  const columns = useMemo(columnsOf, []);
  return (
    <List<Rule>
      name="rules" label={t('channels.rules')} sourceKey={`${qmgr} ${turn} ${channel}`} source={() => source} keyOf={({ key }) => key} columns={columns}
      shown={['profile', 'type', 'who', 'from', 'effect', 'check', 'description']} always={[]} sort={['profile']} example="type=BLOCKUSER" filters={['profile', 'type', 'who', 'from', 'effect', 'check']}
      toolbar={
        <>
          <Button icon="help" onClick={() => setQuery({ open: 'explain', name: undefined }, { replace: false })}>{t('channels.which')}</Button>
          {may.value.change && <Button icon="add" onClick={() => void createRule(qmgr, channel ?? '').then((isDone) => isDone && changed())}>{t('channels.createRule')}</Button>}
        </>
      }
      {...(may.value.change ? { actions: (selection: Selection<Rule>, rows: ListRows<Rule>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} changed={changed} /> } : {})}
    />
  );
}

const columnsOf = (): Column<Rule>[] => [
  { key: 'profile', title: t('column.channel'), width: 180, cell: ({ profile }) => <span class="object">{profile}</span> },
  { key: 'type', title: t('column.type'), width: 132, cell: ({ type }) => t(`ruleType.${type}`) },
  { key: 'who', title: t('column.who'), width: '2fr', cell: ({ who }) => <span title={who}>{who || <span class="quiet">–</span>}</span> },
  { key: 'from', title: t('column.address'), width: 116, cell: ({ from }) => from ?? <span class="quiet">–</span> },
  { key: 'effect', title: t('column.effect'), width: 172, cell: ({ effect, isRefusal }) => <span class={isRefusal ? 'is-error' : undefined}>{effect}</span> },
  { key: 'check', title: t('column.check'), width: 164, cell: ({ check }) => check ?? <span class="quiet">–</span> },
  { key: 'description', title: t('column.description'), width: '3fr', cell: ({ description }) => <span title={description}>{description}</span> },
];

function Ticked({ qmgr, selection, rows, changed }: { qmgr: string; selection: Selection<Rule>; rows: ListRows<Rule>; changed(): void }) {
  async function remove(): Promise<void> {
    const chosen = selection.chosen().rows ?? (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((one) => selection.has(one));
    const isDone = await propose({
      title: t('channels.removeRules', { count: chosen.length }), qmgr, danger: true, apply: t('channels.removeRule'), done: t('channels.removedRules', { count: chosen.length }),
      children: <p>{t('channels.removeHelp')}</p>, steps: chosen.map(({ values }) => ({ mqsc: commandOf(values, 'REMOVE', quoted) })),
    });
    if (isDone) changed();
  }
  return <Button kind="plain" icon="remove" onClick={() => void remove()}>{t('channels.removeRule')}</Button>;
}

/** Makes a rule; the fields follow its type. */
function createRule(qmgr: string, channel: string): Promise<boolean> {
  const [profile, who, from, user, description] = [signal(channel), signal(''), signal(''), signal(''), signal('')];
  const type = signal<RuleType>('ADDRESSMAP');
  const effect = signal<(typeof USER_SOURCES)[number]>('CHANNEL');
  const check = signal<'ASQMGR' | 'REQUIRED' | 'REQDADM'>('ASQMGR');
  const isMap = () => type.value.endsWith('MAP');
  const values = (): Displayed => ({
    chlauth: profile.value, type: type.value, descr: description.value,
    ...(type.value === 'ADDRESSMAP' ? { address: who.value } : type.value === 'USERMAP' ? { clntuser: who.value } : type.value === 'SSLPEERMAP' ? { sslpeer: who.value } : type.value === 'QMGRMAP' ? { qmname: who.value } : {}),
    ...(type.value === 'BLOCKUSER' ? { userlist: who.value.split(/[\s,]+/) } : type.value === 'BLOCKADDR' ? { addrlist: who.value.split(/[\s,]+/) } : {}),
    ...(isMap() && type.value !== 'ADDRESSMAP' && from.value !== '' ? { address: from.value } : {}),
    ...(isMap() ? { usersrc: effect.value, ...(effect.value === 'MAP' ? { mcauser: user.value } : {}), ...(effect.value === 'NOACCESS' ? {} : { chckclnt: check.value }) } : {}),
  });
  const Fields = () => (
    <div class="fields">
      {type.value !== 'BLOCKADDR' && <Field label={t('channels.profile')} value={profile} required maxLength={20} hint={t('channels.profileHint')} />}
      <Select label={t('column.type')} value={type} options={RULE_TYPES.map((one) => [one, t(`ruleType.${one}`)])} />
      <Field label={t(`ruleKey.${type.value}`)} value={who} required hint={type.value === 'ADDRESSMAP' ? t('channels.addressHint') : undefined} />
      {isMap() && type.value !== 'ADDRESSMAP' && <Field label={t('channels.onlyFrom')} value={from} hint={t('channels.addressHint')} />}
      {isMap() && <Select label={t('column.effect')} value={effect} options={USER_SOURCES.map((one) => [one, t(`userSource.${one}`)])} hint="USERSRC" />}
      {isMap() && effect.value === 'MAP' && <Field label={t('attribute.mcauser')} value={user} required maxLength={64} />}
      {isMap() && effect.value !== 'NOACCESS' && <Select label={t('column.check')} value={check} options={[['ASQMGR', t('channels.ASQMGR')], ['REQUIRED', t('channels.REQUIRED')], ['REQDADM', t('channels.REQDADM')]]} hint="CHCKCLNT" />}
      <Field label={t('column.description')} value={description} maxLength={64} wide />
    </div>
  );
  return propose({
    title: t('channels.createRule'), qmgr, children: <Fields />, isReady: () => who.value !== '' && (type.value === 'BLOCKADDR' || profile.value !== ''),
    steps: () => [{ mqsc: commandOf(values(), 'ADD', quoted) }], done: t('channels.createdRule'),
  });
}
