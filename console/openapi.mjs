// Writes the types of requests and answers from the OpenAPI document of the server, crates/web/tests/golden/openapi.json.
//
// One entry an operation, named as a person says it: 'GET /api/v1/session'. An entry has the parameters of the path and of the query,
// the body, and the answer of status 200 to 202. Only what the console may call is written; see WANTED.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCUMENT = join(dirname(fileURLToPath(import.meta.url)), '../crates/web/tests/golden/openapi.json');
const WANTED = [/^\/api\/v1\//, /^\/ibmmq\/rest\/\{version\}\/(login$|admin\/action\/)/, /^\/zosConnect\//, /^\/health/];

/** Operations that src/api/pending.ts still declares although the document has them. */
export function declaredTwice(written, pending) {
  const names = (text) => [...text.matchAll(/^ +'([A-Z]+ \/[^']+)':/gm)].map(([, name]) => name);
  const known = new Set(names(written));
  return names(pending).filter((name) => known.has(name));
}

/** The text of src/api/operations.ts. */
export function operations() {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const used = new Set(['Problem', 'Job']);
  const entries = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!WANTED.some((wanted) => wanted.test(path))) continue;
    const shared = methods.parameters ?? [];
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.operationId) continue;
      const parameters = [...shared, ...(operation.parameters ?? [])];
      const body = operation.requestBody?.content?.['application/json']?.schema;
      const good = ['200', '201', '202'].map((status) => operation.responses[status]).find(Boolean);
      const answer = Object.entries(good?.content ?? {}).find(([type]) => type.startsWith('application/json'))?.[1].schema;
      entries.push([
        `  '${method.toUpperCase()} ${path}': {`,
        `    path: ${parametersIn(parameters, 'path', used)};`,
        `    query: ${parametersIn(parameters, 'query', used)};`,
        `    body: ${body ? typeOf(body, used, 4) : 'never'};`,
        `    answer: ${answer ? typeOf(answer, used, 4) : 'unknown'};`,
        '  };',
      ].join('\n'));
    }
  }
  const schemas = new Map();
  for (let next = [...used]; next.length > 0; next = [...used].filter((name) => !schemas.has(name))) {
    for (const name of next) schemas.set(name, typeOf(document.components.schemas[name], used, 0));
  }
  const types = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, type]) => `export type ${name} = ${type};`);
  return [
    '// Written by build.mjs from the OpenAPI document of the server. Not for editing: `make console` writes it again.',
    ...types,
    `export interface Operations {\n${entries.join('\n')}\n}`,
  ].join('\n\n') + '\n';
}

function parametersIn(parameters, place, used) {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return '{}';
  const members = found.map(({ name, required, schema, description }) => {
    // A parameter that may be repeated is a list too; the document says so in words alone.
    const isRepeated = place === 'query' && schema?.type !== 'array' && /may be (given|repeated)/i.test(description ?? '');
    const type = typeOf(schema ?? {}, used, 0);
    return `${keyed(name)}${required ? '' : '?'}: ${isRepeated ? `${type} | ${type}[]` : type}`;
  });
  return `{ ${members.join('; ')} }`;
}

/** A schema as a type. */
function typeOf(schema, used, indent) {
  if (schema === true || Object.keys(schema).length === 0) return 'unknown';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    used.add(name);
    return name;
  }
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, used, indent)))].join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, used, indent)).join(' & ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, used, indent)).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array': {
      const item = typeOf(schema.items ?? {}, used, indent);
      return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    default:
      return objectOf(schema, used, indent);
  }
}

function objectOf(schema, used, indent) {
  const room = ' '.repeat(indent + 2);
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    return `${room}${keyed(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, used, indent + 2)};`;
  });
  const others = schema.additionalProperties;
  if (members.length === 0) return others && others !== true ? `Record<string, ${typeOf(others, used, indent)}>` : 'Record<string, unknown>';
  return `{\n${members.join('\n')}\n${' '.repeat(indent)}}`;
}

function keyed(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
