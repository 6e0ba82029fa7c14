// Finds the value of a field in a record that the server has read.
//
// Pure. Names of members follow from those of fields, in lower case and with other separators; which, is a property of the copybook. A record
// stands without its outermost group.

export function valueAt(record: unknown, path: string): unknown {
  const names = path.split('.').map(plain);
  return walk(record, names.slice(1)) ?? walk(record, names);
}

function walk(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => walk(one, names));
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) if (plain(key) === name) return walk(member, rest);
  return undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}
