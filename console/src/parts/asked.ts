// What a part of a page has asked the server for: the answer, the failure, and a way to ask again.

import { useEffect, useRef, useState } from 'preact/hooks';
import { onLive } from '../api/live.ts';

export interface Asked<Type> {
  /** The latest answer; it stays while a newer one is asked for. */
  answer: Type | undefined;
  error: unknown;
  isLoading: boolean;
  again(): void;
}

/**
 * Asks when `key` changes, and when live events were missed. `key` says what is asked for; undefined asks for nothing.
 * The request of an older key is aborted.
 */
export function useAsked<Type>(key: string | undefined, ask: (signal: AbortSignal) => Promise<Type>): Asked<Type> {
  const [state, setState] = useState<{ key: string | undefined; answer: Type | undefined; error: unknown; isLoading: boolean }>({
    key, answer: undefined, error: undefined, isLoading: key !== undefined,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (key === undefined) return;
    const request = new AbortController();
    setState((before) => ({ key, answer: before.key === key ? before.answer : undefined, error: undefined, isLoading: true }));
    latest.current(request.signal).then(
      (answer) => request.signal.aborted || setState({ key, answer, error: undefined, isLoading: false }),
      (error: unknown) => request.signal.aborted || setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => request.abort();
  }, [key, turn]);
  const again = () => setTurn((before) => before + 1);
  useEffect(() => onLive('reload', again), []);
  return { answer: state.key === key ? state.answer : undefined, error: state.error, isLoading: state.isLoading, again };
}
