//! Rows of what DISPLAY shows about running things: queue status, handles, connections, the queue manager, authority
//! records. The same idea as the attribute table, for things that are not definitions.
//!
//! Sources: MQ reference, "DISPLAY QSTATUS", "DISPLAY CONN", "DISPLAY QMSTATUS", "DISPLAY AUTHREC", 9.3 and 9.4.

pub(crate) mod channel;
pub(crate) mod structure;
pub(crate) mod system;
pub(crate) mod topic;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::definition::attribute::{JsonWord, Membership, Shown, Value, ValueType, Word, date_text, time_text};
use model::options::OpenOptions;
use model::timestamp::Timestamp;
use queue_manager::status::{ConnectionStatus, HandleStatus, QueueManagerStatus, QueueStatus, host_name};

use crate::authority_words;
use crate::command::{Request, Selection};

/// One thing DISPLAY can show of a `T`.
pub(crate) struct Row<T> {
    pub(crate) mqsc: &'static str,
    pub(crate) value: ValueType,
    pub(crate) when: When,
    /// Which queue managers show it.
    pub(crate) membership: Membership,
    read: Read<T>,
}

enum Read<T> {
    Always(fn(&T) -> Value),
    /// Not everything has it.
    Sometimes(fn(&T) -> Option<Value>),
}

/// When a row is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// Unless others are named.
    Usual,
    /// With ALL, or by name.
    Asked,
}

const fn row<T>(mqsc: &'static str, value: ValueType, when: When, read: fn(&T) -> Value) -> Row<T> {
    Row { mqsc, value, when, membership: Membership::Alone, read: Read::Always(read) }
}

const fn optional<T>(mqsc: &'static str, value: ValueType, when: When, read: fn(&T) -> Option<Value>) -> Row<T> {
    Row { mqsc, value, when, membership: Membership::Alone, read: Read::Sometimes(read) }
}

/// One that members of a queue-sharing group alone show.
const fn of_members<T>(mqsc: &'static str, value: ValueType, when: When, read: fn(&T) -> Option<Value>) -> Row<T> {
    Row { mqsc, value, when, membership: Membership::Member, read: Read::Sometimes(read) }
}

const TEXT: ValueType = ValueType::Text { maximum: 256 };
const NUMBER: ValueType = ValueType::Integer { minimum: 0, maximum: i64::MAX, unit: "", words: &[] };

/// What DISPLAY QSTATUS TYPE(QUEUE) knows of a queue.
pub(crate) struct QueueView {
    pub(crate) status: QueueStatus,
    /// MONQ as it counts: OFF, LOW, MEDIUM, HIGH.
    pub(crate) monitoring: String,
    pub(crate) maximum_file_size_mb: u32,
    /// Of members of a queue-sharing group.
    pub(crate) disposition: Option<&'static str>,
    pub(crate) now: Timestamp,
}

impl QueueView {
    /// Times and ages are shown only while the queue is monitored.
    fn monitored(&self, text: impl FnOnce() -> String) -> Value {
        Value::Text(if self.monitoring == "OFF" || self.monitoring == "NONE" { String::new() } else { text() })
    }
}

/// An open handle, with the connection it belongs to.
pub(crate) struct HandleView {
    pub(crate) connection: ConnectionStatus,
    pub(crate) handle: HandleStatus,
}

impl HandleView {
    fn has(&self, options: OpenOptions) -> Value {
        word_of(self.handle.open_options & options.bits() != 0)
    }
}

/// What DISPLAY QMSTATUS knows.
pub(crate) struct ManagerView {
    pub(crate) name: String,
    pub(crate) status: QueueManagerStatus,
}

fn word_of(yes: bool) -> Value {
    Value::from(if yes { "YES" } else { "NO" })
}

fn hex(bytes: &[u8]) -> Value {
    Value::Text(bytes.iter().map(|byte| format!("{byte:02X}")).collect())
}

/// MQAT_QMGR and its like are the queue manager's own work.
const fn application_type(number: i32) -> &'static str {
    match number {
        7 | 26 => "SYSTEM",
        _ => "USER",
    }
}

fn optional_date(moment: Option<Timestamp>) -> String {
    moment.map(date_text).unwrap_or_default()
}

fn optional_time(moment: Option<Timestamp>) -> String {
    moment.map(time_text).unwrap_or_default()
}

/// UNCOM: how many, or NO.
const UNCOMMITTED: ValueType = ValueType::Integer {
    minimum: 0,
    maximum: i64::MAX,
    unit: "messages",
    words: &[Word { mqsc: "NO", synonyms: &[], code: 0, json: JsonWord::None }],
};

pub(crate) static QUEUE_STATUS: &[Row<QueueView>] = &[
    row("QUEUE", ValueType::Name, When::Always, |q| Value::from(q.status.name.as_str())),
    row("TYPE", TEXT, When::Always, |_| Value::from("QUEUE")),
    of_members("QSGDISP", TEXT, When::Usual, |q| q.disposition.map(Value::from)),
    row("CURDEPTH", NUMBER, When::Usual, |q| q.status.depth.current.into()),
    row("CURFSIZE", NUMBER, When::Usual, |q| {
        Value::Integer(i64::try_from(q.status.depth.bytes.div_ceil(1 << 20)).unwrap_or(i64::MAX))
    }),
    row("CURMAXFS", NUMBER, When::Usual, |q| q.maximum_file_size_mb.into()),
    row("IPPROCS", NUMBER, When::Usual, |q| q.status.open_input.into()),
    row("LGETDATE", ValueType::Date, When::Usual, |q| q.monitored(|| optional_date(q.status.last_get))),
    row("LGETTIME", ValueType::Time, When::Usual, |q| q.monitored(|| optional_time(q.status.last_get))),
    row("LPUTDATE", ValueType::Date, When::Usual, |q| q.monitored(|| optional_date(q.status.last_put))),
    row("LPUTTIME", ValueType::Time, When::Usual, |q| q.monitored(|| optional_time(q.status.last_put))),
    row("MEDIALOG", TEXT, When::Usual, |_| Value::from("")),
    row("MONQ", TEXT, When::Usual, |q| Value::from(q.monitoring.as_str())),
    row("MSGAGE", TEXT, When::Usual, |q| {
        q.monitored(|| q.status.depth.oldest.map_or(0, |oldest| q.now.since(oldest).as_secs()).to_string())
    }),
    row("OPPROCS", NUMBER, When::Usual, |q| q.status.open_output.into()),
    row("QTIME", TEXT, When::Usual, |_| Value::from(" , ")),
    row("UNCOM", UNCOMMITTED, When::Usual, |q| q.status.depth.uncommitted.into()),
];

pub(crate) static QUEUE_HANDLES: &[Row<HandleView>] = &[
    row("QUEUE", ValueType::Name, When::Always, |h| Value::from(h.handle.object_name.as_str())),
    row("TYPE", TEXT, When::Always, |_| Value::from("HANDLE")),
    row("APPLDESC", TEXT, When::Usual, |_| Value::from("")),
    row("APPLTAG", TEXT, When::Usual, |h| Value::from(h.connection.application_name.as_str())),
    row("APPLTYPE", TEXT, When::Usual, |h| Value::from(application_type(h.connection.application_type))),
    row("ASTATE", TEXT, When::Usual, |_| Value::from("NONE")),
    row("BROWSE", TEXT, When::Usual, |h| h.has(OpenOptions::BROWSE)),
    row("CHANNEL", TEXT, When::Usual, |h| Value::from(h.connection.channel.as_str())),
    row("CONNAME", TEXT, When::Usual, |h| Value::from(h.connection.connection_name.as_str())),
    row("HSTATE", TEXT, When::Usual, |_| Value::from("ACTIVE")),
    row("INPUT", TEXT, When::Usual, |h| {
        let options = OpenOptions::from_bits_retain(h.handle.open_options);
        Value::from(if options.contains(OpenOptions::INPUT_EXCLUSIVE) {
            "EXCL"
        } else if options.intersects(OpenOptions::INPUT_SHARED | OpenOptions::INPUT_AS_Q_DEF) {
            "SHARED"
        } else {
            "NO"
        })
    }),
    row("INQUIRE", TEXT, When::Usual, |h| h.has(OpenOptions::INQUIRE)),
    row("OUTPUT", TEXT, When::Usual, |h| h.has(OpenOptions::OUTPUT)),
    row("PID", NUMBER, When::Usual, |h| h.connection.process_id.into()),
    row("QMURID", TEXT, When::Usual, |_| Value::from("0.0")),
    row("SET", TEXT, When::Usual, |h| h.has(OpenOptions::SET)),
    row("TID", NUMBER, When::Usual, |_| Value::Integer(0)),
    row("URID", TEXT, When::Usual, |_| Value::from("XA_FORMATID[] XA_GTRID[] XA_BQUAL[]")),
    row("URTYPE", TEXT, When::Usual, |_| Value::from("QMGR")),
    row("USERID", TEXT, When::Usual, |h| Value::from(h.connection.user.as_str())),
];

pub(crate) static CONNECTION: &[Row<ConnectionStatus>] = &[
    row("CONN", TEXT, When::Always, |c| hex(&c.identifier[16..])),
    row("EXTCONN", TEXT, When::Always, |c| hex(&c.identifier[..16])),
    row("TYPE", TEXT, When::Always, |_| Value::from("CONN")),
    row("APPLDESC", TEXT, When::Usual, |_| Value::from("")),
    row("APPLTAG", TEXT, When::Usual, |c| Value::from(c.application_name.as_str())),
    row("APPLTYPE", TEXT, When::Usual, |c| Value::from(application_type(c.application_type))),
    row("ASTATE", TEXT, When::Usual, |_| Value::from("NONE")),
    row("CHANNEL", TEXT, When::Usual, |c| Value::from(c.channel.as_str())),
    row("CLIENTID", TEXT, When::Asked, |_| Value::from("")),
    row("CONNAME", TEXT, When::Usual, |c| Value::from(c.connection_name.as_str())),
    row("CONNTAG", TEXT, When::Asked, |_| Value::from("")),
    row("PID", NUMBER, When::Usual, |c| c.process_id.into()),
    row("TID", NUMBER, When::Usual, |_| Value::Integer(0)),
    row("USERID", TEXT, When::Usual, |c| Value::from(c.user.as_str())),
    row("URTYPE", TEXT, When::Asked, |_| Value::from("QMGR")),
    row("QMURID", TEXT, When::Asked, |_| Value::from("0.0")),
    row("EXTURID", TEXT, When::Asked, |_| Value::from("XA_FORMATID[] XA_GTRID[] XA_BQUAL[]")),
    row("UOWLOG", TEXT, When::Asked, |_| Value::from("")),
    row("UOWLOGDA", ValueType::Date, When::Asked, |_| Value::from("")),
    row("UOWLOGTI", ValueType::Time, When::Asked, |_| Value::from("")),
    row("UOWSTATE", TEXT, When::Usual, |c| Value::from(if c.unit_of_work_since.is_some() { "ACTIVE" } else { "NONE" })),
    row("UOWSTDA", ValueType::Date, When::Usual, |c| Value::Text(optional_date(c.unit_of_work_since))),
    row("UOWSTTI", ValueType::Time, When::Usual, |c| Value::Text(optional_time(c.unit_of_work_since))),
];

/// What follows a connection, once a handle.
pub(crate) static CONNECTION_HANDLES: &[Row<HandleStatus>] = &[
    row("OBJNAME", TEXT, When::Always, |h| Value::from(h.object_name.as_str())),
    row("OBJTYPE", TEXT, When::Always, |h| Value::from(h.object_type)),
    row("ASTATE", TEXT, When::Usual, |_| Value::from("NONE")),
    row("HSTATE", TEXT, When::Usual, |_| Value::from("ACTIVE")),
    row("OPENOPTS", ValueType::List, When::Usual, |h| {
        let options = OpenOptions::from_bits_retain(h.open_options);
        let names: Vec<_> = options.iter_names().map(|(name, _)| format!("MQOO_{name}")).collect();
        Value::Text(names.join(","))
    }),
    row("READA", TEXT, When::Usual, |_| Value::from("NO")),
];

pub(crate) static QUEUE_MANAGER_STATUS: &[Row<ManagerView>] = &[
    row("QMNAME", ValueType::Name, When::Always, |m| Value::from(m.name.as_str())),
    row("STATUS", TEXT, When::Always, |_| Value::from("RUNNING")),
    row("CHINIT", TEXT, When::Asked, |_| Value::from("STOPPED")),
    row("CMDSERV", TEXT, When::Asked, |m| Value::from(if m.status.command_server { "RUNNING" } else { "STOPPED" })),
    row("CONNS", NUMBER, When::Asked, |m| m.status.connections.into()),
    row("HOSTNAME", TEXT, When::Asked, |_| Value::Text(host_name())),
    row("LDAPCONN", TEXT, When::Asked, |_| Value::from("INACTIVE")),
    row("LOGFSUSE", NUMBER, When::Asked, |m| {
        Value::Integer(i64::try_from(m.status.store.log_bytes_in_use.div_ceil(1 << 20)).unwrap_or(i64::MAX))
    }),
    row("LOGTYPE", TEXT, When::Asked, |_| Value::from("CIRCULAR")),
    row("STANDBY", TEXT, When::Asked, |_| Value::from("NOPERMIT")),
    row("STARTDA", ValueType::Date, When::Asked, |m| Value::Text(date_text(m.status.started))),
    row("STARTTI", ValueType::Time, When::Asked, |m| Value::Text(time_text(m.status.started))),
];

pub(crate) static AUTHORITY: &[Row<AuthorityRecord>] = &[
    row("PROFILE", TEXT, When::Always, |a| Value::from(a.profile.as_str())),
    row("ENTITY", TEXT, When::Always, |a| Value::from(authority_words::entity_words(&a.entity).1)),
    row("ENTTYPE", TEXT, When::Always, |a| Value::from(authority_words::entity_words(&a.entity).0)),
    row("OBJTYPE", TEXT, When::Always, |a| Value::from(authority_words::object_word(a.object))),
    row("AUTHLIST", ValueType::List, When::Always, |a| Value::Text(a.authorities.list())),
];

/// What one entity may do to one object: DISPLAY ENTAUTH.
pub(crate) struct EntityView {
    pub(crate) name: String,
    pub(crate) entity: Entity,
    pub(crate) object: AuthorityObject,
    pub(crate) authorities: Authority,
}

pub(crate) static ENTITY_AUTHORITY: &[Row<EntityView>] = &[
    row("OBJNAME", TEXT, When::Always, |e| Value::from(e.name.as_str())),
    row("ENTITY", TEXT, When::Usual, |e| Value::from(e.entity.name())),
    row("ENTTYPE", TEXT, When::Usual, |e| Value::from(e.entity.mqsc())),
    row("OBJTYPE", TEXT, When::Usual, |e| Value::from(e.object.mqsc())),
    row("AUTHLIST", ValueType::List, When::Usual, |e| Value::Text(e.authorities.list())),
];

/// There is one authority service, which is part of the queue manager.
pub(crate) static AUTHORITY_SERVICE: &[Row<()>] = &[
    row("SERVCOMP", TEXT, When::Always, |()| Value::from("Quaymaster.authority")),
    row("IFVER", NUMBER, When::Usual, |()| Value::Integer(3)),
    row("UIDSUPP", TEXT, When::Usual, |()| Value::from("YES")),
];

/// Keyword and type of every row of every table: what another member may have shown.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, ValueType)> {
    fn of<T>(rows: &'static [Row<T>]) -> Box<dyn Iterator<Item = (&'static str, ValueType)>> {
        Box::new(rows.iter().map(|row| (row.mqsc, row.value)))
    }
    [
        of(QUEUE_STATUS),
        of(QUEUE_HANDLES),
        of(CONNECTION),
        of(CONNECTION_HANDLES),
        of(QUEUE_MANAGER_STATUS),
        of(AUTHORITY),
        of(ENTITY_AUTHORITY),
        of(AUTHORITY_SERVICE),
        of(channel::AUTHENTICATION),
        of(channel::STATUS),
        of(channel::LISTENER),
        of(channel::SERVICE),
        of(structure::GROUP),
        of(structure::SUMMARY),
        of(structure::CONNECTIONS),
        of(system::COMMAND_SERVER),
        of(system::QUEUE_STATISTICS),
        of(system::TRACE),
        of(system::SYSTEM),
        of(topic::TOPIC),
        of(topic::PUBLISHER),
        of(topic::SUBSCRIBER),
        of(topic::SUBSCRIPTION),
        of(topic::PUBLISH_SUBSCRIBE),
    ]
    .into_iter()
    .flatten()
}

/// The row a keyword names.
pub(crate) fn find<T>(rows: &[Row<T>], keyword: &str) -> Option<(&'static str, ValueType)> {
    find_of(Membership::Alone, rows, keyword)
}

/// The row a keyword names at a queue manager that is in a queue-sharing group or in none.
pub(crate) fn find_of<T>(membership: Membership, rows: &[Row<T>], keyword: &str) -> Option<(&'static str, ValueType)> {
    let row = rows.iter().find(|row| row.mqsc == keyword && row.membership <= membership)?;
    Some((row.mqsc, row.value))
}

/// What `request` wants to see of `subject`; `None` when its condition does not hold. Rows of members say themselves whether the
/// subject has them.
pub(crate) fn show<T>(rows: &[Row<T>], subject: &T, request: &Request) -> Option<Vec<Shown>> {
    show_of(Membership::Member, rows, subject, request)
}

/// The same of a subject that does not know whether its queue manager is in a queue-sharing group.
pub(crate) fn show_of<T>(
    membership: Membership,
    rows: &[Row<T>],
    subject: &T,
    request: &Request,
) -> Option<Vec<Shown>> {
    let rows = || rows.iter().filter(|row| row.membership <= membership);
    let shown = |row: &Row<T>| {
        let value = match row.read {
            Read::Always(read) => read(subject),
            Read::Sometimes(read) => read(subject)?,
        };
        Some(Shown { keyword: row.mqsc, kind: row.value, value })
    };
    let conditional = request.condition.as_ref().map(|condition| condition.keyword);
    if let Some(condition) = &request.condition {
        let all: Vec<_> = rows().filter_map(shown).collect();
        if !condition.matches(&all) {
            return None;
        }
    }
    let wanted = |row: &&Row<T>| match &request.selection {
        Selection::All => true,
        Selection::Usual => row.when != When::Asked || conditional == Some(row.mqsc),
        Selection::Named(names) => {
            row.when == When::Always || names.contains(&row.mqsc) || conditional == Some(row.mqsc)
        }
    };
    Some(rows().filter(wanted).filter_map(shown).collect())
}
