// Making a queue: a name, a type and what most queues need. The rest has its defaults and can be changed afterwards.

import { signal } from '@preact/signals';
import { keywords, object } from '../../api/mqsc.ts';
import { propose } from '../../change/change.ts';
import { Field, Select } from '../../parts/field.tsx';
import { go } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';

const TYPES = ['QLOCAL', 'QALIAS', 'QREMOTE', 'QMODEL'] as const;
type Type = (typeof TYPES)[number];
/** What MQ allows in a name, as a pattern of HTML. */
const NAME = '[A-Za-z0-9._\\/%]{1,48}';

/** Shows the dialog, and the queue when it is made. */
export async function createQueue(qmgr: string): Promise<void> {
  const fields = newFields();
  const isDone = await propose({
    title: t('queues.create'), qmgr, apply: t('queues.create'), children: <Fields fields={fields} />,
    isReady: () => fields.name.value !== '',
    steps: () => [{ mqsc: `DEFINE ${object(fields.type.value, fields.name.value)} ${keywords(attributes(fields))}` }],
    done: () => t('queues.created', { name: fields.name.peek() }),
  });
  if (isDone) go(link.queue({ qmgr, queue: fields.name.peek() }));
}

function newFields() {
  return {
    type: signal<Type>('QLOCAL'), name: signal(''), description: signal(''), depth: signal('5000'), persistence: signal<'YES' | 'NO'>('YES'),
    target: signal(''), remoteQmgr: signal(''),
  };
}

type FieldValues = ReturnType<typeof newFields>;

function attributes({ type, description, target, remoteQmgr, depth, persistence }: FieldValues): Record<string, string | number | { text: string }> {
  const described = description.value === '' ? {} : { DESCR: { text: description.value } };
  switch (type.value) {
    case 'QALIAS':
      return { TARGET: { text: target.value }, ...described };
    case 'QREMOTE':
      return { RNAME: { text: target.value }, RQMNAME: { text: remoteQmgr.value }, ...described };
    case 'QLOCAL':
    case 'QMODEL':
      return { MAXDEPTH: depth.value, DEFPSIST: persistence.value, ...described };
  }
}

function Fields({ fields: { type, name, description, depth, persistence, target, remoteQmgr } }: { fields: FieldValues }) {
  const isStored = type.value === 'QLOCAL' || type.value === 'QMODEL';
  return (
    <div class="fields">
      <Field label={t('column.name')} value={name} pattern={NAME} required maxLength={48} hint={t('queues.nameHint')} />
      <Select label={t('column.type')} value={type} options={TYPES.map((one) => [one, t(`queues.${one}`)])} />
      {isStored && <Field label={t('attribute.maxdepth')} value={depth} type="number" min={0} max={999999999} required />}
      {isStored && <Select label={t('attribute.defpsist')} value={persistence} options={[['YES', t('value.YES')], ['NO', t('value.NO')]]} />}
      {type.value === 'QALIAS' && <Field label={t('attribute.target')} value={target} required maxLength={48} />}
      {type.value === 'QREMOTE' && <Field label={t('attribute.rname')} value={target} maxLength={48} />}
      {type.value === 'QREMOTE' && <Field label={t('attribute.rqmname')} value={remoteQmgr} required maxLength={48} />}
      <Field label={t('column.description')} value={description} maxLength={64} wide />
    </div>
  );
}
