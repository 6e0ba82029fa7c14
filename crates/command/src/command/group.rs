//! What members of a queue-sharing group say in commands, typed: which of the group's objects, which members, DISPLAY of the group.

use model::definition::queue::Disposition;

use crate::command::{Pattern, Request};

/// Which dispositions a command is about: QSGDISP of ALTER, CLEAR, DELETE and DISPLAY. A queue manager in no group has queues
/// of the first one only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DispositionChoice {
    #[default]
    QueueManager,
    Copy,
    Shared,
    Group,
    /// The member's own and its copies.
    Private,
    /// What programs can open.
    Live,
    All,
}

impl DispositionChoice {
    pub(crate) const WORDS: [(&'static str, Self); 7] = [
        ("ALL", Self::All),
        ("COPY", Self::Copy),
        ("GROUP", Self::Group),
        ("LIVE", Self::Live),
        ("PRIVATE", Self::Private),
        ("QMGR", Self::QueueManager),
        ("SHARED", Self::Shared),
    ];

    pub fn includes(self, disposition: Disposition) -> bool {
        match disposition {
            Disposition::QueueManager => matches!(self, Self::QueueManager | Self::Private | Self::Live | Self::All),
            Disposition::Copy => matches!(self, Self::Copy | Self::Private | Self::Live | Self::All),
            Disposition::Shared => matches!(self, Self::Shared | Self::Live | Self::All),
            Disposition::Group => matches!(self, Self::Group | Self::All),
        }
    }

    /// The group's own definitions, and not what members have.
    pub(crate) fn is_of_group(self) -> bool {
        self == Self::Group
    }
}

/// CMDSCOPE: which members run a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The one that it was given to.
    Here,
    Member(String),
    /// Every active one.
    All,
}

#[derive(Debug, Clone)]
pub enum GroupCommand {
    /// DISPLAY GROUP.
    Display(Request),
    /// DISPLAY THREAD TYPE(INDOUBT).
    DisplayInDoubt(Request),
    /// RESOLVE INDOUBT.
    ResolveInDoubt { identifier: String, commits: bool },
    /// DISPLAY CFSTATUS.
    DisplayStructureStatus { name: Pattern, about: StructureStatusOf, request: Request },
}

/// TYPE of DISPLAY CFSTATUS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureStatusOf {
    Summary,
    Connections,
    /// The database is backed up, not a structure.
    Backup,
    /// There are no shared message data sets.
    DataSets,
}
