// The dialog that makes a queue: a name, a type and what most queues need. The rest has its defaults and can be changed afterwards.

import { useSignal } from '@preact/signals';
import { keywords, object } from '../../api/mqsc.ts';
import { propose } from '../../change/change.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { go } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';

const TYPES = ['QLOCAL', 'QALIAS', 'QREMOTE', 'QMODEL'] as const;
type Type = (typeof TYPES)[number];
/** What MQ allows in a name. */
const NAME = '[A-Za-z0-9._/%]{1,48}';

export function CreateQueue({ qmgr, onClose }: { qmgr: string; onClose(): void }) {
  const type = useSignal<Type>('QLOCAL');
  const name = useSignal('');
  const description = useSignal('');
  const depth = useSignal('5000');
  const persistence = useSignal<'YES' | 'NO'>('YES');
  const target = useSignal('');
  const remoteQmgr = useSignal('');

  function attributes(): Record<string, string | number | { text: string }> {
    const described = description.value === '' ? {} : { DESCR: { text: description.value } };
    switch (type.value) {
      case 'QALIAS':
        return { TARGET: { text: target.value }, ...described };
      case 'QREMOTE':
        return { RNAME: { text: target.value }, RQMNAME: { text: remoteQmgr.value }, ...described };
      case 'QLOCAL':
      case 'QMODEL':
        return { MAXDEPTH: Number(depth.value), DEFPSIST: persistence.value, ...described };
    }
  }

  async function create(): Promise<void> {
    const queue = name.value;
    onClose();
    const isDone = await propose({
      title: t('queues.createNamed', { name: queue }), qmgr, apply: t('queues.create'), done: t('queues.created', { name: queue }),
      steps: [{ mqsc: `DEFINE ${object(type.value, queue)} ${keywords(attributes())}` }],
    });
    if (isDone) go(link.queue({ qmgr, queue }));
  }

  const isStored = type.value === 'QLOCAL' || type.value === 'QMODEL';
  return (
    <Dialog
      title={t('queues.create')} above={qmgr} onClose={onClose}
      actions={<><Button onClick={onClose}>{t('change.cancel')}</Button><button type="submit" form="create-queue" class="button primary"><span>{t('change.next')}</span></button></>}
    >
      <form
        id="create-queue" class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label={t('column.name')} value={name} pattern={NAME} required maxLength={48} hint={t('queues.nameHint')} />
        <Select label={t('column.type')} value={type} options={TYPES.map((one) => [one, t(`queues.${one}`)])} />
        {isStored && <Field label={t('attribute.maxdepth')} value={depth} type="number" min={0} max={999999999} required />}
        {isStored && <Select label={t('attribute.defpsist')} value={persistence} options={[['YES', t('value.YES')], ['NO', t('value.NO')]]} />}
        {type.value === 'QALIAS' && <Field label={t('attribute.target')} value={target} required maxLength={48} />}
        {type.value === 'QREMOTE' && <Field label={t('attribute.rname')} value={target} maxLength={48} />}
        {type.value === 'QREMOTE' && <Field label={t('attribute.rqmname')} value={remoteQmgr} required maxLength={48} />}
        <Field label={t('column.description')} value={description} maxLength={64} wide />
      </form>
    </Dialog>
  );
}
