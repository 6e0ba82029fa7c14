// Written by build.mjs from the OpenAPI document of the server. Not for editing: `make console` writes it again.

export type Activity = {
  at: string;
  services: {
    name: string;
    state: "started" | "stopped";
    recent: {
      seconds: number;
      requests: number;
      perSecond: number;
      refused: number;
      failed: number;
      unanswered: number;
      p50: number | null;
      p95: number | null;
    };
    errors: {
      at: string;
      status: number;
      milliseconds: number | null;
      answer: string;
    }[];
    requests: number;
    inFlight: number;
    succeeded: number;
    refused: number;
    failed: number;
    unanswered: number;
    abandoned: number;
  }[];
  apis: {
    name: string;
    state: "started" | "stopped";
    recent: {
      seconds: number;
      requests: number;
      perSecond: number;
      refused: number;
      failed: number;
      unanswered: number;
      p50: number | null;
      p95: number | null;
    };
    errors: {
      at: string;
      status: number;
      milliseconds: number | null;
      answer: string;
    }[];
    requests: number;
    inFlight: number;
    succeeded: number;
    refused: number;
    failed: number;
    unanswered: number;
    abandoned: number;
  }[];
  requesters: {
    name: string;
    state: "started" | "stopped";
    recent: {
      seconds: number;
      requests: number;
      perSecond: number;
      refused: number;
      failed: number;
      unanswered: number;
      p50: number | null;
      p95: number | null;
    };
    errors: {
      at: string;
      status: number;
      milliseconds: number | null;
      answer: string;
    }[];
    requests: number;
    inFlight: number;
    succeeded: number;
    refused: number;
    failed: number;
    unanswered: number;
    abandoned: number;
  }[];
};

export type Browsed = {
  messages: Message[];
  cursor?: string;
  previous?: string;
  lookedAt: number;
};

export type Changes = {
  changes: {
    at: string;
    user: string;
    by: string;
    object: {
      type: string;
      name: string;
    };
    what: "create" | "change" | "delete";
    before: Record<string, string | string[]>;
    after: Record<string, string | string[]>;
    mqsc: string | null;
  }[];
  isComplete: boolean;
};

export type ChannelInstancePage = {
  at: string;
  total: number;
  known: number;
  offset: number;
  columns: ("channel" | "state" | "address" | "user" | "application" | "since" | "conversations" | "messages" | "bytesIn" | "bytesOut" | "last" | "cipher" | "protocol" | "subject" | "issuer" | "client" | "stopping" | "heartbeat" | "localAddress" | "disposition")[];
  rows: ((string | number | boolean | null)[])[];
};

export type ChannelPage = {
  at: string;
  total: number;
  known: number;
  offset: number;
  columns: ("name" | "type" | "state" | "instances" | "max" | "messages" | "bytesIn" | "bytesOut" | "cipher" | "description" | "full" | "conversations" | "system" | "altered")[];
  rows: ((string | number | boolean | null)[])[];
};

export type Chart = {
  from: string;
  step: string;
  series: {
    name: string;
    unit: string;
    since: string | null;
    values: (number | null)[];
    min: (number | null)[];
    max: (number | null)[];
  }[];
};

export type ConnectCard = {
  qmgr: string;
  user: string;
  host: string;
  httpPort: number | null;
  httpsPort: number | null;
  listeners: {
    name: string;
    port: number;
    tls: boolean;
  }[];
  channels: {
    name: string;
    user: string;
    cipherSpec: string | null;
    certificateRequired: boolean;
  }[];
  certificateAuthority: string | null;
  ccdt: Record<string, unknown>;
  curl: string;
  jms: string | null;
  mqserver: string | null;
};

export type ConnectionPage = {
  at: string;
  total: number;
  known: number;
  offset: number;
  columns: ("id" | "application" | "user" | "channel" | "address" | "since" | "puts" | "gets" | "open" | "uncommitted" | "unitSince" | "client")[];
  rows: ((string | number | boolean | null)[])[];
};

export type Copybook = {
  name: string;
  from: "service" | "folder";
  length?: number;
  minimumLength?: number;
  ccsid?: number;
  encoding?: number;
  problem?: string;
  fields?: {
    path: string;
    level: number;
    offset: number;
    length: number;
    usage: string;
    picture?: string;
    redefines?: string;
    occurs?: number;
    minimumOccurs?: number;
    dependingOn?: string;
  }[];
  schema?: Record<string, unknown>;
};

export type Copybooks = {
  copybooks: Copybook[];
  cursor?: string;
};

export type DeadLetters = {
  queue: string | null;
  lookedAt?: number;
  isComplete?: boolean;
  groups?: Record<string, unknown>[];
  text?: string;
};

export type Explained = {
  allowed?: boolean;
  user?: string;
  groups?: string[];
  reason?: Record<string, unknown>;
  cause?: string;
  steps?: {
    at: string;
    text: string;
    allowed?: boolean;
  }[];
  remedy?: {
    mqsc: string[];
    scope: string;
  }[];
  refusals?: Record<string, unknown>[];
  refused?: Record<string, unknown>[];
  isComplete?: boolean;
};

export type Grammar = {
  verbs: string[];
  objects: {
    object: string;
    synonyms: string[];
    commands: {
      verb: string;
      parameters: string;
      keywords: {
        keyword: string;
        operand?: string;
        words?: string[];
      }[];
      help: string;
    }[];
    typeKeyword?: string;
    attributes?: {
      keyword: string;
      synonyms?: string[];
      value: GrammarValue;
      default?: string;
      setBy: ("DEFINE" | "ALTER")[];
      types?: string[];
      help: string;
    }[];
    shown?: {
      keyword: string;
      value: GrammarValue;
    }[];
  }[];
};

export type GrammarValue = {
  is: "number" | "word" | "flag" | "name" | "text" | "hexadecimal" | "date" | "time" | "list" | "names" | "texts" | "words" | "secret";
  minimum?: number;
  maximum?: number;
  most?: number;
  unit?: string;
  words?: string[];
};

export type Group = {
  at: string;
  name: string;
  member: string;
  number: number | null;
  epoch: number | null;
  hasDatabase: boolean;
  schemaVersion: number | null;
  supportedVersion: number | null;
  members: GroupMember[];
  databases: GroupDatabase[];
  structures: GroupStructure[];
  hints: {
    sent: {
      wait: number;
      arrival: number;
      depth: number;
      request: number;
    };
    received: {
      wait: number;
      arrival: number;
      depth: number;
      request: number;
    };
    refused: number;
  } | null;
  checks: GroupCheck[];
};

export type GroupCheck = {
  subject: string;
  about: string;
  verdict: "ok" | "warning" | "error";
  text: string;
};

export type GroupDatabase = {
  structure: string | null;
  isReached: boolean;
  trouble: string | null;
  secondsSinceLook: number | null;
  roundTripMilliseconds: number | null;
  commitMilliseconds: number | null;
  batches: number;
  operations: number;
  unknownOutcomes: number;
  connects: number;
  recoveries: number;
  recoveredMessages: number;
  engine: string;
  version: string;
  host: string;
  timeline: number;
  isEncrypted: boolean | null;
  hosts: {
    name: string;
    role: "primary" | "standby" | "away";
    why: string | null;
  }[];
  synchronousStandbyNames: string | null;
  standbys: {
    name: string;
    state: string | null;
    synchronous: string | null;
    behindBytes: number | null;
  }[];
  deadRows: number | null;
  liveRows: number | null;
  secondsSinceVacuum: number | null;
  holders: {
    kind: string;
    pid: number | null;
    name: string;
    user: string | null;
    state: string | null;
    seconds: number | null;
  }[];
};

export type GroupMember = {
  name: string;
  number: number;
  state: "ACTIVE" | "INACTIVE" | "RECOVERING" | "FAILED";
  isSelf: boolean;
  epoch: number;
  secondsSinceBeat: number | null;
  secondsWatched: number;
  isHeard: boolean;
  address: string;
  host: string;
  version: string;
  schemaVersion: number;
  claims: number;
  unitsInDoubt: number;
  messagesInDoubt: number;
  recovery: {
    by: string;
    at: string;
    messages: number;
  } | null;
};

export type GroupStructure = {
  name: string;
  description: string;
  recover: boolean;
  onLoss: "TERMINATE" | "TOLERATE" | "ASQMGR";
  hasDatabase: boolean;
  queues: number;
  messages: number;
  bytes: number;
};

export type Insight = {
  queue: string;
  text: string;
  inhibited?: string[];
  readers: Record<string, unknown>[];
  readersAreComplete?: boolean;
  there: Record<string, unknown>;
  holders: Record<string, unknown>[];
  notYetDue: Record<string, unknown>;
  writers: number;
  lastPutAt?: string | null;
  lastGetAt?: string | null;
};

export type Job = {
  id: string;
  action: "move" | "copy" | "purge" | "replay" | "undo";
  qmgr: string;
  queue: string;
  dryRun: boolean;
  user: string;
  to?: {
    queue?: string;
  };
  of?: string;
  from?: {
    queue?: string;
  };
  undo: boolean;
  undoProblem?: string;
  state: "running" | "done" | "failed" | "cancelled" | "interrupted";
  counts: {
    seen: number;
    done: number;
    failed: number;
    gone: number;
  };
  bytes?: number;
  before?: string;
  sample?: {
    oldest?: string | null;
    newest?: string | null;
    positions: string[];
    targets: {
      queue: string;
      count: number;
    }[];
  };
  errors?: Record<string, unknown>[];
  reason?: Record<string, unknown>;
  startedAt: string;
  endedAt?: string;
};

export type Jobs = {
  jobs: Job[];
  cursor?: string;
};

export type Log = {
  lines: LogLine[];
  next: number;
  first: number;
};

export type LogLine = {
  number: number;
  at: string;
  level: "error" | "warn" | "info" | "debug" | "trace";
  text: string;
  fields: Record<string, unknown>;
};

export type LoggedIn = {
  user: {
    name: string;
    role: string[];
    authenticationMechanism?: string;
  }[];
};

export type Login = {
  username: string;
  password: string;
};

export type Message = {
  id?: string;
  correlationId?: string;
  groupId?: string;
  type?: string;
  format?: string;
  ccsid?: number;
  encoding?: number;
  priority?: number;
  persistence?: "persistent" | "nonPersistent" | "asQueue";
  expiry?: string;
  expiresAt?: string;
  delay?: string;
  deliverAt?: string;
  replyTo?: {
    queue: string;
    qmgr?: string;
  };
  report?: string[];
  contentType?: string;
  properties?: Record<string, unknown>;
  headers?: {
    structure: "MQDLH" | "MQXQH" | "MQMDE" | "MQRFH2" | "MQIIH" | "MQCIH";
  }[];
  body?: {
    text?: string;
    json?: unknown;
    base64?: string;
    raw?: string;
  } | {
    copybook: string;
    record: Record<string, unknown>;
  };
};

export type Messages = {
  messages: Message[];
  cursor?: string;
};

export type Mqsc = MqscText | MqscWords;

export type MqscReply = {
  overallCompletionCode: 0 | 1 | 2;
  overallReasonCode: number;
  commandResponse: {
    completionCode: 0 | 1 | 2;
    reasonCode: number;
    text?: string[];
    message?: string[];
    parameters?: Record<string, unknown>;
  }[];
};

export type MqscText = {
  type: "runCommand";
  parameters: {
    command: string;
  };
};

export type MqscWords = {
  type: "runCommandJSON";
  command: "alter" | "archive" | "backup" | "clear" | "define" | "delete" | "display" | "move" | "ping" | "purge" | "recover" | "refresh" | "reset" | "resolve" | "resume" | "rverify" | "set" | "start" | "stop" | "suspend";
  qualifier: string;
  name?: string;
  parameters?: Record<string, string | number | boolean | string[]>;
  responseParameters?: string[];
};

export type Mute = {
  for: string;
};

export type NewJob = {
  action: "move" | "copy" | "purge" | "replay";
  match?: {
    id?: string;
    correlationId?: string;
    groupId?: string;
    selector?: string;
  };
  contains?: string;
  minLength?: number;
  maxLength?: number;
  positions?: string[];
  ids?: string[];
  deadLetter?: {
    reason?: number | null;
    queue?: string;
    user?: string;
    application?: string;
  };
  before?: string;
  limit?: number;
  to?: {
    queue: string;
  };
  dryRun?: boolean;
  context?: "keep" | "new";
};

export type NewPush = Record<string, unknown>;

export type OperationsProblem = {
  id: string;
  rule: string;
  severity: "error" | "warning" | "note";
  since: string;
  object: {
    type: string;
    name: string;
  };
  values: Record<string, unknown>;
  text: string;
  next: {
    action: string;
    text: string;
    queue?: string;
    channel?: string;
    service?: string;
    connection?: string;
    href?: string;
    mqsc?: string[];
  }[];
  mutedUntil: string | null;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  hint?: string;
  reason?: {
    code: number;
    name?: string | null;
  };
  line?: number;
  signIn?: SignIn;
};

export type Problems = {
  at: string;
  problems: OperationsProblem[];
  leftOut: number;
};

export type Push = {
  name: string;
  qmgr: string;
  user: string;
  url: string;
  queue?: string;
  subscription?: {
    topic?: string;
    name?: string;
  };
  secrets: number;
  secret?: string;
  body?: "raw" | "envelope";
  headers?: string[];
  concurrency: number;
  timeout: string;
  retry: Record<string, unknown>;
  deadLetter?: {
    reason?: number;
  };
  match?: Record<string, unknown>;
  paused: boolean;
  changedAt?: string;
  state: "running" | "failing" | "blocked" | "paused";
  statistics: {
    posted: number;
    completed: number;
    failed: number;
    retried: number;
    inFlight: number;
    lastSuccessAt?: string;
    waitingSince?: string;
    blockedBy?: string;
    lastError?: {
      at: string;
      status?: number | null;
      problem: string;
    };
  };
};

export type Pushes = {
  targets: Push[];
  cursor?: string;
};

export type QueuePage = {
  at: string;
  total: number;
  known: number;
  offset: number;
  columns: ("name" | "type" | "description" | "depth" | "max" | "full" | "bytes" | "uncommitted" | "readers" | "writers" | "waiting" | "in" | "out" | "oldest" | "lastPut" | "lastGet" | "putEnabled" | "getEnabled" | "usage" | "target" | "targetQmgr" | "disposition" | "structure" | "dynamic" | "system" | "altered")[];
  rows: ((string | number | boolean | null)[])[];
};

export type Receive = {
  max?: number;
  wait?: string;
  lock?: string;
  body?: "auto" | "text" | "base64" | "raw" | "preview" | "none";
  copybook?: string;
  match?: {
    id?: string;
    correlationId?: string;
    groupId?: string;
    selector?: string;
  };
};

export type Session = {
  user: string;
  method: "form" | "basic" | "clientCertificate" | "bearer" | "oidc" | "noSecurity";
  roles: ("MQWebAdmin" | "MQWebAdminRO" | "MQWebUser" | "MFTWebAdmin" | "MFTWebAdminRO")[];
  ends: string | null;
  issuer: {
    name: string | null;
    url: string;
  } | null;
  version: string;
  now: string;
  may: {
    administer: boolean;
    change: boolean;
    messages: boolean;
  };
  qmgrs: {
    name: string;
    state: "running" | "ended" | "endedImmediately" | "endedPreemptively" | "endedUnexpectedly" | "starting" | "quiescing" | "endingImmediately" | "endingPreemptively" | "beingDeleted" | "stateNotAvailable" | "runningAsStandby" | "runningElsewhere";
    isDefault: boolean;
    group: string | null;
    deadLetterQueue: string | null;
  }[];
};

export type Settle = {
  lock?: string;
  reason?: number;
};

export type SettleMany = {
  settle: {
    token: string;
    action: "complete" | "abandon" | "renew" | "dead-letter";
    lock?: string;
    reason?: number;
  }[];
};

export type Settled = {
  token: string;
  lockedUntil?: string;
};

export type SettledMany = {
  settled: Record<string, unknown>[];
};

export type SignIn = {
  form: {
    path: string;
    isOpen: boolean;
  };
  basic: boolean;
  clientCertificate: boolean;
  issuers: {
    name: string;
    url: string;
    title: string | null;
    path: string | null;
    endSession: string | null;
  }[];
  httpsPort: number | null;
};

export type SubscriptionPage = {
  at: string;
  total: number;
  known: number;
  offset: number;
  columns: ("name" | "id" | "topicString" | "destination" | "user" | "durable" | "messages" | "type" | "last" | "connection" | "selector")[];
  rows: ((string | number | boolean | null)[])[];
};

export type TopicPage = {
  at: string;
  total: number;
  known: number;
  offset: number;
  columns: ("name" | "topicString" | "publishers" | "subscribers" | "retained" | "publish" | "subscribe" | "system")[];
  rows: ((string | number | boolean | null)[])[];
};

export type Transacted = {
  messages: {
    id: string;
  }[];
};

export type Transaction = {
  complete?: string[];
  put?: {
    queue: string;
    message: Message;
  }[];
  publish?: {
    topic: string;
    message: Message;
    retain?: boolean;
  }[];
};

export type Undo = {
  dryRun?: boolean;
  context?: "keep" | "new";
};

export type Watch = {
  queues?: {
    qmgr: string;
    names: string[];
  }[];
  jobs?: boolean;
  qmgrs?: boolean;
  events?: boolean;
  problems?: boolean;
  log?: boolean;
};

export type Watched = {
  queues: number;
  unknown: {
    qmgr: string;
    name: string;
  }[];
};

export interface Operations {
  'POST /api/v1/qmgr/{qmgr}/queue/{queue}/messages': {
    path: { qmgr: string; queue: string };
    query: { envelope?: "true" | "false"; atomic?: "true" | "false" };
    body: never;
    answer: unknown;
  };
  'DELETE /api/v1/qmgr/{qmgr}/queue/{queue}/messages': {
    path: { qmgr: string; queue: string };
    query: { wait?: string; max?: number; envelope?: "true" | "false"; body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string; id?: string; correlationId?: string; groupId?: string; selector?: string };
    body: never;
    answer: unknown;
  };
  'GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages': {
    path: { qmgr: string; queue: string };
    query: { limit?: number; cursor?: string; before?: string; contains?: string; minLength?: number; maxLength?: number; body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string; id?: string; correlationId?: string; groupId?: string; selector?: string };
    body: never;
    answer: Browsed;
  };
  'POST /api/v1/qmgr/{qmgr}/queue/{queue}/requests': {
    path: { qmgr: string; queue: string };
    query: { wait?: string; replyQueue?: string; correlation?: "messageId" | "correlationId" | "none"; late?: string; envelope?: "true" | "false"; body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string };
    body: never;
    answer: unknown;
  };
  'POST /api/v1/qmgr/{qmgr}/queue/{queue}/deliveries': {
    path: { qmgr: string; queue: string };
    query: {};
    body: Receive;
    answer: Messages;
  };
  'POST /api/v1/qmgr/{qmgr}/deliveries/settle': {
    path: { qmgr: string };
    query: {};
    body: SettleMany;
    answer: SettledMany;
  };
  'POST /api/v1/qmgr/{qmgr}/deliveries/{delivery}/{action}': {
    path: { qmgr: string; delivery: string; action: "complete" | "abandon" | "renew" | "dead-letter" };
    query: {};
    body: Settle;
    answer: Settled;
  };
  'POST /api/v1/qmgr/{qmgr}/transactions': {
    path: { qmgr: string };
    query: {};
    body: Transaction;
    answer: Transacted;
  };
  'POST /api/v1/qmgr/{qmgr}/queue/{queue}/jobs': {
    path: { qmgr: string; queue: string };
    query: {};
    body: NewJob;
    answer: Job;
  };
  'GET /api/v1/qmgr/{qmgr}/queue/{queue}/export': {
    path: { qmgr: string; queue: string };
    query: { limit?: number; positions?: string; contains?: string; minLength?: number; maxLength?: number; id?: string; correlationId?: string; groupId?: string; selector?: string };
    body: never;
    answer: unknown;
  };
  'POST /api/v1/qmgr/{qmgr}/queue/{queue}/import': {
    path: { qmgr: string; queue: string };
    query: { context?: "keep" | "new" };
    body: never;
    answer: unknown;
  };
  'GET /api/v1/jobs': {
    path: {};
    query: { limit?: number; cursor?: string };
    body: never;
    answer: Jobs;
  };
  'GET /api/v1/jobs/{job}': {
    path: { job: string };
    query: {};
    body: never;
    answer: Job;
  };
  'DELETE /api/v1/jobs/{job}': {
    path: { job: string };
    query: {};
    body: never;
    answer: Job;
  };
  'POST /api/v1/jobs/{job}/undo': {
    path: { job: string };
    query: {};
    body: Undo;
    answer: Job;
  };
  'GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}': {
    path: { qmgr: string; queue: string; position: string };
    query: { body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string };
    body: never;
    answer: Message;
  };
  'DELETE /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}': {
    path: { qmgr: string; queue: string; position: string };
    query: { body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string };
    body: never;
    answer: Message;
  };
  'GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}/body': {
    path: { qmgr: string; queue: string; position: string };
    query: { offset?: number; length?: number; ccsid?: number };
    body: never;
    answer: unknown;
  };
  'POST /api/v1/qmgr/{qmgr}/topic/{topic}/messages': {
    path: { qmgr: string; topic: string };
    query: { envelope?: "true" | "false"; atomic?: "true" | "false"; retain?: "true" | "false" };
    body: never;
    answer: unknown;
  };
  'GET /api/v1/qmgr/{qmgr}/why/2035': {
    path: { qmgr: string };
    query: { user?: string; queue?: string; qmgr?: string; topic?: string; object?: string; type?: "queue" | "topic" | "qmgr" | "channel" | "clntconn" | "listener" | "process" | "namelist" | "authinfo" | "service" | "comminfo" | "rqmname"; wants?: string; channel?: string; address?: string; authenticated?: "true" | "false"; limit?: number; since?: string };
    body: never;
    answer: Explained;
  };
  'GET /api/v1/qmgr/{qmgr}/why/dead-letter': {
    path: { qmgr: string };
    query: { queue?: string; position?: string; limit?: number };
    body: never;
    answer: DeadLetters;
  };
  'GET /api/v1/qmgr/{qmgr}/why/channel': {
    path: { qmgr: string };
    query: { name?: string; address?: string; user?: string; authenticated?: "true" | "false"; subject?: string; issuer?: string; limit?: number; since?: string };
    body: never;
    answer: Explained;
  };
  'GET /api/v1/qmgr/{qmgr}/why/get': {
    path: { qmgr: string };
    query: { queue: string };
    body: never;
    answer: Insight;
  };
  'GET /api/v1/qmgr/{qmgr}/push': {
    path: { qmgr: string };
    query: { limit?: number; cursor?: string };
    body: never;
    answer: Pushes;
  };
  'PUT /api/v1/qmgr/{qmgr}/push/{push}': {
    path: { qmgr: string; push: string };
    query: {};
    body: NewPush;
    answer: Push;
  };
  'GET /api/v1/qmgr/{qmgr}/push/{push}': {
    path: { qmgr: string; push: string };
    query: {};
    body: never;
    answer: Push;
  };
  'DELETE /api/v1/qmgr/{qmgr}/push/{push}': {
    path: { qmgr: string; push: string };
    query: {};
    body: never;
    answer: unknown;
  };
  'POST /api/v1/qmgr/{qmgr}/push/{push}/pause': {
    path: { qmgr: string; push: string };
    query: {};
    body: never;
    answer: Push;
  };
  'POST /api/v1/qmgr/{qmgr}/push/{push}/resume': {
    path: { qmgr: string; push: string };
    query: {};
    body: never;
    answer: Push;
  };
  'GET /api/v1/qmgr/{qmgr}/queue/{queue}/stream': {
    path: { qmgr: string; queue: string };
    query: { lock?: string; max?: number; browse?: "true" | "false"; cursor?: string; heartbeat?: string; body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string; id?: string; correlationId?: string; groupId?: string; selector?: string };
    body: never;
    answer: unknown;
  };
  'GET /api/v1/qmgr/{qmgr}/topic/{topic}/stream': {
    path: { qmgr: string; topic: string };
    query: { subscription?: string; lock?: string; max?: number; heartbeat?: string; body?: "auto" | "text" | "base64" | "raw" | "preview" | "none"; copybook?: string; id?: string; correlationId?: string; groupId?: string; selector?: string };
    body: never;
    answer: unknown;
  };
  'GET /api/v1/qmgr/{qmgr}/history': {
    path: { qmgr: string };
    query: { series?: string | string[]; from?: string; to?: string; points?: number };
    body: never;
    answer: Chart;
  };
  'GET /api/v1/qmgr/{qmgr}/queues': {
    path: { qmgr: string };
    query: { search?: string; where?: string | string[]; columns?: string; sort?: string; offset?: number; limit?: number };
    body: never;
    answer: QueuePage;
  };
  'GET /api/v1/qmgr/{qmgr}/channels': {
    path: { qmgr: string };
    query: { search?: string; where?: string | string[]; columns?: string; sort?: string; offset?: number; limit?: number };
    body: never;
    answer: ChannelPage;
  };
  'GET /api/v1/qmgr/{qmgr}/channel-instances': {
    path: { qmgr: string };
    query: { search?: string; where?: string | string[]; columns?: string; sort?: string; offset?: number; limit?: number };
    body: never;
    answer: ChannelInstancePage;
  };
  'GET /api/v1/qmgr/{qmgr}/connections': {
    path: { qmgr: string };
    query: { search?: string; where?: string | string[]; columns?: string; sort?: string; offset?: number; limit?: number };
    body: never;
    answer: ConnectionPage;
  };
  'GET /api/v1/qmgr/{qmgr}/topics': {
    path: { qmgr: string };
    query: { search?: string; where?: string | string[]; columns?: string; sort?: string; offset?: number; limit?: number };
    body: never;
    answer: TopicPage;
  };
  'GET /api/v1/qmgr/{qmgr}/subscriptions': {
    path: { qmgr: string };
    query: { search?: string; where?: string | string[]; columns?: string; sort?: string; offset?: number; limit?: number };
    body: never;
    answer: SubscriptionPage;
  };
  'GET /api/v1/qmgr/{qmgr}/problems': {
    path: { qmgr: string };
    query: {};
    body: never;
    answer: Problems;
  };
  'GET /api/v1/qmgr/{qmgr}/group': {
    path: { qmgr: string };
    query: {};
    body: never;
    answer: Group;
  };
  'PUT /api/v1/qmgr/{qmgr}/problems/{problem}/mute': {
    path: { qmgr: string; problem: string };
    query: {};
    body: Mute;
    answer: OperationsProblem;
  };
  'DELETE /api/v1/qmgr/{qmgr}/problems/{problem}/mute': {
    path: { qmgr: string; problem: string };
    query: {};
    body: never;
    answer: OperationsProblem;
  };
  'GET /api/v1/qmgr/{qmgr}/changes': {
    path: { qmgr: string };
    query: { since?: string; limit?: number };
    body: never;
    answer: Changes;
  };
  'GET /api/v1/activity': {
    path: {};
    query: {};
    body: never;
    answer: Activity;
  };
  'GET /api/v1/stream': {
    path: {};
    query: {};
    body: never;
    answer: unknown;
  };
  'PUT /api/v1/stream/{stream}/watch': {
    path: { stream: string };
    query: {};
    body: Watch;
    answer: Watched;
  };
  'GET /api/v1/copybooks': {
    path: {};
    query: { limit?: number; cursor?: string };
    body: never;
    answer: Copybooks;
  };
  'GET /api/v1/copybooks/{copybook}': {
    path: { copybook: string };
    query: {};
    body: never;
    answer: Copybook;
  };
  'GET /api/v1/problems/{problem}': {
    path: { problem: string };
    query: {};
    body: never;
    answer: unknown;
  };
  'GET /api/v1/session': {
    path: {};
    query: {};
    body: never;
    answer: Session;
  };
  'GET /api/v1/mqsc/grammar': {
    path: {};
    query: {};
    body: never;
    answer: Grammar;
  };
  'GET /api/v1/log': {
    path: {};
    query: { after?: number; level?: "error" | "warn" | "info" | "debug" | "trace"; limit?: number };
    body: never;
    answer: Log;
  };
  'GET /api/v1/qmgr/{qmgr}/connect-card': {
    path: { qmgr: string };
    query: {};
    body: never;
    answer: ConnectCard;
  };
  'POST /ibmmq/rest/{version}/admin/action/qmgr/{qmgr}/mqsc': {
    path: { version: "v1" | "v2" | "v3"; qmgr: string };
    query: {};
    body: Mqsc;
    answer: MqscReply;
  };
  'POST /ibmmq/rest/{version}/login': {
    path: { version: "v1" | "v2" | "v3" };
    query: {};
    body: Login;
    answer: unknown;
  };
  'GET /ibmmq/rest/{version}/login': {
    path: { version: "v1" | "v2" | "v3" };
    query: {};
    body: never;
    answer: LoggedIn;
  };
  'DELETE /ibmmq/rest/{version}/login': {
    path: { version: "v1" | "v2" | "v3" };
    query: {};
    body: never;
    answer: unknown;
  };
  'GET /zosConnect/services': {
    path: {};
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'POST /zosConnect/services': {
    path: {};
    query: { status?: "started" | "stopped" };
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/services/{service}': {
    path: { service: string };
    query: { action?: "status" | "getStatistics" | "getRequestSchema" | "getResponseSchema" | "invoke" };
    body: never;
    answer: Record<string, unknown>;
  };
  'PUT /zosConnect/services/{service}': {
    path: { service: string };
    query: { status?: "started" | "stopped" };
    body: never;
    answer: Record<string, unknown>;
  };
  'DELETE /zosConnect/services/{service}': {
    path: { service: string };
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/services/{service}/schema/{direction}': {
    path: { service: string; direction: "request" | "response" };
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/operations/getStatistics': {
    path: {};
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/apis': {
    path: {};
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'POST /zosConnect/apis': {
    path: {};
    query: { status?: "started" | "stopped" };
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/apis/{api}': {
    path: { api: string };
    query: { action?: "status" | "getStatistics" };
    body: never;
    answer: Record<string, unknown>;
  };
  'PUT /zosConnect/apis/{api}': {
    path: { api: string };
    query: { status?: "started" | "stopped" };
    body: never;
    answer: Record<string, unknown>;
  };
  'DELETE /zosConnect/apis/{api}': {
    path: { api: string };
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'POST /zosConnect/apiRequesters/{requester}': {
    path: { requester: string };
    query: { apiPath?: string; apiMethod?: string };
    body: never;
    answer: unknown;
  };
  'GET /zosConnect/apiRequesters/{requester}': {
    path: { requester: string };
    query: { action?: "status" | "getStatistics" };
    body: never;
    answer: Record<string, unknown>;
  };
  'PUT /zosConnect/apiRequesters/{requester}': {
    path: { requester: string };
    query: { status?: "started" | "stopped" };
    body: never;
    answer: Record<string, unknown>;
  };
  'DELETE /zosConnect/apiRequesters/{requester}': {
    path: { requester: string };
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/apiRequesters': {
    path: {};
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
  'POST /zosConnect/apiRequesters': {
    path: {};
    query: { status?: "started" | "stopped" };
    body: never;
    answer: Record<string, unknown>;
  };
  'GET /zosConnect/api-docs': {
    path: {};
    query: {};
    body: never;
    answer: Record<string, unknown>;
  };
}
