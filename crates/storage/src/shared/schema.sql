-- Tables of a queue-sharing group in one database. Format version 1: `schema.rs` compares it.
--
-- Each database of the group has all of them. Members, definitions and the databases of structures are in the home alone.

-- Which group this is, and which of its databases. One row.
CREATE TABLE group_state (
  only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
  name text NOT NULL,
  -- Drawn when the group is made: two groups may have one name.
  identity bytea NOT NULL CHECK (octet_length(identity) = 16),
  -- 0 is the home; the others have the number that it has given them, and the name of their structure.
  cluster int4 NOT NULL CHECK (cluster BETWEEN 0 AND 127),
  structure text CHECK ((structure IS NULL) = (cluster = 0)),
  schema_version int4 NOT NULL,
  -- The lowest version whose programs can work with these tables.
  readable_from int4 NOT NULL,
  -- Members prove to each other with it that they belong to the group.
  secret bytea NOT NULL CHECK (octet_length(secret) = 32),
  definition_version int8 NOT NULL DEFAULT 0
);

-- Structures that have a database of their own. Numbers stand in those of queues, so they are never given twice.
CREATE TABLE structure_database (
  cluster int4 PRIMARY KEY CHECK (cluster BETWEEN 1 AND 127),
  structure text NOT NULL UNIQUE
);

-- epoch rises each time the member joins and each time a peer recovers it; what carries an older one changes nothing.
CREATE TABLE member (
  number int4 PRIMARY KEY CHECK (number BETWEEN 1 AND 1023),
  name text NOT NULL UNIQUE,
  epoch int8 NOT NULL,
  -- Drawn by each process that takes the name: tells a member that a peer has recovered from one that another process has become.
  process int8 NOT NULL,
  beat int8 NOT NULL DEFAULT 0,
  state text NOT NULL CHECK (state IN ('ACTIVE', 'INACTIVE', 'RECOVERING', 'FAILED')),
  address text NOT NULL,
  -- Version of the tables that its program makes.
  level int4 NOT NULL,
  -- The program's own version, and the machine on which it runs; for those who look.
  program text NOT NULL DEFAULT '',
  host text NOT NULL DEFAULT ''
) WITH (fillfactor = 50);

-- The last time that a peer ended a member's work here, and how many messages went back by it.
CREATE TABLE recovery (
  member int4 PRIMARY KEY,
  -- Numbers are given again.
  name text NOT NULL,
  epoch int8 NOT NULL,
  -- Empty: an operator has done it.
  recovered_by text NOT NULL,
  -- By the database's clock, in milliseconds since 1970.
  recovered_at int8 NOT NULL,
  messages int8 NOT NULL
);

-- One row for each connection of a member that changes messages: each of its transactions adds one to batch. The number is part of the
-- key, so that a transaction finds the present version of the row at once while a snapshot keeps all the earlier ones.
CREATE TABLE lane (
  member int4 NOT NULL,
  lane int4 NOT NULL,
  epoch int8 NOT NULL,
  batch int8 NOT NULL,
  -- Raised by each connection that takes the lane over: what an older one still has on its way is never committed.
  connection int8 NOT NULL DEFAULT 0,
  -- The group's time at the last transaction, in milliseconds since 1970: later than all positions that the member gave before.
  clock int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (member, lane, batch)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- What members ask of each other: a row for each member asked, until its asker has the answers.
CREATE TABLE request (
  asker int4 NOT NULL,
  number int8 NOT NULL,
  member int4 NOT NULL,
  state text NOT NULL CHECK (state IN ('asked', 'taken', 'answered')),
  content bytea NOT NULL,
  answer bytea,
  PRIMARY KEY (asker, number, member)
) WITH (fillfactor = 50);
CREATE INDEX request_by_member ON request (member, asker, number);

-- MQCNO_..._CONN_TAG_QSG: a member has a connection that works under the tag.
CREATE TABLE connection_tag (
  tag bytea PRIMARY KEY,
  member int4 NOT NULL
);
CREATE INDEX connection_tag_by_member ON connection_tag (member);

-- Within this database.
CREATE SEQUENCE queue_number AS int4 MAXVALUE 16777215;

-- Objects of the group, as the recovery log encodes them. version is that of group_state when the object was changed.
CREATE TABLE definition (
  key text PRIMARY KEY,
  disposition text NOT NULL CHECK (disposition IN ('SHARED', 'GROUP')),
  value bytea NOT NULL,
  version int8 NOT NULL
);
CREATE INDEX definition_by_version ON definition (version);

-- What was deleted, for members that were away.
CREATE TABLE deleted_definition (
  key text PRIMARY KEY,
  disposition text NOT NULL,
  version int8 NOT NULL
);
CREATE INDEX deleted_definition_by_version ON deleted_definition (version);

-- One row for each shared queue, as long as it exists. Its lock orders what members decide over the queue.
CREATE TABLE queue_state (
  queue int4 PRIMARY KEY,
  -- Rises with each thing that begins a new episode for triggers: a member opens the queue for input, or the queue becomes empty.
  episode int8 NOT NULL DEFAULT 0,
  -- The last episode for which the group's trigger message was made.
  triggered int8 NOT NULL DEFAULT -1,
  -- The member that is making it.
  triggered_by int4,
  -- When any trigger message was begun, in milliseconds since 1970.
  triggered_at int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX queue_state_by_trigger ON queue_state (triggered_by) WHERE triggered_by IS NOT NULL;

-- What each member has a queue open for: 0 not open, 1 open or puts under way, 2 for input, 3 for input exclusively.
CREATE TABLE queue_open (
  queue int4 NOT NULL,
  member int4 NOT NULL,
  level int2 NOT NULL CHECK (level BETWEEN 0 AND 3),
  PRIMARY KEY (queue, member)
) WITH (fillfactor = 50);
CREATE INDEX queue_open_by_member ON queue_open (member);

-- Work that one member does for all: 'expiry' looks for expired messages.
CREATE TABLE duty (
  name text PRIMARY KEY,
  member int4 NOT NULL
);

-- Lanes that have changed a queue: each has one row in queue_depth. 0, 0 stands for repairs.
CREATE TABLE queue_lane (
  queue int4 NOT NULL,
  member int4 NOT NULL,
  lane int4 NOT NULL,
  PRIMARY KEY (queue, member, lane)
);

-- What each lane has added to a queue and taken from it: their sum is the depth.
CREATE TABLE queue_depth (
  queue int4 NOT NULL,
  member int4 NOT NULL,
  lane int4 NOT NULL,
  -- Rises with each change: as with lane.batch, the highest one is found at once.
  version int8 NOT NULL,
  messages int8 NOT NULL,
  bytes int8 NOT NULL,
  -- Transactions of the lane that made messages of the queue available, and the lowest place of each of the last few: rank and position
  -- in nine bytes.
  opened int8 NOT NULL,
  lowest bytea NOT NULL,
  PRIMARY KEY (queue, member, lane, version)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Prepared units of work, and decisions over units that have parts elsewhere too: in other databases, in a recovery log.
-- number begins with the epoch of the member (bits 31..).
CREATE TABLE unit (
  member int4 NOT NULL,
  number int8 NOT NULL,
  state text NOT NULL CHECK (state IN ('prepared', 'committed')),
  xid bytea,
  -- The databases that have a part of a prepared unit which any member may end; NULL: its member alone does.
  places int4[],
  -- The database that decides a prepared unit; NULL: a coordinator does.
  decided_by int4,
  PRIMARY KEY (member, number)
);
CREATE INDEX unit_of_group ON unit (xid, member, number) WHERE places IS NOT NULL;
CREATE INDEX unit_decided_elsewhere ON unit (member, number) WHERE decided_by IS NOT NULL;

-- owner is NULL while the message is free, else member * 2^32 + epoch; hold says why: g got, p put, l locked by a browser.
-- unit is set once the unit of work is prepared.
CREATE TABLE message (
  queue int4 NOT NULL,
  rank int2 NOT NULL,
  position int8 NOT NULL,
  owner int8,
  hold "char",
  unit int8,
  backout int4 NOT NULL DEFAULT 0,
  persistent bool NOT NULL,
  expires int8,
  arrived int8 NOT NULL,
  length int4 NOT NULL,
  parts int4 NOT NULL,
  -- The first eight bytes of a hash; NULL for an identifier of zeros, which nobody looks for.
  message_key int8,
  correlation_key int8,
  group_key int8,
  message_id bytea NOT NULL,
  correlation_id bytea NOT NULL,
  group_id bytea NOT NULL,
  sequence int4 NOT NULL,
  segment int4 NOT NULL,
  flags int4 NOT NULL,
  -- The descriptor as the recovery log encodes it.
  head bytea NOT NULL,
  -- Empty when the body is in parts.
  body bytea NOT NULL,
  PRIMARY KEY (queue, rank, position)
) WITH (
  fillfactor = 80, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = 1000000
);
ALTER TABLE message ALTER head SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL;
CREATE INDEX message_by_correlation ON message (queue, correlation_key, rank, position) WHERE correlation_key IS NOT NULL;
CREATE INDEX message_by_id ON message (queue, message_key, rank, position) WHERE message_key IS NOT NULL;
CREATE INDEX message_by_group ON message (queue, group_key, rank, position) WHERE group_key IS NOT NULL;
CREATE INDEX message_by_owner ON message (owner) WHERE owner IS NOT NULL;
CREATE INDEX message_by_expiry ON message (queue, expires) WHERE expires IS NOT NULL;

-- A message that is put, as a parameter.
CREATE TYPE new_message AS (
  queue int4, rank int2, position int8, persistent bool, expires int8, arrived int8, length int4, parts int4,
  message_key int8, correlation_key int8, group_key int8, message_id bytea, correlation_id bytea, group_id bytea,
  sequence int4, segment int4, flags int4, head bytea, body bytea
);

-- Bodies of more than 256 KiB.
CREATE TABLE message_part (
  queue int4 NOT NULL,
  position int8 NOT NULL,
  part int4 NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (queue, position, part)
);
ALTER TABLE message_part ALTER bytes SET STORAGE EXTERNAL;

-- What was answered to requests that carry a key, until their time is over.
CREATE TABLE receipt (
  key bytea PRIMARY KEY,
  expires int8 NOT NULL,
  value bytea NOT NULL
);
CREATE INDEX receipt_by_expiry ON receipt (expires);
