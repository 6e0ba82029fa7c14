//! The attribute table: one row per attribute of a queue manager, queue, topic, subscription, channel or other object.
//!
//! Data only. MQSC, PCF, REST, console forms and the manual read it; no other code spells an attribute name. Rows are in
//! the order in which DISPLAY ... ALL shows them. Defaults are not repeated here: they are what a fresh definition holds.
//!
//! Invariants, kept by this file's tests
//! - Every field of a definition is written by exactly one row, except identities (names, the store's number).
//! - Writing a value that `ValueType::check` accepts and reading it again gives the same value.
//!
//! Source of names, numbers and ranges: MQ reference, "MQSC commands", "Constants", 9.3 and 9.4.

#[macro_use]
mod field;
mod authentication;
mod channel;
mod communication;
mod group;
mod json_order;
mod kind;
mod listener;
mod name_list;
mod process;
mod queue;
mod queue_manager;
mod reference;
mod service;
mod structure;
mod subscription;
mod topic;
mod value;
mod word;

#[cfg(test)]
mod tests;

use crate::definition::administered::AdministeredObject;
use crate::definition::authentication::AuthenticationDefinition;
use crate::definition::channel::ChannelDefinition;
use crate::definition::communication::CommunicationDefinition;
use crate::definition::listener::ListenerDefinition;
use crate::definition::name_list::NameListDefinition;
use crate::definition::process::ProcessDefinition;
use crate::definition::queue::{AliasQueue, Disposition, LocalQueue, RemoteQueue};
use crate::definition::service::ServiceDefinition;
use crate::definition::structure::StructureDefinition;
use crate::definition::{QueueDefinition, QueueKind, QueueManagerDefinition, SubscriptionDefinition, TopicDefinition};
use crate::timestamp::Timestamp;

pub use field::{date_text, time_text};
pub use group::{QUEUE_MANAGER_GROUPS, queue_manager_group};
pub use json_order::{json_always, json_order};
pub use kind::Kind;
pub use reference::reference;
pub use value::{Seen, Shown, Value, ValueProblem, ValueType, is_plain, quoted};
pub use word::{JsonWord, Word};

/// One row.
#[derive(Debug)]
pub struct Attribute {
    /// MQSC keyword; for a flag the word that says yes.
    pub mqsc: &'static str,
    /// Other MQSC keywords that are accepted for it.
    pub synonyms: &'static [&'static str],
    /// MQIA_, MQCA_, MQIACF_, MQCACF_ or MQBACF_ number; `None` where we could not confirm it.
    pub pcf: Option<i32>,
    /// Dotted name in the v1 administrative REST resources; `None` where they have none.
    pub json: Option<&'static str>,
    pub applies_to: &'static [Kind],
    pub value: ValueType,
    pub access: Access,
    /// Which queue managers have it.
    pub membership: Membership,
    /// `None` when the definition is of a kind that lacks the attribute.
    pub read: fn(View<'_>) -> Option<Value>,
    /// `None` when the definition lacks the attribute or cannot hold the value. `value.check` comes first.
    pub write: fn(Target<'_>, &Value) -> Option<()>,
    /// Calls back with what `read` would give, without a copy of a text; not at all where `read` gives nothing.
    pub see: See,
    /// The time of which a date or time row shows a part; `None` if not requested.
    pub moment: Option<MomentOf>,
    /// One sentence for help texts and the manual.
    pub help: &'static str,
}

pub type See = fn(View<'_>, &mut dyn FnMut(Seen<'_>));
pub type MomentOf = fn(View<'_>) -> Option<Timestamp>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// DEFINE and ALTER set it.
    Settable,
    /// DEFINE sets it, ALTER does not.
    Fixed,
    /// Only DISPLAY knows it: dates, counts, capabilities.
    ReadOnly,
}

/// Whether a queue manager is in a queue-sharing group: its members have more attributes, objects and commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Membership {
    #[default]
    Alone,
    Member,
}

/// A definition to read from.
#[derive(Clone, Copy)]
pub enum View<'a> {
    QueueManager(&'a QueueManagerDefinition),
    /// Also with what is not in the definition, if requested.
    Queue(&'a QueueDefinition, Option<LiveCounts>),
    Topic(&'a TopicDefinition),
    Subscription(&'a SubscriptionDefinition),
    Object(&'a AdministeredObject),
}

/// A definition to write to.
pub enum Target<'a> {
    QueueManager(&'a mut QueueManagerDefinition),
    Queue(&'a mut QueueDefinition),
    Topic(&'a mut TopicDefinition),
    Subscription(&'a mut SubscriptionDefinition),
    Object(&'a mut AdministeredObject),
}

/// What DISPLAY QUEUE shows of a local queue beyond its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveCounts {
    /// CURDEPTH, uncommitted messages counted.
    pub depth: u32,
    /// IPPROCS and OPPROCS.
    pub open_input: u32,
    pub open_output: u32,
}

impl Attribute {
    pub fn applies(&self, kind: Kind) -> bool {
        self.applies_to.contains(&kind)
    }

    /// Every MQSC keyword that means this attribute, flags' other word included.
    pub fn keywords(&self) -> impl Iterator<Item = &'static str> {
        let flag: &'static [Word] = match self.value {
            ValueType::Flag(words) => words,
            _ => &[],
        };
        [self.mqsc]
            .into_iter()
            .chain(self.synonyms.iter().copied())
            .chain(flag.iter().map(|word| word.mqsc).filter(|word| *word != self.mqsc))
    }

    /// What a fresh definition of `kind` holds.
    pub fn default_value(&self, kind: Kind) -> Option<Value> {
        match kind {
            Kind::QueueManager => (self.read)(View::QueueManager(&QueueManagerDefinition::default())),
            Kind::Topic => (self.read)(View::Topic(&TopicDefinition::default())),
            Kind::Subscription => (self.read)(View::Subscription(&SubscriptionDefinition::default())),
            Kind::QueueLocal | Kind::QueueAlias | Kind::QueueRemote | Kind::QueueModel => {
                (self.read)(View::Queue(&QueueDefinition::blank(kind)?, None))
            }
            _ => (self.read)(View::Object(&AdministeredObject::blank(kind)?)),
        }
    }
}

/// The rows of every kind.
pub fn all() -> impl Iterator<Item = &'static Attribute> {
    [
        queue_manager::ROWS,
        queue::ROWS,
        topic::ROWS,
        subscription::ROWS,
        channel::ROWS,
        listener::ROWS,
        process::ROWS,
        name_list::ROWS,
        service::ROWS,
        authentication::ROWS,
        communication::ROWS,
        structure::ROWS,
    ]
    .into_iter()
    .flatten()
}

/// The rows of one kind that every queue manager has, in DISPLAY order.
pub fn of(kind: Kind) -> impl Iterator<Item = &'static Attribute> {
    Membership::Alone.of(kind)
}

/// The rows that a definition says something with: those of members of a group only where they are not as by default, which
/// they always are of a queue manager in no group.
pub fn told_by(view: View<'_>) -> impl Iterator<Item = &'static Attribute> {
    let kind = view.kind();
    Membership::Member
        .of(kind)
        .filter(move |row| row.membership == Membership::Alone || (row.read)(view) != row.default_value(kind))
}

/// Every row of one kind.
fn rows(kind: Kind) -> impl Iterator<Item = &'static Attribute> {
    let rows = match kind {
        Kind::QueueManager => queue_manager::ROWS,
        Kind::QueueLocal | Kind::QueueAlias | Kind::QueueRemote | Kind::QueueModel => queue::ROWS,
        Kind::Topic => topic::ROWS,
        Kind::Subscription => subscription::ROWS,
        Kind::SenderChannel
        | Kind::ServerChannel
        | Kind::ReceiverChannel
        | Kind::RequesterChannel
        | Kind::ClientConnection
        | Kind::ServerConnection
        | Kind::ClusterReceiver
        | Kind::ClusterSender
        | Kind::AmqpChannel => channel::ROWS,
        Kind::Listener => listener::ROWS,
        Kind::Process => process::ROWS,
        Kind::NameList => name_list::ROWS,
        Kind::Service => service::ROWS,
        Kind::AuthenticationCrl | Kind::AuthenticationOcsp | Kind::AuthenticationOs | Kind::AuthenticationLdap => {
            authentication::ROWS
        }
        Kind::Communication => communication::ROWS,
        Kind::Structure => structure::ROWS,
    };
    rows.iter().filter(move |row| row.applies(kind))
}

/// The attribute that an MQSC keyword (in upper case) means for `kind`, of every queue manager.
pub fn find(kind: Kind, keyword: &str) -> Option<&'static Attribute> {
    Membership::Alone.find(kind, keyword)
}

/// The attribute with this PCF number, as MQINQ and MQSET selectors name it, of every queue manager.
pub fn by_pcf(kind: Kind, number: i32) -> Option<&'static Attribute> {
    Membership::Alone.by_pcf(kind, number)
}

/// The attribute with this dotted JSON name, of every queue manager.
pub fn by_json(kind: Kind, name: &str) -> Option<&'static Attribute> {
    Membership::Alone.by_json(kind, name)
}

impl Membership {
    /// The rows of one kind, in DISPLAY order.
    pub fn of(self, kind: Kind) -> impl Iterator<Item = &'static Attribute> {
        rows(kind).filter(move |row| row.membership <= self)
    }

    /// The attribute that an MQSC keyword (in upper case) means for `kind`.
    pub fn find(self, kind: Kind, keyword: &str) -> Option<&'static Attribute> {
        self.of(kind).find(|row| row.keywords().any(|known| known == keyword))
    }

    /// The attribute with this PCF number.
    pub fn by_pcf(self, kind: Kind, number: i32) -> Option<&'static Attribute> {
        self.of(kind).find(|row| row.pcf == Some(number))
    }

    /// The attribute with this dotted JSON name.
    pub fn by_json(self, kind: Kind, name: &str) -> Option<&'static Attribute> {
        self.of(kind).find(|row| row.json == Some(name))
    }
}

impl<'a> View<'a> {
    pub fn kind(self) -> Kind {
        match self {
            Self::QueueManager(_) => Kind::QueueManager,
            Self::Queue(queue, _) => queue.attribute_kind(),
            Self::Topic(_) => Kind::Topic,
            Self::Subscription(_) => Kind::Subscription,
            Self::Object(object) => object.kind(),
        }
    }

    /// Where the definition belongs in a queue-sharing group.
    pub fn disposition(self) -> Disposition {
        match self {
            Self::Queue(queue, _) => queue.disposition,
            Self::Topic(topic) => topic.disposition,
            Self::Object(object) => object.disposition(),
            Self::QueueManager(_) | Self::Subscription(_) => Disposition::QueueManager,
        }
    }

    fn manager(self) -> Option<&'a QueueManagerDefinition> {
        if let Self::QueueManager(manager) = self { Some(manager) } else { None }
    }

    fn queue(self) -> Option<&'a QueueDefinition> {
        if let Self::Queue(queue, _) = self { Some(queue) } else { None }
    }

    fn live(self) -> Option<LiveCounts> {
        if let Self::Queue(_, live) = self { live } else { None }
    }

    /// Of a local queue, or the template in a model queue.
    fn local(self) -> Option<&'a LocalQueue> {
        match &self.queue()?.kind {
            QueueKind::Local(local) => Some(local),
            QueueKind::Model(model) => Some(&model.local),
            QueueKind::Alias(_) | QueueKind::Remote(_) => None,
        }
    }

    fn alias(self) -> Option<&'a AliasQueue> {
        if let QueueKind::Alias(alias) = &self.queue()?.kind { Some(alias) } else { None }
    }

    fn remote(self) -> Option<&'a RemoteQueue> {
        if let QueueKind::Remote(remote) = &self.queue()?.kind { Some(remote) } else { None }
    }

    fn topic(self) -> Option<&'a TopicDefinition> {
        if let Self::Topic(topic) = self { Some(topic) } else { None }
    }

    fn subscription(self) -> Option<&'a SubscriptionDefinition> {
        if let Self::Subscription(subscription) = self { Some(subscription) } else { None }
    }

    fn object(self) -> Option<&'a AdministeredObject> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    fn channel(self) -> Option<&'a ChannelDefinition> {
        self.object()?.as_channel()
    }

    fn listener(self) -> Option<&'a ListenerDefinition> {
        self.object()?.as_listener()
    }

    fn process(self) -> Option<&'a ProcessDefinition> {
        self.object()?.as_process()
    }

    fn name_list(self) -> Option<&'a NameListDefinition> {
        self.object()?.as_name_list()
    }

    fn service(self) -> Option<&'a ServiceDefinition> {
        self.object()?.as_service()
    }

    fn authentication(self) -> Option<&'a AuthenticationDefinition> {
        self.object()?.as_authentication()
    }

    fn communication(self) -> Option<&'a CommunicationDefinition> {
        self.object()?.as_communication()
    }

    fn structure(self) -> Option<&'a StructureDefinition> {
        self.object()?.as_structure()
    }
}

impl<'a> Target<'a> {
    /// The same definition, borrowed again for one write.
    pub fn again(&mut self) -> Target<'_> {
        match self {
            Self::QueueManager(manager) => Target::QueueManager(manager),
            Self::Queue(queue) => Target::Queue(queue),
            Self::Topic(topic) => Target::Topic(topic),
            Self::Subscription(subscription) => Target::Subscription(subscription),
            Self::Object(object) => Target::Object(object),
        }
    }

    pub fn view(&self) -> View<'_> {
        match self {
            Self::QueueManager(manager) => View::QueueManager(manager),
            Self::Queue(queue) => View::Queue(queue, None),
            Self::Topic(topic) => View::Topic(topic),
            Self::Subscription(subscription) => View::Subscription(subscription),
            Self::Object(object) => View::Object(object),
        }
    }

    fn manager(self) -> Option<&'a mut QueueManagerDefinition> {
        if let Self::QueueManager(manager) = self { Some(manager) } else { None }
    }

    fn queue(self) -> Option<&'a mut QueueDefinition> {
        if let Self::Queue(queue) = self { Some(queue) } else { None }
    }

    fn local(self) -> Option<&'a mut LocalQueue> {
        match &mut self.queue()?.kind {
            QueueKind::Local(local) => Some(local),
            QueueKind::Model(model) => Some(&mut model.local),
            QueueKind::Alias(_) | QueueKind::Remote(_) => None,
        }
    }

    fn alias(self) -> Option<&'a mut AliasQueue> {
        if let QueueKind::Alias(alias) = &mut self.queue()?.kind { Some(alias) } else { None }
    }

    fn remote(self) -> Option<&'a mut RemoteQueue> {
        if let QueueKind::Remote(remote) = &mut self.queue()?.kind { Some(remote) } else { None }
    }

    fn topic(self) -> Option<&'a mut TopicDefinition> {
        if let Self::Topic(topic) = self { Some(topic) } else { None }
    }

    fn subscription(self) -> Option<&'a mut SubscriptionDefinition> {
        if let Self::Subscription(subscription) = self { Some(subscription) } else { None }
    }

    fn channel(self) -> Option<&'a mut ChannelDefinition> {
        if let Self::Object(AdministeredObject::Channel(channel)) = self { Some(channel) } else { None }
    }

    fn listener(self) -> Option<&'a mut ListenerDefinition> {
        if let Self::Object(AdministeredObject::Listener(listener)) = self { Some(listener) } else { None }
    }

    fn process(self) -> Option<&'a mut ProcessDefinition> {
        if let Self::Object(AdministeredObject::Process(process)) = self { Some(process) } else { None }
    }

    fn name_list(self) -> Option<&'a mut NameListDefinition> {
        if let Self::Object(AdministeredObject::NameList(name_list)) = self { Some(name_list) } else { None }
    }

    fn service(self) -> Option<&'a mut ServiceDefinition> {
        if let Self::Object(AdministeredObject::Service(service)) = self { Some(service) } else { None }
    }

    fn authentication(self) -> Option<&'a mut AuthenticationDefinition> {
        if let Self::Object(AdministeredObject::Authentication(authentication)) = self {
            Some(authentication)
        } else {
            None
        }
    }

    fn communication(self) -> Option<&'a mut CommunicationDefinition> {
        if let Self::Object(AdministeredObject::Communication(communication)) = self {
            Some(communication)
        } else {
            None
        }
    }

    fn structure(self) -> Option<&'a mut StructureDefinition> {
        if let Self::Object(AdministeredObject::Structure(structure)) = self { Some(structure) } else { None }
    }
}
