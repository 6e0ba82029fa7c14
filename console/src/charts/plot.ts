// One chart on a canvas, made with uPlot: areas and lines over time, the range around each, drag to zoom, a cursor that charts share.
//
// Colours and type are those of the page: read from the variables of tokens.css when the chart is made, and made again when the theme changes.
// Never here: what is asked for (history.tsx) and the numbers as text and table (chart.tsx).

import type uPlot from 'uplot';
import { clock } from '../format.ts';
import { language } from '../text.ts';
import type { Range } from './series.ts';

export interface Line {
  values: (number | null)[];
  /** The samples around the values: a band, as wide as they differ. */
  min: (number | null)[];
  max: (number | null)[];
  kind: 'area' | 'line';
  /** The number of the colour: 1 to 4. */
  colour: number;
}

export interface PlotWish {
  times: number[];
  lines: readonly Line[];
  range: Range;
  scale: [number, number];
  height: number;
  /** Little room: two marks on each axis. */
  isSmall: boolean;
  /** Charts with the same key show the cursor at the same time. */
  sync: string;
  onCursor(index: number | null): void;
  onZoom?: ((range: Range) => void) | undefined;
}

type Library = typeof uPlot;

/** Pixels of a drag that is no slip of the hand. */
const LEAST_DRAG = 6;

/** Makes a chart of what `wish` gives then. */
export function plot(Plot: Library, target: HTMLElement, wish: () => PlotWish): uPlot {
  return new Plot(optionsOf(target, wish), dataOf(wish()), target);
}

/** Draws other values on a chart that has the same lines. */
export function redraw(chart: uPlot, wish: PlotWish): void {
  chart.setData(dataOf(wish), true);
}

/** Times, then of each line its values and the edges of its band. */
export function dataOf({ times, lines }: Pick<PlotWish, 'times' | 'lines'>): uPlot.AlignedData {
  return [times, ...lines.flatMap(({ values, min, max }) => [values, max, min])];
}

function optionsOf(target: HTMLElement, wish: () => PlotWish): uPlot.Options {
  const { lines, height, isSmall, sync, onCursor, onZoom } = wish();
  const style = getComputedStyle(target);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const line of lines) {
    const stroke = colour(`--chart-${line.colour}`);
    series.push({ stroke, width: 1.5, points: { show: false }, spanGaps: false, ...(line.kind === 'area' ? { fill: faded(stroke, 0.16) } : {}) });
    const edge: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false } };
    series.push(edge, edge);
    bands.push({ series: [series.length - 2, series.length - 1], fill: faded(stroke, 0.22) });
  }
  const axis: uPlot.Axis = {
    stroke: colour('--text-help'), font: `12px ${colour('--sans')}`, ticks: { show: false }, grid: { stroke: colour('--line'), width: 1 }, border: { show: false },
  };
  return {
    width: Math.max(40, target.clientWidth), height, series, bands,
    legend: { show: false },
    padding: [8, isSmall ? 8 : 16, 0, 0],
    scales: { x: { time: true, range: () => [wish().range.from, wish().range.to] }, y: { range: () => wish().scale } },
    cursor: {
      sync: { key: sync }, y: false, points: { size: 7 },
      drag: { x: onZoom !== undefined, y: false, setScale: false, dist: LEAST_DRAG },
    },
    axes: [
      { ...axis, size: 22, gap: 4, space: isSmall ? 80 : 96, grid: { show: !isSmall, stroke: colour('--line'), width: 1 }, values: (_, splits) => splits.map((at) => shortClock(at, wish().range)) },
      { ...axis, size: isSmall ? 40 : 56, gap: 6, space: isSmall ? 20 : 36, values: (_, splits) => splits.map((one) => short.format(one)), incrs: STEPS },
    ],
    hooks: {
      setCursor: [(u) => onCursor(u.cursor.idx ?? null)],
      setSelect: [
        (u) => {
          const { left, width } = u.select;
          if (width < LEAST_DRAG || !onZoom) return;
          const [from, to] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          wish().onZoom?.({ from, to });
        },
      ],
    },
  };
}

const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 2 });

/** Steps of the axis of values: 1, 2 and 5 times powers of ten. */
const STEPS = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** (power - 2))).flat();

/** Hours and minutes; with seconds where a chart is short. */
function shortClock(at: number, { from, to }: Range): string {
  const text = clock(at, at * 1000);
  return to - from <= 300 ? text : text.slice(0, 5);
}

/** A colour of the tokens, `#rrggbb`, with an opacity. */
function faded(hex: string, opacity: number): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}
