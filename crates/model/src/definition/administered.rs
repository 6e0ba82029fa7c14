//! Objects that hold no messages and shape no topic tree: administration defines them, others look them up.
//!
//! Two objects may share a name when they are of different families: a client connection channel and any other channel
//! are, two channels of other types are not. A family is what authority records are about.

use serde::{Deserialize, Serialize};

use crate::authority::AuthorityObject;
use crate::definition::History;
use crate::definition::attribute::Kind;
use crate::definition::authentication::{AuthenticationDefinition, AuthenticationType};
use crate::definition::channel::{ChannelDefinition, ChannelType};
use crate::definition::communication::CommunicationDefinition;
use crate::definition::listener::ListenerDefinition;
use crate::definition::name_list::NameListDefinition;
use crate::definition::process::ProcessDefinition;
use crate::definition::queue::Disposition;
use crate::definition::service::ServiceDefinition;
use crate::definition::structure::StructureDefinition;
use crate::name::ObjectName;

/// One of them. The variants' names are part of the format on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdministeredObject {
    Channel(Box<ChannelDefinition>),
    Listener(ListenerDefinition),
    Process(ProcessDefinition),
    NameList(NameListDefinition),
    Service(ServiceDefinition),
    Authentication(Box<AuthenticationDefinition>),
    Communication(CommunicationDefinition),
    Structure(Box<StructureDefinition>),
}

/// Name and history of whichever object it is.
macro_rules! each {
    ($object:expr, $definition:ident => $result:expr) => {
        match $object {
            AdministeredObject::Channel($definition) => $result,
            AdministeredObject::Listener($definition) => $result,
            AdministeredObject::Process($definition) => $result,
            AdministeredObject::NameList($definition) => $result,
            AdministeredObject::Service($definition) => $result,
            AdministeredObject::Authentication($definition) => $result,
            AdministeredObject::Communication($definition) => $result,
            AdministeredObject::Structure($definition) => $result,
        }
    };
}

impl AdministeredObject {
    /// Families in the order in which dumps and lists show them.
    pub const FAMILIES: [AuthorityObject; 9] = [
        AuthorityObject::Process,
        AuthorityObject::NameList,
        AuthorityObject::AuthenticationInformation,
        AuthorityObject::Channel,
        AuthorityObject::ClientChannel,
        AuthorityObject::Listener,
        AuthorityObject::Service,
        AuthorityObject::CommunicationInformation,
        AuthorityObject::Structure,
    ];

    /// An object of `kind` as DEFINE starts from; `None` when objects of that kind are not of these.
    pub fn blank(kind: Kind) -> Option<Self> {
        if let Some(channel_type) = ChannelType::of(kind) {
            return Some(Self::Channel(Box::new(ChannelDefinition::blank(channel_type))));
        }
        if let Some(authentication_type) = AuthenticationType::of(kind) {
            return Some(Self::Authentication(Box::new(AuthenticationDefinition::blank(authentication_type))));
        }
        Some(match kind {
            Kind::Listener => Self::Listener(ListenerDefinition::default()),
            Kind::Process => Self::Process(ProcessDefinition::default()),
            Kind::NameList => Self::NameList(NameListDefinition::default()),
            Kind::Service => Self::Service(ServiceDefinition::default()),
            Kind::Communication => Self::Communication(CommunicationDefinition::default()),
            Kind::Structure => Self::Structure(Box::default()),
            _ => return None,
        })
    }

    pub fn name(&self) -> ObjectName {
        each!(self, definition => definition.name)
    }

    pub fn set_name(&mut self, name: ObjectName) {
        each!(self, definition => definition.name = name);
    }

    pub fn history(&self) -> History {
        each!(self, definition => definition.history)
    }

    pub fn set_history(&mut self, history: History) {
        each!(self, definition => definition.history = history);
    }

    /// QSGDISP, of the families that have it.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::Channel(channel) => channel.disposition,
            Self::Process(process) => process.disposition,
            Self::NameList(name_list) => name_list.disposition,
            Self::Authentication(authentication) => authentication.disposition,
            Self::Listener(_) | Self::Service(_) | Self::Communication(_) | Self::Structure(_) => {
                Disposition::QueueManager
            }
        }
    }

    /// Does nothing to an object of a family without QSGDISP.
    pub fn set_disposition(&mut self, disposition: Disposition) {
        match self {
            Self::Channel(channel) => channel.disposition = disposition,
            Self::Process(process) => process.disposition = disposition,
            Self::NameList(name_list) => name_list.disposition = disposition,
            Self::Authentication(authentication) => authentication.disposition = disposition,
            Self::Listener(_) | Self::Service(_) | Self::Communication(_) | Self::Structure(_) => {}
        }
    }

    /// The kind by which the attribute table knows it.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Channel(channel) => channel.channel_type.kind(),
            Self::Listener(_) => Kind::Listener,
            Self::Process(_) => Kind::Process,
            Self::NameList(_) => Kind::NameList,
            Self::Service(_) => Kind::Service,
            Self::Authentication(authentication) => authentication.authentication_type.kind(),
            Self::Communication(_) => Kind::Communication,
            Self::Structure(_) => Kind::Structure,
        }
    }

    pub fn family(&self) -> AuthorityObject {
        self.kind().authority_object()
    }

    /// The MQSC keyword of an attribute that it cannot do without and that is blank, if there is one.
    pub fn missing(&self) -> Option<&'static str> {
        match self {
            Self::Channel(channel) => channel.missing(),
            Self::Authentication(authentication) => authentication.missing(),
            Self::Listener(_)
            | Self::Process(_)
            | Self::NameList(_)
            | Self::Service(_)
            | Self::Communication(_)
            | Self::Structure(_) => None,
        }
    }

    pub fn as_channel(&self) -> Option<&ChannelDefinition> {
        if let Self::Channel(channel) = self { Some(channel) } else { None }
    }

    pub fn as_listener(&self) -> Option<&ListenerDefinition> {
        if let Self::Listener(listener) = self { Some(listener) } else { None }
    }

    pub fn as_process(&self) -> Option<&ProcessDefinition> {
        if let Self::Process(process) = self { Some(process) } else { None }
    }

    pub fn as_name_list(&self) -> Option<&NameListDefinition> {
        if let Self::NameList(name_list) = self { Some(name_list) } else { None }
    }

    pub fn as_service(&self) -> Option<&ServiceDefinition> {
        if let Self::Service(service) = self { Some(service) } else { None }
    }

    pub fn as_authentication(&self) -> Option<&AuthenticationDefinition> {
        if let Self::Authentication(authentication) = self { Some(authentication) } else { None }
    }

    pub fn as_communication(&self) -> Option<&CommunicationDefinition> {
        if let Self::Communication(communication) = self { Some(communication) } else { None }
    }

    pub fn as_structure(&self) -> Option<&StructureDefinition> {
        if let Self::Structure(structure) = self { Some(structure) } else { None }
    }
}
