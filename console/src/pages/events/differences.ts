// What differs between two forms of a definition. Pure.

export interface Difference {
  name: string;
  from: string;
  to: string;
}

/** Members with different values, by name. A form that is missing has no values. */
export function differences(before: Record<string, unknown> | null, after: Record<string, unknown> | null): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.map((name) => ({ name, from: written(before?.[name]), to: written(after?.[name]) })).filter(({ from, to }) => from !== to);
}

function written(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}
