// The first script of the page: theme before the first paint, the session, and then the sign-in or the application.
//
// A classic script without any library, so that signing in waits for nothing. The application is a module of its own (APP), which the page
// fetches beside.

import type { Session } from './api/operations.ts';
import type { SignInWays } from './api/pending.ts';
import { signInForm } from './shell/sign-in.ts';

/** The address of the application's module. The build writes it. */
declare const APP: string;

const asked = fetch('/api/v1/session', { credentials: 'same-origin', cache: 'no-store' });

try {
  const { theme, density } = JSON.parse(localStorage.getItem('quaymaster.settings') ?? '{}') as { theme?: string; density?: string };
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  if (density) document.documentElement.dataset['density'] = density;
} catch {
  // Without settings the system's theme counts.
}

void begin(asked);

async function begin(asking: Promise<Response>): Promise<void> {
  const answer = await asking.catch(() => undefined);
  if (document.readyState === 'loading') await new Promise((ready) => addEventListener('DOMContentLoaded', ready, { once: true }));
  if (answer?.ok) {
    const session = (await answer.json()) as Session;
    await import(APP);
    document.body.replaceChildren();
    (globalThis as unknown as { startConsole(session: Session): void }).startConsole(session);
    return;
  }
  const page = document.createElement('main');
  page.className = 'sign-in-page';
  const form = signInForm({ unreachable: answer === undefined, secureAddress: await secureAddress(answer) });
  form.done.then(() => begin(fetch('/api/v1/session', { credentials: 'same-origin', cache: 'no-store' })));
  page.append(form.element);
  document.body.replaceChildren(page);
  form.focus();
}

/** The same page by HTTPS, where the server says that it keeps no sign-in without. */
async function secureAddress(answer: Response | undefined): Promise<string | undefined> {
  if (location.protocol === 'https:') return undefined;
  const { signIn } = ((await answer?.json().catch(() => undefined)) ?? {}) as { signIn?: SignInWays };
  if (!signIn || signIn.form.isOpen || !signIn.httpsPort) return undefined;
  const address = new URL(location.href);
  address.protocol = 'https:';
  address.port = String(signIn.httpsPort);
  return address.href;
}
