// The tab History of a queue: depth, puts and gets on one axis of time.

import { useMemo } from 'preact/hooks';
import HistoryView from '../../charts/view.tsx';
import { depthOf, ratesOf } from '../../charts/wishes.ts';
import type { QueueTabProps } from '../../pages.ts';

export default function QueueHistory({ qmgr, row: { name } }: QueueTabProps) {
  const charts = useMemo(() => [depthOf(name), ratesOf(name)], [name]);
  return <HistoryView qmgr={qmgr} charts={charts} height={220} />;
}
