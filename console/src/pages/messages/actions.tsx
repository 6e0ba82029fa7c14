// What is done with messages of a queue: they are moved, copied, purged and replayed by jobs.
//
// A job is counted first, by a dry run, and then does exactly the messages that were counted: its order carries their positions, or the first
// position that did not exist then and the count. What arrives meanwhile is left alone.

import { computed, type Signal, signal } from '@preact/signals';
import type { Job, NewJob } from '../../api/operations.ts';
import { propose, type Step } from '../../change/change.ts';
import { bytes, count, moment } from '../../format.ts';
import { Field } from '../../parts/field.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { t } from '../../text.ts';
import { ContextBox } from './carry.tsx';
import { type DryRun, dryRun, follow } from './dry-run.ts';
import type { MessageQuery } from './filters.ts';
import { Samples } from './samples.tsx';
import { Target, Targets } from './target.tsx';
import { report } from './undo.tsx';

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

/** Counts, shows, asks, and starts the job. Resolves with whether it was started and has ended; `changed` is called when it was taken back. */
export async function proposeJob(qmgr: string, queue: string, action: Action, choice: Choice, preset: { to?: string; changed?: () => void } = {}): Promise<boolean> {
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
    if (!job || found.value === 0 || (needsTarget.value && to.value.trim() === '')) return [];
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
  report(await follow(started), preset.changed);
  return true;
}

function orderOf({ query: { contains, minLength, maxLength, ...match }, positions, deadLetter, limit }: Choice): Omit<NewJob, 'action'> {
  return {
    ...(Object.keys(match).length > 0 ? { match } : {}), ...(contains === undefined ? {} : { contains }),
    ...(minLength === undefined ? {} : { minLength }), ...(maxLength === undefined ? {} : { maxLength }), ...(positions ? { positions } : {}),
    ...(deadLetter ? { deadLetter } : {}), ...(limit ? { limit } : {}),
  };
}

interface JobFormProps {
  qmgr: string;
  queue: string;
  action: Action;
  now: { value: Action };
  to: Signal<string>;
  isNewContext: Signal<boolean>;
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
      {now.value !== 'purge' && <ContextBox isNewContext={isNewContext} />}
    </div>
  );
}

/** The targets that were chosen last, by queue, while the page lives. */
const targets = new Map<string, string>();

function lastTarget(queue: string): string {
  return targets.get(queue) ?? '';
}

function keepTarget(queue: string, target: string): void {
  targets.set(queue, target);
}
