// JSON schemas for forms and pages: references, samples, types in words, and values out of what is typed. Pure.

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** References that lead to themselves end here. */
const DEEPEST = 12;

/** What a reference within `document` leads to; parts of `allOf` are one schema. */
export function resolve(document: unknown, schema: Schema | undefined, depth = 0): Schema {
  if (!schema || depth > DEEPEST) return {};
  if (schema.$ref) return resolve(document, at(document, schema.$ref), depth + 1);
  if (!schema.allOf) return schema;
  const { allOf, ...own } = schema;
  return allOf.map((part) => resolve(document, part, depth + 1)).reduce((whole, part) => ({
    ...whole, ...part, properties: { ...whole.properties, ...part.properties }, required: [...(whole.required ?? []), ...(part.required ?? [])],
  }), own);
}

function at(document: unknown, reference: string): Schema | undefined {
  const names = reference.replace(/^#\//, '').split('/').map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((here, name) => (here as Record<string, unknown> | undefined)?.[name], document) as Schema | undefined;
}

/** The one type of a schema; of several, the first that is not null. */
export function typeOf(schema: Schema): string {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (schema.properties) return 'object';
  if (schema.items) return 'array';
  if (schema.enum || schema.const !== undefined) return typeof (schema.const ?? schema.enum?.[0]);
  return 'any';
}

/** A value that fits: what the schema says itself, or the least of each member. */
export function sample(document: unknown, schema: Schema | undefined, depth = 0): Json {
  const one = resolve(document, schema);
  const told = one.example ?? one.examples?.[0] ?? one.default ?? one.const ?? one.enum?.[0];
  if (told !== undefined) return told as Json;
  const choice = one.oneOf?.[0] ?? one.anyOf?.[0];
  if (choice && depth <= DEEPEST) return sample(document, choice, depth + 1);
  if (depth > DEEPEST) return null;
  switch (typeOf(one)) {
    case 'object':
      return Object.fromEntries(Object.entries(one.properties ?? {}).map(([name, member]) => [name, sample(document, member, depth + 1)]));
    case 'array':
      return Array.from({ length: Math.min(one.minItems ?? 1, 3) }, () => sample(document, one.items, depth + 1));
    case 'integer':
    case 'number':
      return Math.max(0, one.minimum ?? 0);
    case 'boolean':
      return false;
    case 'string':
      return '';
    default:
      return null;
  }
}

/** Examples that a schema names, with a title each; of several shapes, one each. */
export function examples(document: unknown, schema: Schema | undefined): { title: string; value: Json }[] {
  const whole = resolve(document, schema);
  const shapes = (whole.oneOf ?? [whole]).map((one) => resolve(document, one));
  const named = shapes.flatMap((one) => (one.examples ?? (one.example === undefined ? [] : [one.example])).map((value) => ({ title: one.description ?? one.title ?? '', value: value as Json })));
  if (named.length > 0) return named;
  return [{ title: '', value: sample(document, schema) }];
}

/** The bounds of a schema in a few words: 'integer 0–999', 'string ≤ 20'. */
export function typeText(schema: Schema): string {
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : typeOf(schema);
  const parts = [schema.format ? `${type} (${schema.format})` : type];
  if (schema.minimum !== undefined || schema.maximum !== undefined) parts.push(`${schema.minimum ?? '−∞'}–${schema.maximum ?? '∞'}`);
  if (schema.maxLength !== undefined) parts.push(`≤ ${schema.maxLength}`);
  if (schema.maxItems !== undefined) parts.push(`[≤ ${schema.maxItems}]`);
  return parts.join(' ');
}

export type Path = readonly (string | number)[];

/** The value at a path; undefined: nothing is there. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((here, step) => (here !== null && typeof here === 'object' ? (here as Record<string | number, Json>)[step] : undefined), value);
}

/** The same with another value at a path; undefined takes a member away. */
export function withValue(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  const isList = Array.isArray(value) || (value === undefined && typeof step === 'number');
  if (isList) {
    const list = [...((value as Json[] | undefined) ?? [])];
    const changed = withValue(list[Number(step)], rest, next);
    if (changed === undefined) list.splice(Number(step), 1);
    else list[Number(step)] = changed;
    return list;
  }
  const members = value !== null && typeof value === 'object' ? { ...(value as Record<string, Json>) } : {};
  const changed = withValue(members[step], rest, next);
  if (changed === undefined) delete members[step];
  else members[step] = changed;
  return members;
}

/** What was typed into an input, as a value of the schema. Nothing typed: no member. A number that is none stays text, so that the server says so. */
export function typed(schema: Schema, text: string): Json | undefined {
  if (text === '') return undefined;
  const type = typeOf(schema);
  if (type === 'boolean') return text === 'true';
  if (type === 'integer' || type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  return text;
}
