//! What the group's database is like: its hosts, what protects its commits, and what keeps it from cleaning up.
//!
//! Engines that speak PostgreSQL's protocol know different parts of this. What an engine does not tell is left open, never guessed.

use std::time::Duration;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use crate::shared::administration::{Administrator, View};
use crate::shared::primary;

/// What is known of the database of a group.
#[derive(Debug, Clone, Default)]
pub struct DatabaseFacts {
    /// PostgreSQL, or who says that it speaks its protocol.
    pub engine: String,
    pub version: String,
    /// Of PostgreSQL's numbers: 150018. 0: not told.
    pub version_number: i32,
    pub host: String,
    /// 0 of an engine that knows no timelines.
    pub timeline: u32,
    /// All that the address names.
    pub hosts: Vec<Host>,
    /// `synchronous_standby_names`.
    pub synchronous_standby_names: Option<String>,
    pub standbys: Vec<Standby>,
    pub is_encrypted: Option<bool>,
    /// The way to it leaves this machine.
    pub is_remote: bool,
    pub fsync: Option<bool>,
    pub full_page_writes: Option<bool>,
    pub autovacuum: Option<bool>,
    pub max_connections: Option<i64>,
    /// Connections that are there, and those that only administrators may use.
    pub connections: Option<i64>,
    pub reserved_connections: Option<i64>,
    /// Of the role and of the database.
    pub connection_limit: Option<i64>,
    pub dead_rows: Option<i64>,
    pub live_rows: Option<i64>,
    /// Since the last vacuum of the table `message`, of whom ever.
    pub since_vacuum: Option<Duration>,
    /// What keeps dead rows from being cleaned, oldest first.
    pub holders: Vec<Holder>,
    /// This role may see other roles' transactions.
    pub sees_all: bool,
    pub may_vacuum: bool,
    /// The database's clock less this machine's, in milliseconds.
    pub clock_ahead_ms: Option<i64>,
}

#[derive(Debug, Clone)]
pub struct Host {
    pub name: String,
    pub role: HostRole,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostRole {
    Primary { timeline: u32 },
    Standby,
    Unreachable { why: String },
}

#[derive(Debug, Clone)]
pub struct Standby {
    pub name: String,
    /// `None`: this role may not see it.
    pub state: Option<String>,
    pub synchronous: Option<String>,
    /// Bytes of the write-ahead log that it has not yet on disk.
    pub behind_bytes: Option<i64>,
    /// Its `hot_standby_feedback` keeps rows.
    pub feeds_back: bool,
}

/// Keeps rows that are gone from being cleaned.
#[derive(Debug, Clone)]
pub struct Holder {
    /// A transaction, a prepared transaction or a replication slot.
    pub kind: &'static str,
    pub pid: Option<i32>,
    /// Application, name of the transaction or of the slot.
    pub name: String,
    pub user: Option<String>,
    pub state: Option<String>,
    /// `None`: of a slot.
    pub age: Option<Duration>,
}

impl Administrator {
    /// Every host that the addresses of all databases name.
    pub async fn hosts(&self) -> Vec<Host> {
        let mut hosts = Vec::new();
        for place in self.places() {
            hosts.extend(primary::survey(&place.options, &place.primary).await);
        }
        hosts
    }
}

impl DatabaseFacts {
    /// Age of the oldest transaction that keeps dead rows; zero: there is none.
    pub fn oldest_snapshot(&self) -> Duration {
        self.holders.iter().filter_map(|holder| holder.age).max().unwrap_or_default()
    }
}

impl View<'_> {
    pub(in crate::shared) async fn facts(self) -> DatabaseFacts {
        let hosts = primary::survey(self.options, self.primary).await;
        let client = self.client();
        let mut facts = DatabaseFacts {
            host: self.primary.name.clone(),
            timeline: self.primary.timeline,
            is_remote: !self.primary.is_here(),
            hosts,
            ..DatabaseFacts::default()
        };
        engine(client, &mut facts).await;
        settings(client, &mut facts).await;
        rights(client, &mut facts).await;
        rows(client, &mut facts).await;
        facts.standbys = standbys(client).await;
        facts.holders = holders(client).await;
        facts.clock_ahead_ms = clock_ahead(client).await;
        facts
    }
}

/// `None`: the engine does not know what is asked.
async fn ask(client: &Client, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Option<Row> {
    client.query_opt(sql, parameters).await.ok().flatten()
}

async fn all(client: &Client, sql: &str) -> Vec<Row> {
    client.query(sql, &[]).await.unwrap_or_default()
}

async fn engine(client: &Client, facts: &mut DatabaseFacts) {
    let row = ask(client, "SELECT version(), current_setting('server_version_num', true)", &[]).await;
    let Some(row) = row else { return };
    let said: String = row.get(0);
    let mut words = said.split(' ');
    facts.engine = words.next().unwrap_or_default().to_owned();
    facts.version = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default().to_owned();
    if facts.version.contains("-YB-") {
        facts.engine = "YugabyteDB".to_owned();
    }
    facts.version_number = row.get::<_, Option<String>>(1).and_then(|number| number.parse().ok()).unwrap_or(0);
}

async fn settings(client: &Client, facts: &mut DatabaseFacts) {
    let names = [
        "synchronous_standby_names",
        "fsync",
        "full_page_writes",
        "autovacuum",
        "max_connections",
        "superuser_reserved_connections",
    ];
    let mut values = Vec::new();
    for name in names {
        let row = ask(client, "SELECT current_setting($1, true)", &[&name]).await;
        values.push(row.and_then(|row| row.get::<_, Option<String>>(0)));
    }
    let mut values = values.into_iter();
    let mut next = || values.next().flatten();
    let is_on = |value: Option<String>| value.map(|value| value == "on");
    facts.synchronous_standby_names = next();
    facts.fsync = is_on(next());
    facts.full_page_writes = is_on(next());
    facts.autovacuum = is_on(next());
    facts.max_connections = next().and_then(|value| value.parse().ok());
    facts.reserved_connections = next().and_then(|value| value.parse().ok());
}

async fn rights(client: &Client, facts: &mut DatabaseFacts) {
    let sql = "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')";
    facts.sees_all = ask(client, sql, &[]).await.is_some_and(|row| row.get(0));
    facts.may_vacuum = may_vacuum(client).await;
    let sql = "SELECT (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())";
    facts.is_encrypted = ask(client, sql, &[]).await.and_then(|row| row.get(0));
    let sql = "SELECT sum(numbackends)::int8 FROM pg_stat_database";
    facts.connections = ask(client, sql, &[]).await.and_then(|row| row.get(0));
    let sql = "SELECT min(l)::int8 FROM (SELECT rolconnlimit AS l FROM pg_roles WHERE rolname = current_user UNION ALL \
               SELECT datconnlimit FROM pg_database WHERE datname = current_database()) x WHERE l >= 0";
    facts.connection_limit = ask(client, sql, &[]).await.and_then(|row| row.get(0));
}

/// Whether this role may vacuum the tables that change with each message: their owner may, and from PostgreSQL 17 on who has MAINTAIN.
pub(crate) async fn may_vacuum(client: &Client) -> bool {
    let sql = "SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'message'::regclass";
    let owns = ask(client, sql, &[]).await.is_some_and(|row| row.get(0));
    // Versions before 17 do not know the word, and refuse the question.
    let sql = "SELECT bool_and(has_table_privilege(t, 'MAINTAIN')) FROM unnest('{message,lane,queue_depth}'::regclass[]) AS x(t)";
    owns || ask(client, sql, &[]).await.is_some_and(|row| row.get(0))
}

async fn rows(client: &Client, facts: &mut DatabaseFacts) {
    let sql = "SELECT n_dead_tup, n_live_tup, \
               extract(epoch FROM clock_timestamp() - greatest(last_vacuum, last_autovacuum))::int8 \
               FROM pg_stat_user_tables WHERE relid = 'message'::regclass";
    let Some(row) = ask(client, sql, &[]).await else { return };
    (facts.dead_rows, facts.live_rows) = (row.get(0), row.get(1));
    facts.since_vacuum = row.get::<_, Option<i64>>(2).map(seconds);
}

async fn standbys(client: &Client) -> Vec<Standby> {
    let sql = "SELECT coalesce(application_name, ''), state, sync_state, backend_xmin IS NOT NULL, \
               pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::int8 FROM pg_stat_replication ORDER BY 1";
    let standby = |row: &Row| Standby {
        name: row.get(0),
        state: row.get(1),
        synchronous: row.get(2),
        feeds_back: row.get(3),
        behind_bytes: row.get(4),
    };
    all(client, sql).await.iter().map(standby).collect()
}

async fn holders(client: &Client) -> Vec<Holder> {
    let sql = "SELECT 'transaction', pid, application_name, usename::text, state, \
               extract(epoch FROM clock_timestamp() - xact_start)::int8 FROM pg_stat_activity \
               WHERE backend_xmin IS NOT NULL AND xact_start IS NOT NULL AND pid <> pg_backend_pid() \
               AND backend_type <> 'walsender' AND query NOT ILIKE 'VACUUM%' AND query NOT LIKE 'autovacuum:%' ORDER BY xact_start";
    let mut holders: Vec<Holder> = all(client, sql).await.iter().map(|row| holder("transaction", row)).collect();
    let sql = "SELECT 'prepared', NULL::int4, gid, owner::text, NULL::text, \
               extract(epoch FROM clock_timestamp() - prepared)::int8 FROM pg_prepared_xacts ORDER BY prepared";
    holders.extend(all(client, sql).await.iter().map(|row| holder("prepared transaction", row)));
    let sql = "SELECT 'slot', active_pid, slot_name::text, NULL::text, \
               CASE WHEN active THEN 'active' ELSE 'inactive' END, NULL::int8 FROM pg_replication_slots WHERE xmin IS NOT NULL";
    holders.extend(all(client, sql).await.iter().map(|row| holder("replication slot", row)));
    holders.sort_by_key(|holder| std::cmp::Reverse(holder.age));
    holders
}

fn holder(kind: &'static str, row: &Row) -> Holder {
    Holder {
        kind,
        pid: row.get(1),
        name: row.get::<_, Option<String>>(2).unwrap_or_default(),
        user: row.get(3),
        state: row.get(4),
        age: row.get::<_, Option<i64>>(5).map(seconds),
    }
}

/// The middle of the question and its answer is when the database looked at its clock.
async fn clock_ahead(client: &Client) -> Option<i64> {
    let before = now_ms();
    let row = ask(client, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8", &[]).await?;
    let middle = before + (now_ms() - before) / 2;
    Some(row.get::<_, i64>(0) - middle)
}

#[expect(clippy::disallowed_methods, reason = "this machine's clock is what the database's is compared with")]
fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn seconds(value: i64) -> Duration {
    Duration::from_secs(value.max(0).unsigned_abs())
}
