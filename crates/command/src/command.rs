//! One command, typed: what MQSC text, PCF and JSON all become before anything runs.
//!
//! Owns: the command as data, a file for each family whose parameters have types of their own. Never: reads text (`mqsc`,
//! `pcf`, `json`) or runs a command (`execute`).

use model::authority::{Authority, AuthorityObject, Entity};
use model::definition::attribute::{Attribute, Kind, Value};
use model::definition::queue::Disposition;
use model::name::{ObjectName, QueueName};
use model::options::OpenOptions;

pub mod channel;
pub mod channel_authentication;
pub mod group;
pub mod system;
pub mod topic;

use channel::ChannelCommand;
use channel_authentication::{ChannelAuthenticationQuery, SetChannelAuthentication};
use group::{DispositionChoice, GroupCommand, Scope};
use system::SystemCommand;
use topic::{SubscriptionQuery, SubscriptionStatusQuery, TopicStatusQuery};

pub use crate::filter::{Condition, Pattern};

#[derive(Debug, Clone)]
pub enum Command {
    Define(Define),
    Alter(Alter),
    AlterQueueManager(Vec<Setting>),
    Delete(Delete),
    /// DELETE with IGNSTATE(YES): that there is no such object is fine.
    DeleteIfThere(Delete),
    ClearQueue(QueueName, DispositionChoice),
    /// A shared queue, to the database of another structure.
    MoveQueue {
        name: QueueName,
        structure: ObjectName,
    },
    /// All messages of a queue, to another one.
    MoveMessages {
        from: QueueName,
        dispositions: DispositionChoice,
        to: QueueName,
        /// TYPE(ADD): the other one may hold messages already.
        adds: bool,
    },
    /// DISPLAY QUEUE, QLOCAL ..., TOPIC and the like; not of subscriptions.
    DisplayObjects {
        kinds: Vec<Kind>,
        name: Pattern,
        /// CLUSTER(A*) and the like: an attribute that an object has to have with such a value.
        having: Vec<(&'static str, Pattern)>,
        /// Of queues.
        dispositions: DispositionChoice,
        request: Request,
    },
    DisplayQueueManager(Request),
    DisplayQueueStatus {
        name: Pattern,
        about: QueueStatusOf,
        request: Request,
    },
    DisplayQueueManagerStatus(Request),
    DisplayConnections(ConnectionQuery),
    DisplaySubscriptions(SubscriptionQuery),
    DisplaySubscriptionStatus(SubscriptionStatusQuery),
    DisplayTopicStatus(TopicStatusQuery),
    DisplayPublishSubscribe {
        /// This queue manager is of the type asked for.
        local: bool,
        request: Request,
    },
    /// What is retained on a topic string, or on those that one with `#` and `+` as wildcards means.
    ClearTopicString(String),
    DisplayAuthority(AuthorityQuery),
    /// DISPLAY ENTAUTH.
    DisplayEntityAuthority(EntityAuthorityQuery),
    /// DISPLAY AUTHSERV.
    DisplayAuthorityService(Request),
    SetAuthority(SetAuthority),
    DeleteAuthority(AuthorityKey),
    SetChannelAuthentication(Box<SetChannelAuthentication>),
    DisplayChannelAuthentication(Box<ChannelAuthenticationQuery>),
    Channel(ChannelCommand),
    System(SystemCommand),
    PingQueueManager,
    /// REFRESH QMGR TYPE(CONFIGEV): a configuration event for each object.
    RefreshConfiguration(RefreshConfiguration),
    /// RESET QMGR TYPE(STATISTICS): statistics messages now, and a new interval.
    ResetStatistics,
    RefreshSecurity,
    Group(GroupCommand),
    /// With CMDSCOPE.
    Scoped {
        scope: Scope,
        /// The command as MQSC, without CMDSCOPE.
        text: String,
        command: Box<Self>,
    },
}

#[derive(Debug, Clone)]
pub struct Define {
    /// Not `QueueManager`.
    pub kind: Kind,
    /// An object name, or any text for a subscription.
    pub name: String,
    /// Take what is not set from this object of the same kind.
    pub like: Option<String>,
    pub replace: bool,
    /// QSGDISP, of queues.
    pub disposition: Disposition,
    pub settings: Vec<Setting>,
}

#[derive(Debug, Clone)]
pub struct Alter {
    /// Not `QueueManager`.
    pub kind: Kind,
    pub name: String,
    /// Even when the queue is open and the change would be felt.
    pub force: bool,
    /// Of queues: which of those of that name.
    pub dispositions: DispositionChoice,
    pub settings: Vec<Setting>,
}

#[derive(Debug, Clone)]
pub struct Delete {
    /// Not `QueueManager`.
    pub kind: Kind,
    pub name: String,
    /// Messages and all.
    pub purge: bool,
    /// Authority records with exactly this name go too.
    pub authority_records: bool,
    /// Of queues: which of those of that name.
    pub dispositions: DispositionChoice,
}

/// One attribute and the value to give it; `attribute.value.check` has passed.
#[derive(Debug, Clone)]
pub struct Setting {
    pub attribute: &'static Attribute,
    pub value: Value,
}

/// What a DISPLAY wants to see.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub selection: Selection,
    pub condition: Option<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selection {
    /// What DISPLAY shows when nothing is named.
    #[default]
    Usual,
    All,
    /// Keywords as the tables spell them, without synonyms.
    Named(Vec<&'static str>),
}

/// What DISPLAY QSTATUS is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueStatusOf {
    Queue,
    Handles(OpenType),
}

/// Which open handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenType {
    All,
    Input,
    Output,
}

impl OpenType {
    pub fn includes(self, options: OpenOptions) -> bool {
        match self {
            Self::All => true,
            Self::Input => options.intersects(
                OpenOptions::INPUT_AS_Q_DEF
                    | OpenOptions::INPUT_SHARED
                    | OpenOptions::INPUT_EXCLUSIVE
                    | OpenOptions::BROWSE,
            ),
            Self::Output => options.contains(OpenOptions::OUTPUT),
        }
    }
}

#[derive(Debug, Clone)]
pub struct ConnectionQuery {
    /// Last eight bytes of the connection identifier in hexadecimal; may be generic.
    pub identifier: Pattern,
    /// First sixteen bytes, when given.
    pub extended: Option<Pattern>,
    pub parts: ConnectionParts,
    pub request: Request,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionParts {
    Connection,
    Handles,
    All,
}

#[derive(Debug, Clone)]
pub struct AuthorityQuery {
    /// A profile, or the name of an object whose profiles are wanted.
    pub profile: Option<String>,
    pub object: Option<AuthorityObject>,
    pub entity: Option<Entity>,
    pub matching: AuthorityMatch,
    pub request: Request,
}

/// MATCH of DISPLAY AUTHREC: which profiles a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthorityMatch {
    /// Those that apply to an object of this name; a generic profile means itself.
    #[default]
    Profile,
    /// As `Profile`, and for a principal those of its groups too.
    Membership,
    /// The one of exactly this name.
    Exact,
}

/// Which objects a configuration event is wanted of.
#[derive(Debug, Clone)]
pub struct RefreshConfiguration {
    /// `None` for every kind.
    pub kinds: Option<Vec<Kind>>,
    pub name: Option<Pattern>,
    /// Only what was made or altered within so many minutes.
    pub within_minutes: Option<u32>,
}

/// What one entity may do to one object.
#[derive(Debug, Clone)]
pub struct EntityAuthorityQuery {
    pub entity: Entity,
    pub object: AuthorityObject,
    /// `None` for the queue manager itself.
    pub name: Option<String>,
    pub request: Request,
}

/// Which authority record.
#[derive(Debug, Clone)]
pub struct AuthorityKey {
    /// `None` for the queue manager itself.
    pub profile: Option<String>,
    pub object: AuthorityObject,
    pub entities: Vec<Entity>,
}

#[derive(Debug, Clone)]
pub struct SetAuthority {
    pub key: AuthorityKey,
    pub add: Authority,
    pub remove: Authority,
}
