// From answers of the history to what a chart draws: points in time, the range around each, and what a person reads of them. Pure.
//
// Point n begins at `from` plus n times `step`. A level is that at the end of its point, a rate is the mean of its point; `min` and `max` are the
// samples of the point, so that a peak is seen however wide a point is. What is not known is null and is drawn as a gap.

import type { Chart } from '../api/operations.ts';

export type Series = Chart['series'][number];

/** A span of time in seconds since 1970. */
export interface Range {
  from: number;
  to: number;
}

/** Spans that a chart offers, in seconds. */
export const SPANS = [900, 3600, 21_600, 86_400] as const;

/** The history holds the last day. A zoom narrower than this shows two points. */
const LEAST_SPAN = 60;
const HELD = 86_400;

/** Seconds of a step such as `10s` or `1m`. */
export function stepSeconds(step: string): number {
  const [, amount = '10', unit = 's'] = /^(\d+)([smhd])$/.exec(step) ?? [];
  return Number(amount) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

/** When each point is: at its end, where its level was taken. */
export function timesOf({ from, step, series }: Chart): number[] {
  const start = Date.parse(from) / 1000;
  const width = stepSeconds(step);
  return Array.from({ length: series[0]?.values.length ?? 0 }, (_, index) => start + (index + 1) * width);
}

/** The least, the greatest and the last value that is known. */
export interface Summary {
  least: number | null;
  most: number | null;
  last: number | null;
}

export function summaryOf({ values, min, max }: Series): Summary {
  let least: number | null = null;
  let most: number | null = null;
  let last: number | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    last = value;
    const [low, high] = [min[index] ?? value, max[index] ?? value];
    if (least === null || low < least) least = low;
    if (most === null || high > most) most = high;
  }
  return { least, most, last };
}

/** Whether nothing has happened of late: the last known points are all alike. */
export function isQuiet(series: readonly Series[], points = 6): boolean {
  return series.every(({ values }) => {
    const last = values.filter((value) => value !== null).slice(-points);
    return last.every((value) => value === last[0]);
  });
}

/** The scale of values: from zero to a little above the greatest, never flat. */
export function scaleOf(most: number | null): [number, number] {
  return [0, most === null || most <= 0 ? 1 : most * 1.08];
}

/** The part of a drag that can be asked for: ordered, wide enough, within what the history holds. */
export function zoomed({ from, to }: Range, now: number): Range {
  const [first, last] = from <= to ? [from, to] : [to, from];
  const middle = (first + last) / 2;
  const half = Math.max(LEAST_SPAN, last - first) / 2;
  const end = Math.min(now, middle + half);
  return { from: Math.round(Math.max(now - HELD, Math.min(middle - half, end - LEAST_SPAN))), to: Math.round(end) };
}

/** The range of an address: `?from=&to=` in seconds, or nothing that makes sense. */
export function rangeOf(query: URLSearchParams): Range | undefined {
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  return Number.isFinite(from) && Number.isFinite(to) && from > 0 && to > from ? { from, to } : undefined;
}
