// Jobs as a page waits for them: dry runs that count, and jobs that are followed to their end.

import { onLive, watch } from '../../api/live.ts';
import type { Job, NewJob } from '../../api/operations.ts';
import { request } from '../../api/request.ts';

export interface DryRun {
  job?: Job;
  error?: unknown;
  isOver: boolean;
}

const POLL_MS = 250;

/** Counts what a job would do. `told` is called as the count grows. */
export function dryRun(qmgr: string, queue: string, order: NewJob, signal: AbortSignal, told: (run: DryRun) => void): Promise<void> {
  return counted(request('POST /api/v1/qmgr/{qmgr}/queue/{queue}/jobs', { path: { qmgr, queue }, json: { ...order, dryRun: true }, signal }), signal, told);
}

/** Counts what an undo of a job would put back. */
export function dryUndo(job: string, order: { context?: 'new' }, signal: AbortSignal, told: (run: DryRun) => void): Promise<void> {
  return counted(request('POST /api/v1/jobs/{job}/undo', { path: { job }, json: { ...order, dryRun: true }, signal }), signal, told);
}

async function counted(started: Promise<Job>, signal: AbortSignal, told: (run: DryRun) => void): Promise<void> {
  try {
    let job = await started;
    for (let wait = 30; job.state === 'running'; wait = Math.min(POLL_MS, wait * 2)) {
      told({ job, isOver: false });
      await pause(wait);
      if (signal.aborted) {
        await request('DELETE /api/v1/jobs/{job}', { path: { job: job.id } });
        return;
      }
      job = await request('GET /api/v1/jobs/{job}', { path: { job: job.id }, signal });
    }
    told({ job, isOver: true, ...(job.state === 'failed' ? { error: new Error(JSON.stringify(job.reason)) } : {}) });
  } catch (error) {
    if (!signal.aborted) told({ error, isOver: true });
  }
}

/** Waits for the end of a job. */
export async function follow(job: Job): Promise<Job> {
  const watching = watch({ jobs: true });
  let wake: (() => void) | undefined;
  const end = onLive('job', (event) => {
    if ((event as { id?: string }).id === job.id) wake?.();
  });
  try {
    for (let wait = 50; ; wait = Math.min(2000, wait * 2)) {
      const now = await request('GET /api/v1/jobs/{job}', { path: { job: job.id } });
      if (now.state !== 'running') return now;
      await new Promise<void>((done) => {
        wake = done;
        setTimeout(done, wait);
      });
    }
  } finally {
    watching.end();
    end();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
