// What is done to structures: made, changed, deleted; and a shared queue in one.

import { signal } from '@preact/signals';
import type { GroupStructure } from '../../api/operations.ts';
import { keywords, object } from '../../api/mqsc.ts';
import { propose } from '../../change/change.ts';
import { Field, Select } from '../../parts/field.tsx';
import { t } from '../../text.ts';

/** What MQ allows in the name of a structure, as a pattern of HTML. */
const NAME = '[A-Z][A-Z0-9]{0,11}';
const QUEUE = '[A-Za-z0-9._\\/%]{1,48}';
const ON_LOSS = ['ASQMGR', 'TOLERATE', 'TERMINATE'] as const;
type OnLoss = (typeof ON_LOSS)[number];

function newFields(one?: GroupStructure) {
  return { name: signal(one?.name ?? ''), recover: signal<'YES' | 'NO'>(one && !one.recover ? 'NO' : 'YES'), onLoss: signal<OnLoss>(one?.onLoss ?? 'ASQMGR'), description: signal(one?.description ?? '') };
}

type Values = ReturnType<typeof newFields>;

function attributes({ recover, onLoss, description }: Values, isNew: boolean): Parameters<typeof keywords>[0] {
  return { ...(isNew ? { CFLEVEL: '5' } : {}), RECOVER: recover.value, CFCONLOS: onLoss.value, ...(isNew && description.value === '' ? {} : { DESCR: { text: description.value } }) };
}

function Fields({ fields: { name, recover, onLoss, description }, isNew }: { fields: Values; isNew: boolean }) {
  return (
    <div class="fields">
      {isNew && <Field label={t('column.name')} value={name} pattern={NAME} required maxLength={12} hint={t('qsg.nameHint')} />}
      <Select label={t('qsg.persistent')} value={recover} options={[['YES', t('value.YES')], ['NO', t('value.NO')]]} hint="RECOVER" />
      <Select label={t('qsg.onLoss')} value={onLoss} options={ON_LOSS.map((one) => [one, t(`qsg.${one}`)])} hint="CFCONLOS" />
      <Field label={t('column.description')} value={description} maxLength={64} wide />
    </div>
  );
}

export function defineStructure(qmgr: string): Promise<boolean> {
  const fields = newFields();
  return propose({
    title: t('qsg.defineStructure'), qmgr, apply: t('qsg.defineStructure'), isReady: () => fields.name.value !== '',
    children: <><p>{t('qsg.defineHelp')}</p><Fields fields={fields} isNew /></>,
    steps: () => [{ mqsc: `DEFINE ${object('CFSTRUCT', fields.name.value)} ${keywords(attributes(fields, true))}` }],
    done: () => t('qsg.defined', { structure: fields.name.peek() }),
  });
}

export function changeStructure(qmgr: string, one: GroupStructure): Promise<boolean> {
  const fields = newFields(one);
  return propose({
    title: t('qsg.changeOf', { structure: one.name }), qmgr, children: <Fields fields={fields} isNew={false} />,
    steps: () => [{ mqsc: `ALTER ${object('CFSTRUCT', one.name)} ${keywords(attributes(fields, false))}` }],
    done: t('qsg.changed', { structure: one.name }),
  });
}

export function deleteStructure(qmgr: string, name: string): Promise<boolean> {
  return propose({
    title: t('qsg.deleteOf', { structure: name }), qmgr, danger: true, apply: t('qsg.deleteStructure'), children: <p>{t('qsg.deleteHelp')}</p>,
    steps: [{ mqsc: `DELETE ${object('CFSTRUCT', name)}` }], done: t('qsg.deleted', { structure: name }),
  });
}

export function defineQueue(qmgr: string, structure: string): Promise<boolean> {
  const [name, persistence] = [signal(''), signal<'YES' | 'NO'>('YES')];
  return propose({
    title: t('qsg.defineQueueIn', { structure }), qmgr, apply: t('qsg.defineQueue'), isReady: () => name.value !== '',
    children: (
      <div class="fields">
        <Field label={t('column.name')} value={name} pattern={QUEUE} required maxLength={48} hint={t('queues.nameHint')} />
        <Select label={t('attribute.defpsist')} value={persistence} options={[['YES', t('value.YES')], ['NO', t('value.NO')]]} />
      </div>
    ),
    steps: () => [{ mqsc: `DEFINE ${object('QLOCAL', name.value)} ${keywords({ QSGDISP: 'SHARED', CFSTRUCT: { text: structure }, DEFPSIST: persistence.value })}` }],
    done: () => t('qsg.queueDefined', { name: name.peek() }),
  });
}
