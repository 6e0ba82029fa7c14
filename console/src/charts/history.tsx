// Charts of one queue manager over one span of time: asked for in one request, drawn on the same axis, followed while they end at this moment.
//
// A chart that shows the past asks once. One that ends now asks again after `everyMs`, while the tab can be seen; ever more seldom while nothing happens.

import { useEffect, useRef } from 'preact/hooks';
import { request } from '../api/request.ts';
import { bytes, count, moment, rate } from '../format.ts';
import { useAsked } from '../parts/asked.ts';
import { Failed } from '../parts/states.tsx';
import { t } from '../text.ts';
import { ChartFigure, type ChartLine } from './chart.tsx';
import { isQuiet, type Range, zoomed } from './series.ts';

export interface ChartWish {
  key: string;
  title: string;
  lines: readonly ChartLine[];
  unit: 'count' | 'rate' | 'bytes';
}

export interface HistoryProps {
  qmgr: string;
  charts: readonly ChartWish[];
  /** Seconds before this moment, where no range is given. */
  span: number;
  range?: Range | undefined;
  height: number;
  isSmall?: boolean;
  everyMs: number;
  onZoom?: ((range: Range) => void) | undefined;
}

/** How numbers are written: levels whole, rates a second with a decimal. */
const VALUES = { count, rate, bytes };
/** How many times as long a quiet chart waits at most. */
const LONGEST = 8;
const POINTS = { small: 120, normal: 360 };

export default function HistoryCharts({ qmgr, charts, span, range, height, isSmall = false, everyMs, onZoom }: HistoryProps) {
  const series = [...new Set(charts.flatMap(({ lines }) => lines.map((line) => line.series)))];
  const key = JSON.stringify([qmgr, series, span, range]);
  const asked = useAsked(key, async (signal) => {
    const now = Date.now() / 1000;
    const shown = range ?? { from: now - span, to: now };
    const query = { series, from: at(shown.from), to: at(shown.to), points: isSmall ? POINTS.small : POINTS.normal };
    return { shown, history: await request('GET /api/v1/qmgr/{qmgr}/history', { path: { qmgr }, query, signal }) };
  });
  const isPast = range !== undefined && range.to < Date.now() / 1000 - 30;
  const wait = useRef(everyMs);
  useEffect(() => {
    if (isPast || !asked.answer) return;
    wait.current = isQuiet(asked.answer.history.series) ? Math.min(wait.current * 2, everyMs * LONGEST) : everyMs;
    const timer = setTimeout(() => document.hidden || asked.again(), wait.current);
    return () => clearTimeout(timer);
  }, [asked.answer, asked.error, isPast, everyMs]);

  if (asked.error !== undefined && !asked.answer) return <Failed error={asked.error} again={asked.again} />;
  const { answer } = asked;
  const since = answer?.history.series[0]?.since;
  return (
    <div class={isSmall ? 'charts is-small' : 'charts'}>
      {charts.map((wish) =>
        answer ? (
          <ChartFigure
            key={wish.key} title={wish.title} lines={wish.lines} history={answer.history} range={answer.shown} height={height} isSmall={isSmall} sync={qmgr}
            value={VALUES[wish.unit]} unit={wish.unit === 'count' ? '' : t('chart.perSecond')}
            onZoom={onZoom && ((next) => onZoom(zoomed(next, Date.now() / 1000)))}
          />
        ) : (
          <figure key={wish.key} class="chart">
            <figcaption class="chart-head"><span class="chart-title">{wish.title}</span></figcaption>
            <div class="chart-box" style={{ minHeight: `${height}px` }} />
          </figure>
        ),
      )}
      {!isSmall && answer && since && Date.parse(since) / 1000 > answer.shown.from && <p class="quiet">{t('chart.since', { time: moment(since) })}</p>}
    </div>
  );
}

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
