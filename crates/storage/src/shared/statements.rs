//! Every SQL text of the shared store but its schema.
//!
//! Each is prepared once a connection, with a generic plan that never sorts or scans a table: a test looks at each plan.
//! Keys are compared by their first columns and never by `ctid`, which is not unique in a partitioned table. A join compares the queue as
//! `= ANY (ARRAY[…])`, which no merge join can use: where a vacuum has found no live row, the planner would otherwise begin with a scan of
//! the whole index, and with it of all rows that a snapshot keeps.
//!
//! `$me` in comments is the owner that stands for this member in its present epoch.

use futures_util::future::try_join_all;
use tokio_postgres::{Client, Error, Statement};

macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        /// Prepared on one connection.
        pub(super) struct Statements {
            $($(#[$doc])* pub(super) $name: Statement,)*
        }

        impl Statements {
            pub(super) async fn prepare(client: &Client) -> Result<Self, Error> {
                let prepared = prepare_all(client, &[$($text,)*]).await?;
                // At once: where each could fail, each would have code that drops those before it, 300 KB of it.
                let [$($name,)*] = prepared.try_into().ok().expect("one for each text");
                Ok(Self { $($name,)* })
            }
        }

        /// Name and text of each, for tests that look at its plan.
        pub fn explained() -> Vec<(&'static str, &'static str)> {
            vec![$((stringify!($name), $text),)*]
        }
    };
}

/// In one flight, and in one place: an `await` for each text would be hundreds of kilobytes of code.
async fn prepare_all(client: &Client, texts: &[&str]) -> Result<Vec<Statement>, Error> {
    try_join_all(texts.iter().map(|text| client.prepare(text))).await
}

/// What another transaction may take: nobody's, and its time has not come.
macro_rules! free {
    ($now:literal) => {
        concat!("m.owner IS NULL AND (m.expires IS NULL OR m.expires > ", $now, ")")
    };
}

macro_rules! message_columns {
    () => {
        "n.o, m.queue, m.rank, m.position, m.backout, m.persistent, m.expires, m.arrived, m.parts, m.head, m.body"
    };
}

/// As `new_message` of the schema has them.
macro_rules! new_columns {
    () => {
        "queue, rank, position, persistent, expires, arrived, length, parts, message_key, correlation_key, group_key, message_id, \
         correlation_id, group_id, sequence, segment, flags, head, body"
    };
}

/// Removes what `$choose` finds.
macro_rules! take {
    ($choose:expr) => {
        concat!(
            "WITH n AS MATERIALIZED (",
            $choose,
            ") DELETE FROM message m USING n WHERE m.queue = ANY (ARRAY[n.queue]) AND m.rank = n.rank AND m.position = n.position RETURNING ",
            message_columns!()
        )
    };
}

/// Makes what `$choose` finds this member's.
macro_rules! claim {
    ($choose:expr, $me:literal) => {
        concat!(
            "WITH n AS MATERIALIZED (",
            $choose,
            ") UPDATE message m SET owner = ",
            $me,
            ", hold = 'g' FROM n WHERE m.queue = ANY (ARRAY[n.queue]) AND m.rank = n.rank AND m.position = n.position RETURNING ",
            message_columns!()
        )
    };
}

/// Of each queue the first ones: `$1` queue, `$2` how many, `$3` now, `$4` rank and `$5` position from which the look begins.
macro_rules! first {
    () => {
        concat!(
            "SELECT x.*, k.o FROM unnest($1::int4[], $2::int8[], $3::int8[], $4::int2[], $5::int8[]) WITH ORDINALITY \
             AS k(q, n, t, r, p, o) CROSS JOIN LATERAL (SELECT m.queue, m.rank, m.position FROM message m WHERE m.queue = k.q \
             AND (m.rank, m.position) >= (k.r, k.p) AND ",
            free!("k.t"),
            " ORDER BY m.rank, m.position LIMIT k.n FOR UPDATE SKIP LOCKED) x"
        )
    };
}

/// For each key the first one: `$1` queue, `$2` hash, `$3` identifier, `$4` now.
macro_rules! by_identifier {
    ($key:literal, $identifier:literal) => {
        concat!(
            "SELECT x.*, k.o FROM unnest($1::int4[], $2::int8[], $3::bytea[], $4::int8[]) WITH ORDINALITY AS k(q, h, i, t, o) \
             CROSS JOIN LATERAL (SELECT m.queue, m.rank, m.position FROM message m WHERE m.queue = k.q AND m.",
            $key,
            " = k.h AND m.",
            $identifier,
            " = k.i AND ",
            free!("k.t"),
            " ORDER BY m.rank, m.position LIMIT 1 FOR UPDATE SKIP LOCKED) x"
        )
    };
}

/// Those that were looked at and have not changed: `$1` queue, `$2` rank, `$3` position, `$4` backout count, `$5` locked by a
/// browser of this member who asks, `$6` now, `$7` me.
macro_rules! seen {
    () => {
        "SELECT x.*, k.o FROM unnest($1::int4[], $2::int2[], $3::int8[], $4::int4[], $5::bool[], $6::int8[]) WITH ORDINALITY \
         AS k(q, r, p, b, l, t, o) CROSS JOIN LATERAL (SELECT m.queue, m.rank, m.position FROM message m WHERE m.queue = k.q \
         AND m.rank = k.r AND m.position = k.p AND m.backout = k.b AND (m.expires IS NULL OR m.expires > k.t) \
         AND (m.owner IS NULL OR k.l AND m.owner = $7::int8 AND m.hold = 'l') FOR UPDATE SKIP LOCKED) x"
    };
}

/// Messages by their keys that are this member's, and no prepared unit's: `$1` queue, `$2` rank, `$3` position, `$4` me. With `=` the planner
/// may begin with all messages that the member holds.
macro_rules! mine {
    () => {
        "FROM unnest($1::int4[], $2::int2[], $3::int8[]) AS t(q, r, p) \
         WHERE m.queue = ANY (ARRAY[t.q]) AND m.rank = t.r AND m.position = t.p \
         AND m.owner IS NOT DISTINCT FROM $4::int8 AND m.unit IS NULL"
    };
}

/// As `mine`, for DELETE.
macro_rules! using_mine {
    () => {
        "USING unnest($1::int4[], $2::int2[], $3::int8[]) AS t(q, r, p) \
         WHERE m.queue = ANY (ARRAY[t.q]) AND m.rank = t.r AND m.position = t.p \
         AND m.owner IS NOT DISTINCT FROM $4::int8 AND m.unit IS NULL"
    };
}

/// What a look needs to choose: `$1` queue, `$2` rank and `$3` position behind which it begins, `$4` now, `$5` me, `$6` how many.
macro_rules! candidates {
    ($condition:literal) => {
        concat!(
            "SELECT m.rank, m.position, m.message_id, m.correlation_id, m.group_id, m.sequence, m.segment, m.flags, m.length, \
             m.backout, m.owner IS NOT NULL FROM message m WHERE m.queue = $1 AND (m.rank, m.position) > ($2::int2, $3::int8) \
             AND (m.owner IS NULL OR m.owner = $5::int8 AND m.hold = 'l') AND (m.expires IS NULL OR m.expires > $4::int8)",
            $condition,
            " ORDER BY m.rank, m.position LIMIT $6::int8"
        )
    };
}

/// Rows of `queue_depth` of one queue, each found by its lane: a range of them would pass all versions that a snapshot keeps. `OFFSET 0`
/// keeps the planner from a scan of all lanes.
macro_rules! figures {
    ($queue:literal) => {
        concat!(
            "(SELECT x.* FROM (SELECT l.* FROM queue_lane l WHERE l.queue = ",
            $queue,
            " OFFSET 0) w CROSS JOIN LATERAL (SELECT f.* FROM queue_depth f WHERE f.queue = w.queue \
             AND f.member = w.member AND f.lane = w.lane ORDER BY f.version DESC LIMIT 1) x)"
        )
    };
}

/// `c`: the rows of a lane that `$changes` is about, which are there: queue, messages, bytes, 1 where messages became available, their
/// lowest places.
macro_rules! changed_figures {
    ($changes:expr, $member:literal, $lane:literal) => {
        concat!(
            "c AS MATERIALIZED (SELECT t.*, w.*, (SELECT f.version FROM queue_depth f WHERE f.queue = t.q AND f.member = w.m AND f.lane = w.l \
             ORDER BY f.version DESC LIMIT 1) AS v FROM (",
            $changes,
            ") AS t(q, messages, bytes, opened, lowest), (SELECT ",
            $member,
            ", ",
            $lane,
            ") AS w(m, l))"
        )
    };
}
pub(super) use changed_figures;

/// Adds what `c` says. Only repairs can change the same rows at the same time: then one of them changes nothing, and finds it again.
macro_rules! add_figures {
    () => {
        "UPDATE queue_depth d SET version = d.version + 1, messages = d.messages + c.messages, \
         bytes = d.bytes + c.bytes, opened = d.opened + c.opened, lowest = CASE c.opened WHEN 0 THEN d.lowest ELSE c.lowest END \
         FROM c WHERE d.queue = ANY (ARRAY[c.q]) AND d.member = c.m AND d.lane = c.l AND d.version = c.v"
    };
}
pub(super) use add_figures;

/// What the lanes have made available on queues that were looked at, whether a look has missed something, and what each lane has added to
/// the queue. A look has missed something when a lane has opened a place
/// before the look's beginning since the look's mark was set, or says no more where. `$queues`, and `$from` the places where the looks
/// began, empty for the beginning; `$known` queue, member, lane, and how often the lane had made messages available when the mark was set.
macro_rules! openings {
    ($queues:literal, $from:literal, $known:literal) => {
        concat!(
            "SELECT x.queue, x.member, x.lane, x.opened, x.lowest, CASE WHEN k.b = '' OR s.since = 0 THEN false \
             WHEN s.since NOT BETWEEN 1 AND length(x.lowest) / 9 THEN true \
             ELSE EXISTS (SELECT FROM generate_series(1, s.since::int4) AS g(n) \
             WHERE substring(x.lowest, length(x.lowest) - 9 * g.n + 1, 9) < k.b) END AS missed, x.messages, x.bytes \
             FROM unnest(",
            $queues,
            "::int4[], ",
            $from,
            "::bytea[]) AS k(q, b) CROSS JOIN LATERAL ",
            figures!("k.q"),
            " x LEFT JOIN unnest(",
            $known,
            ") AS e(q, m, l, n) ON e.q = x.queue AND e.m = x.member AND e.l = x.lane \
             CROSS JOIN LATERAL (SELECT x.opened - coalesce(e.n, 0)) AS s(since)"
        )
    };
}

statements! {
    /// The first statement of a batch: what its lane has done if it is committed. Until its transaction has ended, `ask` waits; so a lane
    /// never looks for messages that its last connection still has locked.
    ///
    /// `$1` member, `$2` lane, `$3` epoch, `$4` number of the batch, `$5` the group's time, `$6` connection; divides by zero when the lane
    /// belongs to a later epoch or connection.
    enter = "WITH f AS (UPDATE lane SET batch = $4::int8, clock = $5 WHERE member = $1 AND lane = $2 AND epoch = $3 \
             AND batch = $4::int8 - 1 AND connection = $6 RETURNING 1) SELECT 1 / (SELECT count(*) FROM f)";
    /// The last statement of a batch: what it has changed, and that no look has missed something.
    ///
    /// `$1` member, `$2` lane. `$3` queues whose figures change, `$4` messages, `$5` bytes; `$6` 1 where messages became available, and
    /// `$7` the lowest places of the last transactions of which that is true; after `depth_rows`.
    ///
    /// `$8` to `$13` as `openings` says; takes the root of a negative number when a look has missed something.
    ///
    /// Answers the clock in milliseconds since 1970, and what the lanes have made available on the queues that were looked at.
    settle = concat!(
        "WITH ",
        changed_figures!("SELECT * FROM unnest($3::int4[], $4::int8[], $5::int8[], $6::int8[], $7::bytea[])", "$1::int4", "$2::int4"),
        ", u AS (", add_figures!(), "), o AS MATERIALIZED (",
        openings!("$8", "$9", "$10::int4[], $11::int4[], $12::int4[], $13::int8[]"), ") \
         SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8, o.queue, o.member, o.lane, o.opened, o.lowest, \
         sqrt(CASE WHEN o.missed THEN -1 ELSE 0 END) < 0 FROM (SELECT) AS always LEFT JOIN o ON true");
    /// The number of the last batch that was committed, and of this connection. It waits for a batch whose connection broke; one that has
    /// not begun cannot be committed any more. No row: fenced.
    ask = "UPDATE lane SET connection = connection + 1 WHERE member = $1 AND lane = $2 AND epoch = $3 RETURNING batch, connection";
    /// In milliseconds since 1970.
    clock = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8";

    put = concat!("INSERT INTO message (", new_columns!(), ") SELECT * FROM unnest($1::new_message[])");
    put_parts = "INSERT INTO message_part (queue, position, part, bytes) \
                 SELECT * FROM unnest($1::int4[], $2::int8[], $3::int4[], $4::bytea[])";
    parts = "SELECT k.q, x.* FROM unnest($1::int4[], $2::int8[]) AS k(q, p) CROSS JOIN LATERAL (SELECT m.position, m.bytes FROM message_part m \
             WHERE m.queue = k.q AND m.position = k.p ORDER BY m.part) x";
    delete_parts = "DELETE FROM message_part m USING unnest($1::int4[], $2::int8[]) AS k(q, p) WHERE m.queue = ANY (ARRAY[k.q]) AND m.position = k.p";

    take_first = take!(first!());
    claim_first = claim!(first!(), "$6::int8");
    take_by_correlation = take!(by_identifier!("correlation_key", "correlation_id"));
    claim_by_correlation = claim!(by_identifier!("correlation_key", "correlation_id"), "$5::int8");
    take_by_message = take!(by_identifier!("message_key", "message_id"));
    claim_by_message = claim!(by_identifier!("message_key", "message_id"), "$5::int8");
    take_seen = take!(seen!());
    claim_seen = claim!(seen!(), "$7::int8");
    /// `$4` me. A row: it is locked now.
    lock_free = "WITH n AS MATERIALIZED (SELECT m.queue, m.rank, m.position FROM message m WHERE m.queue = $1 \
                           AND m.rank = $2 AND m.position = $3 AND m.owner IS NULL FOR UPDATE SKIP LOCKED) \
                           UPDATE message m SET owner = $4::int8, hold = 'l' FROM n WHERE m.queue = ANY (ARRAY[n.queue]) AND m.rank = n.rank \
                           AND m.position = n.position RETURNING m.position";

    /// `$5` how many there must be; divides by zero when some are no longer this member's.
    finish_gets = concat!("WITH g AS (DELETE FROM message m ", using_mine!(), " RETURNING 1) SELECT 1 / (count(*) = $5::int8)::int4 FROM g");
    back_out = concat!("UPDATE message m SET owner = NULL, hold = NULL, unit = NULL, backout = m.backout + 1 ", mine!());
    release = concat!("UPDATE message m SET owner = NULL, hold = NULL, unit = NULL ", mine!());

    /// `$5` the unit of work, `$6` how many there must be.
    prepare_gets = concat!("WITH g AS (UPDATE message m SET unit = $5::int8 ", mine!(), " RETURNING 1) \
                            SELECT 1 / (count(*) = $6::int8)::int4 FROM g");
    /// Messages just put become those of a prepared unit of work.
    prepare_puts = "UPDATE message m SET owner = $4::int8, hold = 'p', unit = $5::int8 \
                    FROM unnest($1::int4[], $2::int2[], $3::int8[]) AS t(q, r, p) \
                    WHERE m.queue = ANY (ARRAY[t.q]) AND m.rank = t.r AND m.position = t.p";
    prepare_unit = "INSERT INTO unit (member, number, state, xid, places, decided_by) VALUES ($1, $2, 'prepared', $3, $4, $5)";
    decide = "INSERT INTO unit (member, number, state) VALUES ($1, $2, 'committed')";
    /// First of what ends a prepared unit: another member that ends it waits here, and finds nothing. A row: it was prepared.
    end_unit = "DELETE FROM unit WHERE member = $1 AND number = $2 RETURNING number";
    /// Units that any member may end.
    units_of_group = "SELECT xid, member FROM unit WHERE places IS NOT NULL ORDER BY xid, member, number";
    unit_of_group = "SELECT member, number, places FROM unit WHERE places IS NOT NULL AND xid = $1 ORDER BY member, number";
    forget_units = "DELETE FROM unit WHERE member = $1 AND number = ANY ($2::int8[])";
    prepared_units = "SELECT number, xid, decided_by FROM unit WHERE member = $1 AND state = 'prepared' AND places IS NULL \
                      ORDER BY number";
    decided_units = "SELECT number FROM unit WHERE member = $1 AND state = 'committed'";
    is_decided = "SELECT 1 FROM unit WHERE member = $1 AND number = $2 AND state = 'committed'";
    /// Of every member.
    parts_decided_elsewhere = "SELECT member, number, decided_by FROM unit WHERE decided_by IS NOT NULL ORDER BY member, number";
    /// `$1` owner, `$2` the unit of work. Answers queue and whether it was put.
    held_by_unit = "SELECT queue, hold = 'p' FROM message WHERE owner = $1 AND unit = $2";
    /// `$1` to `$2` owners, `$3` the unit of work. Answers queue, rank, position, whether the message is gone, length, parts.
    commit_prepared_gets = "DELETE FROM message WHERE owner >= $1::int8 AND owner < $2::int8 AND unit = $3 AND hold = 'g' \
                            RETURNING queue, rank, position, true, length, parts";
    commit_prepared_puts = "UPDATE message SET owner = NULL, hold = NULL, unit = NULL \
                            WHERE owner >= $1::int8 AND owner < $2::int8 AND unit = $3 AND hold = 'p' \
                            RETURNING queue, rank, position, false, length, parts";
    back_out_prepared_gets = "UPDATE message SET owner = NULL, hold = NULL, unit = NULL, backout = backout + 1 \
                              WHERE owner >= $1::int8 AND owner < $2::int8 AND unit = $3 AND hold = 'g' \
                              RETURNING queue, rank, position, false, length, parts";
    back_out_prepared_puts = "DELETE FROM message WHERE owner >= $1::int8 AND owner < $2::int8 AND unit = $3 AND hold = 'p' \
                              RETURNING queue, rank, position, true, length, parts";

    /// A lane (`$2` member, `$3` lane) has rows for these queues (`$1`).
    depth_rows = "WITH l AS (INSERT INTO queue_lane (queue, member, lane) SELECT t.q, $2, $3 FROM unnest($1::int4[]) AS t(q) \
                  ON CONFLICT DO NOTHING RETURNING queue, member, lane) \
                  INSERT INTO queue_depth (queue, member, lane, version, messages, bytes, opened, lowest) \
                  SELECT l.queue, l.member, l.lane, 0, 0, 0, 0, '' FROM l";
    /// `$1` queues, `$2` member, `$3` lane: messages have become available, at places that are not said. After `depth_rows`.
    open_again = concat!("WITH ", changed_figures!("SELECT q, 0::int8, 0::int8, 1::int8, ''::bytea FROM unnest($1::int4[]) AS k(q)", "$2::int4", "$3::int4"),
                         " ", add_figures!());
    /// `$1` to `$6` as `openings` says.
    opened = openings!("$1", "$2", "$3::int4[], $4::int4[], $5::int4[], $6::int8[]");
    /// `$2` rank and `$3` position before which nothing is. Answers what expires first, and the first message.
    ends = "SELECT k.q, x.expires, y.arrived, y.rank, y.position FROM unnest($1::int4[], $2::int2[], $3::int8[]) AS k(q, r, p) \
                     LEFT JOIN LATERAL (SELECT m.expires FROM message m WHERE m.queue = k.q AND m.expires IS NOT NULL \
                     ORDER BY m.expires LIMIT 1) x ON true \
                     LEFT JOIN LATERAL (SELECT m.arrived, m.rank, m.position FROM message m WHERE m.queue = k.q AND (m.rank, m.position) >= (k.r, k.p) \
                     ORDER BY m.rank, m.position LIMIT 1) y ON true";
    next_expiry = "SELECT m.expires FROM message m WHERE m.queue = $1 AND m.expires IS NOT NULL ORDER BY m.expires LIMIT 1";
    /// Queues that have something to take from a place on: `$3` rank, `$4` position.
    waiting = concat!("SELECT k.q FROM unnest($1::int4[], $3::int2[], $4::int8[]) AS k(q, r, p) CROSS JOIN LATERAL \
                       (SELECT 1 FROM message m WHERE m.queue = k.q AND (m.rank, m.position) >= (k.r, k.p) AND ",
                      free!("$2::int8"), " ORDER BY m.rank, m.position LIMIT 1) x");

    /// `$1` key, `$2` expires, `$3` value, `$4` now. Divides by zero when there is one whose time has not come.
    put_receipt = "WITH r AS (INSERT INTO receipt AS r (key, expires, value) VALUES ($1, $2, $3) ON CONFLICT (key) \
                   DO UPDATE SET expires = excluded.expires, value = excluded.value WHERE r.expires <= $4::int8 RETURNING 1) \
                   SELECT 1 / count(*) FROM r";
    receipt = "SELECT value FROM receipt WHERE key = $1 AND expires > $2";
    expire_receipts = "DELETE FROM receipt WHERE key = ANY (ARRAY (SELECT key FROM receipt WHERE expires <= $1 \
                       ORDER BY expires LIMIT 1000))";

    candidates = candidates!("");
    candidates_by_correlation = candidates!(" AND m.correlation_key = $7::int8 AND m.correlation_id = $8::bytea");
    candidates_by_message = candidates!(" AND m.message_key = $7::int8 AND m.message_id = $8::bytea");
    candidates_by_group = candidates!(" AND m.group_key = $7::int8 AND m.group_id = $8::bytea");
    /// `$2` position, in any rank.
    candidate_at = "SELECT m.rank, m.position, m.message_id, m.correlation_id, m.group_id, m.sequence, m.segment, m.flags, m.length, \
                    m.backout, m.owner IS NOT NULL FROM message m WHERE m.queue = $1 \
                    AND m.rank = ANY ('{0,1,2,3,4,5,6,7,8,9}'::int2[]) AND m.position = $2::int8 \
                    AND (m.owner IS NULL OR m.owner = $4::int8 AND m.hold = 'l') AND (m.expires IS NULL OR m.expires > $3::int8)";
    group_members = "SELECT m.position, m.sequence, m.segment, m.flags, m.length, m.rank, m.owner IS NOT NULL FROM message m \
                     WHERE m.queue = $1 AND m.group_key = $2::int8 AND m.group_id = $3::bytea \
                     AND (m.owner IS NULL OR m.owner = $5::int8 AND m.hold = 'l') AND (m.expires IS NULL OR m.expires > $4::int8)";
    /// Places before one, nearest first.
    before = "SELECT m.rank, m.position FROM message m WHERE m.queue = $1 AND (m.rank, m.position) < ($2::int2, $3::int8) \
              ORDER BY m.rank DESC, m.position DESC LIMIT $4::int8";
    read = "SELECT 1::int8, m.queue, m.rank, m.position, m.backout, m.persistent, m.expires, m.arrived, m.parts, m.head, m.body \
            FROM message m WHERE m.queue = $1 AND m.rank = $2 AND m.position = $3";

    take_expired = concat!(
        "WITH n AS MATERIALIZED (SELECT m.queue, m.rank, m.position, 1::int8 AS o FROM message m WHERE m.queue = $1 AND m.expires <= $2::int8 \
         AND m.owner IS NULL ORDER BY m.expires LIMIT $3::int8 FOR UPDATE SKIP LOCKED) DELETE FROM message m USING n \
         WHERE m.queue = ANY (ARRAY[n.queue]) AND m.rank = n.rank AND m.position = n.position RETURNING ", message_columns!());
    is_held = "SELECT 1 FROM message m WHERE m.owner IS NOT NULL AND m.queue = $1 LIMIT 1";
    clear_step = "WITH n AS MATERIALIZED (SELECT m.queue, m.rank, m.position FROM message m WHERE m.queue = $1 \
                  AND (m.owner IS NULL OR $3::bool) ORDER BY m.rank, m.position LIMIT $2::int8 FOR UPDATE SKIP LOCKED) DELETE FROM message m USING n \
                  WHERE m.queue = ANY (ARRAY[n.queue]) AND m.rank = n.rank AND m.position = n.position RETURNING m.queue, m.rank, m.position, true, m.length, m.parts";
    /// The number of this database stands before that of the sequence.
    next_queue = "INSERT INTO queue_state (queue) SELECT (g.cluster::int8 * 16777216 + nextval('queue_number'))::int4 \
                  FROM group_state g RETURNING queue";

    /// `$1` queues, in order. Answers those that exist; what is decided over them in this transaction, no other one decides meanwhile.
    lock_queues = "SELECT x.queue FROM unnest($1::int4[]) AS k(q) CROSS JOIN LATERAL \
                   (SELECT s.queue FROM queue_state s WHERE s.queue = k.q FOR UPDATE) x";
    /// `$1` queues, `$2` member, `$3` levels. After `lock_queues`, so that it sees what others had decided. Answers queues whose level
    /// is at least that now: no other member is in the way.
    raise_levels = "WITH r AS (INSERT INTO queue_open AS o (queue, member, level) \
                    SELECT t.q, $2::int4, t.l FROM unnest($1::int4[], $3::int2[]) AS t(q, l) \
                    WHERE EXISTS (SELECT FROM queue_state s WHERE s.queue = t.q OFFSET 0) AND (t.l < 2 OR NOT EXISTS \
                    (SELECT FROM queue_open p WHERE p.queue = t.q AND p.member <> $2::int4 AND p.level >= 2 AND t.l + p.level > 4)) \
                    ON CONFLICT (queue, member) DO UPDATE SET level = greatest(o.level, excluded.level) RETURNING queue, level), \
                    e AS (UPDATE queue_state s SET episode = s.episode + 1 FROM r WHERE s.queue = ANY (ARRAY[r.queue]) AND r.level >= 2) \
                    SELECT queue FROM r";
    /// `$1` queues, `$2` member, `$3` levels.
    lower_levels = "UPDATE queue_open o SET level = t.l FROM unnest($1::int4[], $3::int2[]) AS t(q, l) \
                    WHERE o.queue = ANY (ARRAY[t.q]) AND o.member = $2::int4 AND o.level > t.l";
    /// The member has nothing open. Answers what it had open.
    close_all = "UPDATE queue_open SET level = 0 WHERE member = $1 AND level > 0 RETURNING queue";
    opened_elsewhere = "SELECT coalesce(max(level), 0)::int2 FROM queue_open WHERE queue = $1 AND member <> $2";
    /// `$1` queue, `$2` member that asks. Answers the highest level of the others, whether a message is held, and whether there is one.
    may_delete = "SELECT (SELECT coalesce(max(o.level), 0)::int2 FROM queue_open o WHERE o.queue = $1 AND o.member <> $2), \
                  EXISTS (SELECT FROM message m WHERE m.queue = $1 AND m.owner IS NOT NULL), \
                  EXISTS (SELECT FROM message m WHERE m.queue = $1)";
    /// `$1` queue, `$2` member that asks, `$3` key of the definition, `$4` its version, `$5` messages may go with it. After `lock_queues`.
    /// Answers the group's new version.
    delete_queue = "WITH k AS (SELECT 1 FROM queue_state s WHERE s.queue = $1 AND NOT EXISTS \
                    (SELECT FROM queue_open o WHERE o.queue = $1 AND o.member <> $2 AND o.level > 0) AND NOT EXISTS \
                    (SELECT FROM message m WHERE m.queue = $1 AND m.owner IS NOT NULL) AND ($5::bool OR NOT EXISTS \
                    (SELECT FROM message m WHERE m.queue = $1))), \
                    v AS (UPDATE group_state SET definition_version = definition_version + 1 WHERE EXISTS (SELECT FROM k) \
                    RETURNING definition_version), \
                    d AS (DELETE FROM definition WHERE key = $3 AND version = $4::int8 AND EXISTS (SELECT FROM k) \
                    RETURNING key, disposition), \
                    s AS (DELETE FROM queue_state WHERE queue = $1 AND EXISTS (SELECT FROM d)), \
                    o AS (DELETE FROM queue_open WHERE queue = $1 AND EXISTS (SELECT FROM d)) \
                    INSERT INTO deleted_definition (key, disposition, version) \
                    SELECT d.key, d.disposition, v.definition_version FROM v, d ON CONFLICT (key) \
                    DO UPDATE SET disposition = excluded.disposition, version = excluded.version RETURNING version";

    last_place = "SELECT m.rank, m.position FROM message m WHERE m.queue = $1 ORDER BY m.rank DESC, m.position DESC LIMIT 1";
    /// The last one of each priority.
    last_positions = "SELECT x.position FROM unnest($1::int4[]) AS k(q) CROSS JOIN unnest('{0,1,2,3,4,5,6,7,8,9}'::int2[]) AS r(n) \
                      CROSS JOIN LATERAL (SELECT m.position FROM message m WHERE m.queue = k.q AND m.rank = r.n \
                      ORDER BY m.rank DESC, m.position DESC LIMIT 1) x";
    /// `$2` and `$3` the place behind which it begins, `$4` how many.
    places_after = "SELECT m.rank, m.position, m.length FROM message m WHERE m.queue = $1 AND (m.rank, m.position) > ($2::int2, $3::int8) \
                    ORDER BY m.rank, m.position LIMIT $4::int8";
    /// `$4` and `$5` the last place. All that `import` needs.
    rows_between = "SELECT m.rank, m.position, m.persistent, m.expires, m.arrived, m.parts, m.message_id, m.correlation_id, m.group_id, \
                    m.sequence, m.segment, m.flags, m.head, m.body, m.backout FROM message m WHERE m.queue = $1 \
                    AND (m.rank, m.position) > ($2::int2, $3::int8) AND (m.rank, m.position) <= ($4::int2, $5::int8) \
                    ORDER BY m.rank, m.position";
    /// `$2` backout counts.
    import = concat!("INSERT INTO message (", new_columns!(), ", backout) SELECT * FROM unnest($1::new_message[], $2::int4[])");
    receipts_after = "SELECT key, expires, value FROM receipt WHERE key > $1::bytea ORDER BY key LIMIT $2::int8";
    import_receipts = "INSERT INTO receipt (key, expires, value) SELECT * FROM unnest($1::bytea[], $2::int8[], $3::bytea[]) \
                       ON CONFLICT (key) DO NOTHING";

    /// `$1` queue, `$2` member whose handles do not count, `$3` messages may be there. After `lock_queues`. A row: from now on no member can
    /// open it.
    seal_queue = "WITH k AS (SELECT 1 FROM queue_state s WHERE s.queue = $1 AND NOT EXISTS \
                  (SELECT FROM queue_open o WHERE o.queue = $1 AND o.member <> $2 AND o.level > 0) AND NOT EXISTS \
                  (SELECT FROM message m WHERE m.queue = $1 AND m.owner IS NOT NULL) AND ($3::bool OR NOT EXISTS \
                  (SELECT FROM message m WHERE m.queue = $1))), \
                  s AS (DELETE FROM queue_state WHERE queue = $1 AND EXISTS (SELECT FROM k)), \
                  o AS (DELETE FROM queue_open WHERE queue = $1 AND EXISTS (SELECT FROM k)) \
                  SELECT 1 FROM k UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT FROM queue_state WHERE queue = $1)";

    /// `$1` key, `$2` disposition, `$3` value, `$4` the version that the change rests on, 0 when there must be none.
    /// Answers the new version; no row: it has another one.
    save_definition = "WITH v AS (UPDATE group_state SET definition_version = definition_version + 1 RETURNING definition_version), \
                       t AS (DELETE FROM deleted_definition WHERE key = $1) \
                       INSERT INTO definition AS d (key, disposition, value, version) \
                       SELECT $1, $2, $3, v.definition_version FROM v ON CONFLICT (key) \
                       DO UPDATE SET disposition = excluded.disposition, value = excluded.value, version = excluded.version \
                       WHERE d.version = $4::int8 RETURNING version";
    saved_definition = "SELECT version FROM definition WHERE key = $1 AND value = $2";
    /// `$1` key, `$2` the version that the change rests on. Answers the new version; no row: it has another one.
    delete_definition = "WITH v AS (UPDATE group_state SET definition_version = definition_version + 1 RETURNING definition_version), \
                         d AS (DELETE FROM definition WHERE key = $1 AND version = $2::int8 RETURNING key, disposition) \
                         INSERT INTO deleted_definition (key, disposition, version) \
                         SELECT d.key, d.disposition, v.definition_version FROM v, d ON CONFLICT (key) \
                         DO UPDATE SET disposition = excluded.disposition, version = excluded.version RETURNING version";
    /// What was changed and deleted after a version.
    definitions_after = "SELECT key, disposition, value, version FROM definition WHERE version > $1::int8 UNION ALL \
                         SELECT key, disposition, NULL, version FROM deleted_definition WHERE version > $1::int8";
    definition_version = "SELECT definition_version FROM group_state";

    /// `$1` me, `$2` number, `$3` members, `$4` what is asked.
    ask_members = "INSERT INTO request (asker, number, member, state, content) SELECT $1::int4, $2::int8, t.m, 'asked', $4::bytea \
           FROM unnest($3::int4[]) AS t(m) ON CONFLICT DO NOTHING";
    /// Of the members `$3` those that were asked; with the answers that have come.
    answers = "SELECT r.member, r.answer FROM unnest($3::int4[]) AS t(m) JOIN request r ON r.asker = $1 AND r.number = $2 AND r.member = t.m";
    /// `$1` me.
    take_request = "WITH n AS MATERIALIZED (SELECT r.asker, r.number FROM request r WHERE r.member = $1 AND r.state = 'asked' \
                    ORDER BY r.asker, r.number LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE request r SET state = 'taken' FROM n \
                    WHERE r.asker = n.asker AND r.number = n.number AND r.member = $1 RETURNING r.asker, r.number, r.content";
    /// `$1` asker, `$2` number, `$3` me.
    answer = "UPDATE request SET state = 'answered', answer = $4 WHERE asker = $1 AND number = $2 AND member = $3 AND state = 'taken'";
    /// Requests of `$1` other than these.
    forget_requests = "DELETE FROM request WHERE asker = $1 AND number <> ALL ($2::int8[])";
    requests_to = "DELETE FROM request WHERE member = $1";

    /// `$1` tag, `$2` me. No row: another member holds it.
    claim_tag = "INSERT INTO connection_tag AS c (tag, member) VALUES ($1, $2) ON CONFLICT (tag) \
                 DO UPDATE SET member = excluded.member WHERE c.member = excluded.member RETURNING member";
    release_tag = "DELETE FROM connection_tag WHERE tag = $1 AND member = $2";
    release_tags = "DELETE FROM connection_tag WHERE member = $1";

    /// `$1` queue, `$2` now. Answers the episode, the last one that was triggered, milliseconds since any trigger, whether the queue is
    /// open for input, whether there is a message, and the depth.
    trigger_state = concat!(
        "SELECT s.episode, s.triggered, (extract(epoch FROM clock_timestamp()) * 1000)::int8 - s.triggered_at, \
         EXISTS (SELECT FROM queue_open o WHERE o.queue = $1 AND o.level >= 2), \
         EXISTS (SELECT FROM message m WHERE m.queue = $1 AND ", free!("$2::int8"), "), \
         (SELECT coalesce(sum(d.messages), 0)::int8 FROM ", figures!("$1"), " d) FROM queue_state s WHERE s.queue = $1");
    /// `$1` queue, `$2` episode, `$3` for the whole group, `$4` member, `$5` its epoch. Asked again by the same member it answers the same.
    begin_trigger = "UPDATE queue_state s SET triggered_at = (extract(epoch FROM clock_timestamp()) * 1000)::int8, \
                     triggered = CASE WHEN $3 THEN s.episode ELSE s.triggered END, \
                     triggered_by = CASE WHEN $3 THEN $4::int4 ELSE s.triggered_by END \
                     WHERE s.queue = $1 AND s.episode = $2 AND (NOT $3::bool OR s.triggered < s.episode OR s.triggered_by = $4::int4) \
                     AND NOT EXISTS (SELECT FROM queue_open o WHERE o.queue = $1 AND o.level >= 2) \
                     AND EXISTS (SELECT FROM lane l WHERE l.member = $4::int4 AND l.lane = 0 AND l.epoch = $5) RETURNING s.queue";
    /// `$1` queue, `$2` member, `$3` its message is there.
    end_trigger = "UPDATE queue_state SET triggered = CASE WHEN $3::bool THEN triggered ELSE -1 END, triggered_by = NULL \
                   WHERE queue = $1 AND triggered_by = $2";
    episode_when_empty = "UPDATE queue_state s SET episode = s.episode + 1 WHERE s.queue = $1 AND NOT EXISTS \
                          (SELECT FROM message m WHERE m.queue = $1)";
    begin_episode = "UPDATE queue_state SET episode = episode + 1 WHERE queue = $1 AND episode = $2";

    beat = "UPDATE member SET beat = beat + 1 WHERE number = $1 AND epoch = $2";
    /// Takes the duty if it is nobody's: `$1` member, `$2` epoch. Answers whose it is.
    expiry_duty = "WITH t AS (INSERT INTO duty (name, member) SELECT 'expiry', m.number FROM member m WHERE m.number = $1 AND m.epoch = $2 \
                   AND NOT EXISTS (SELECT FROM duty WHERE name = 'expiry') FOR SHARE OF m ON CONFLICT DO NOTHING RETURNING member) \
                   SELECT member FROM t UNION ALL SELECT member FROM duty WHERE name = 'expiry'";
    set_address = "UPDATE member SET address = $3 WHERE number = $1 AND epoch = $2";
    secret = "SELECT secret FROM group_state";
    members = "SELECT number, name, epoch, beat, state, address, level, program, host FROM member ORDER BY number";
    /// `$1` member, `$2` epoch that ends. No row: a peer does it already.
    fence_member = "UPDATE member SET epoch = epoch + 1, state = 'RECOVERING' WHERE number = $1 AND epoch = $2";
    fence_lanes = "UPDATE lane SET epoch = $2::int8 WHERE member = $1 AND epoch < $2::int8";
    /// What a dead member had got goes back with its count raised; what its browsers had locked goes back as it was.
    /// `$1` and `$2`: owners from and before which.
    return_claims = "UPDATE message SET owner = NULL, hold = NULL, backout = backout + (hold = 'g')::int4 \
                     WHERE owner >= $1::int8 AND owner < $2::int8 AND unit IS NULL RETURNING queue";
    /// Its duties are anybody's.
    leave_duties = "DELETE FROM duty WHERE member = $1";
    /// It may have ended before its trigger message was put.
    forget_triggers = "UPDATE queue_state SET triggered = -1, triggered_by = NULL WHERE triggered_by = $1";
    /// `$1` member, `$2` epoch. A row: the epoch lasts until this transaction ends.
    hold_epoch = "SELECT 1 FROM lane WHERE member = $1 AND lane = 0 AND epoch = $2 FOR SHARE";
    /// Prepared units of work stay, and belong to the member's present epoch.
    keep_prepared = "UPDATE message SET owner = $2::int8 WHERE owner >= $1::int8 AND owner < $2::int8 AND unit IS NOT NULL";
    recovered = "UPDATE member SET state = 'FAILED' WHERE number = $1 AND epoch = $2 AND state = 'RECOVERING'";
    /// `$1` member, `$2` its name, `$3` the epoch that it is in afterwards, `$4` who has ended its work, `$5` messages that went back.
    note_recovery = "INSERT INTO recovery AS r (member, name, epoch, recovered_by, recovered_at, messages) \
                     VALUES ($1, $2, $3, $4, (extract(epoch FROM clock_timestamp()) * 1000)::int8, $5) \
                     ON CONFLICT (member) DO UPDATE SET name = excluded.name, epoch = excluded.epoch, \
                     recovered_by = excluded.recovered_by, recovered_at = excluded.recovered_at, messages = excluded.messages";
    /// Each lane of each member, in order.
    lane_epochs = "SELECT member, epoch FROM lane ORDER BY member, lane";
    epochs_of_lanes = "SELECT epoch FROM lane WHERE member = $1";
    database_of_structure = "SELECT cluster FROM structure_database WHERE structure = $1";
    leave = "UPDATE member SET epoch = epoch + 1, state = 'INACTIVE' WHERE number = $1 AND epoch = $2";
    /// What the database says this member holds, outside prepared units of work.
    claims = "SELECT queue, rank, position FROM message WHERE owner = $1 AND unit IS NULL";
}
