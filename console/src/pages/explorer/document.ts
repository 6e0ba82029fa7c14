// An OpenAPI document as a list of operations in groups, and the request that a filled-in form makes. Pure but for `documentAt`.

import type { Call } from '../try/call.ts';
import { resolve, type Schema, typeOf } from '../try/schema.ts';

export interface OpenDocument {
  title: string;
  version: string;
  groups: Group[];
  /** What references lead into. */
  source: unknown;
}

export interface Group {
  name: string;
  description: string;
  operations: ApiOperation[];
}

export interface ApiOperation {
  id: string;
  method: string;
  /** With the base of the document. */
  path: string;
  group: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  bodies: { type: string; schema: Schema }[];
  isBodyRequired: boolean;
  answers: { status: string; description: string; type: string; schema: Schema | undefined }[];
  roles: string[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  description: string;
  schema: Schema;
}

interface Source {
  info?: { title?: string; version?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, unknown>>;
}

interface SourceOperation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: (Partial<Parameter> & { $ref?: string })[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Schema }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
  'x-roles'?: string[];
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'];

/** Reads a document; `base` stands before its paths. */
export async function documentAt(address: string, base = '', signal?: AbortSignal): Promise<OpenDocument> {
  const answer = await fetch(address, { headers: { Accept: 'application/json' }, credentials: 'same-origin', ...(signal ? { signal } : {}) });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return documentOf(await answer.json(), base);
}

export function documentOf(source: unknown, base = ''): OpenDocument {
  const { info = {}, tags = [], paths = {} } = source as Source;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => operationOf(source, base + path, method, methods[method] as SourceOperation, (methods['parameters'] ?? []) as SourceOperation['parameters'] & {})),
  );
  const names = [...new Set([...tags.map(({ name }) => name), ...operations.map(({ group }) => group)])];
  const groups = names.map((name) => ({
    name, description: tags.find((tag) => tag.name === name)?.description ?? '', operations: operations.filter(({ group }) => group === name),
  }));
  return { title: info.title ?? '', version: info.version ?? '', groups: groups.filter((group) => group.operations.length > 0), source };
}

function operationOf(source: unknown, path: string, method: string, of: SourceOperation, shared: NonNullable<SourceOperation['parameters']>): ApiOperation {
  const own = (of.parameters ?? []).map((one) => parameterOf(source, one));
  const inherited = shared.map((one) => parameterOf(source, one)).filter((one) => !own.some(({ name, in: place }) => name === one.name && place === one.in));
  return {
    id: of.operationId ?? `${method} ${path}`, method: method.toUpperCase(), path, group: of.tags?.[0] ?? '',
    summary: of.summary ?? '', description: of.description ?? '',
    parameters: [...inherited, ...own],
    bodies: Object.entries(of.requestBody?.content ?? {}).map(([type, { schema = {} }]) => ({ type, schema })),
    isBodyRequired: of.requestBody?.required ?? false,
    answers: Object.entries(of.responses ?? {}).map(([status, { description = '', content = {} }]) => {
      const [type, body] = Object.entries(content)[0] ?? ['', undefined];
      return { status, description, type, schema: body?.schema };
    }),
    roles: of['x-roles'] ?? [],
  };
}

function parameterOf(source: unknown, one: Partial<Parameter> & { $ref?: string }): Parameter {
  const { name = '', in: place = 'query', required = false, description = '', schema = {} } = (one.$ref ? resolve(source, { $ref: one.$ref }) as unknown : one) as Partial<Parameter>;
  return { name, in: place, required, description, schema: resolve(source, schema) };
}

/** The groups with the operations that have every word in method, path, summary, group or identifier. */
export function found({ groups }: OpenDocument, search: string): Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter(({ id, method, path, summary, group: name }) => {
        const text = `${method} ${path} ${summary} ${name} ${id}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ operations }) => operations.length > 0);
}

/** What a form has: values by parameter ('query depth'), the media type and the text of the body. */
export interface Filled {
  values: Readonly<Record<string, string>>;
  type: string;
  body: string;
}

export function keyOf({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string {
  return `${place} ${name}`;
}

/** The request of a filled-in form, or the parameters and parts that are missing. */
export function callOf({ method, path, parameters, bodies, isBodyRequired }: ApiOperation, { values, type, body }: Filled): { call: Call; missing: string[] } {
  const value = (parameter: Parameter) => values[keyOf(parameter)] ?? '';
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const address = path.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const text = values[`path ${name}`] ?? '';
    return text === '' ? whole : encodeURIComponent(text);
  });
  const query = of('query').filter((parameter) => value(parameter) !== '').flatMap((parameter) => {
    // A list is written with commas; each entry is a parameter of its own.
    const texts = typeOf(parameter.schema) === 'array' ? value(parameter).split(',').map((text) => text.trim()) : [value(parameter)];
    return texts.map((text) => `${encodeURIComponent(parameter.name)}=${encodeURIComponent(text)}`);
  });
  const headers: Record<string, string> = {};
  for (const parameter of of('header')) if (value(parameter) !== '') headers[parameter.name] = value(parameter);
  const hasBody = bodies.length > 0 && body !== '';
  if (hasBody && type !== '') headers['Content-Type'] = type;
  const missing = parameters.filter((parameter) => parameter.required && parameter.in !== 'cookie' && value(parameter) === '' && !isToken(parameter)).map(({ name }) => name);
  if (isBodyRequired && !hasBody) missing.push('body');
  return { call: { method, address: address + (query.length > 0 ? `?${query.join('&')}` : ''), headers, body: hasBody ? body : undefined }, missing };
}

/** The header against foreign pages is sent in any case. */
export function isToken({ name, in: place }: Parameter): boolean {
  return place === 'header' && name.toLowerCase() === 'ibm-mq-rest-csrf-token';
}
