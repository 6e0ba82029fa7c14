//! Who asks, what may be done to an object, and which records grant it.

use std::sync::Arc;

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

bitflags! {
    /// What a principal may do to an object: the words of `setmqaut` and AUTHADD.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Authority: u32 {
        const ALTERNATE_USER = 1 << 0;   // altusr
        const BROWSE = 1 << 1;           // browse
        const CHANGE = 1 << 2;           // chg
        const CLEAR = 1 << 3;            // clr
        const CONNECT = 1 << 4;          // connect
        const CREATE = 1 << 5;           // crt
        const DELETE = 1 << 6;           // dlt
        const DISPLAY = 1 << 7;          // dsp
        const GET = 1 << 8;              // get
        const INQUIRE = 1 << 9;          // inq
        const PUT = 1 << 10;             // put
        const PASS_ALL_CONTEXT = 1 << 11;      // passall
        const PASS_IDENTITY_CONTEXT = 1 << 12; // passid
        const SET = 1 << 13;             // set
        const SET_ALL_CONTEXT = 1 << 14; // setall
        const SET_IDENTITY_CONTEXT = 1 << 15;  // setid
        const CONTROL = 1 << 16;         // ctrl
        const CONTROL_EXTENDED = 1 << 17; // ctrlx
        const PUBLISH = 1 << 18;         // pub
        const SUBSCRIBE = 1 << 19;       // sub
        const RESUME = 1 << 20;          // resume
        const SYSTEM = 1 << 21;          // system
    }
}

impl Serialize for Authority {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.bits())
    }
}

impl<'de> Deserialize<'de> for Authority {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_bits_truncate(u32::deserialize(deserializer)?))
    }
}

/// Who makes a request, as the door established it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal {
    pub user: Arc<str>,
    pub groups: Arc<[Arc<str>]>,
    /// The user the server runs as (and members of `mqm`): every authority, without looking at records.
    pub is_administrator: bool,
}

impl Principal {
    pub fn user(user: &str) -> Self {
        Self { user: user.into(), groups: Arc::from([]), is_administrator: false }
    }

    pub fn administrator(user: &str) -> Self {
        Self { user: user.into(), groups: Arc::from([]), is_administrator: true }
    }
}

/// One authority as the outside names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthorityWord {
    /// As AUTHLIST shows it; `setmqaut` writes the same in lower case.
    pub mqsc: &'static str,
    /// MQAUTH_*.
    pub pcf: i32,
    pub authority: Authority,
}

const fn word(mqsc: &'static str, pcf: i32, authority: Authority) -> AuthorityWord {
    AuthorityWord { mqsc, pcf, authority }
}

/// Every authority, in the order AUTHLIST shows them.
///
/// Source: MQ reference, "SET AUTHREC", and the constants MQAUTH_*, 9.3.
pub const AUTHORITY_WORDS: [AuthorityWord; 22] = [
    word("ALTUSR", 1, Authority::ALTERNATE_USER),
    word("BROWSE", 2, Authority::BROWSE),
    word("CHG", 3, Authority::CHANGE),
    word("CLR", 4, Authority::CLEAR),
    word("CONNECT", 5, Authority::CONNECT),
    word("CRT", 6, Authority::CREATE),
    word("CTRL", 17, Authority::CONTROL),
    word("CTRLX", 18, Authority::CONTROL_EXTENDED),
    word("DLT", 7, Authority::DELETE),
    word("DSP", 8, Authority::DISPLAY),
    word("GET", 9, Authority::GET),
    word("INQ", 10, Authority::INQUIRE),
    word("PASSALL", 12, Authority::PASS_ALL_CONTEXT),
    word("PASSID", 13, Authority::PASS_IDENTITY_CONTEXT),
    word("PUB", 19, Authority::PUBLISH),
    word("PUT", 11, Authority::PUT),
    word("RESUME", 21, Authority::RESUME),
    word("SET", 14, Authority::SET),
    word("SETALL", 15, Authority::SET_ALL_CONTEXT),
    word("SETID", 16, Authority::SET_IDENTITY_CONTEXT),
    word("SUB", 20, Authority::SUBSCRIBE),
    word("SYSTEM", 22, Authority::SYSTEM),
];

impl Authority {
    /// The words of a set, in the order AUTHLIST shows them.
    pub fn words(self) -> impl Iterator<Item = AuthorityWord> {
        AUTHORITY_WORDS.into_iter().filter(move |word| self.contains(word.authority))
    }

    /// `GET,PUT`; `NONE` for the empty set.
    pub fn list(self) -> String {
        let words: Vec<_> = self.words().map(|word| word.mqsc).collect();
        if words.is_empty() { "NONE".to_owned() } else { words.join(",") }
    }
}

/// What an authority record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AuthorityObject {
    QueueManager,
    Queue,
    Topic,
    Channel,
    ClientChannel,
    Listener,
    Process,
    NameList,
    AuthenticationInformation,
    Service,
    CommunicationInformation,
    RemoteQueueManager,
    /// A structure of a queue-sharing group: administrators alone change and display it, so no record names it.
    Structure,
}

impl AuthorityObject {
    /// Those that records are about.
    pub const ALL: [Self; 12] = [
        Self::QueueManager,
        Self::Queue,
        Self::Topic,
        Self::Channel,
        Self::ClientChannel,
        Self::Listener,
        Self::Process,
        Self::NameList,
        Self::AuthenticationInformation,
        Self::Service,
        Self::CommunicationInformation,
        Self::RemoteQueueManager,
    ];

    /// OBJTYPE.
    pub const fn mqsc(self) -> &'static str {
        self.names().0
    }

    /// What `setmqaut -t` calls it, in full and for short.
    pub const fn command_names(self) -> (&'static str, &'static str) {
        let (_, full, short) = self.names();
        (full, short)
    }

    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::QueueManager => ("QMGR", "qmgr", "qmgr"),
            Self::Queue => ("QUEUE", "queue", "q"),
            Self::Topic => ("TOPIC", "topic", "top"),
            Self::Channel => ("CHANNEL", "channel", "chl"),
            Self::ClientChannel => ("CLNTCONN", "clntconn", "clcn"),
            Self::Listener => ("LISTENER", "listener", "lstr"),
            Self::Process => ("PROCESS", "process", "prcs"),
            Self::NameList => ("NAMELIST", "namelist", "nl"),
            Self::AuthenticationInformation => ("AUTHINFO", "authinfo", "ai"),
            Self::Service => ("SERVICE", "service", "srvc"),
            Self::CommunicationInformation => ("COMMINFO", "comminfo", "info"),
            Self::RemoteQueueManager => ("RQMNAME", "rqmname", "rqmn"),
            Self::Structure => ("CFSTRUCT", "cfstruct", "cfst"),
        }
    }

    /// MQOT_*.
    pub const fn pcf(self) -> i32 {
        match self {
            Self::Queue => 1,
            Self::NameList => 2,
            Self::Process => 3,
            Self::QueueManager => 5,
            Self::Channel => 6,
            Self::AuthenticationInformation => 7,
            Self::Topic => 8,
            Self::CommunicationInformation => 9,
            Self::Structure => 10,
            Self::Listener => 11,
            Self::Service => 12,
            Self::ClientChannel => 1014,
            Self::RemoteQueueManager => 1017,
        }
    }

    /// What ALLMQI means for an object of this type.
    ///
    /// Source: MQ reference, "setmqaut", table of authorities by type of object, 9.3.
    pub fn mqi_authorities(self) -> Authority {
        let context = Authority::PASS_ALL_CONTEXT
            | Authority::PASS_IDENTITY_CONTEXT
            | Authority::SET_ALL_CONTEXT
            | Authority::SET_IDENTITY_CONTEXT;
        match self {
            Self::QueueManager => {
                Authority::ALTERNATE_USER
                    | Authority::CONNECT
                    | Authority::INQUIRE
                    | Authority::SET
                    | Authority::SET_ALL_CONTEXT
                    | Authority::SET_IDENTITY_CONTEXT
            }
            Self::Queue => {
                Authority::BROWSE | Authority::GET | Authority::INQUIRE | Authority::PUT | Authority::SET | context
            }
            Self::Topic => Authority::PUBLISH | Authority::RESUME | Authority::SUBSCRIBE | context,
            Self::Process | Self::NameList => Authority::INQUIRE | Authority::SET,
            Self::AuthenticationInformation => Authority::INQUIRE,
            Self::RemoteQueueManager => Authority::PUT | Authority::CONNECT,
            Self::Channel
            | Self::ClientChannel
            | Self::Listener
            | Self::Service
            | Self::CommunicationInformation
            | Self::Structure => Authority::empty(),
        }
    }

    /// What ALLADM means for an object of this type.
    pub fn administration_authorities(self) -> Authority {
        let common = Authority::CHANGE | Authority::CREATE | Authority::DELETE | Authority::DISPLAY;
        match self {
            Self::QueueManager => common | Authority::CONTROL,
            Self::Queue => common | Authority::CLEAR,
            Self::Topic => common | Authority::CLEAR | Authority::CONTROL,
            Self::Channel => common | Authority::CONTROL | Authority::CONTROL_EXTENDED,
            Self::Listener | Self::Service => common | Authority::CONTROL,
            Self::RemoteQueueManager => Authority::empty(),
            Self::ClientChannel
            | Self::Process
            | Self::NameList
            | Self::AuthenticationInformation
            | Self::CommunicationInformation
            | Self::Structure => common,
        }
    }

    /// What ALL means: the union of ALLMQI, ALLADM and, for the queue manager, SYSTEM.
    pub fn all_authorities(self) -> Authority {
        let system = if self == Self::QueueManager { Authority::SYSTEM } else { Authority::empty() };
        self.mqi_authorities() | self.administration_authorities() | system
    }
}

/// A group, or one user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Entity {
    Principal(String),
    Group(String),
}

impl Entity {
    pub fn name(&self) -> &str {
        match self {
            Self::Principal(name) | Self::Group(name) => name,
        }
    }

    /// ENTTYPE.
    pub const fn mqsc(&self) -> &'static str {
        match self {
            Self::Principal(_) => "PRINCIPAL",
            Self::Group(_) => "GROUP",
        }
    }

    /// MQZAET_*.
    pub const fn pcf(&self) -> i32 {
        match self {
            Self::Principal(_) => 1,
            Self::Group(_) => 2,
        }
    }
}

/// One authority record (AUTHREC): what `entity` may do to objects of `object` whose name matches `profile`.
///
/// A profile holds `?` (one character), `*` (characters within a qualifier, or a whole one) and `**` (qualifiers).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorityRecord {
    pub profile: String,
    pub object: AuthorityObject,
    pub entity: Entity,
    pub authorities: Authority,
}

impl AuthorityRecord {
    /// The profile that authority to create objects of a type is recorded under, whatever their names.
    pub const CLASS: &'static str = "@class";

    /// Whether a profile stands for more than one name.
    pub fn is_generic(profile: &str) -> bool {
        profile.contains(['*', '?'])
    }
}
