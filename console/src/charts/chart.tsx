// A chart with its title, what each line is, the numbers under the cursor, and the same numbers as a table.
//
// The picture is for eyes; its accessible name says the least, the greatest and the last value, and arrow keys move the cursor. The table has the rest.

import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Chart } from '../api/operations.ts';
import { clock, moment } from '../format.ts';
import { theme, zone } from '../settings.ts';
import { t } from '../text.ts';
import { plot, type PlotWish, redraw } from './plot.ts';
import { type Range, scaleOf, summaryOf, timesOf } from './series.ts';

export interface ChartLine {
  /** Name of the series in the answer: `queue/ORDERS/depth`. */
  series: string;
  name: string;
  kind: 'area' | 'line';
  colour: number;
}

export interface ChartProps {
  title: string;
  lines: readonly ChartLine[];
  history: Chart;
  range: Range;
  height: number;
  isSmall?: boolean;
  /** With fewer digits than the server gives: counts whole, rates with one decimal. */
  value(value: number | null): string;
  unit: string;
  sync: string;
  onZoom?: ((range: Range) => void) | undefined;
}

/** Rows of the table; a longer chart is thinned out. */
const ROWS = 60;

export function ChartFigure({ title, lines, history, range, height, isSmall = false, value, unit, sync, onZoom }: ChartProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>();
  const at = useSignal<number | null>(null);
  const isTable = useSignal(false);
  const times = timesOf(history);
  const found = lines.flatMap((line) => {
    const series = history.series.find(({ name }) => name === line.series);
    return series ? [{ ...line, data: series, summary: summaryOf(series) }] : [];
  });
  const most = found.reduce<number | null>((all, { summary }) => (summary.most === null ? all : Math.max(all ?? 0, summary.most)), null);

  const wish: PlotWish = {
    times, range, scale: scaleOf(most), height, isSmall, sync, onZoom, onCursor: (index) => (at.value = index),
    lines: found.map(({ kind, colour, data: { values, min, max } }) => ({ values, min, max, kind, colour })),
  };
  const latest = useRef(wish);
  latest.current = wish;
  const draw = useRef<() => void>(() => undefined);
  const isDark = useDark();
  useEffect(() => {
    const target = box.current;
    if (!target) return;
    let isGone = false;
    draw.current = () => {
      // The server is away: the next figures try again.
      const library = import('./uplot.ts').catch(() => undefined);
      void library.then((found) => {
        if (found && !isGone && !drawn.current) drawn.current = plot(found.default, target, () => latest.current);
      });
    };
    draw.current();
    const measure = new ResizeObserver(() => drawn.current?.setSize({ width: Math.max(40, target.clientWidth), height }));
    measure.observe(target);
    return () => {
      isGone = true;
      measure.disconnect();
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [height, isSmall, found.length, theme.value, zone.value, isDark]);
  useEffect(() => {
    if (drawn.current) redraw(drawn.current, latest.current);
    else draw.current();
  }, [history]);

  function move(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    const last = times.length - 1;
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? last : step === undefined ? undefined : Math.min(last, Math.max(0, (at.value ?? last) + step));
    const time = next === undefined ? undefined : times[next];
    if (time === undefined || !drawn.current) return;
    event.preventDefault();
    drawn.current.setCursor({ left: drawn.current.valToPos(time, 'x'), top: 0 });
  }

  const index = at.value;
  const time = index === null ? undefined : times[index];
  const summary = found.map(({ name, summary: { least, most: highest, last } }) => t('chart.summary', { name, least: value(least), most: value(highest), last: value(last), unit })).join(' ');
  return (
    <figure class={isSmall ? 'chart is-small' : 'chart'} aria-labelledby={`${id}-title`}>
      <figcaption class="chart-head">
        <span id={`${id}-title`} class="chart-title">{title}</span>
        <span class="chart-values">
          {found.map(({ name, colour, data, summary: { last } }) => (
            <span key={name} class="chart-value">
              <span class={`chart-key is-${colour}`} aria-hidden="true" />
              {found.length > 1 && <span class="quiet">{name}</span>} <b>{value(index === null ? last : (data.values[index] ?? null))}</b>
              {index !== null && <Samples data={data} index={index} value={value} />}
            </span>
          ))}
          {unit !== '' && <span class="quiet">{unit}</span>}
          {!isSmall && <span class="quiet chart-time">{time === undefined ? t('chart.latest') : clock(time)}</span>}
        </span>
        {!isSmall && (
          <button type="button" class="link" aria-expanded={isTable.value} aria-controls={`${id}-table`} onClick={() => (isTable.value = !isTable.value)}>
            {isTable.value ? t('chart.hideTable') : t('chart.table')}
          </button>
        )}
      </figcaption>
      <div ref={box} class="chart-box" role="img" aria-label={`${title}. ${summary}`} tabIndex={isSmall ? undefined : 0} style={{ minHeight: `${height}px` }} onKeyDown={move} />
      {!isSmall && isTable.value && <Table id={`${id}-table`} title={title} times={times} found={found} value={value} unit={unit} />}
    </figure>
  );
}

/** The least and the greatest sample of a point, where they differ as they are written. */
function Samples({ data, index, value }: { data: Chart['series'][number]; index: number; value(value: number | null): string }) {
  const [least, most] = [value(data.min[index] ?? null), value(data.max[index] ?? null)];
  return least === most ? null : <span class="quiet">({least}–{most})</span>;
}

function rangeText({ min, max }: Chart['series'][number], index: number, value: (value: number | null) => string): string {
  return min[index] == null ? value(null) : `${value(min[index] ?? null)} – ${value(max[index] ?? null)}`;
}

interface TableProps {
  id: string;
  title: string;
  times: readonly number[];
  found: readonly (ChartLine & { data: Chart['series'][number] })[];
  value(value: number | null): string;
  unit: string;
}

function Table({ id, title, times, found, value, unit }: TableProps) {
  const every = Math.ceil(times.length / ROWS);
  const isKnown = (index: number) => found.some(({ data }) => data.values[index] != null);
  const rows = times.map((time, index) => ({ time, index })).filter(({ index }) => index % every === every - 1 && isKnown(index)).reverse();
  return (
    <div class="chart-table" id={id} tabIndex={0} role="region" aria-label={title}>
      <table class="plain-table">
        <caption class="heard">{title}, {unit}</caption>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            {found.map(({ name }) => <th key={name} scope="col" class="is-end">{name}</th>)}
            {found.map(({ name }) => <th key={name} scope="col" class="is-end">{t('chart.range', { name })}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, index }) => (
            <tr key={index}>
              <th scope="row"><time title={moment(time)}>{clock(time)}</time></th>
              {found.map(({ name, data }) => <td key={name} class="is-end">{value(data.values[index] ?? null)}</td>)}
              {found.map(({ name, data }) => <td key={name} class="is-end quiet">{rangeText(data, index, value)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const DARK = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined;

/** Whether the system is dark: a chart has to be drawn again when that changes. */
function useDark(): boolean {
  const isDark = useSignal(DARK?.matches ?? false);
  useEffect(() => {
    const follow = () => (isDark.value = DARK?.matches ?? false);
    DARK?.addEventListener('change', follow);
    return () => DARK?.removeEventListener('change', follow);
  }, []);
  return isDark.value;
}
