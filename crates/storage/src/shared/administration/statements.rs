//! SQL of an operator's commands.
//!
//! They run seldom. Those that count messages read a whole index in order; none holds a lock that members wait for longer than one of
//! their own batches takes.

use crate::shared::statements::{add_figures, changed_figures};

macro_rules! wrong_depths {
    () => {
        "SELECT coalesce(t.queue, d.queue) AS queue, (coalesce(t.m, 0) - coalesce(d.m, 0))::int8 AS m, \
         (coalesce(t.b, 0) - coalesce(d.b, 0))::int8 AS b \
         FROM (SELECT queue, sum(messages) AS m, sum(bytes) AS b FROM queue_depth GROUP BY queue) d \
         FULL JOIN (SELECT queue, count(*) AS m, sum(length) AS b FROM message GROUP BY queue) t ON t.queue = d.queue \
         WHERE coalesce(d.m, 0) <> coalesce(t.m, 0) OR coalesce(d.b, 0) <> coalesce(t.b, 0)"
    };
}

/// By owner, what is held outside and inside of prepared units of work.
pub(super) const CLAIMS: &str = "SELECT owner, count(*) FILTER (WHERE unit IS NULL), count(*) FILTER (WHERE unit IS NOT NULL) \
    FROM message WHERE owner IS NOT NULL GROUP BY owner";
/// Those whose coordinator decides them.
pub(super) const UNITS: &str = "SELECT u.member, u.number, u.xid, \
    (SELECT count(*) FROM message m WHERE m.unit = u.number AND m.owner >= u.member::int8 << 32 \
    AND m.owner < (u.member::int8 + 1) << 32), u.places IS NOT NULL FROM unit u WHERE u.state = 'prepared' AND u.decided_by IS NULL ORDER BY u.member, u.number";
/// What peers and operators have ended last.
pub(super) const RECOVERIES: &str =
    "SELECT name, recovered_by, recovered_at, messages FROM recovery ORDER BY recovered_at DESC";
pub(super) const DEPTHS: &str =
    "SELECT queue, sum(messages)::int8, sum(bytes)::int8 FROM queue_depth GROUP BY queue ORDER BY queue";

pub(super) const MAY: &str = "SELECT has_table_privilege(t, p) FROM unnest($1::text[], $2::text[]) AS x(t, p)";
pub(super) const MAY_COUNT_QUEUES: &str = "SELECT has_sequence_privilege('queue_number', 'USAGE')";
pub(super) const IS_PLAN_PINNED: &str = "SELECT current_setting('plan_cache_mode') = 'force_generic_plan'";
pub(super) const MEMBER_OF_NAME: &str = "SELECT number, state, epoch FROM member WHERE name = $1";

/// `$1` member, `$2` its epoch, in which nothing has begun since. Its lanes stay: a later member of that number begins above them.
pub(super) const REMOVE_MEMBER: &str = "DELETE FROM member WHERE number = $1 AND epoch = $2";
pub(super) const HELD_BY: &str = "SELECT count(*) FILTER (WHERE unit IS NULL), count(*) FILTER (WHERE unit IS NOT NULL) FROM message \
    WHERE owner >= $1::int8 << 32 AND owner < ($1::int8 + 1) << 32";
/// In doubt, decided, and parts that another database decides.
pub(super) const UNITS_OF: &str = "SELECT count(*) FILTER (WHERE state = 'prepared' AND decided_by IS NULL), \
    count(*) FILTER (WHERE state = 'committed'), count(*) FILTER (WHERE decided_by IS NOT NULL) FROM unit WHERE member = $1::int4";
pub(super) const FORGET_UNITS_OF: &str = "DELETE FROM unit WHERE member = $1::int4";

/// `$1` owners that are no member in its present epoch.
pub(super) const RETURN_LOST_CLAIMS: &str = "UPDATE message SET owner = NULL, hold = NULL, backout = backout + (hold = 'g')::int4 \
    WHERE owner = ANY ($1::int8[]) AND unit IS NULL RETURNING queue";
/// Messages of prepared units of work that no row of `unit` names: nobody can decide these.
pub(super) const LOST_UNITS: &str = "SELECT count(*) FROM message o WHERE o.owner IS NOT NULL AND o.unit IS NOT NULL \
    AND NOT EXISTS (SELECT FROM unit u WHERE u.member = o.owner >> 32 AND u.number = o.unit)";
pub(super) const BACK_OUT_LOST_GETS: &str = "UPDATE message o SET owner = NULL, hold = NULL, unit = NULL, backout = backout + 1 \
    WHERE o.owner IS NOT NULL AND o.unit IS NOT NULL AND o.hold = 'g' \
    AND NOT EXISTS (SELECT FROM unit u WHERE u.member = o.owner >> 32 AND u.number = o.unit) RETURNING queue";
/// Depths follow in the same statement. Answers how many for each queue. After `FIGURES_OF_REPAIRS`.
pub(super) const REMOVE_LOST_PUTS: &str = concat!(
    "WITH g AS (DELETE FROM message o WHERE o.owner IS NOT NULL AND o.unit IS NOT NULL AND o.hold = 'p' \
     AND NOT EXISTS (SELECT FROM unit u WHERE u.member = o.owner >> 32 AND u.number = o.unit) RETURNING queue, length), ",
    changed_figures!("SELECT queue, -count(*), -sum(length), 0::int8, ''::bytea FROM g GROUP BY queue", "0", "0"),
    " ",
    add_figures!(),
    " RETURNING -c.messages"
);
/// Repairs have a row for each queue.
pub(super) const FIGURES_OF_REPAIRS: &str = "WITH l AS (INSERT INTO queue_lane (queue, member, lane) \
    SELECT q.queue, 0, 0 FROM (SELECT queue FROM message UNION SELECT queue FROM queue_lane) q \
    ON CONFLICT DO NOTHING RETURNING queue) \
    INSERT INTO queue_depth (queue, member, lane, version, messages, bytes, opened, lowest) SELECT l.queue, 0, 0, 0, 0, 0, 0, '' FROM l";
/// By member.
pub(super) const DECISIONS: &str = "SELECT member, count(*) FROM unit WHERE state = 'committed' GROUP BY member";
/// `$1` members that are gone.
pub(super) const FORGET_DECISIONS: &str = "DELETE FROM unit WHERE state = 'committed' AND member = ANY ($1::int4[])";
/// Queues whose depth is not what the table holds, and by how much: messages and bytes to add.
pub(super) const WRONG_DEPTHS: &str = concat!("SELECT queue, m, b FROM (", wrong_depths!(), ") w ORDER BY queue");
/// One statement sees one moment: what members change meanwhile changes both sides alike, and the difference stays true. After
/// `FIGURES_OF_REPAIRS`.
pub(super) const MEND_DEPTHS: &str = concat!(
    "WITH ",
    changed_figures!(concat!("SELECT queue, m, b, 0::int8, ''::bytea FROM (", wrong_depths!(), ") x"), "0", "0"),
    " ",
    add_figures!()
);
/// Numbers of queues that have messages: one look into the index for each.
pub(super) const QUEUES_WITH_MESSAGES: &str = "WITH RECURSIVE q(queue) AS ((SELECT queue FROM message ORDER BY queue LIMIT 1) UNION ALL \
    SELECT (SELECT m.queue FROM message m WHERE m.queue > q.queue ORDER BY m.queue LIMIT 1) FROM q WHERE q.queue IS NOT NULL) \
    SELECT q.queue, (SELECT coalesce(sum(d.messages), 0)::int8 FROM queue_depth d WHERE d.queue = q.queue) FROM q WHERE q.queue IS NOT NULL";
/// `$1` queue, `$2` how many.
pub(super) const REMOVE_STEP: &str = "WITH g AS (DELETE FROM message m USING (SELECT queue, rank, position FROM message WHERE queue = $1 \
    ORDER BY rank, position LIMIT $2::int8 FOR UPDATE) n WHERE m.queue = ANY (ARRAY[n.queue]) AND m.rank = n.rank AND m.position = n.position \
    RETURNING m.queue, m.position, m.parts), p AS (DELETE FROM message_part p USING g WHERE g.parts > 0 AND p.queue = g.queue \
    AND p.position = g.position) \
    SELECT count(*) FROM g";
/// Once it has no message.
pub(super) const FORGET_QUEUE: &str = "WITH o AS (DELETE FROM queue_open WHERE queue = $1), s AS (DELETE FROM queue_state WHERE queue = $1), \
                                       l AS (DELETE FROM queue_lane WHERE queue = $1) DELETE FROM queue_depth WHERE queue = $1";
pub(super) const ORPHAN_PARTS: &str = "SELECT count(*) FROM message_part p WHERE p.part = 0 \
    AND NOT EXISTS (SELECT FROM message m WHERE m.queue = p.queue AND m.position = p.position)";
pub(super) const REMOVE_ORPHAN_PARTS: &str = "DELETE FROM message_part p WHERE NOT EXISTS (SELECT FROM message m WHERE m.queue = p.queue AND m.position = p.position)";
/// Members forget these every ten seconds; a minute later no member does.
pub(super) const OLD_RECEIPTS: &str =
    "SELECT count(*) FROM receipt WHERE expires < ((extract(epoch FROM clock_timestamp()) - 60) * 1000)::int8";
pub(super) const FORGET_OLD_RECEIPTS: &str =
    "DELETE FROM receipt WHERE expires < ((extract(epoch FROM clock_timestamp()) - 60) * 1000)::int8";
