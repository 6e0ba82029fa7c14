// Messages carried into files of the browser and back: exports, imports, and the choice of a file.

import { computed, type Signal, signal } from '@preact/signals';
import { propose, type Step } from '../../change/change.ts';
import { bytes } from '../../format.ts';
import { toast } from '../../parts/toasts.tsx';
import { t } from '../../text.ts';
import type { Choice } from './actions.tsx';

/** Exports what is chosen as lines of JSON, into a file of the browser. */
export function exportMessages(qmgr: string, queue: string, choice: Choice): void {
  const name = `${qmgr}.${queue}.ndjson`.replaceAll('/', '_');
  const wanted = Object.entries({ ...choice.query, ...(choice.positions ? { positions: choice.positions.join() } : {}) });
  const query = new URLSearchParams(wanted.map(([name, value]) => [name, String(value)])).toString();
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

/** Whether the context of the user takes the place of the messages' own. */
export function ContextBox({ isNewContext }: { isNewContext: Signal<boolean> }) {
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
