// Charts on pages that are there at once: the code of charts is loaded when the first one is shown.

import { Lazy } from '../parts/lazy.tsx';
import type { HistoryProps } from './history.tsx';

const load = () => import('./history.tsx');

export function History(props: HistoryProps) {
  return <Lazy load={load} props={props} />;
}
