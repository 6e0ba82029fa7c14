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
}

/// A group, or one user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Entity {
    Principal(String),
    Group(String),
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
