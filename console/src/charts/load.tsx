// Charts on pages that are there at once: the code of charts is loaded when the first one is shown.

import { Lazy } from '../parts/lazy.tsx';
import type { HistoryProps } from './history.tsx';
import type { HistoryViewProps } from './view.tsx';

const load = () => import('./history.tsx');
const loadView = () => import('./view.tsx');

export function History(props: HistoryProps) {
  return <Lazy load={load} props={props} />;
}

/** With a choice of the span, and zoom. */
export function HistoryView(props: HistoryViewProps) {
  return <Lazy load={loadView} props={props} />;
}
