// The queue that messages go to: names are offered as it is typed, and its room is said before anything is moved.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Job } from '../../api/operations.ts';
import { request } from '../../api/request.ts';
import { count } from '../../format.ts';
import { objects } from '../../grid/source.ts';
import { useAsked } from '../../parts/asked.ts';
import { t } from '../../text.ts';

interface Room {
  name: string;
  type: string;
  depth: number | null;
  max: number | null;
  putEnabled: boolean | null;
}

const COLUMNS = 'name,type,depth,max,putEnabled';
/** After so long without a key the queue is asked for. */
const TYPING_MS = 150;
const OFFERED = 20;

async function room(qmgr: string, queue: string, signal?: AbortSignal): Promise<Room | undefined> {
  const answer = await request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { where: [`name=${queue}`], columns: COLUMNS, limit: 1 }, ...(signal ? { signal } : {}) });
  return objects<Room>(answer)[0];
}

/** Messages that still fit; undefined: not known, as of a remote queue. */
function freeOf(target: Room | undefined): number | undefined {
  return target && target.max !== null && target.depth !== null ? target.max - target.depth : undefined;
}

export function Target({ qmgr, queue, to, job }: { qmgr: string; queue: string; to: Signal<string>; job: Job | undefined }) {
  const found = useSignal<{ names: string[]; target: Room | undefined; asked: string }>({ names: [], target: undefined, asked: '' });
  const text = to.value.trim();
  useEffect(() => {
    const timer = setTimeout(async () => {
      try {
        const answer = await request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { search: text, where: ['system=false'], columns: COLUMNS, sort: 'name', limit: OFFERED } });
        const rooms = objects<Room>(answer);
        const target = rooms.find(({ name }) => name === text) ?? (text === '' ? undefined : await room(qmgr, text));
        found.value = { names: rooms.map(({ name }) => name).filter((name) => name !== queue), target, asked: text };
      } catch {
        // The server says at the end whether the queue can be opened.
        found.value = { names: [], target: undefined, asked: '' };
      }
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { names, target, asked } = found.value;
  const isShort = (freeOf(target) ?? Infinity) < (job?.counts.done ?? 0) || target?.putEnabled === false;
  return (
    <div class="field">
      <label for="job-target">{t('messages.target')}</label>
      <input
        id="job-target" type="text" list="job-targets" autocomplete="off" spellcheck={false} required value={to.value} aria-describedby="job-target-hint"
        onInput={(event) => (to.value = event.currentTarget.value)}
      />
      <datalist id="job-targets">{names.map((name) => <option key={name} value={name} />)}</datalist>
      <span id="job-target-hint" class={isShort ? 'field-hint is-warning' : 'field-hint'}>{asked === text ? hint(queue, text, target, job?.counts.done ?? 0) : t('messages.targetHint')}</span>
    </div>
  );
}

function hint(queue: string, text: string, target: Room | undefined, wanted: number): string {
  const free = freeOf(target);
  if (text === '') return t('messages.targetHint');
  if (text === queue) return t('messages.sameQueue');
  if (!target) return t('messages.noTarget', { queue: text });
  if (target.putEnabled === false) return t('messages.targetOff');
  if (free === undefined) return t('queue.type', { type: target.type });
  return free < wanted ? t('messages.noRoom', { room: free, count: wanted }) : t('messages.room', { room: free });
}

/** Where a replay goes, and whether there is room. */
export function Targets({ qmgr, targets }: { qmgr: string; targets: readonly { queue: string; count: number }[] }) {
  const asked = useAsked(targets.length > 0 ? JSON.stringify([qmgr, targets]) : undefined, async (signal) =>
    new Map(await Promise.all(targets.map(async ({ queue }) => [queue, await room(qmgr, queue, signal).catch(() => undefined)] as const))));
  if (targets.length === 0) return null;
  return (
    <table class="plain">
      <thead><tr><th>{t('messages.destination')}</th><th class="is-end">{t('messages.found')}</th><th class="is-end">{t('messages.roomThere')}</th></tr></thead>
      <tbody>
        {targets.map(({ queue, count: messages }) => {
          const target = asked.answer?.get(queue);
          const free = freeOf(target);
          const isShort = asked.answer && (!target || target.putEnabled === false || (free ?? Infinity) < messages);
          const says = !asked.answer ? '' : !target ? t('messages.noSuchQueue') : target.putEnabled === false ? t('queues.putOff') : count(free);
          return (
            <tr key={queue}>
              <th scope="row" class="object">{queue}</th>
              <td class="is-end">{count(messages)}</td>
              <td class={isShort ? 'is-end is-warning' : 'is-end'}>{says}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
