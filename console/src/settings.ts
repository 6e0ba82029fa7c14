// What a person has chosen for this browser: theme, density, how times are written, whether single keys act.
//
// Kept in the browser's storage. No secret and no name of a message is ever kept.

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'compact' | 'normal';
export type Zone = 'local' | 'utc';

/** start.ts reads the same key before the first paint. */
const STORED = 'quaymaster.settings';
const kept = read();

export const theme = signal<Theme>(kept.theme ?? 'system');
export const density = signal<Density>(kept.density ?? 'normal');
export const zone = signal<Zone>(kept.zone ?? 'local');
export const singleKeys = signal<boolean>(kept.singleKeys ?? true);
export const barIsNarrow = signal<boolean>(kept.barIsNarrow ?? false);
/** Columns of each list, by the name of the list, where they are not the default ones. */
export const columnsOf = signal<Record<string, string[]>>(kept.columnsOf ?? {});

interface Kept {
  theme: Theme;
  density: Density;
  zone: Zone;
  singleKeys: boolean;
  barIsNarrow: boolean;
  columnsOf: Record<string, string[]>;
}

/** Writes each change, and shows theme and density on the page. Called once. */
export function startSettings(): void {
  effect(() => {
    const root = document.documentElement;
    if (theme.value === 'system') root.removeAttribute('data-theme');
    else root.dataset['theme'] = theme.value;
    root.dataset['density'] = density.value;
    const all: Kept = {
      theme: theme.value, density: density.value, zone: zone.value, singleKeys: singleKeys.value, barIsNarrow: barIsNarrow.value,
      columnsOf: columnsOf.value,
    };
    try {
      localStorage.setItem(STORED, JSON.stringify(all));
    } catch {
      // A browser that stores nothing keeps the choice until the page is closed.
    }
  });
}

function read(): Partial<Kept> {
  try {
    return (JSON.parse(localStorage.getItem(STORED) ?? '{}') ?? {}) as Partial<Kept>;
  } catch {
    return {};
  }
}
