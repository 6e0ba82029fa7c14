//! How a member takes part in a group.

use std::sync::Arc;
use std::time::Duration;

use crate::shared::schema::SchemaVersions;
use model::timestamp::Timestamp;

/// Where the group's database is, and how this member uses it.
#[derive(Clone)]
pub struct SharedOptions {
    /// As `postgres://` URL or in `key=value` form. Of several hosts the one that takes writes is used, by the newest timeline.
    pub database: String,
    /// In place of the one in `database`.
    pub password: Option<String>,
    /// How the database's certificate is checked; `None`: never encrypted.
    pub tls: Option<Arc<rustls::ClientConfig>>,
    /// Structures with a database of their own, beside `database`, which is the group's home.
    pub structures: Vec<StructureDatabase>,
    /// The group to which the databases have to belong; `None`: any.
    pub group: Option<String>,
    /// The member's name, unique in the group: the queue manager's.
    pub member: String,
    /// This member's wall clock, by which callers give and take moments; `None`: they go by the database's.
    pub clock: Option<Arc<dyn Fn() -> Timestamp + Send + Sync>>,
    /// How long a verb waits for a database that is away before it is refused with `Unreachable`.
    pub patience: Duration,
    /// A batch without an answer after this time gives its connection up. It is never cancelled.
    pub deadline: Duration,
    /// Beats of a peer that do not change for this long mean that it is dead.
    pub silence: Duration,
    /// How long this member waits for what it has asked other members.
    pub answers: Duration,
    /// Of the tables.
    pub schema: SchemaVersions,
}

impl SharedOptions {
    pub fn new(database: String, member: String) -> Self {
        Self {
            database,
            password: None,
            tls: None,
            structures: Vec::new(),
            group: None,
            member,
            clock: None,
            patience: Duration::from_secs(60),
            deadline: Duration::from_secs(5),
            silence: Duration::from_secs(6),
            answers: Duration::from_secs(10),
            schema: SchemaVersions::PRESENT,
        }
    }
}

/// The database that has the messages of a structure.
#[derive(Clone)]
pub struct StructureDatabase {
    /// Its name.
    pub structure: String,
    /// As in `SharedOptions`.
    pub database: String,
    pub password: Option<String>,
    pub tls: Option<Arc<rustls::ClientConfig>>,
}

impl StructureDatabase {
    /// As `options` say it, but there.
    pub(super) fn reached_as(&self, options: &SharedOptions) -> SharedOptions {
        SharedOptions {
            database: self.database.clone(),
            password: self.password.clone(),
            tls: self.tls.clone(),
            structures: Vec::new(),
            ..options.clone()
        }
    }
}
