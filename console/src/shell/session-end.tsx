// Says in time that the sign-in ends, so that it can be renewed before a change is refused.

import { useEffect } from 'preact/hooks';
import { readSession, session } from '../api/session.ts';
import { span } from '../format.ts';
import { toast } from '../parts/toasts.tsx';
import { t } from '../text.ts';
import { signInAgain, signIns } from './again.ts';

const WARN_BEFORE_MS = 5 * 60_000;
/** The longest time that a timer of the browser takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function SessionWatch() {
  const ends = session.value?.ends ?? null;
  const { value: count } = signIns;
  useEffect(() => {
    if (count > 0) void readSession();
  }, [count]);
  useEffect(() => {
    if (ends === null) return;
    const left = Date.parse(ends) - Date.now() - WARN_BEFORE_MS;
    if (left > LONGEST_TIMER_MS) return;
    const timer = setTimeout(() => {
      const seconds = (Date.parse(ends) - Date.now()) / 1000;
      toast('note', t('shell.endsSoon', { span: span(seconds) }), { name: t('shell.signInAgain'), run: () => void signInAgain() });
    }, Math.max(0, left));
    return () => clearTimeout(timer);
  }, [ends]);
  return null;
}
