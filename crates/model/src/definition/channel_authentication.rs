//! Channel authentication records: who may connect through a channel, and as which user (SET CHLAUTH).
//!
//! Data only; `queue-manager` matches them. Records are not objects: several may have the same channel profile, told apart
//! by their type and what they match.
//!
//! Source: MQ reference, "SET CHLAUTH", "Channel authentication records", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;

/// Longest channel profile, in bytes.
pub const MAXIMUM_PROFILE: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelAuthentication {
    /// A channel's name, or a pattern with `*`.
    pub profile: String,
    pub rule: Rule,
    /// WARN(YES): what the record would refuse is let in, with a warning.
    #[serde(default)]
    pub warn: bool,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub custom: String,
    #[serde(default)]
    pub history: History,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// Users that may not run a channel, whatever maps them; `*MQADMIN` stands for every administrator.
    BlockUser { users: Vec<String> },
    /// Addresses that the listener turns away before it knows a channel; the profile is `*`.
    BlockAddress { addresses: Vec<String> },
    /// A partner known by `key` becomes a user, or is refused.
    Map {
        key: MapKey,
        /// Pattern of addresses the record is for; blank for all.
        #[serde(default)]
        address: String,
        source: UserSource,
        #[serde(default)]
        check_client: CheckClient,
    },
}

/// By what a partner is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MapKey {
    /// ADDRESSMAP: by `address` alone.
    Address,
    /// USERMAP: the user a client asserts.
    ClientUser(String),
    /// QMGRMAP: a queue manager's name, or a pattern with a trailing `*`.
    QueueManager(String),
    /// SSLPEERMAP: filters of the certificate's subject and, when not blank, its issuer.
    Peer { subject: String, issuer: String },
}

/// USERSRC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserSource {
    /// As this user: MCAUSER of the record.
    Map(String),
    /// Refused.
    NoAccess,
    /// As the user that flows, or the channel's MCAUSER.
    Channel,
}

/// CHCKCLNT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CheckClient {
    /// As the queue manager's CONNAUTH says.
    #[default]
    AsQueueManager,
    Required,
    /// Required of administrators.
    RequiredOfAdministrators,
}

/// TYPE of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleType {
    BlockUser,
    BlockAddress,
    SslPeerMap,
    AddressMap,
    UserMap,
    QueueManagerMap,
}

impl RuleType {
    pub const ALL: [Self; 6] =
        [Self::BlockUser, Self::BlockAddress, Self::SslPeerMap, Self::AddressMap, Self::UserMap, Self::QueueManagerMap];

    /// The MQSC word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BlockUser => "BLOCKUSER",
            Self::BlockAddress => "BLOCKADDR",
            Self::SslPeerMap => "SSLPEERMAP",
            Self::AddressMap => "ADDRESSMAP",
            Self::UserMap => "USERMAP",
            Self::QueueManagerMap => "QMGRMAP",
        }
    }
}

impl CheckClient {
    /// The MQSC word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::AsQueueManager => "ASQMGR",
            Self::Required => "REQUIRED",
            Self::RequiredOfAdministrators => "REQDADM",
        }
    }
}

impl Rule {
    pub const fn rule_type(&self) -> RuleType {
        match self {
            Self::BlockUser { .. } => RuleType::BlockUser,
            Self::BlockAddress { .. } => RuleType::BlockAddress,
            Self::Map { key: MapKey::Address, .. } => RuleType::AddressMap,
            Self::Map { key: MapKey::ClientUser(_), .. } => RuleType::UserMap,
            Self::Map { key: MapKey::QueueManager(_), .. } => RuleType::QueueManagerMap,
            Self::Map { key: MapKey::Peer { .. }, .. } => RuleType::SslPeerMap,
        }
    }

    /// Do both match the same partners, so that only one of them can be there?
    pub fn same_partners(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Map { key, address, .. }, Self::Map { key: other_key, address: other_address, .. }) => {
                key == other_key && address.eq_ignore_ascii_case(other_address)
            }
            (Self::Map { .. }, _) | (_, Self::Map { .. }) => false,
            _ => self.rule_type() == other.rule_type(),
        }
    }
}

impl ChannelAuthentication {
    pub fn new(profile: &str, rule: Rule) -> Self {
        Self {
            profile: profile.to_owned(),
            rule,
            warn: false,
            description: String::new(),
            custom: String::new(),
            history: History::default(),
        }
    }

    /// ADDRESSMAP.
    pub fn address_map(profile: &str, address: &str, source: UserSource) -> Self {
        let (key, address) = (MapKey::Address, address.to_owned());
        Self::new(profile, Rule::Map { key, address, source, check_client: CheckClient::default() })
    }

    /// BLOCKUSER.
    pub fn block_users(profile: &str, users: &[&str]) -> Self {
        Self::new(profile, Rule::BlockUser { users: users.iter().map(|user| (*user).to_owned()).collect() })
    }
}
