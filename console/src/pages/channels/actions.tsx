// What is done to channels: start, stop, delete, create.

import { signal } from '@preact/signals';
import { keywords, object, quoted } from '../../api/mqsc.ts';
import { groupOf } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { Field, Select } from '../../parts/field.tsx';
import { t } from '../../text.ts';

/** The reason of a channel that runs, or may run, already; or that does not run. */
const ACTIVE = 4064;

/** At a member of a group: for its private channels, and for its shared ones. */
function ofEach(qmgr: string, command: string) {
  const commands = groupOf(qmgr) === null ? [command] : [`${command} CHLDISP(PRIVATE)`, `${command} CHLDISP(SHARED) CMDSCOPE(${quoted(qmgr)})`];
  return commands.map((mqsc) => (commands.length === 1 ? { mqsc } : { mqsc, unless: ACTIVE }));
}

export function startChannels(qmgr: string, names: readonly string[]): Promise<boolean> {
  return propose({
    title: t('channels.startOf', { count: names.length, name: names[0] ?? '' }), qmgr, apply: t('channels.start'), done: t('channels.started', { count: names.length, name: names[0] ?? '' }),
    children: <p>{t('channels.startHelp')}</p>, steps: names.flatMap((name) => ofEach(qmgr, `START CHANNEL(${quoted(name)})`).map((step) => ({ ...step, unless: ACTIVE }))),
  });
}

/** Stops channels. How hard, and what state they have afterwards, is chosen in the dialog. */
export function stopChannels(qmgr: string, names: readonly string[], instances: number): Promise<boolean> {
  const mode = signal<'QUIESCE' | 'FORCE' | 'TERMINATE'>('QUIESCE');
  const status = signal<'STOPPED' | 'INACTIVE'>('STOPPED');
  return propose({
    title: t('channels.stopOf', { count: names.length, name: names[0] ?? '' }), qmgr, danger: true, apply: t('channels.stop'), done: t('channels.stopped', { count: names.length, name: names[0] ?? '' }),
    children: (
      <>
        {instances > 0 && <p>{t('channels.stopHelp', { count: instances })}</p>}
        <div class="fields">
          <Select label={t('channels.mode')} value={mode} options={[['QUIESCE', t('channels.QUIESCE')], ['FORCE', t('channels.FORCE')], ['TERMINATE', t('channels.TERMINATE')]]} hint="MODE" />
          <Select label={t('channels.after')} value={status} options={[['STOPPED', t('channels.STOPPED')], ['INACTIVE', t('channels.INACTIVE')]]} hint="STATUS" />
        </div>
      </>
    ),
    steps: () => names.flatMap((name) => ofEach(qmgr, `STOP CHANNEL(${quoted(name)}) MODE(${mode.value}) STATUS(${status.value})`)),
  });
}

export function deleteChannel(qmgr: string, name: string, instances: number): Promise<boolean> {
  return propose({
    title: t('channels.deleteNamed', { name }), qmgr, danger: true, apply: t('channels.delete'), done: t('channels.deleted', { name }), typed: instances > 0 ? name : undefined,
    children: <p>{t('channels.deleteHelp', { count: instances })}</p>, steps: [{ mqsc: `DELETE CHANNEL(${quoted(name)})` }],
  });
}

const CREATED = ['SVRCONN', 'CLNTCONN', 'SDR', 'RCVR'] as const;
type Created = (typeof CREATED)[number];
/** What MQ allows in the name of a channel, as a pattern of HTML. */
const NAME = '[A-Za-z0-9._\\/%]{1,20}';

/** Makes a channel. Gives its name when it was made. */
export async function createChannel(qmgr: string): Promise<string | undefined> {
  const [type, name, user, cipher, most, connection, xmitq, description] = [signal<Created>('SVRCONN'), signal(''), signal(''), signal(''), signal(''), signal(''), signal(''), signal('')];
  const text = (keyword: string, value: string) => (value === '' ? {} : { [keyword]: { text: value } });
  const values = (): Record<string, string | { text: string }> => ({
    CHLTYPE: type.value, TRPTYPE: 'TCP',
    ...(type.value === 'SVRCONN' || type.value === 'RCVR' ? text('MCAUSER', user.value) : text('CONNAME', connection.value)),
    ...(type.value === 'SVRCONN' && most.value !== '' ? { MAXINST: most.value } : {}), ...(type.value === 'SDR' ? text('XMITQ', xmitq.value) : {}),
    ...text('SSLCIPH', cipher.value), ...text('DESCR', description.value),
  });
  const Fields = () => (
    <div class="fields">
      <Field label={t('column.name')} value={name} pattern={NAME} required maxLength={20} hint={t('channels.nameHint')} />
      <Select label={t('column.type')} value={type} options={CREATED.map((one) => [one, t(`channelType.${one}`)])} />
      {(type.value === 'SVRCONN' || type.value === 'RCVR') && <Field label={t('attribute.mcauser')} value={user} maxLength={64} hint={t('channels.mcauserHint')} />}
      {type.value === 'SVRCONN' && <Field label={t('attribute.maxinst')} value={most} type="number" min={0} max={999999999} hint={t('channels.maxinstHint')} />}
      {(type.value === 'CLNTCONN' || type.value === 'SDR') && <Field label={t('attribute.conname')} value={connection} required maxLength={264} hint="host(1414)" />}
      {type.value === 'SDR' && <Field label={t('attribute.xmitq')} value={xmitq} required maxLength={48} />}
      <Field label={t('attribute.sslciph')} value={cipher} maxLength={32} hint={t('channels.cipherHint')} />
      <Field label={t('column.description')} value={description} maxLength={64} wide />
    </div>
  );
  const isDone = await propose({
    title: t('channels.create'), qmgr, apply: t('channels.create'), children: <Fields />, isReady: () => name.value !== '',
    steps: () => [{ mqsc: `DEFINE ${object('CHANNEL', name.value)} ${keywords(values())}` }], done: () => t('channels.created', { name: name.peek() }),
  });
  return isDone ? name.peek() : undefined;
}
