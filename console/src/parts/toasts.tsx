// Short news at the corner, also read out: what was done, what went wrong. And the quiet region for what changes by itself.
//
// Invariant: the polite region says at most one sentence in 10 s, the latest.

import { signal } from '@preact/signals';
import { t } from '../text.ts';
import { IconButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface Toast {
  id: number;
  kind: 'good' | 'note' | 'error';
  text: string;
  action?: { name: string; run(): void } | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const spoken = signal('');
const SHOWN_MS = 6000;
const QUIET_MS = 10_000;
const MOST = 4;
let last = 0;
let spokenAt = -Infinity;
let later: ReturnType<typeof setTimeout> | undefined;

/** Shows a sentence. An error stays until it is closed. */
export function toast(kind: Toast['kind'], text: string, action?: Toast['action']): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(1 - MOST), { id, kind, text, action }];
  if (kind !== 'error' && !action) setTimeout(() => drop(id), SHOWN_MS);
}

/** Says a sentence to who cannot see the page. */
export function announce(text: string): void {
  clearTimeout(later);
  const wait = Math.max(0, spokenAt + QUIET_MS - performance.now());
  later = setTimeout(() => {
    spokenAt = performance.now();
    spoken.value = text;
  }, wait);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

const ICONS: Record<Toast['kind'], IconName> = { good: 'good', note: 'note', error: 'error' };

export function Toasts() {
  return (
    <>
      <div class="heard" role="status" aria-live="polite">{spoken}</div>
      <div class="toasts" role="log" aria-live="polite" aria-label={t('shell.news')}>
        {toasts.value.map(({ id, kind, text, action }) => (
          <div key={id} class={`toast is-${kind}`}>
            <Icon name={ICONS[kind]} class={`is-${kind}`} />
            <p>{text}</p>
            {action && (
              <button
                type="button" class="link"
                onClick={() => {
                  drop(id);
                  action.run();
                }}
              >
                {action.name}
              </button>
            )}
            <IconButton icon="close" label={t('shell.close')} onClick={() => drop(id)} />
          </div>
        ))}
      </div>
    </>
  );
}
