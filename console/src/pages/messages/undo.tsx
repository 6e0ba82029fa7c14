// What became of a job, and the way back: an undo counts first what can come back, and is another job.

import { computed, type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Job } from '../../api/operations.ts';
import { may } from '../../api/session.ts';
import { propose, type Step } from '../../change/change.ts';
import { bytes, count } from '../../format.ts';
import { Failed, Loading } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { go } from '../../router.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { ContextBox } from './carry.tsx';
import { type DryRun, dryUndo, follow } from './dry-run.ts';

/** Whether this user can take the job back. */
export function isUndoable(job: Job): boolean {
  return job.undo && may.value.messages;
}

/** Says how a job has ended, with the way back where there is one. `changed` is called when it was taken. */
export function report(job: Job, changed?: () => void): void {
  const { done, failed, gone } = job.counts;
  const sentences = [t(`jobs.${job.action}Done`, { count: done })];
  if (gone > 0) sentences.push(t('jobs.goneText', { count: gone }));
  const isGood = job.state === 'done' && failed === 0;
  if (!isGood) sentences.push(t('jobs.notDone', { failed, state: job.state }));
  const look = { name: t('jobs.report'), run: () => go(link.jobs({ qmgr: job.qmgr }, { job: job.id })) };
  const undo = { name: t('jobs.undo'), run: () => void proposeUndo(job).then((isDone) => isDone && changed?.()) };
  toast(isGood ? 'good' : 'error', sentences.join(' '), isGood && isUndoable(job) ? undo : isGood ? undefined : look);
}

/** Counts what can come back, asks, and starts the undo. Resolves with whether it was started and has ended. */
export async function proposeUndo(job: Job): Promise<boolean> {
  const isNewContext = signal(false);
  const run = signal<DryRun>({ isOver: false });
  const isCopy = job.action === 'copy';
  let started: Job | undefined;
  const steps = computed<readonly Step[]>(() => [{
    operation: 'POST /api/v1/jobs/{job}/undo', path: { job: job.id }, json: isNewContext.value ? { context: 'new' } : {},
    async answered(answer) {
      started = (await answer.json()) as Job;
    },
  }]);
  const found = computed(() => run.value.job?.counts.done ?? 0);
  const isDone = await propose({
    title: t('jobs.undoTitle', { job: t(`jobs.${job.action}`), queue: job.queue }), qmgr: job.qmgr, danger: isCopy,
    steps: () => (found.value > 0 ? steps.value : []), isReady: () => run.value.isOver && run.value.error === undefined,
    apply: () => (run.value.isOver ? t(isCopy ? 'jobs.removeCount' : 'jobs.putBackCount', { count: found.value }) : t('messages.counting')),
    done: t('jobs.started'),
    children: <UndoForm job={job} run={run} isNewContext={isNewContext} />,
  });
  if (!isDone || !started) return false;
  report(await follow(started));
  return true;
}

function UndoForm({ job, run, isNewContext }: { job: Job; run: Signal<DryRun>; isNewContext: Signal<boolean> }) {
  const isCopy = job.action === 'copy';
  const isNew = isNewContext.value;
  useEffect(() => {
    const abort = new AbortController();
    run.value = { isOver: false };
    void dryUndo(job.id, isNew ? { context: 'new' } : {}, abort.signal, (next) => (run.value = next));
    return () => abort.abort();
  }, [isNew]);
  const { job: counted, error, isOver } = run.value;
  const from = job.to?.queue ?? t('jobs.destinations');
  return (
    <div class="job-form">
      <p>{t(isCopy ? 'jobs.undoCopy' : job.action === 'replay' ? 'jobs.undoReplay' : 'jobs.undoMove', { from, to: job.queue })}</p>
      {error !== undefined && <Failed error={error} />}
      {!counted && error === undefined && <Loading what={t('messages.counting')} />}
      {counted && (
        <dl class="job-found" aria-live="polite">
          <div><dt>{t(isCopy ? 'jobs.removable' : 'jobs.comesBack')}</dt><dd>{count(counted.counts.done)}{!isOver && '…'}</dd></div>
          <div><dt>{t('jobs.gone')}</dt><dd>{count(counted.counts.gone)}</dd></div>
          <div><dt>{t('messages.size')}</dt><dd>{bytes(counted.bytes ?? 0)}</dd></div>
        </dl>
      )}
      {counted && counted.counts.gone > 0 && <p class="quiet">{t('jobs.goneHint')}</p>}
      {counted && counted.counts.failed > 0 && <p class="is-warning">{t('messages.cannot', { count: counted.counts.failed })}</p>}
      {counted && isOver && counted.counts.done === 0 && <p>{t('jobs.nothingBack')}</p>}
      {!isCopy && <ContextBox isNewContext={isNewContext} />}
    </div>
  );
}
