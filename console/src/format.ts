// How numbers, sizes, ages and moments are written, by Intl.
//
// Pure but for the zone of the settings. `null` is what does not apply and is written as a dash.

import { language } from './text.ts';
import { zone } from './settings.ts';

export const NONE = '–';

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const short = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });

export function count(value: number | null | undefined): string {
  return value == null ? NONE : whole.format(value);
}

/** Events a second: 0, 0.4, 12.1, 1,204. */
export function rate(value: number | null | undefined): string {
  if (value == null) return NONE;
  return value === 0 ? '0' : value < 100 ? tenths.format(value) : whole.format(value);
}

/** A share of 0 to 100. */
export function percent(value: number | null | undefined): string {
  if (value == null) return NONE;
  return `${value > 0 && value < 1 ? '<1' : whole.format(Math.floor(value))}%`;
}

/** Bytes in binary units: 312 B, 1.21 kB, 4 MiB. */
export function bytes(value: number | null | undefined): string {
  if (value == null) return NONE;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${short.format(size)} ${units[unit]}`;
}

/** A span of seconds in its two largest units: 12 s, 4 min 10 s, 3 h 5 min, 2 d 4 h. */
export function span(seconds: number | null | undefined): string {
  if (seconds == null) return NONE;
  const total = Math.max(0, Math.floor(seconds));
  if (total < 60) return `${total} s`;
  if (total < 3600) return pair(total, 60, 'min', 1, 's');
  if (total < 86400) return pair(total, 3600, 'h', 60, 'min');
  return pair(total, 86400, 'd', 3600, 'h');
}

function pair(total: number, large: number, largeName: string, small: number, smallName: string): string {
  const first = Math.floor(total / large);
  const rest = Math.floor((total % large) / small);
  return rest === 0 || first >= 10 ? `${first} ${largeName}` : `${first} ${largeName} ${rest} ${smallName}`;
}

/** Seconds since a moment, given in seconds since 1970 or as RFC 3339. */
export function since(moment: number | string | null | undefined, now = Date.now()): number | null {
  const ms = inMs(moment);
  return ms === null ? null : Math.max(0, (now - ms) / 1000);
}

/** How long ago a moment is. */
export function age(moment: number | string | null | undefined, now = Date.now()): string {
  return span(since(moment, now));
}

/** A moment with its zone: 26 Nov 2026, 05:41:16 UTC. */
export function moment(value: number | string | null | undefined): string {
  const ms = inMs(value);
  return ms === null ? NONE : formatter('full').format(ms);
}

/** The time of a moment: 05:41:16. With the day when it is not today's. */
export function clock(value: number | string | null | undefined, now = Date.now()): string {
  const ms = inMs(value);
  if (ms === null) return NONE;
  return formatter(Math.abs(now - ms) < 43_200_000 ? 'time' : 'day').format(ms);
}

/** Milliseconds since 1970. */
export function inMs(value: number | string | null | undefined): number | null {
  if (value == null || value === '') return null;
  const ms = typeof value === 'number' ? value * 1000 : Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

const formatters = new Map<string, Intl.DateTimeFormat>();
const FORMS: Record<string, Intl.DateTimeFormatOptions> = {
  full: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  day: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
};

function formatter(form: 'full' | 'day' | 'time'): Intl.DateTimeFormat {
  const key = `${form} ${zone.value}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', zone.value === 'utc' ? { ...FORMS[form], timeZone: 'UTC' } : FORMS[form]);
  formatters.set(key, made);
  return made;
}
