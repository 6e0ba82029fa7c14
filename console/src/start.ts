// The first script of the page: theme before the first paint, the session, and then the sign-in or the application.
//
// A classic script without any library, so that signing in waits for nothing. The application is a module of its own (APP), which the page
// fetches beside.

import type { Session, SignIn } from './api/operations.ts';
import { offerIssuers, offerOtherUser, signInForm, tellOfSignOut } from './shell/sign-in.ts';
import texts from './text/sign-in.en.json';

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
  const { signIn } = ((await answer?.json().catch(() => undefined)) ?? {}) as { signIn?: SignIn };
  const { problem, issuer } = readAddress();
  const troubles: Partial<Record<string, string>> = texts.problems;
  const trouble = problem === undefined ? undefined : (troubles[problem] ?? texts.problems.refused);
  const form = signInForm({ trouble: answer === undefined ? texts.unreachable : trouble, secureAddress: secureAddress(signIn) });
  if (signIn?.form.isOpen) offerIssuers(form, signIn.issuers, { to: location.pathname + location.search });
  const met = signIn?.issuers.find(({ name }) => name === issuer);
  if (met && problem === undefined) tellOfSignOut(form, met);
  if (met && problem === 'role') offerOtherUser(form, met);
  form.done.then(() => begin(fetch('/api/v1/session', { credentials: 'same-origin', cache: 'no-store' })));
  page.append(form.element);
  document.body.replaceChildren(page);
  form.focus();
}

/**
 * What the server or this page says in the address of the sign-in: which issuer was met, and why that failed; without a reason, the user has signed out.
 * The address becomes that of the page that was wanted.
 */
function readAddress(): { problem?: string | undefined; issuer?: string | undefined } {
  const base = '/ibmmq/console/';
  if (!/^\/sign-in\/?$/.test(location.pathname.slice(base.length - 1))) return {};
  const query = new URLSearchParams(location.search);
  const to = query.get('to') ?? base;
  history.replaceState(null, '', to.startsWith(base) ? to : base);
  return { problem: query.get('problem') ?? undefined, issuer: query.get('issuer') ?? undefined };
}

/** The same page by HTTPS, where the server says that it keeps no sign-in without. */
function secureAddress(signIn: SignIn | undefined): string | undefined {
  if (location.protocol === 'https:') return undefined;
  if (!signIn || signIn.form.isOpen || !signIn.httpsPort) return undefined;
  const address = new URL(location.href);
  address.protocol = 'https:';
  address.port = String(signIn.httpsPort);
  return address.href;
}
