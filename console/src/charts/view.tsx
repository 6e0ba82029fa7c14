// Charts with a choice of the span and zoom by a drag. Both are in the address: `?span=21600`, or `?from=&to=` in seconds.

import { clock } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { route, setQuery } from '../router.ts';
import { t } from '../text.ts';
import HistoryCharts, { type ChartWish } from './history.tsx';
import { rangeOf, SPANS } from './series.ts';

const EVERY_MS = 10_000;
const USUAL = 3600;
const NAMES = { 900: 'chart.span15', 3600: 'chart.span60', 21600: 'chart.span6h', 86400: 'chart.span24h' } as const;

export interface HistoryViewProps {
  qmgr: string;
  charts: readonly ChartWish[];
  height: number;
}

export default function HistoryView({ qmgr, charts, height }: HistoryViewProps) {
  const query = route.value?.query ?? new URLSearchParams();
  const range = rangeOf(query);
  const span = SPANS.find((one) => String(one) === query.get('span')) ?? USUAL;
  return (
    <div>
      <div class="chart-tools">
        <div class="segments" role="group" aria-label={t('chart.span')}>
          {SPANS.map((one) => (
            <button
              key={one} type="button" aria-pressed={!range && one === span}
              onClick={() => setQuery({ span: one === USUAL ? undefined : String(one), from: undefined, to: undefined })}
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
        qmgr={qmgr} charts={charts} span={span} range={range} height={height} everyMs={EVERY_MS}
        onZoom={({ from, to }) => setQuery({ from: String(from), to: String(to) }, { replace: false })}
      />
    </div>
  );
}
