// The filter of a list of messages: conditions as they are typed, made into what the message API takes.
//
// Pure. Fields of the descriptor have short names; any other name is a message property. Text that is no condition is looked for in the data.

import { type Condition, readCondition } from '../../grid/filter.ts';

export interface MessageQuery {
  selector?: string;
  contains?: string;
  id?: string;
  correlationId?: string;
  groupId?: string;
  /** Bytes of the data. */
  minLength?: number;
  maxLength?: number;
}

type Kind = 'text' | 'number' | 'moment' | 'persistence' | 'backouts' | 'parameter' | 'size';

/** Name in a condition: identifier of the selector, and how its value is written. */
const FIELDS: Record<string, [string, Kind]> = {
  user: ['JMSXUserID', 'text'],
  application: ['JMSXAppID', 'text'],
  format: ['JMS_IBM_Format', 'text'],
  type: ['JMS_IBM_MsgType', 'number'],
  priority: ['JMSPriority', 'number'],
  persistence: ['JMSDeliveryMode', 'persistence'],
  putAt: ['JMSTimestamp', 'moment'],
  backouts: ['JMSXDeliveryCount', 'backouts'],
  ccsid: ['JMS_IBM_Character_Set', 'number'],
  size: ['size', 'size'],
  id: ['id', 'parameter'],
  correlationId: ['correlationId', 'parameter'],
  groupId: ['groupId', 'parameter'],
};

export const FIELD_NAMES = Object.keys(FIELDS);

/** The names that conditions may have: fields, then the properties of messages on screen and of conditions that hold. */
export function namesOf(messages: readonly { properties?: Record<string, unknown> }[], where: readonly string[]): string[] {
  const properties = new Set<string>();
  for (const { properties: own } of messages) for (const name of Object.keys(own ?? {})) if (/^[A-Za-z]+$/.test(name)) properties.add(name);
  for (const condition of where) {
    const name = /^[A-Za-z]+/.exec(condition)?.[0];
    if (name) properties.add(name);
  }
  return [...FIELD_NAMES, ...[...properties].filter((name) => !FIELD_NAMES.includes(name)).sort()];
}

/** What the API is asked for. `selector` is one of the person's own. */
export function queryOf(search: string, where: readonly string[], selector: string): MessageQuery {
  const query: MessageQuery = {};
  const parts: string[] = [];
  for (const one of where) {
    const condition = readCondition(one, [...FIELD_NAMES, /^[A-Za-z]+/.exec(one)?.[0] ?? '']);
    if (!condition) continue;
    const field = FIELDS[condition.column];
    if (field?.[1] === 'parameter') query[condition.column as 'id'] = condition.value.replace(/^(0x|ID:)/i, '').toLowerCase();
    else if (field?.[1] === 'size' && condition.operator !== '!=') Object.assign(query, lengths(condition));
    else parts.push(compare(condition, field));
  }
  if (selector.trim() !== '') parts.push(parts.length > 0 ? `(${selector.trim()})` : selector.trim());
  if (parts.length > 0) query.selector = parts.join(' AND ');
  if (search !== '') query.contains = search;
  return query;
}

/** What a condition of the size says of the length of the data. */
function lengths({ operator, value }: Condition): MessageQuery {
  const size = bytesIn(value);
  switch (operator) {
    case '>': return { minLength: size + 1 };
    case '>=': return { minLength: size };
    // No message is shorter than nothing.
    case '<': return size > 0 ? { maxLength: size - 1 } : { minLength: 1, maxLength: 0 };
    case '<=': return { maxLength: size };
    default: return { minLength: size, maxLength: size };
  }
}

/** A number of bytes: `1000`, `64k`, `1.5M`. */
export function bytesIn(value: string): number {
  const [, number = '0', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(value) ?? [];
  return Math.round(Number(number) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase()));
}

export function isFiltered(query: MessageQuery): boolean {
  return Object.keys(query).length > 0;
}

const SIGNS: Record<string, string> = { '!=': '<>' };

function compare({ column, operator, value }: Condition, field: [string, Kind] | undefined): string {
  const sign = SIGNS[operator] ?? operator;
  const [name, kind] = field ?? [column, 'text'];
  if (!field) return `${name} ${sign} ${literal(value)}`;
  switch (kind) {
    case 'persistence':
      return `${name} ${sign} '${/^(persistent|yes|true)$/i.test(value) ? 'PERSISTENT' : 'NON_PERSISTENT'}'`;
    case 'moment':
      return `${name} ${sign} ${momentMs(value)}`;
    case 'backouts':
      return `${name} ${sign} ${(Number.parseInt(value, 10) || 0) + 1}`;
    case 'number':
      return `${name} ${sign} ${TYPES[value.toLowerCase()] ?? (Number.parseInt(value, 10) || 0)}`;
    default:
      return value.includes('*') && (operator === '=' || operator === '!=') ? `${name} ${operator === '=' ? 'LIKE' : 'NOT LIKE'} ${pattern(value)}` : `${name} ${sign} ${quote(value)}`;
  }
}

const TYPES: Record<string, number> = { request: 1, reply: 2, report: 4, datagram: 8 };

/** A value of a property: number, boolean, or text; `'5'` is a text. */
function literal(value: string): string {
  if (/^-?\d+(\.\d+)?$/.test(value)) return value;
  if (/^(true|false)$/i.test(value)) return value.toUpperCase();
  return quote(value.replace(/^'(.*)'$/, '$1'));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function pattern(text: string): string {
  const escaped = text.replace(/[%_\\]/g, '\\$&').replaceAll('*', '%');
  return escaped.includes('\\') ? `${quote(escaped)} ESCAPE '\\'` : quote(escaped);
}

/** A moment, or how long ago: `2026-11-26T06:00`, `10m`, `2h`, `1d`. */
export function momentMs(value: string, now = Date.now()): number {
  const [, number, unit] = /^(\d+)(s|m|h|d)$/.exec(value) ?? [];
  if (number && unit) return now - Number(number) * { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's'];
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? 0 : ms;
}
