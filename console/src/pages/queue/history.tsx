// The tab History of a queue: depth, puts and gets on one axis of time. A drag zooms in; what is shown is in the address.

import HistoryCharts from '../../charts/history.tsx';
import { rangeOf, SPANS } from '../../charts/series.ts';
import { depthOf, ratesOf } from '../../charts/wishes.ts';
import { clock } from '../../format.ts';
import type { QueueTabProps } from '../../pages.ts';
import { Button } from '../../parts/button.tsx';
import { route, setQuery } from '../../router.ts';
import { t } from '../../text.ts';

const EVERY_MS = 10_000;
const NAMES = { 900: 'chart.span15', 3600: 'chart.span60', 21600: 'chart.span6h', 86400: 'chart.span24h' } as const;

export default function QueueHistory({ qmgr, row: { name } }: QueueTabProps) {
  const query = route.value?.query ?? new URLSearchParams();
  const range = rangeOf(query);
  const span = SPANS.find((one) => String(one) === query.get('span')) ?? 3600;
  return (
    <div>
      <div class="chart-tools">
        <div class="segments" role="group" aria-label={t('chart.span')}>
          {SPANS.map((one) => (
            <button
              key={one} type="button" aria-pressed={!range && one === span}
              onClick={() => setQuery({ span: one === 3600 ? undefined : String(one), from: undefined, to: undefined })}
            >
              {t(NAMES[one])}
            </button>
          ))}
        </div>
        {range ? (
          <>
            <p>{t('chart.from', { from: clock(range.from), to: clock(range.to) })}</p>
            <Button onClick={() => setQuery({ from: undefined, to: undefined })}>{t('chart.out')}</Button>
          </>
        ) : <p class="quiet">{t('chart.zoomHint')}</p>}
      </div>
      <HistoryCharts
        qmgr={qmgr} charts={[depthOf(name), ratesOf(name)]} span={span} range={range} height={220} everyMs={EVERY_MS}
        onZoom={({ from, to }) => setQuery({ from: String(from), to: String(to) }, { replace: false })}
      />
    </div>
  );
}
