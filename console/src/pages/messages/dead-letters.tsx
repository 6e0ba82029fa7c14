// Dead letters: why messages are on the dead-letter queue, in groups of one cause, and the way back for one of a group or for all.

import { useEffect } from 'preact/hooks';
import type { Job } from '../../api/operations.ts';
import { request } from '../../api/request.ts';
import { may } from '../../api/session.ts';
import { age, bytes, count, moment } from '../../format.ts';
import type { PageProps } from '../../pages.ts';
import { useAsked } from '../../parts/asked.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { go, route, setQuery } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { type Action, type Choice, proposeJob } from './actions.tsx';
import { Preview } from './columns.tsx';
import type { SeenMessage } from './seen.ts';
import { isUndoable, proposeUndo } from './undo.tsx';
import { visible } from './visible.ts';

interface Group {
  count: number;
  firstAt: string;
  lastAt: string;
  samplePosition: string;
  origin: { user: string; application: string };
  reason: { code: number; name: string | null; text: string } | null;
  text: string;
  destination?: { queue: string; qmgr: string; exists?: boolean; takesItNow?: boolean };
}

export default function DeadLettersPage({ parameters: { qmgr = '' } }: PageProps) {
  const wanted = route.value?.query.get('queue') ?? undefined;
  const asked = useAsked(`${qmgr} ${wanted ?? ''}`, (signal) => request('GET /api/v1/qmgr/{qmgr}/why/dead-letter', { path: { qmgr }, query: { ...(wanted ? { queue: wanted } : {}), limit: 200 }, signal }));
  const answer = asked.answer;
  const all = (answer?.groups ?? []) as unknown as Group[];
  // A problem leads here with the cause that it is about.
  const [reason, destination] = [route.value?.query.get('reason'), route.value?.query.get('destination')];
  const groups = all.filter((group) => (!reason || String(group.reason?.code) === reason) && (!destination || (group.destination?.queue ?? '') === destination));
  const queue = answer?.queue ?? undefined;
  const isReplayed = route.value?.query.get('action') === 'replay';
  useEffect(() => {
    if (!queue || !isReplayed || !may.value.messages) return;
    setQuery({ action: undefined });
    const deadLetter = { ...(reason ? { reason: Number(reason) } : {}), ...(destination ? { queue: destination } : {}) };
    void proposeJob(qmgr, queue, 'replay', { query: {}, deadLetter }, { changed: asked.again }).then((isDone) => isDone && asked.again());
  }, [queue, isReplayed]);
  const messages = groups.reduce((sum, group) => sum + group.count, 0);
  return (
    <div class="object-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.deadLetters')}</h1>
          {queue && <a class="tag" href={link.queueMessages({ qmgr, queue })}>{queue}</a>}
          <div class="head-actions">
            <Button kind="plain" icon="refresh" onClick={asked.again}>{t('list.refresh')}</Button>
          </div>
        </div>
        {answer && queue && (
          <p class="quiet">
            {groups.length < all.length && <button type="button" class="link" onClick={() => setQuery({ reason: undefined, destination: undefined, action: undefined })}>{t('dead.showAll', { count: all.length })}</button>} {answer.isComplete ? t('dead.groups', { count: groups.length, messages }) : t('dead.partly', { looked: answer.lookedAt ?? 0 })}
          </p>
        )}
      </header>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!answer && asked.error === undefined && <Loading />}
      {answer && !queue && <Empty title={t('dead.noQueue')}>{t('dead.noQueueHint')} <code>ALTER QMGR DEADQ(…)</code></Empty>}
      {answer && queue && groups.length === 0 && <Empty title={t('dead.none')} />}
      {queue && may.value.messages && <LastReplay qmgr={qmgr} queue={queue} answer={answer} again={asked.again} />}
      <ul class="groups">
        {groups.map((group) => <Card key={`${group.samplePosition}`} qmgr={qmgr} queue={queue ?? ''} group={group} again={asked.again} />)}
      </ul>
    </div>
  );
}

/** The last replay that can be taken back. It is looked for again with each answer of the page. */
function LastReplay({ qmgr, queue, answer, again }: { qmgr: string; queue: string; answer: unknown; again(): void }) {
  const asked = useAsked(`replays ${qmgr} ${queue}`, async (signal) => (await request('GET /api/v1/jobs', { query: { limit: 1000 }, signal })).jobs.filter((job) => job.qmgr === qmgr));
  useEffect(() => {
    if (answer !== undefined) asked.again();
  }, [answer]);
  const jobs = asked.answer ?? [];
  const isUndone = ({ id }: Job) => jobs.some((job) => job.of === id && !job.dryRun && job.counts.done > 0);
  const last = jobs.find((job) => job.action === 'replay' && job.queue === queue && isUndoable(job));
  if (!last || isUndone(last)) return null;
  return (
    <p class="last-replay">
      <span>{t('jobs.lastReplay', { count: last.counts.done, age: age(last.startedAt) })}</span>
      <a href={link.jobs({ qmgr }, { job: last.id })}>{t('jobs.report')}</a>
      <button type="button" class="link" onClick={() => void proposeUndo(last).then((isDone) => isDone && again())}>{t('jobs.undo')}</button>
    </p>
  );
}

function Card({ qmgr, queue, group, again }: { qmgr: string; queue: string; group: Group; again(): void }) {
  const { reason, destination, origin } = group;
  const choice: Choice = {
    query: {}, count: group.count,
    deadLetter: { reason: reason?.code ?? null, queue: destination?.queue ?? '', user: origin.user, application: origin.application },
  };
  const start = (action: Action, limit?: number) => void proposeJob(qmgr, queue, action, limit ? { ...choice, limit } : choice, { changed: again }).then((isDone) => isDone && again());
  const isReplayable = reason !== null && destination !== undefined;
  return (
    <li class="group">
      <p class="group-count"><strong>{count(group.count)}</strong></p>
      <div class="group-what">
        <p class="group-title">
          {reason ? <><span class="is-error">{reason.code}</span> {reason.name ?? ''} </> : t('dead.noHeader')}
          {destination && <><Icon name="next" /> <a class="object" href={link.queue({ qmgr, queue: destination.queue })}>{visible(destination.queue)}</a></>}
        </p>
        <p>{visible(group.text)}</p>
        <p class="quiet">{t('dead.from', { user: visible(origin.user) || '–', application: visible(origin.application) || '–' })} · <time title={moment(group.firstAt)}>{t('dead.first', { age: age(group.firstAt) })}</time> · <time title={moment(group.lastAt)}>{t('dead.last', { age: age(group.lastAt) })}</time></p>
        <Sample qmgr={qmgr} queue={queue} position={group.samplePosition} />
      </div>
      <div class="group-actions">
        {destination && <span class={destination.takesItNow ? 'tag' : 'tag is-warning'}>{t(destination.takesItNow ? 'dead.takesIt' : 'dead.doesNot')}</span>}
        {may.value.messages && (
          <>
            {isReplayable && <Button onClick={() => start('replay')}>{t('dead.replayAll', { count: group.count })}</Button>}
            {isReplayable && group.count > 1 && <Button kind="plain" onClick={() => start('replay', 1)}>{t('dead.replayOne')}</Button>}
            <Menu
              button={<Icon name="more" />} class="icon-button" label={t('list.more')} edge="end"
              actions={[
                { name: t('dead.look'), run: () => go(link.message({ qmgr, queue, message: group.samplePosition })) },
                { name: t('messages.moveAll'), run: () => start('move') },
                { name: t('messages.copyAll'), run: () => start('copy') },
                { name: t('dead.purge'), icon: 'remove', danger: true, run: () => start('purge') },
              ]}
            />
          </>
        )}
      </div>
    </li>
  );
}

function Sample({ qmgr, queue, position }: { qmgr: string; queue: string; position: string }) {
  const asked = useAsked(`${qmgr} ${queue} ${position}`, async (signal) =>
    (await request('GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', { path: { qmgr, queue, position }, query: { body: 'preview' }, signal })) as unknown as SeenMessage);
  if (!asked.answer) return null;
  return (
    <p class="group-sample">
      <a href={link.message({ qmgr, queue, message: position })}>{t('dead.sample')}</a> <span class="quiet">{bytes(asked.answer.length)}</span> <Preview message={asked.answer} />
    </p>
  );
}
