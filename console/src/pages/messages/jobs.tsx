// Jobs of the last day: what runs, how far it is, what became of the others, and the way back where there is one.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onLive, watch } from '../../api/live.ts';
import type { Job } from '../../api/operations.ts';
import { request } from '../../api/request.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { bytes, clock, count, moment, NONE, span } from '../../format.ts';
import type { PageProps } from '../../pages.ts';
import { useAsked } from '../../parts/asked.ts';
import { Button } from '../../parts/button.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { route, setQuery } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { isUndoable, proposeUndo } from './undo.tsx';
import { reasonName } from './words.ts';

export default function JobsPage({ parameters: { qmgr = '' } }: PageProps) {
  const isDryShown = useSignal(false);
  const asked = useAsked(`jobs ${qmgr}`, async (signal) => (await request('GET /api/v1/jobs', { query: { limit: 1000 }, signal })).jobs.filter((job) => job.qmgr === qmgr));
  const news = useSignal<Record<string, Job>>({});
  useEffect(() => {
    const watching = watch({ jobs: true });
    const end = onLive('job', (job) => {
      if (job.qmgr === qmgr) news.value = { ...news.peek(), [job.id]: job };
    });
    return () => {
      watching.end();
      end();
    };
  }, [qmgr]);
  const known = asked.answer ?? [];
  const fresh = Object.values(news.value).filter(({ id }) => !known.some((job) => job.id === id));
  const jobs = [...fresh, ...known.map((job) => newer(job, news.value[job.id]))].filter(({ dryRun }) => isDryShown.value || !dryRun);
  const undone = new Set([...fresh, ...known].filter((job) => job.of && !job.dryRun && job.counts.done > 0).map((job) => job.of));
  const open = route.value?.query.get('job');
  return (
    <div class="object-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.jobs')}</h1>
          <div class="head-actions">
            <label class="check"><input type="checkbox" checked={isDryShown.value} onChange={(event) => (isDryShown.value = event.currentTarget.checked)} /><span>{t('jobs.showDry')}</span></label>
            <Button kind="plain" icon="refresh" onClick={asked.again}>{t('list.refresh')}</Button>
          </div>
        </div>
      </header>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!asked.answer && asked.error === undefined && <Loading />}
      {asked.answer && jobs.length === 0 && <Empty title={t('jobs.none')} />}
      {jobs.length > 0 && (
        <div class="table-scroll">
          <table class="plain jobs-table">
            <thead>
              <tr>
                <th>{t('jobs.when')}</th><th>{t('jobs.what')}</th><th>{t('jobs.from')}</th><th>{t('jobs.to')}</th><th>{t('jobs.state')}</th>
                <th class="is-end">{t('jobs.done')}</th><th class="is-end">{t('jobs.failed')}</th><th class="is-end">{t('jobs.size')}</th><th class="is-end">{t('jobs.took')}</th><th>{t('jobs.who')}</th><th><span class="heard">{t('jobs.stop')}</span></th>
              </tr>
            </thead>
            <tbody>{jobs.map((job) => <Line key={job.id} qmgr={qmgr} job={job} isUndone={undone.has(job.id)} again={asked.again} />)}</tbody>
          </table>
        </div>
      )}
      {open && <Details key={open} id={open} qmgr={qmgr} again={asked.again} />}
    </div>
  );
}

/** A job that is over does not run again, whatever came late. */
function newer(job: Job, event: Job | undefined): Job {
  return event && job.state === 'running' ? event : job;
}

function Line({ qmgr, job, isUndone, again }: { qmgr: string; job: Job; isUndone: boolean; again(): void }) {
  const [from, to] = ends(job);
  return (
    <tr>
      <td><a href={link.jobs({ qmgr }, { job: job.id })} title={moment(job.startedAt)}><time>{clock(job.startedAt)}</time></a></td>
      <td>{t(`jobs.${job.action}`)}{job.dryRun && <span class="quiet"> {t('jobs.dry')}</span>}</td>
      <td><End qmgr={qmgr} end={from} /></td>
      <td><End qmgr={qmgr} end={to} /></td>
      <td><State job={job} />{isUndone && <span class="quiet"> {t('jobs.undone')}</span>}</td>
      <td class="is-end">{count(job.counts.done)}</td>
      <td class="is-end">{job.counts.failed > 0 ? <span class="is-error">{count(job.counts.failed)}</span> : <span class="quiet">0</span>}</td>
      <td class="is-end">{bytes(job.bytes ?? 0)}</td>
      <td class="is-end">{took(job)}</td>
      <td>{job.user}</td>
      <td class="is-end">
        {job.state === 'running' && may.value.messages && <button type="button" class="link" onClick={() => void stop(job).then(again)}>{t('jobs.stop')}</button>}
        {isUndoable(job) && !isUndone && <button type="button" class="link" onClick={() => void proposeUndo(job).then((isDone) => isDone && again())}>{t('jobs.undo')}</button>}
      </td>
    </tr>
  );
}

/** A queue, or a word for several or none. */
type JobEnd = { queue: string } | { word: string };

/** Where a job takes messages from, and where it puts them. */
function ends(job: Job): [JobEnd, JobEnd] {
  const of = (queue: string | undefined, word: string): JobEnd => (queue === undefined ? { word } : { queue });
  return job.action === 'undo'
    ? [of(job.from?.queue, t('jobs.destinations')), of(job.to?.queue, NONE)]
    : [{ queue: job.queue }, of(job.to?.queue, job.action === 'replay' ? t('jobs.origin') : NONE)];
}

function End({ qmgr, end }: { qmgr: string; end: JobEnd }) {
  return 'queue' in end ? <a class="object" href={link.queueMessages({ qmgr, queue: end.queue })}>{end.queue}</a> : <span class="quiet">{end.word}</span>;
}

const STATES: Record<Job['state'], 'jobs.running' | 'jobs.ended' | 'jobs.failedState' | 'jobs.cancelled' | 'jobs.interrupted'> = {
  running: 'jobs.running', done: 'jobs.ended', failed: 'jobs.failedState', cancelled: 'jobs.cancelled', interrupted: 'jobs.interrupted',
};

function State({ job }: { job: Job }) {
  const look = job.state === 'failed' || job.state === 'interrupted' ? 'tag is-error' : job.state === 'cancelled' || job.counts.failed > 0 ? 'tag is-warning' : 'tag';
  return <span class={look}>{t(STATES[job.state])}</span>;
}

function took({ startedAt, endedAt }: Job): string {
  const seconds = ((endedAt ? Date.parse(endedAt) : Date.now()) - Date.parse(startedAt)) / 1000;
  return seconds < 1 ? `${Math.max(0, Math.round(seconds * 1000))} ms` : span(seconds);
}

async function stop(job: Job): Promise<void> {
  await propose({
    title: t('jobs.stopTitle'), qmgr: job.qmgr, apply: t('jobs.stop'), done: t('jobs.stopped'), children: <p>{t('jobs.stopText', { done: job.counts.done })}</p>,
    steps: [{ operation: 'DELETE /api/v1/jobs/{job}', path: { job: job.id } }],
  });
}

/** The report of a job. */
function Details({ id, qmgr, again }: { id: string; qmgr: string; again(): void }) {
  const asked = useAsked(`job ${id}`, (signal) => request('GET /api/v1/jobs/{job}', { path: { job: id }, signal }));
  const job = asked.answer;
  const isRunning = job?.state === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(asked.again, 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const errors = (job?.errors ?? []) as { position: string; id: string; problem: string; reason?: { code: number; name?: string } | null }[];
  // Of an undo they are where the job has put them.
  const lying = job?.of ? job.from?.queue : job?.queue;
  const reason = job?.reason as { code: number; name?: string } | undefined;
  return (
    <Drawer title={job ? `${t(`jobs.${job.action}`)} · ${job.queue}` : t('pages.jobs')} above={qmgr} onClose={() => setQuery({ job: undefined })}>
      {asked.error !== undefined && <Failed error={asked.error} />}
      {job && (
        <>
          <dl class="details">
            <dt>{t('jobs.state')}</dt><dd><State job={job} /> {reason && <span class="is-error">{reason.code} {reason.name ?? reasonName(reason.code) ?? ''}</span>}</dd>
            {job.of && <><dt>{t('jobs.undoes')}</dt><dd><a href={link.jobs({ qmgr }, { job: job.of })}>{t('jobs.report')}</a></dd></>}
            <dt>{t('jobs.from')}</dt><dd><End qmgr={qmgr} end={ends(job)[0]} /></dd>
            <dt>{t('jobs.to')}</dt><dd><End qmgr={qmgr} end={ends(job)[1]} /></dd>
            <dt>{t('jobs.seen')}</dt><dd>{count(job.counts.seen)}</dd>
            <dt>{t('jobs.done')}</dt><dd>{count(job.counts.done)} <span class="quiet">{bytes(job.bytes ?? 0)}</span></dd>
            <dt>{t('jobs.failed')}</dt><dd>{count(job.counts.failed)}</dd>
            {job.of && <><dt>{t('jobs.gone')}</dt><dd>{count(job.counts.gone)}</dd></>}
            <dt>{t('jobs.when')}</dt><dd>{moment(job.startedAt)}</dd>
            <dt>{t('jobs.took')}</dt><dd>{took(job)}</dd>
            <dt>{t('jobs.who')}</dt><dd>{job.user}</dd>
          </dl>
          {errors.length > 0 && (
            <>
              <h3>{t('jobs.errors')}</h3>
              <table class="plain">
                <tbody>
                  {errors.map((error) => (
                    <tr key={error.position}>
                      <td>{lying === undefined ? error.position : <a href={link.message({ qmgr, queue: lying, message: error.position })}>{error.position}</a>}</td>
                      <td>{error.reason ? `${error.reason.code} ${error.reason.name ?? ''}` : error.problem}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
          <div class="form-actions">
            {isRunning && may.value.messages && <Button onClick={() => void stop(job).then(asked.again)}>{t('jobs.stop')}</Button>}
            {isUndoable(job) && <Button onClick={() => void proposeUndo(job).then((isDone) => isDone && again())}>{t('jobs.undo')}</Button>}
          </div>
          {!isRunning && !job.dryRun && job.undoProblem && <p class="quiet">{t('jobs.noUndo', { problem: job.undoProblem })}</p>}
        </>
      )}
    </Drawer>
  );
}
