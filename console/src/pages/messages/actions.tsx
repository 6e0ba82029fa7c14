// What is done with messages of a queue: moved, copied, purged, replayed by jobs, exported and imported.
//
// A job is counted first, by a dry run, and then does exactly the messages that were counted: its order carries their positions, or the first
// position that did not exist then and the count. What arrives meanwhile is left alone.

import { computed, type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Job, NewJob } from '../../api/operations.ts';
import { request } from '../../api/request.ts';
import { propose, type Step } from '../../change/change.ts';
import { bytes, count, moment } from '../../format.ts';
import { objects } from '../../grid/source.ts';
import { Field } from '../../parts/field.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { go } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { type DryRun, dryRun, follow } from './dry-run.ts';
import type { MessageQuery } from './filters.ts';
import { Samples } from './samples.tsx';

export type Action = NewJob['action'];

/** Which messages. */
export interface Choice {
  query: MessageQuery;
  positions?: string[];
  deadLetter?: NewJob['deadLetter'];
  /** How many there are, as far as that is known. */
  count?: number | undefined;
  /** At most so many. */
  limit?: number;
}

/** From so many messages on the name of the queue has to be typed before a purge. */
const TYPED_FROM = 1001;

/** Counts, shows, asks, and starts the job. Resolves with whether it was started and has ended. */
export async function proposeJob(qmgr: string, queue: string, action: Action, choice: Choice, preset: { to?: string } = {}): Promise<boolean> {
  const to = signal(preset.to ?? lastTarget(queue));
  const isNewContext = signal(false);
  const run = signal<DryRun>({ isOver: false });
  const isPark = signal(false);
  const abort = new AbortController();
  const now = computed<Action>(() => (isPark.value ? 'move' : action));
  const needsTarget = computed(() => now.value === 'move' || now.value === 'copy');
  const found = computed(() => run.value.job?.counts.done ?? 0);
  let started: Job | undefined;
  // To count needs no target; what a purge may not get, a move may not either.
  void dryRun(qmgr, queue, { ...orderOf(choice), action: action === 'replay' ? 'replay' : action === 'copy' ? 'copy' : 'purge', ...(action === 'copy' ? { to: { queue } } : {}) }, abort.signal, (next) => (run.value = next));
  const steps = computed<readonly Step[]>(() => {
    const job = run.value.job;
    if (!job || found.value === 0) return [];
    const json: NewJob = {
      action: now.value, ...orderOf(choice), ...(choice.positions ? {} : { before: job.before ?? '', limit: found.value }),
      ...(needsTarget.value || (now.value === 'replay' && to.value !== '') ? { to: { queue: to.value.trim() } } : {}), ...(isNewContext.value ? { context: 'new' as const } : {}),
    };
    return [{
      operation: 'POST /api/v1/qmgr/{qmgr}/queue/{queue}/jobs', path: { qmgr, queue }, json,
      async answered(answer) {
        started = (await answer.json()) as Job;
      },
    }];
  });
  if (action === 'replay' && preset.to === undefined) to.value = '';
  const isDone = await propose({
    title: t(`messages.${action}Title`, { queue }), qmgr, danger: action === 'purge', steps: () => steps.value,
    isReady: () => run.value.isOver && found.value > 0 && (!needsTarget.value || to.value.trim() !== ''),
    typed: () => (now.value === 'purge' && found.value >= TYPED_FROM ? queue : undefined),
    apply: () => (run.value.isOver ? t(`messages.${now.value}Count`, { count: found.value }) : t('messages.counting')),
    done: t('jobs.started'),
    children: <JobForm qmgr={qmgr} queue={queue} action={action} now={now} to={to} isNewContext={isNewContext} isPark={isPark} run={run} />,
  });
  abort.abort();
  if (!isDone || !started) return false;
  if (needsTarget.peek()) keepTarget(queue, to.peek().trim());
  const ended = await follow(started);
  report(qmgr, ended);
  return true;
}

/** What becomes of a job, with a way back while there is one. */
function report(qmgr: string, job: Job): void {
  const { done, failed } = job.counts;
  const text = t(`jobs.${job.action as Action}Done`, { count: done });
  const isGood = job.state === 'done' && failed === 0;
  const undo = undoOf(job);
  const look = { name: t('jobs.report'), run: () => go(link.jobs({ qmgr }, { job: job.id })) };
  toast(isGood ? 'good' : 'error', isGood ? text : `${text} ${t('jobs.notDone', { failed, state: job.state })}`, isGood && undo ? { name: t('jobs.undo'), run: () => void undo() } : isGood ? undefined : look);
}

/** Takes back what a move or a copy has put, as another job; undefined: it cannot be taken back. */
export function undoOf(job: Job): (() => Promise<boolean>) | undefined {
  const target = job.to?.queue;
  if (!job.put?.length || !target || job.dryRun) return undefined;
  const order: NewJob = job.action === 'move' ? { action: 'move', ids: job.put, to: { queue: job.queue } } : { action: 'purge', ids: job.put };
  return async () => {
    let started: Job | undefined;
    const isDone = await propose({
      title: t('jobs.undoTitle'), qmgr: job.qmgr, danger: job.action === 'copy', apply: t('jobs.undo'), done: t('jobs.started'),
      children: <p>{t(job.action === 'move' ? 'jobs.undoMove' : 'jobs.undoCopy', { count: job.put?.length ?? 0, from: target, to: job.queue })}</p>,
      steps: [{
        operation: 'POST /api/v1/qmgr/{qmgr}/queue/{queue}/jobs', path: { qmgr: job.qmgr, queue: target }, json: order,
        async answered(answer) {
          started = (await answer.json()) as Job;
        },
      }],
    });
    if (isDone && started) report(job.qmgr, await follow(started));
    return isDone;
  };
}

function orderOf({ query: { contains, ...match }, positions, deadLetter, limit }: Choice): Omit<NewJob, 'action'> {
  return {
    ...(Object.keys(match).length > 0 ? { match } : {}), ...(contains === undefined ? {} : { contains }), ...(positions ? { positions } : {}),
    ...(deadLetter ? { deadLetter } : {}), ...(limit ? { limit } : {}),
  };
}

interface JobFormProps {
  qmgr: string;
  queue: string;
  action: Action;
  now: { value: Action };
  to: Signal<string>;
  isNewContext: { value: boolean };
  isPark: { value: boolean };
  run: { value: DryRun };
}

function JobForm({ qmgr, queue, action, now, to, isNewContext, isPark, run }: JobFormProps) {
  const { job, error, isOver } = run.value;
  const needsTarget = now.value === 'move' || now.value === 'copy';
  return (
    <div class="job-form">
      {needsTarget && <Target qmgr={qmgr} queue={queue} to={to} job={job} />}
      {action === 'replay' && <Field label={t('messages.replayTo')} value={to} hint={t('messages.replayHint')} />}
      {error !== undefined && <Failed error={error} />}
      {!job && error === undefined && <Loading what={t('messages.counting')} />}
      {job && (
        <dl class="job-found" aria-live="polite">
          <div><dt>{t('messages.found')}</dt><dd>{count(job.counts.done)}{!isOver && '…'}</dd></div>
          <div><dt>{t('messages.size')}</dt><dd>{bytes(job.bytes ?? 0)}</dd></div>
          <div><dt>{t('messages.oldest')}</dt><dd class="is-small">{moment(job.sample?.oldest)}</dd></div>
          <div><dt>{t('messages.newest')}</dt><dd class="is-small">{moment(job.sample?.newest)}</dd></div>
        </dl>
      )}
      {job && isOver && job.counts.done === 0 && <p>{t(action === 'replay' ? 'messages.nothingToReplay' : 'messages.nothingFound')}</p>}
      {job && job.counts.failed > 0 && <p class="is-warning">{t('messages.cannot', { count: job.counts.failed })}</p>}
      {job && action === 'replay' && to.value === '' && <Targets qmgr={qmgr} targets={job.sample?.targets ?? []} />}
      {job && isOver && <Samples qmgr={qmgr} queue={queue} positions={job.sample?.positions ?? []} count={job.counts.done} />}
      {job && isOver && job.counts.done > 0 && <p class="quiet">{t('messages.bound', { time: moment(job.startedAt) })}</p>}
      {action === 'purge' && job && job.counts.done > 0 && (
        <label class="check">
          <input type="checkbox" checked={isPark.value} onChange={(event) => (isPark.value = event.currentTarget.checked)} />
          <span>{t('messages.park')}</span>
        </label>
      )}
      {now.value !== 'purge' && (
        <label class="check">
          <input type="checkbox" checked={isNewContext.value} onChange={(event) => (isNewContext.value = event.currentTarget.checked)} />
          <span>{t('messages.newContext')}</span>
        </label>
      )}
    </div>
  );
}

interface Room {
  name: string;
  type: string;
  depth: number | null;
  max: number | null;
  putEnabled: boolean | null;
}

async function room(qmgr: string, queue: string): Promise<Room | undefined> {
  const answer = await request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { where: [`name=${queue}`], columns: 'name,type,depth,max,putEnabled', limit: 1 } });
  return objects<Room & object>(answer as never)[0];
}

/** The queue that messages go to: names are offered, its room is said. */
function Target({ qmgr, queue, to, job }: { qmgr: string; queue: string; to: JobFormProps['to']; job: Job | undefined }) {
  const offered = offeredOf(to);
  useEffect(() => {
    const text = to.value.trim();
    const timer = setTimeout(async () => {
      const answer = await request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { search: text, where: ['system=false'], columns: 'name,type,depth,max,putEnabled', sort: 'name', limit: 20 } }).catch(() => undefined);
      const found = answer ? objects<Room>(answer) : [];
      const exact = found.find(({ name }) => name === text) ?? (text === '' ? undefined : await room(qmgr, text).catch(() => undefined));
      offered.value = { names: found.map(({ name }) => name).filter((name) => name !== queue), target: exact, asked: text };
    }, 150);
    return () => clearTimeout(timer);
  }, [to.value]);
  const { names, target, asked } = offered.value;
  const free = target && target.max !== null && target.depth !== null ? target.max - target.depth : undefined;
  const wanted = job?.counts.done ?? 0;
  return (
    <div class="field">
      <label for="job-target">{t('messages.target')}</label>
      <input
        id="job-target" type="text" list="job-targets" autocomplete="off" spellcheck={false} value={to.value} required
        onInput={(event) => (to.value = event.currentTarget.value.toUpperCase() === to.value ? to.value : event.currentTarget.value)}
      />
      <datalist id="job-targets">{names.map((name) => <option key={name} value={name} />)}</datalist>
      <span class={`field-hint${(free !== undefined && free < wanted) || target?.putEnabled === false ? ' is-warning' : ''}`}>
        {to.value.trim() === '' || asked !== to.value.trim() ? t('messages.targetHint')
          : to.value.trim() === queue ? t('messages.sameQueue')
          : !target ? t('messages.noTarget', { queue: to.value.trim() })
          : target.putEnabled === false ? t('messages.targetOff')
          : free !== undefined && free < wanted ? t('messages.noRoom', { room: free, count: wanted })
          : free !== undefined ? t('messages.room', { room: free }) : t('queue.type', { type: target.type })}
      </span>
    </div>
  );
}

const offers = new WeakMap<object, ReturnType<typeof signal<{ names: string[]; target: Room | undefined; asked: string }>>>();

function offeredOf(key: object) {
  const known = offers.get(key) ?? signal({ names: [] as string[], target: undefined as Room | undefined, asked: '' });
  offers.set(key, known as never);
  return known as { value: { names: string[]; target: Room | undefined; asked: string } };
}

/** Where a replay goes, and whether there is room. */
function Targets({ qmgr, targets }: { qmgr: string; targets: { queue: string; count: number }[] }) {
  const rooms = offeredOf(targets) as unknown as { value: { names: string[]; target: unknown; asked: string; rooms?: Record<string, Room | undefined> } };
  useEffect(() => {
    void Promise.all(targets.map(async ({ queue }) => [queue, await room(qmgr, queue).catch(() => undefined)] as const)).then(
      (all) => (rooms.value = { ...rooms.value, asked: 'all', rooms: Object.fromEntries(all) }),
    );
  }, [JSON.stringify(targets)]);
  if (targets.length === 0) return null;
  return (
    <table class="plain">
      <thead><tr><th>{t('messages.destination')}</th><th class="is-end">{t('messages.found')}</th><th class="is-end">{t('messages.roomThere')}</th></tr></thead>
      <tbody>
        {targets.map(({ queue, count: messages }) => {
          const target = rooms.value.rooms?.[queue];
          const free = target && target.max !== null && target.depth !== null ? target.max - target.depth : undefined;
          const isShort = rooms.value.asked === 'all' && (!target || target.putEnabled === false || (free !== undefined && free < messages));
          return (
            <tr key={queue}>
              <th scope="row" class="object">{queue}</th>
              <td class="is-end">{count(messages)}</td>
              <td class={isShort ? 'is-end is-warning' : 'is-end'}>
                {rooms.value.asked !== 'all' ? '' : !target ? t('messages.noSuchQueue') : target.putEnabled === false ? t('queues.putOff') : free === undefined ? '–' : count(free)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Exports what is chosen as lines of JSON, into a file of the browser. */
export function exportMessages(qmgr: string, queue: string, choice: Choice): void {
  const name = `${qmgr}.${queue}.ndjson`.replaceAll('/', '_');
  const query = new URLSearchParams({ ...(choice.query as Record<string, string>), ...(choice.positions ? { positions: choice.positions.join() } : {}) }).toString();
  download(`/api/v1/qmgr/${encodeURIComponent(qmgr)}/queue/${encodeURIComponent(queue)}/export${query === '' ? '' : `?${query}`}`, name);
}

/** Lets the browser store a resource of the server, which it reads as a stream. */
export function download(address: string, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}

/** Lines of an import that are shown first. */
const SHOWN_LINES = 3;

/** Puts the lines of an export to a queue. */
export async function importMessages(qmgr: string, queue: string): Promise<boolean> {
  const file = await chooseFile('.ndjson,.jsonl,application/x-ndjson');
  if (!file) return false;
  const isNewContext = signal(false);
  const beginning = await file.slice(0, 256 * 1024).text();
  const lines = beginning.split('\n').filter((line) => line.trim() !== '');
  const result = signal('');
  const steps = computed<readonly Step[]>(() => [{
    operation: 'POST /api/v1/qmgr/{qmgr}/queue/{queue}/import', path: { qmgr, queue }, ...(isNewContext.value ? { query: { context: 'new' } } : {}),
    file: { bytes: file, type: 'application/x-ndjson', name: file.name },
    async answered(answer) {
      result.value = (await answer.text()).trim().split('\n').at(-1) ?? '';
    },
  }]);
  const isDone = await propose({
    title: t('messages.importTitle', { queue }), qmgr, steps: () => steps.value, apply: t('messages.import'), done: t('messages.imported'),
    children: (
      <div class="job-form">
        <p>{t('messages.importFile', { name: file.name, size: bytes(file.size) })}</p>
        <ul class="lines">{lines.slice(0, SHOWN_LINES).map((line, index) => <li key={index} class="mono">{line.slice(0, 300)}</li>)}</ul>
        <ContextBox isNewContext={isNewContext} />
      </div>
    ),
  });
  if (isDone) reportImport(result.value);
  return isDone;
}

function ContextBox({ isNewContext }: { isNewContext: { value: boolean } }) {
  return (
    <label class="check">
      <input type="checkbox" checked={isNewContext.value} onChange={(event) => (isNewContext.value = event.currentTarget.checked)} />
      <span>{t('messages.newContext')}</span>
    </label>
  );
}

function reportImport(line: string): void {
  try {
    const { imported = 0, failed = 0 } = JSON.parse(line) as { imported?: number; failed?: number };
    toast(failed > 0 ? 'error' : 'note', t('messages.importCounts', { imported, failed }));
  } catch {
    toast('error', line.slice(0, 300));
  }
}

export function chooseFile(accept = ''): Promise<File | undefined> {
  return new Promise((chosen) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.addEventListener('change', () => chosen(input.files?.[0]));
    input.addEventListener('cancel', () => chosen(undefined));
    input.click();
  });
}

/** The targets that were chosen last, by queue, while the page lives. */
const targets = new Map<string, string>();

function lastTarget(queue: string): string {
  return targets.get(queue) ?? '';
}

function keepTarget(queue: string, target: string): void {
  targets.set(queue, target);
}
