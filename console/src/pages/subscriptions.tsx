// Subscriptions: to what, whose, where publications go, and how many went.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { may } from '../api/session.ts';
import { age, moment } from '../format.ts';
import { type Column, List } from '../grid/list.tsx';
import type { ListRows } from '../grid/rows.ts';
import type { Selection } from '../grid/selection.ts';
import { listSource } from '../grid/source.ts';
import type { PageProps } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { link } from '../routes.ts';
import { t, textOf } from '../text.ts';
import { Amount } from './queue/columns.tsx';
import { createSubscription, deleteSubscriptions } from './topics/actions.tsx';
import type { SubscriptionRow } from './topics/topics.ts';
import { TopicTabs } from './topics.tsx';

const FILTERS = ['name', 'topicString', 'destination', 'user', 'durable', 'messages', 'type', 'last', 'connection', 'selector'];

export default function SubscriptionsPage({ parameters: { qmgr = '' } }: PageProps) {
  const turn = useSignal(0);
  const columns = useMemo(() => columnsOf(qmgr), [qmgr]);
  const changed = () => (turn.value += 1);
  return (
    <div class="list-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.topics')}</h1>
          <span class="page-actions">
            <Button icon="refresh" onClick={changed}>{t('list.refresh')}</Button>
            {may.value.change && <Button kind="primary" icon="add" onClick={() => void createSubscription(qmgr).then((isDone) => isDone && changed())}>{t('topics.subscribe')}</Button>}
          </span>
        </div>
      </header>
      <TopicTabs qmgr={qmgr} open="subscriptions" />
      <div class="tab list-page">
        <List<SubscriptionRow>
          name="subscriptions" label={t('pages.subscriptions')} sourceKey={`${qmgr} ${turn.value}`} source={(wanted) => listSource('subscriptions', qmgr, wanted)} keyOf={({ id }) => id} columns={columns}
          shown={['name', 'topicString', 'destination', 'user', 'durable', 'messages', 'last', 'type']} always={['id', 'name']} sort={['name']} example="durable=true" filters={FILTERS}
          quick={[{ name: t('topics.durable'), where: 'durable=true' }, { name: t('topics.open'), where: 'connection!=' }]}
          {...{ href: ({ topicString }: SubscriptionRow) => link.topics({ qmgr }, { topic: topicString }) }}
          {...(may.value.change ? { actions: (selection: Selection<SubscriptionRow>, rows: ListRows<SubscriptionRow>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} changed={changed} /> } : {})}
        />
      </div>
    </div>
  );
}

function Ticked({ qmgr, selection, rows, changed }: { qmgr: string; selection: Selection<SubscriptionRow>; rows: ListRows<SubscriptionRow>; changed(): void }) {
  async function remove(): Promise<void> {
    const chosen = selection.chosen().rows ?? (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((one) => selection.has(one));
    if (await deleteSubscriptions(qmgr, chosen)) changed();
  }
  return <Button kind="plain" icon="remove" onClick={() => void remove()}>{t('topics.deleteSubscription')}</Button>;
}

function columnsOf(qmgr: string): (Column<SubscriptionRow> & { needs?: readonly string[] })[] {
  const no = <span class="quiet">–</span>;
  return [
    { key: 'name', title: t('column.name'), width: '2fr', needs: ['name', 'id'], cell: ({ name, id }) => (name ? <span class="object" title={name}>{name}</span> : <span class="quiet mono" title={id}>{id.slice(-16)}</span>) },
    { key: 'topicString', title: t('column.topicString'), width: '2fr', cell: ({ topicString }) => <span title={topicString}>{topicString || <span class="quiet">{t('topics.root')}</span>}</span> },
    { key: 'destination', title: t('column.destination'), width: '2fr', cell: ({ destination }) => (destination ? <a class="object" tabIndex={-1} href={link.queue({ qmgr, queue: destination })} title={destination}>{destination}</a> : no) },
    { key: 'user', title: t('column.user'), width: 112, cell: ({ user }) => user ?? no },
    { key: 'durable', title: t('column.durable'), width: 88, cell: ({ durable }) => (durable ? t('value.YES') : <span class="quiet">{t('value.NO')}</span>) },
    { key: 'messages', title: t('column.publications'), width: 112, align: 'end', help: t('topics.messagesHelp'), cell: ({ messages }) => <Amount value={messages} /> },
    { key: 'last', title: t('column.lastPublication'), width: 112, align: 'end', cell: ({ last }) => (last === null ? no : <time title={moment(last)}>{age(last)}</time>) },
    { key: 'type', title: t('column.madeBy'), width: 100, cell: ({ type }) => textOf(`madeBy.${type}`) ?? no },
    { key: 'connection', title: t('pages.connection'), width: 164, cell: ({ connection }) => (connection ? <a class="mono" tabIndex={-1} href={link.connection({ qmgr, connection })}>{connection}</a> : no) },
    { key: 'selector', title: t('topics.selector'), width: '2fr', cell: ({ selector }) => (selector ? <span class="mono" title={selector}>{selector}</span> : no) },
  ];
}
