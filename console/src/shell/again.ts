// Signing in again over the page when the sign-in has ended in the middle of work. What is on the page stays as it is.

import { signal } from '@preact/signals';
import texts from '../text/sign-in.en.json';
import type { Session, SignIn } from '../api/operations.ts';
import { offerIssuers, signInForm, type SignInForm } from './sign-in.ts';

/** Counts the sign-ins of this page, for what has to begin again with a new one, such as the stream of live events. */
export const signIns = signal(0);

let before: { user: string; issuer: string | undefined } = { user: '', issuer: undefined };
let open: Promise<void> | undefined;

/** Whose name the form shows, or which issuer it offers first. */
export function rememberUser({ user, method, issuer }: Session): void {
  before = method === 'oidc' ? { user: '', issuer: issuer?.name ?? undefined } : { user, issuer: undefined };
}

/** Resolves when somebody has signed in. Callers that come meanwhile wait for the same form. */
export function signInAgain(): Promise<void> {
  open ??= ask().finally(() => (open = undefined));
  return open;
}

async function ask(): Promise<void> {
  const focused = document.activeElement;
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog sign-in-dialog';
  dialog.setAttribute('aria-label', texts.submit);
  const form = signInForm({ lead: texts.again, user: before.user });
  dialog.append(form.element);
  // There is nothing behind it that works without a sign-in.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  form.focus();
  const elsewhere = new AbortController();
  await Promise.race([form.done, signInElsewhere(form, elsewhere.signal)]);
  elsewhere.abort();
  dialog.close();
  dialog.remove();
  signIns.value += 1;
  if (focused instanceof HTMLElement) focused.focus();
}

/** Offers the issuers, whose pages open in another tab. Resolves when the person comes back from there and has signed in. */
async function signInElsewhere(form: SignInForm, signal: AbortSignal): Promise<void> {
  const answer = await askSession();
  const { signIn } = ((await answer?.json().catch(() => undefined)) ?? {}) as { signIn?: SignIn };
  const links = signIn?.form.isOpen ? offerIssuers(form, signIn.issuers, { to: location.pathname + location.search, apart: true }) : [];
  links.find((link) => link.dataset['issuer'] === before.issuer)?.focus();
  return new Promise((resolve) => {
    const look = async () => {
      if (document.visibilityState === 'visible' && (await askSession())?.ok) resolve();
    };
    if (links.length === 0) return;
    addEventListener('focus', look, { signal });
    document.addEventListener('visibilitychange', look, { signal });
  });
}

async function askSession(): Promise<Response | undefined> {
  return fetch('/api/v1/session', { credentials: 'same-origin', cache: 'no-store' }).catch(() => undefined);
}
