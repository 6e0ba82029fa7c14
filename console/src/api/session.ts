// Who is signed in, and what that user may do. Read once at the start and again after each sign-in.

import { computed, signal } from '@preact/signals';
import type { Session } from './operations.ts';
import { link } from '../routes.ts';
import { request } from './request.ts';

/**
 * What the roles of a user open: `administer` to see everything, `change` definitions, `messages`. What may be done to an object is decided by the queue
 * manager. What is denied here is not offered.
 */
type May = Session['may'];

const NONE: May = { administer: false, change: false, messages: false };

export const session = signal<Session | undefined>(undefined);
export const may = computed<May>(() => session.value?.may ?? NONE);

/** The queue-sharing group of a queue manager; null: it is in none, or the user may not know it. */
export function groupOf(qmgr: string | undefined): string | null {
  return session.value?.qmgrs.find(({ name }) => name === qmgr)?.group ?? null;
}

/** Reads the session again, for example when queue managers came or went. */
export async function readSession(): Promise<void> {
  session.value = await request('GET /api/v1/session', {});
}

export async function signOut(): Promise<void> {
  await request('DELETE /ibmmq/rest/{version}/login', { path: { version: 'v3' } });
  const { method, issuer } = session.value ?? {};
  try {
    sessionStorage.clear();
  } finally {
    // The page for signing in leads to where the sign-in at the issuer ends.
    if (method === 'oidc' && issuer?.name) location.assign(link.signIn({}, { issuer: issuer.name }));
    else location.reload();
  }
}
