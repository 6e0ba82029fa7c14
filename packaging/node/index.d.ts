/** How a server is started. Ports are free ones and nothing is on disk, unless the arguments say otherwise. */
export interface Options {
  /** Name of the queue manager; `QM1` by default. */
  queueManager?: string;
  /** The server's clock can be moved, its calls made to fail, and its traffic recorded and mocked. */
  testControl?: boolean;
  /** Further arguments of `serve`. */
  args?: string[];
  /** Further variables of its environment. */
  env?: Record<string, string>;
  /** Milliseconds until it has to be ready; 60,000 by default. */
  patience?: number;
}

export interface RequestOptions {
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  /** As the administrator, not as `app`. */
  administrator?: boolean;
}

/** Which calls or requests fail, and how; docs/test-control.md has the members. */
export interface Fault {
  api?: string;
  apiRequester?: string;
  channel?: string;
  path?: string;
  qmgr?: string;
  queue?: string;
  service?: string;
  verb?: 'connect' | 'open' | 'close' | 'put' | 'get' | 'browse' | 'set' | 'subscribe' | 'commit' | 'backout';
  delay?: string;
  drop?: 'before' | 'after';
  reason?: number;
  skip?: number;
  status?: number;
  times?: number;
}

/** A rule that the server has: its `id`, how many calls it was about, and how many it has hit. */
export type KnownFault = Fault & { id: string; seen: number; hits: number };

/** What is recorded; at least one of both. */
export interface Recorded {
  /** Puts and gets of these queues, whose names may end in an asterisk. */
  queues?: string | string[];
  /** Calls of API requesters. */
  calls?: boolean;
}

export interface MockOptions {
  /** Requests on other queues are left alone. */
  queues?: string | string[];
  /** In what a request is like the recorded one; `body` by default. */
  like?: Likeness | Likeness[];
}

export type Likeness = 'body' | 'correlationId' | 'format' | 'type';

/** `quaymaster serve --ephemeral`: start it with `Server.start`, end it with `stop`. */
export class Server {
  private constructor();
  static start(options?: Options): Promise<Server>;
  /** Ends the server. What it holds is gone. */
  stop(): Promise<void>;
  readonly queueManager: string;
  /** `app`, the user of programs. */
  readonly user: string;
  readonly password: string;
  readonly administrator: string;
  readonly administratorPassword: string;
  /** What the server has logged so far. */
  readonly log: string;
  /** Connection name for MQ clients, such as `127.0.0.1(40123)`. */
  readonly mq: string;
  readonly http: string;
  readonly https: string;
  /** The authority that signed the server's certificate. */
  readonly caFile: string;
  /** Variables with which MQ clients in C, such as the package ibmmq, find the server. */
  environment(channel?: string): Record<string, string>;
  /** A request to REST; rejects with RestError from status 400 on. */
  request(method: string, path: string, options?: RequestOptions): Promise<{ status: number; text: string }>;
  /** Runs one MQSC command; resolves to the lines of its answer, and rejects with MqscError when it fails. */
  mqsc(command: string): Promise<string[]>;
  /** `define('QLOCAL(A) MAXDEPTH(5)')`: makes or replaces an object. */
  define(definition: string): Promise<string[]>;
  put(queue: string, text: string, options?: { persistent?: boolean; headers?: Record<string, string> }): Promise<void>;
  /** The next message, removed; `null` when there is none within `wait` milliseconds. */
  get(queue: string, options?: { wait?: number }): Promise<string | null>;
  /** The next message, which stays; `null` when there is none. */
  browse(queue: string): Promise<string | null>;
  fault(rule: Fault): Promise<KnownFault>;
  faults(): Promise<KnownFault[]>;
  clearFaults(): Promise<void>;
  /** Moves the clock forward: `advance('1h')`; resolves to the new time. */
  advance(duration: string): Promise<string>;
  setClock(moment: string, options?: { running?: boolean }): Promise<string>;
  snapshot(): Promise<string>;
  restore(snapshot: string): Promise<void>;
  /** Runs the body, and writes what programs put, got and called meanwhile to a file. A body that fails writes none. */
  record<T>(file: string, what: Recorded, body: () => T | Promise<T>): Promise<T>;
  /** Answers in place of the recorded programs and APIs, until `stopMock` or the end of the server. */
  mock(file: string, options?: MockOptions): Promise<void>;
  stopMock(): Promise<void>;
  /** Puts again what was put, to these queues or to all, at once or at the recorded pace; resolves to the number of messages. */
  replay(file: string, options?: { queues?: string | string[]; pace?: 'atOnce' | 'recorded' }): Promise<number>;
}

/** The server of the run, as one test sees it. */
export interface IsolatedServer extends Omit<Server, 'stop'> {
  /** Makes a queue of this test, which is deleted afterwards; resolves to its whole name. */
  queue(name: string, attributes?: string): Promise<string>;
}

export class RestError extends Error {
  readonly status: number;
}

export class MqscError extends Error {}

/** The path of the program. */
export function program(): string;

/** The body of a test, with the server of the run and queues of its own. */
export function withServer<T>(body: (server: IsolatedServer) => T | Promise<T>): () => Promise<T>;
/** The body of a test, with a server that no other test sees. */
export function withServerAlone<T>(body: (server: Server) => T | Promise<T>, options?: Options): () => Promise<T>;
/** The same, whose clock can be moved, whose calls can be made to fail and whose traffic can be recorded and mocked. */
export function withServerControlled<T>(body: (server: Server) => T | Promise<T>, options?: Options): () => Promise<T>;
