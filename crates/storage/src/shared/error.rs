//! Why a member cannot use its group's database.

/// Shown at start and in the log; operations are refused with `StoreError`.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    #[error("the database's address cannot be read")]
    Address(#[source] tokio_postgres::Error),
    #[error("the database cannot be reached")]
    Connect(#[source] tokio_postgres::Error),
    #[error("no host of the database takes writes")]
    NoPrimary,
    #[error("the database's host has timeline {found}, and timeline {seen} was seen before: it is behind a failover")]
    OldTimeline { found: u32, seen: u32 },
    #[error("the database refused to {action}")]
    Refused {
        action: &'static str,
        #[source]
        source: tokio_postgres::Error,
    },
    #[error("the database has no tables of a queue-sharing group; `quaymaster group create` makes them")]
    NoGroup,
    #[error("the database belongs to the group {found}, not to {expected}")]
    OtherGroup { found: String, expected: String },
    #[error("the database belongs to another group with the name {group}")]
    SameName { group: String },
    #[error("the database is that of {found}, not of {expected}")]
    OtherStructure { found: String, expected: String },
    #[error("the database of the structure {name} cannot be used")]
    Structure {
        name: String,
        #[source]
        source: Box<SharedError>,
    },
    #[error("the group's home database has not been reached, so this member has no number")]
    NotEnrolled,
    #[error("the group's home knows no database of the structure; `quaymaster group create` makes it known")]
    UnknownStructure,
    #[error("this member's epoch is over")]
    EpochOver,
    #[error(
        "the tables of the group have version {found}, and this program knows version {supported}: use a newer program"
    )]
    Version { found: i32, supported: i32 },
    #[error(
        "the tables of the group have version {found}, and this program needs version {needed}: start a member of this \
         version, or run `quaymaster group upgrade` as their owner"
    )]
    OldTables { found: i32, needed: i32 },
    #[error("the tables cannot be brought to version {version} while members of older programs run: {names}")]
    OldMembers { version: i32, names: String },
    #[error("the group has its maximum of 1023 members")]
    TooManyMembers,
    #[error("a thread of the shared store cannot be started")]
    Thread(#[source] std::io::Error),
}

impl SharedError {
    pub(super) fn of_structure(self, name: &str) -> Self {
        Self::Structure { name: name.to_owned(), source: Box::new(self) }
    }
}
