// The addresses of the console: one table of paths, and what is typed from it.
//
// A page is named by a key of PATHS. `link.queue({ qmgr, queue })` writes an address, `match` reads one. Tests use the same table.
// Names of MQ objects may hold '/' and '%': each parameter is one segment, percent-encoded.
//
// Never here: the browser's history (router.ts) and what a page shows (app.tsx).

export const BASE = '/ibmmq/console';

export const PATHS = {
  home: '/',
  signIn: '/sign-in',
  now: '/qm/{qmgr}',
  queues: '/qm/{qmgr}/queues',
  queue: '/qm/{qmgr}/queue/{queue}',
  queueMessages: '/qm/{qmgr}/queue/{queue}/messages',
  queueHandles: '/qm/{qmgr}/queue/{queue}/handles',
  queueHistory: '/qm/{qmgr}/queue/{queue}/history',
  queueProperties: '/qm/{qmgr}/queue/{queue}/properties',
  queueAuthority: '/qm/{qmgr}/queue/{queue}/authority',
  message: '/qm/{qmgr}/queue/{queue}/message/{message}',
  deadLetters: '/qm/{qmgr}/dead-letters',
  jobs: '/qm/{qmgr}/jobs',
  channels: '/qm/{qmgr}/channels',
  channel: '/qm/{qmgr}/channel/{channel}',
  applications: '/qm/{qmgr}/applications',
  connection: '/qm/{qmgr}/connection/{connection}',
  topics: '/qm/{qmgr}/topics',
  subscriptions: '/qm/{qmgr}/subscriptions',
  authority: '/qm/{qmgr}/authority',
  group: '/qm/{qmgr}/group',
  connect: '/qm/{qmgr}/connect',
  mqsc: '/qm/{qmgr}/mqsc',
  events: '/qm/{qmgr}/events',
  services: '/services',
  service: '/services/{service}',
  apis: '/apis',
  api: '/apis/{api}',
  requesters: '/requesters',
  requester: '/requesters/{requester}',
  explorer: '/explorer',
  server: '/server',
} as const;

export type PageName = keyof typeof PATHS;

/** The names between braces of a path. */
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
export type Parameters<Name extends PageName> = Record<Names<(typeof PATHS)[Name]>, string>;
export type Query = Record<string, string | readonly string[] | undefined>;

type Linker<Name extends PageName> =
  Names<(typeof PATHS)[Name]> extends never
    ? (parameters?: Record<string, never>, query?: Query) => string
    : (parameters: Parameters<Name>, query?: Query) => string;

/** Writes addresses: `link.queue({ qmgr: 'QM1', queue: 'ORDERS' })`. */
export const link = Object.fromEntries(
  Object.entries(PATHS).map(([name, path]) => [name, (parameters: Record<string, string> = {}, query?: Query) => write(path, parameters) + written(query)]),
) as unknown as { [Name in PageName]: Linker<Name> };

/** The address of a page whose name is known at run time only, and that needs at most a queue manager. */
export function addressOf(name: PageName, qmgr: string | undefined): string {
  return write(PATHS[name], { qmgr: qmgr ?? '' });
}

/** The address of a tab of a queue. */
export function addressOfQueue(tab: PageName, qmgr: string, queue: string): string {
  return write(PATHS[tab], { qmgr, queue });
}

export interface Match {
  page: PageName;
  parameters: Record<string, string>;
}

const PATTERNS = Object.entries(PATHS).map(([page, path]) => ({ page: page as PageName, segments: split(path) }));

/** The page of an address, or undefined. `pathname` begins with BASE. */
export function match(pathname: string): Match | undefined {
  if (pathname !== BASE && !pathname.startsWith(`${BASE}/`)) return undefined;
  const segments = split(pathname.slice(BASE.length));
  for (const pattern of PATTERNS) {
    const parameters = fit(pattern.segments, segments);
    if (parameters) return { page: pattern.page, parameters };
  }
  return undefined;
}

/** A query, with its question mark when there is one. Lists are repeated; undefined is left out. */
export function written(query: Query | undefined): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) parts.append(name, one);
  }
  const text = parts.toString();
  return text === '' ? '' : `?${text}`;
}

function write(path: string, parameters: Record<string, string>): string {
  return BASE + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}

function split(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function fit(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== segment) return undefined;
      continue;
    }
    try {
      parameters[expected.slice(1, -1)] = decodeURIComponent(segment);
    } catch {
      return undefined;
    }
  }
  return parameters;
}
