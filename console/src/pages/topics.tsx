// Topics: topic strings in the order of their tree, with publishers, subscribers and what is retained. One opens at the side.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { request } from '../api/request.ts';
import { may } from '../api/session.ts';
import { type Column, List } from '../grid/list.tsx';
import { listSource, objects } from '../grid/source.ts';
import type { PageProps } from '../pages.ts';
import { useAsked } from '../parts/asked.ts';
import { Button } from '../parts/button.tsx';
import { Drawer } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { addressWith, route, setQuery } from '../router.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { Amount } from './queue/columns.tsx';
import { clearRetained, createSubscription, createTopic, deleteTopic, publish } from './topics/actions.tsx';
import { connectionOf, gets, publishersOf, type SubscriptionRow, type TopicRow } from './topics/topics.ts';

const FILTERS = ['name', 'topicString', 'publishers', 'subscribers', 'retained', 'publish', 'subscribe', 'system'];

export default function TopicsPage({ parameters: { qmgr = '' } }: PageProps) {
  const turn = useSignal(0);
  const columns = useMemo(columnsOf, []);
  const opened = route.value?.query.get('topic') ?? undefined;
  const changed = () => (turn.value += 1);
  const then = (done: Promise<boolean>) => void done.then((isDone) => isDone && changed());
  return (
    <div class="list-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.topics')}</h1>
          <span class="page-actions">
            <Button icon="refresh" onClick={changed}>{t('list.refresh')}</Button>
            {may.value.messages && <Button icon="upload" onClick={() => then(publish(qmgr))}>{t('topics.publish')}</Button>}
            {may.value.change && <Button kind="primary" icon="add" onClick={() => then(createTopic(qmgr))}>{t('topics.create')}</Button>}
          </span>
        </div>
      </header>
      <TopicTabs qmgr={qmgr} open="topics" />
      <div class="tab list-page">
        <List<TopicRow>
          name="topics" label={t('pages.topics')} sourceKey={`${qmgr} ${turn.value}`} source={(wanted) => listSource('topics', qmgr, wanted)} keyOf={({ topicString }) => topicString} columns={columns}
          shown={['topicString', 'name', 'publishers', 'subscribers', 'retained']} always={['topicString']} sort={['topicString']} example="subscribers>0" where={['system=false']} filters={FILTERS}
          quick={[
            { name: t('queues.noSystem'), where: 'system=false' }, { name: t('topics.withSubscribers'), where: 'subscribers>0' }, { name: t('topics.withPublishers'), where: 'publishers>0' },
            { name: t('topics.withRetained'), where: 'retained=true' },
          ]}
          href={({ topicString }) => addressWith({ topic: topicString })}
        />
      </div>
      {opened !== undefined && <Topic key={opened} qmgr={qmgr} topicString={opened} turn={turn.value} changed={changed} />}
    </div>
  );
}

/** Topics and subscriptions are one place with two pages. */
export function TopicTabs({ qmgr, open }: { qmgr: string; open: 'topics' | 'subscriptions' }) {
  return <Tabs label={t('pages.topics')} tabs={(['topics', 'subscriptions'] as const).map((one) => ({ name: t(`pages.${one}`), href: link[one]({ qmgr }), isOpen: one === open }))} />;
}

const columnsOf = (): Column<TopicRow>[] => [
  { key: 'topicString', title: t('column.topicString'), width: '3fr', cell: ({ topicString }) => <TopicString text={topicString} /> },
  { key: 'name', title: t('column.topicObject'), width: '2fr', cell: ({ name }) => name ?? <span class="quiet">–</span> },
  { key: 'publishers', title: t('column.publishers'), width: 108, align: 'end', help: t('topics.publishersHelp'), cell: ({ publishers }) => <Amount value={publishers} /> },
  { key: 'subscribers', title: t('column.subscribers'), width: 116, align: 'end', help: t('topics.subscribersHelp'), cell: ({ subscribers }) => <Amount value={subscribers} /> },
  { key: 'retained', title: t('column.retained'), width: 104, largeFirst: true, cell: ({ retained }) => (retained ? <span role="img" aria-label={t('value.YES')}><Icon name="tick" /></span> : <span class="quiet" role="img" aria-label={t('value.NO')}>·</span>) },
];

/** A topic string with its upper levels quiet, so that the tree can be seen in the list. */
function TopicString({ text }: { text: string }) {
  const cut = text.lastIndexOf('/', text.length - 2) + 1;
  if (text === '') return <span class="quiet">{t('topics.root')}</span>;
  return <span title={text}><span class="quiet">{text.slice(0, cut)}</span><span class="object">{text.slice(cut)}</span></span>;
}

interface TopicProps {
  qmgr: string;
  topicString: string;
  turn: number;
  changed(): void;
}

/** Subscriptions that are looked at, to find those that get publications to a topic string. */
const MOST_LOOKED_AT = 1000;

function Topic({ qmgr, topicString, turn, changed }: TopicProps) {
  const key = `${qmgr} ${topicString} ${turn}`;
  const asked = useAsked(key, async (signal) => {
    const where = [`topicString=${topicString}`];
    const [topics, subscriptions, publishers] = await Promise.all([
      request('GET /api/v1/qmgr/{qmgr}/topics', { path: { qmgr }, query: { where, columns: 'name,topicString,publishers,subscribers,retained', limit: 1 }, signal }),
      request('GET /api/v1/qmgr/{qmgr}/subscriptions', { path: { qmgr }, query: { columns: 'name,id,topicString,destination,user,durable,messages,connection', limit: MOST_LOOKED_AT }, signal }),
      publishersOf(qmgr, topicString, signal),
    ]);
    return { topic: objects<TopicRow>(topics)[0], subscriptions: objects<SubscriptionRow>(subscriptions).filter((one) => gets(one.topicString, topicString)), publishers };
  });
  const then = (done: Promise<boolean>) => void done.then((isDone) => isDone && changed());
  const { topic, subscriptions = [], publishers = [] } = asked.answer ?? {};
  return (
    <Drawer
      title={topicString || t('topics.root')} above={topic?.name ?? t('topics.noObject')} onClose={() => setQuery({ topic: undefined })}
      actions={
        <>
          {may.value.change && topic?.retained && <Button kind="plain" onClick={() => then(clearRetained(qmgr, topicString))}>{t('topics.clear')}</Button>}
          {may.value.change && topic?.name && <Button kind="plain" icon="remove" onClick={() => then(deleteTopic(qmgr, topic))}>{t('topics.delete')}</Button>}
          {may.value.change && topic && !topic.name && <Button kind="plain" icon="add" onClick={() => then(createTopic(qmgr, topicString))}>{t('topics.create')}</Button>}
          {may.value.change && <Button onClick={() => then(createSubscription(qmgr, topicString))}>{t('topics.subscribe')}</Button>}
          {may.value.messages && <Button kind="primary" onClick={() => then(publish(qmgr, topicString))}>{t('topics.publish')}</Button>}
        </>
      }
    >
      <div class="explain">
        {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
        {!asked.answer && asked.isLoading && <Loading />}
        {asked.answer && (
          <>
            <section aria-labelledby="topic-subscribers">
              <h3 id="topic-subscribers" class="explain-title">{t('topics.subscribersOf', { count: subscriptions.length })}</h3>
              {subscriptions.length > 0 && (
                <table class="plain-table">
                  <thead><tr><th scope="col">{t('column.subscription')}</th><th scope="col">{t('column.topicString')}</th><th scope="col">{t('column.destination')}</th><th scope="col" class="is-end">{t('column.publications')}</th></tr></thead>
                  <tbody>
                    {subscriptions.map(({ id, name, topicString: pattern, user, destination, messages, connection }) => (
                      <tr key={id}>
                        <th scope="row">{connection ? <a href={link.connection({ qmgr, connection })}>{name ?? user ?? id}</a> : (name ?? user ?? id)}</th>
                        <td>{pattern}</td>
                        <td>{destination ? <a href={link.queue({ qmgr, queue: destination })}>{destination}</a> : '–'}</td>
                        <td class="is-end">{messages}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </section>
            <section aria-labelledby="topic-publishers">
              <h3 id="topic-publishers" class="explain-title">{t('topics.publishersOf', { count: publishers.length })}</h3>
              {publishers.length > 0 && (
                <table class="plain-table">
                  <thead><tr><th scope="col">{t('pages.connection')}</th><th scope="col">{t('topics.lastPublished')}</th><th scope="col" class="is-end">{t('column.publications')}</th></tr></thead>
                  <tbody>
                    {publishers.map(({ actconn, lpubdate, lpubtime, numpubs }) => {
                      const connection = connectionOf(actconn);
                      return (
                        <tr key={actconn}>
                          <th scope="row">{connection ? <a class="mono" href={link.connection({ qmgr, connection })}>{connection}</a> : '–'}</th>
                          <td>{lpubdate} {lpubtime.replaceAll('.', ':')}{lpubdate && ' UTC'}</td>
                          <td class="is-end">{numpubs}</td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              )}
            </section>
            <p class={topic?.retained ? undefined : 'quiet'}>{t(topic?.retained ? 'topics.isRetained' : 'topics.noRetained')}</p>
          </>
        )}
      </div>
    </Drawer>
  );
}
