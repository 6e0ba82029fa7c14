// Keys that act anywhere on the page, and the list of them that `?` shows.
//
// Single-letter keys can be switched off (WCAG 2.1.4) and never act while a person types. `g q` is two keys within a second.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { singleKeys } from '../settings.ts';
import { t } from '../text.ts';

export interface Key {
  /** '/' or 'g q', or with a modifier: 'Ctrl+Enter'. */
  keys: string;
  does: string;
  run(): void;
}

const known = signal<readonly Key[]>([]);
const SEQUENCE_MS = 1000;
let first = '';
let firstAt = 0;

/** Keys of a part of the page, while it is shown. */
export function useKeys(keys: readonly Key[]): void {
  const names = keys.map((key) => key.keys).join(',');
  useEffect(() => {
    known.value = [...known.peek(), ...keys];
    return () => (known.value = known.peek().filter((key) => !keys.includes(key)));
  }, [names]);
}

/** Listens. Called once. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog:modal, :popover-open')) return;
    // An editor may be in a shadow tree, whose host the event names as its target.
    const target = event.composedPath()[0];
    const isTyping = target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');
    const modifier = event.ctrlKey || event.metaKey ? 'Ctrl+' : '';
    if (event.altKey || (isTyping && modifier === '') || (modifier === '' && !singleKeys.peek())) return;
    const now = performance.now();
    const both = first !== '' && now - firstAt < SEQUENCE_MS ? `${first} ${event.key}` : '';
    const key = known.peek().findLast(({ keys }) => keys === both) ?? known.peek().findLast(({ keys }) => keys === modifier + event.key);
    first = known.peek().some(({ keys }) => keys.startsWith(`${event.key} `)) && !key ? event.key : '';
    firstAt = now;
    if (!key) return;
    event.preventDefault();
    key.run();
  });
}

/** Keys that lists have, for the help; grid.tsx acts on them. */
const OF_LISTS: readonly (readonly [string, string])[] = [
  ['↑ ↓ j k', t('keys.row')],
  ['Home End PgUp PgDn', t('keys.far')],
  ['Enter', t('keys.open')],
  ['Space x', t('keys.tick')],
  ['Shift', t('keys.range')],
  ['Esc', t('keys.escape')],
];

export function KeyHelp({ onClose }: { onClose(): void }) {
  const all = [...known.value.map(({ keys, does }) => [keys, does] as const), ...OF_LISTS];
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <table class="keys">
        <tbody>
          {all.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">{keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="check">
        <input type="checkbox" checked={singleKeys.value} onChange={(event) => (singleKeys.value = event.currentTarget.checked)} />
        <span>{t('keys.single')}</span>
      </label>
      <p><a href="/docs">{t('keys.book')}</a></p>
    </Dialog>
  );
}
