// Signing in again over the page when the sign-in has ended in the middle of work. What is on the page stays as it is.

import { signal } from '@preact/signals';
import texts from '../text/sign-in.en.json';
import { signInForm } from './sign-in.ts';

/** Counts the sign-ins of this page, for what has to begin again with a new one, such as the stream of live events. */
export const signIns = signal(0);

let user = '';
let open: Promise<void> | undefined;

/** Whose name the form shows. */
export function rememberUser(name: string): void {
  user = name;
}

/** Resolves when somebody has signed in. Callers that come meanwhile wait for the same form. */
export function signInAgain(): Promise<void> {
  open ??= ask().finally(() => (open = undefined));
  return open;
}

async function ask(): Promise<void> {
  const before = document.activeElement;
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog sign-in-dialog';
  dialog.setAttribute('aria-label', texts.submit);
  const form = signInForm({ lead: texts.again, user });
  dialog.append(form.element);
  // There is nothing behind it that works without a sign-in.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  form.focus();
  await form.done;
  dialog.close();
  dialog.remove();
  signIns.value += 1;
  if (before instanceof HTMLElement) before.focus();
}
