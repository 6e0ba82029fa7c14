// What is done with topics and subscriptions: create, delete, clear a retained publication, publish a test message.

import { signal } from '@preact/signals';
import { keywords, object, quoted } from '../../api/mqsc.ts';
import { propose } from '../../change/change.ts';
import { Field, Select } from '../../parts/field.tsx';
import { t } from '../../text.ts';
import type { SubscriptionRow, TopicRow } from './topics.ts';

const NAME = '[A-Za-z0-9._\\/%]{1,48}';

export function createTopic(qmgr: string, topicString = ''): Promise<boolean> {
  const [name, string, description] = [signal(''), signal(topicString), signal('')];
  const Fields = () => (
    <div class="fields">
      <Field label={t('column.name')} value={name} pattern={NAME} required maxLength={48} hint={t('queues.nameHint')} />
      <Field label={t('column.topicString')} value={string} required hint={t('topics.stringHint')} />
      <Field label={t('column.description')} value={description} maxLength={64} wide />
    </div>
  );
  return propose({
    title: t('topics.create'), qmgr, apply: t('topics.create'), children: <Fields />, isReady: () => name.value !== '' && string.value !== '', done: () => t('topics.created', { name: name.peek() }),
    steps: () => [{ mqsc: `DEFINE ${object('TOPIC', name.value)} ${keywords({ TOPICSTR: { text: string.value }, ...(description.value === '' ? {} : { DESCR: { text: description.value } }) })}` }],
  });
}

export function deleteTopic(qmgr: string, { name, subscribers }: TopicRow): Promise<boolean> {
  return propose({
    title: t('topics.deleteNamed', { name: name ?? '' }), qmgr, danger: true, apply: t('topics.delete'), done: t('topics.deleted', { name: name ?? '' }),
    children: <p>{t('topics.deleteHelp', { count: subscribers ?? 0 })}</p>, steps: [{ mqsc: `DELETE ${object('TOPIC', name ?? '')}` }],
  });
}

export function clearRetained(qmgr: string, topicString: string): Promise<boolean> {
  return propose({
    title: t('topics.clearOf', { topic: topicString }), qmgr, danger: true, apply: t('topics.clear'), done: t('topics.cleared', { topic: topicString }),
    children: <p>{t('topics.clearHelp')}</p>, steps: [{ mqsc: `CLEAR TOPICSTR(${quoted(topicString)}) CLRTYPE(RETAINED)` }],
  });
}

/** Publishes a text, as the user who is signed in. */
export function publish(qmgr: string, topicString = ''): Promise<boolean> {
  const [topic, text] = [signal(topicString), signal('')];
  const persistence = signal<'asQueue' | 'persistent' | 'nonPersistent'>('asQueue');
  const isRetained = signal(false);
  const Fields = () => (
    <div class="fields">
      <Field label={t('column.topicString')} value={topic} required wide />
      <label class="field is-wide">
        <span>{t('topics.text')}</span>
        <textarea rows={5} spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <Select label={t('topics.persistence')} value={persistence} options={[['asQueue', t('topics.asTopic')], ['persistent', t('topics.persistent')], ['nonPersistent', t('topics.nonPersistent')]]} />
      <label class="check topics-retain">
        <input type="checkbox" checked={isRetained.value} onChange={(event) => (isRetained.value = event.currentTarget.checked)} />
        <span>{t('topics.retain')}</span>
      </label>
    </div>
  );
  return propose({
    title: t('topics.publish'), qmgr, apply: t('topics.publish'), children: <Fields />, isReady: () => topic.value !== '', done: () => t('topics.published', { topic: topic.peek() }),
    steps: () => [{
      operation: 'POST /api/v1/qmgr/{qmgr}/topic/{topic}/messages', path: { qmgr, topic: topic.value }, query: { envelope: 'true', ...(isRetained.value ? { retain: 'true' } : {}) },
      json: { body: { text: text.value }, ...(persistence.value === 'asQueue' ? {} : { persistence: persistence.value }) },
    }],
  });
}

export function createSubscription(qmgr: string, topicString = ''): Promise<boolean> {
  const [name, topic, destination, selector] = [signal(''), signal(topicString), signal(''), signal('')];
  const isManaged = signal<'PROVIDED' | 'MANAGED'>('PROVIDED');
  const Fields = () => (
    <div class="fields">
      <Field label={t('column.name')} value={name} required maxLength={128} />
      <Field label={t('column.topicString')} value={topic} required hint={t('topics.wildcards')} />
      <Select label={t('topics.destinationClass')} value={isManaged} options={[['PROVIDED', t('topics.PROVIDED')], ['MANAGED', t('topics.MANAGED')]]} hint="DESTCLAS" />
      {isManaged.value === 'PROVIDED' && <Field label={t('column.destination')} value={destination} required maxLength={48} />}
      <Field label={t('topics.selector')} value={selector} hint="colour = 'red'" wide />
    </div>
  );
  return propose({
    title: t('topics.subscribe'), qmgr, apply: t('topics.subscribe'), children: <Fields />, done: () => t('topics.subscribed', { name: name.peek() }),
    isReady: () => name.value !== '' && topic.value !== '' && (isManaged.value === 'MANAGED' || destination.value !== ''),
    steps: () => [{
      mqsc: `DEFINE ${object('SUB', name.value)} ${keywords({
        TOPICSTR: { text: topic.value }, ...(isManaged.value === 'MANAGED' ? { DESTCLAS: 'MANAGED' } : { DEST: { text: destination.value } }),
        ...(selector.value === '' ? {} : { SELECTOR: { text: selector.value } }),
      })}`,
    }],
  });
}

/** Deletes subscriptions; one without a name by its identifier. */
export function deleteSubscriptions(qmgr: string, rows: readonly Pick<SubscriptionRow, 'name' | 'id'>[]): Promise<boolean> {
  return propose({
    title: t('topics.unsubscribe', { count: rows.length, name: rows[0]?.name ?? rows[0]?.id ?? '' }), qmgr, danger: true, apply: t('topics.deleteSubscription'), done: t('topics.unsubscribed', { count: rows.length }),
    children: <p>{t('topics.unsubscribeHelp')}</p>, steps: rows.map(({ name, id }) => ({ mqsc: name ? `DELETE ${object('SUB', name)}` : `DELETE SUB SUBID(${id})` })),
  });
}
