//! What of a database needs attention when a group is in it, and what to do about it.

use std::time::Duration;

use crate::shared::administration::database::{DatabaseFacts, HostRole};

/// A transaction that is older keeps so many dead rows that gets become slow.
const OLD: Duration = Duration::from_secs(60);
/// Connections of one member.
pub(super) const OF_A_MEMBER: i64 = 6;
/// Beyond this a member's view of ages and expiries is off by more than a user takes for delay.
const CLOCKS_APART_MS: i64 = 5_000;
/// Dead rows that a vacuum should have taken long ago: members have them cleaned at 20,000.
const DEAD_ROWS: i64 = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Fine,
    /// It works, and something may be lost or slow.
    Warning,
    /// It does not work.
    Failure,
}

impl Verdict {
    /// As operators read it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Failure => "error",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone)]
pub struct Check {
    pub subject: &'static str,
    pub verdict: Verdict,
    /// A member, a host, a structure: tells it from other checks of this subject.
    pub about: String,
    /// What was found, and of what is not fine also what to do.
    pub text: String,
}

impl Check {
    pub fn fine(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Fine, text.into())
    }

    pub fn warning(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Warning, text.into())
    }

    /// Says of which database it is. `None`: the home.
    #[must_use]
    pub(super) fn at(self, structure: Option<&str>) -> Self {
        match structure {
            Some(structure) => Self {
                text: format!("structure {structure}: {}", self.text),
                about: format!("{structure} {}", self.about).trim_end().to_owned(),
                ..self
            },
            None => self,
        }
    }

    pub fn failure(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Failure, text.into())
    }

    const fn new(subject: &'static str, verdict: Verdict, text: String) -> Self {
        Self { subject, verdict, about: String::new(), text }
    }

    #[must_use]
    pub(super) fn about(self, about: &str) -> Self {
        Self { about: about.to_owned(), ..self }
    }
}

/// All checks of a database, in the order in which an operator reads them.
pub(super) fn of(facts: &DatabaseFacts) -> Vec<Check> {
    let mut checks = vec![version(facts)];
    checks.extend(hosts(facts));
    checks.extend([encryption(facts), standby(facts), disk(facts)]);
    checks.extend(feedback(facts));
    checks.extend([vacuum(facts), rights_to_vacuum(facts), old_transactions(facts), connections(facts)]);
    checks.extend(clocks(facts));
    checks
}

/// A database does not answer. `None`: the home.
pub(super) fn away(structure: Option<&str>, why: &str) -> Check {
    match structure {
        Some(name) => {
            let text = format!(
                "the database of the structure {name} does not answer: {why}. Its queues are refused with 2345 \
                 (MQRC_CF_NOT_AVAILABLE); look at its hosts, and at group.structures.{name}"
            );
            Check::failure("structures", text).about(name)
        }
        None => Check::failure(
            "database",
            format!(
                "the database of the group does not answer: {why}. Shared queues are refused with 2345 \
                 (MQRC_CF_NOT_AVAILABLE), and private ones go on; look at its hosts, and at group.database"
            ),
        ),
    }
}

/// Members whose datagrams do not arrive. Only a member knows.
pub(super) fn unheard(names: &[String]) -> Option<Check> {
    let text = format!(
        "no datagram of {} arrives here: waits on shared queues end up to 100 ms later. Let UDP pass between the addresses of the \
         members",
        names.join(", ")
    );
    (!names.is_empty()).then(|| Check::warning("peers", text))
}

fn version(facts: &DatabaseFacts) -> Check {
    let said = format!("{} {}", facts.engine, facts.version);
    match facts.version_number {
        1..130_000 => Check::failure("version", format!("{said} is too old: PostgreSQL 13 or later is required")),
        _ => Check::fine("version", said),
    }
}

fn hosts(facts: &DatabaseFacts) -> Vec<Check> {
    let away = facts.hosts.iter().filter_map(|host| match &host.role {
        HostRole::Unreachable { why } => {
            let text = format!("{} of group.database does not answer: {why}", host.name);
            Some(Check::warning("hosts", text).about(&host.name))
        }
        HostRole::Primary { timeline } if *timeline < facts.timeline => {
            let text = format!(
                "{} also takes writes, on timeline {timeline} behind {}: end it, or let the cluster manager demote it",
                host.name, facts.timeline
            );
            Some(Check::failure("hosts", text).about(&host.name))
        }
        HostRole::Primary { .. } | HostRole::Standby => None,
    });
    let mut checks: Vec<Check> = away.collect();
    if checks.is_empty() && !facts.hosts.is_empty() {
        let text = format!("{} takes writes; all {} of group.database answer", facts.host, facts.hosts.len());
        checks.push(Check::fine("hosts", text));
    }
    checks
}

fn encryption(facts: &DatabaseFacts) -> Check {
    match (facts.is_encrypted, facts.is_remote) {
        (Some(true), _) => Check::fine("encryption", "the connection is encrypted"),
        (_, false) => Check::fine("encryption", "the connection stays on this machine"),
        (Some(false), true) => Check::warning(
            "encryption",
            "the connection is plain text: set group.ca_file, and sslmode=require in group.database",
        ),
        (None, true) => Check::warning("encryption", "the database does not tell whether the connection is encrypted"),
    }
}

fn standby(facts: &DatabaseFacts) -> Check {
    match facts.synchronous_standby_names.as_deref() {
        None => Check::fine("standby", "this engine has no synchronous standbys; its own replication counts"),
        Some("") => Check::warning(
            "standby",
            "synchronous_standby_names is empty: the last messages may be lost with the primary. Set \
             synchronous_mode and synchronous_mode_strict to true in Patroni, or name a standby",
        ),
        Some(names) => Check::fine("standby", format!("commits wait for the standby {names}")),
    }
}

fn disk(facts: &DatabaseFacts) -> Check {
    let off: Vec<&str> = [("fsync", facts.fsync), ("full_page_writes", facts.full_page_writes)]
        .into_iter()
        .filter(|(_, value)| *value == Some(false))
        .map(|(name, _)| name)
        .collect();
    if off.is_empty() {
        return Check::fine("disk", "commits are on disk before they are answered");
    }
    let text = format!("{} off: messages may be lost when the database's machine crashes. Set on", off.join(" and "));
    Check::warning("disk", text)
}

fn feedback(facts: &DatabaseFacts) -> Option<Check> {
    let names: Vec<&str> =
        facts.standbys.iter().filter(|one| one.feeds_back).map(|standby| standby.name.as_str()).collect();
    let text = format!(
        "hot_standby_feedback of {} is on: a long query there keeps dead rows here. Set it off, or let no query run long",
        names.join(", ")
    );
    (!names.is_empty()).then(|| Check::warning("hot_standby_feedback", text))
}

fn vacuum(facts: &DatabaseFacts) -> Check {
    let dead = facts.dead_rows.unwrap_or(0);
    if facts.autovacuum == Some(false) {
        return Check::warning(
            "vacuum",
            "autovacuum is off: indexes grow without bound, and transaction numbers run out. Set it on",
        );
    }
    if dead > DEAD_ROWS && dead > facts.live_rows.unwrap_or(0) {
        let text = format!(
            "the table message has {dead} dead rows: nothing has cleaned it. Look at old transactions, and at who may vacuum"
        );
        return Check::warning("vacuum", text);
    }
    let rows = if dead == 1 { "row" } else { "rows" };
    Check::fine("vacuum", format!("{dead} dead {rows} in the table message"))
}

fn rights_to_vacuum(facts: &DatabaseFacts) -> Check {
    if facts.may_vacuum {
        return Check::fine("maintenance", "this role may vacuum the tables message, lane and queue_depth");
    }
    Check::warning(
        "maintenance",
        "this role may not vacuum the tables message, lane and queue_depth: autovacuum alone cleans them, once a minute. From PostgreSQL 17 on GRANT \
         MAINTAIN; before, the role must be a member of the tables' owner",
    )
}

fn old_transactions(facts: &DatabaseFacts) -> Check {
    let is_old = |age: Option<Duration>| age.is_none_or(|age| age >= OLD);
    if let Some(old) = facts.holders.iter().find(|holder| is_old(holder.age)) {
        let pid = old.pid.map_or_else(String::new, |pid| format!(" pid {pid}"));
        let user = old.user.as_ref().map_or_else(String::new, |user| format!(" of {user}"));
        let state = old.state.as_ref().map_or_else(String::new, |state| format!(", {state}"));
        let age = old.age.map_or_else(String::new, |age| format!(", for {} s", age.as_secs()));
        let text = format!(
            "the {} {}{user}{pid}{state}{age} keeps dead rows from being cleaned: gets become slow. End it",
            old.kind,
            if old.name.is_empty() { "without a name" } else { &old.name }
        );
        return Check::warning("old transactions", text);
    }
    if facts.sees_all {
        return Check::fine("old transactions", "none is older than 60 s");
    }
    Check::fine(
        "old transactions",
        "of this role none is older than 60 s. GRANT pg_monitor to see those of other roles",
    )
}

fn connections(facts: &DatabaseFacts) -> Check {
    let (Some(most), Some(used)) = (facts.max_connections, facts.connections) else {
        return Check::fine("connections", "the engine tells no limit");
    };
    let free = most - facts.reserved_connections.unwrap_or(0) - used;
    let free = facts.connection_limit.map_or(free, |limit| free.min(limit));
    let are = if used == 1 { "is" } else { "are" };
    let text = format!("{used} of max_connections {most} {are} in use; a member needs {OF_A_MEMBER}");
    if free < OF_A_MEMBER {
        return Check::warning(
            "connections",
            format!("{text}. Raise max_connections, or the limit of the role or the database"),
        );
    }
    Check::fine("connections", text)
}

fn clocks(facts: &DatabaseFacts) -> Option<Check> {
    let ahead = facts.clock_ahead_ms?;
    if ahead.abs() <= CLOCKS_APART_MS {
        return Some(Check::fine("clock", format!("the database's clock is {ahead} ms ahead of this machine's")));
    }
    let text = format!(
        "the database's clock is {ahead} ms ahead of this machine's: messages expire by the database's. Synchronise both"
    );
    Some(Check::warning("clock", text))
}
