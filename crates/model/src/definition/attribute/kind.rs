//! What a definition is of, as far as attributes differ, and how MQSC and authority records call it.

use crate::authority::AuthorityObject;
use crate::definition::structure;
use crate::name::ObjectName;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    QueueManager,
    QueueLocal,
    QueueAlias,
    QueueRemote,
    QueueModel,
    Topic,
    Subscription,
    SenderChannel,
    ServerChannel,
    ReceiverChannel,
    RequesterChannel,
    ClientConnection,
    ServerConnection,
    ClusterReceiver,
    ClusterSender,
    AmqpChannel,
    Listener,
    Process,
    NameList,
    Service,
    AuthenticationCrl,
    AuthenticationOcsp,
    AuthenticationOs,
    AuthenticationLdap,
    Communication,
    /// CFSTRUCT, of members of a queue-sharing group.
    Structure,
}

impl Kind {
    pub const ALL: [Self; 26] = [
        Self::QueueManager,
        Self::QueueLocal,
        Self::QueueAlias,
        Self::QueueRemote,
        Self::QueueModel,
        Self::Topic,
        Self::Subscription,
        Self::SenderChannel,
        Self::ServerChannel,
        Self::ReceiverChannel,
        Self::RequesterChannel,
        Self::ClientConnection,
        Self::ServerConnection,
        Self::ClusterReceiver,
        Self::ClusterSender,
        Self::AmqpChannel,
        Self::Listener,
        Self::Process,
        Self::NameList,
        Self::Service,
        Self::AuthenticationCrl,
        Self::AuthenticationOcsp,
        Self::AuthenticationOs,
        Self::AuthenticationLdap,
        Self::Communication,
        Self::Structure,
    ];
    pub const QUEUES: [Self; 4] = [Self::QueueLocal, Self::QueueAlias, Self::QueueRemote, Self::QueueModel];
    pub const CHANNELS: [Self; 9] = [
        Self::SenderChannel,
        Self::ServerChannel,
        Self::ReceiverChannel,
        Self::RequesterChannel,
        Self::ClientConnection,
        Self::ServerConnection,
        Self::ClusterReceiver,
        Self::ClusterSender,
        Self::AmqpChannel,
    ];
    pub const AUTHENTICATION: [Self; 4] =
        [Self::AuthenticationCrl, Self::AuthenticationOcsp, Self::AuthenticationOs, Self::AuthenticationLdap];

    /// The MQSC object keyword.
    pub const fn mqsc(self) -> &'static str {
        match self {
            Self::QueueManager => "QMGR",
            Self::QueueLocal => "QLOCAL",
            Self::QueueAlias => "QALIAS",
            Self::QueueRemote => "QREMOTE",
            Self::QueueModel => "QMODEL",
            Self::Topic => "TOPIC",
            Self::Subscription => "SUB",
            Self::SenderChannel
            | Self::ServerChannel
            | Self::ReceiverChannel
            | Self::RequesterChannel
            | Self::ClientConnection
            | Self::ServerConnection
            | Self::ClusterReceiver
            | Self::ClusterSender
            | Self::AmqpChannel => "CHANNEL",
            Self::Listener => "LISTENER",
            Self::Process => "PROCESS",
            Self::NameList => "NAMELIST",
            Self::Service => "SERVICE",
            Self::AuthenticationCrl | Self::AuthenticationOcsp | Self::AuthenticationOs | Self::AuthenticationLdap => {
                "AUTHINFO"
            }
            Self::Communication => "COMMINFO",
            Self::Structure => "CFSTRUCT",
        }
    }

    /// Keyword and word that DEFINE has to be given beside the object keyword: `CHLTYPE(SDR)`.
    pub const fn type_parameter(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::SenderChannel => ("CHLTYPE", "SDR"),
            Self::ServerChannel => ("CHLTYPE", "SVR"),
            Self::ReceiverChannel => ("CHLTYPE", "RCVR"),
            Self::RequesterChannel => ("CHLTYPE", "RQSTR"),
            Self::ClientConnection => ("CHLTYPE", "CLNTCONN"),
            Self::ServerConnection => ("CHLTYPE", "SVRCONN"),
            Self::ClusterReceiver => ("CHLTYPE", "CLUSRCVR"),
            Self::ClusterSender => ("CHLTYPE", "CLUSSDR"),
            Self::AmqpChannel => ("CHLTYPE", "AMQP"),
            Self::Listener => ("TRPTYPE", "TCP"),
            Self::AuthenticationCrl => ("AUTHTYPE", "CRLLDAP"),
            Self::AuthenticationOcsp => ("AUTHTYPE", "OCSP"),
            Self::AuthenticationOs => ("AUTHTYPE", "IDPWOS"),
            Self::AuthenticationLdap => ("AUTHTYPE", "IDPWLDAP"),
            Self::Communication => ("TYPE", "MULTICAST"),
            Self::QueueManager
            | Self::QueueLocal
            | Self::QueueAlias
            | Self::QueueRemote
            | Self::QueueModel
            | Self::Topic
            | Self::Subscription
            | Self::Process
            | Self::NameList
            | Self::Service
            | Self::Structure => return None,
        })
    }

    /// Whether a queue-sharing group may have a definition of the kind, of which members make copies.
    pub const fn has_disposition(self) -> bool {
        !matches!(
            self,
            Self::QueueManager
                | Self::Subscription
                | Self::AmqpChannel
                | Self::Listener
                | Self::Service
                | Self::Communication
                | Self::Structure
        )
    }

    /// How many rows DISPLAY shows whatever it was asked for: name and type, which come first.
    pub const fn identity_rows(self) -> usize {
        match self {
            Self::QueueManager | Self::Listener | Self::Process | Self::NameList | Self::Service | Self::Structure => 1,
            _ => 2,
        }
    }

    pub const fn is_queue(self) -> bool {
        matches!(self, Self::QueueLocal | Self::QueueAlias | Self::QueueRemote | Self::QueueModel)
    }

    pub fn is_channel(self) -> bool {
        Self::CHANNELS.contains(&self)
    }

    /// Longest name an object of this kind may have, in characters; subscriptions have texts instead.
    pub fn maximum_name_length(self) -> usize {
        match self {
            Self::Structure => structure::MAXIMUM_NAME_LENGTH,
            _ if self.is_channel() => 20,
            _ => ObjectName::MAXIMUM,
        }
    }

    /// What authority records about such objects are about. Subscriptions have none of their own: topics' count.
    pub const fn authority_object(self) -> AuthorityObject {
        match self {
            Self::QueueManager => AuthorityObject::QueueManager,
            Self::QueueLocal | Self::QueueAlias | Self::QueueRemote | Self::QueueModel => AuthorityObject::Queue,
            Self::Topic | Self::Subscription => AuthorityObject::Topic,
            Self::ClientConnection => AuthorityObject::ClientChannel,
            Self::SenderChannel
            | Self::ServerChannel
            | Self::ReceiverChannel
            | Self::RequesterChannel
            | Self::ServerConnection
            | Self::ClusterReceiver
            | Self::ClusterSender
            | Self::AmqpChannel => AuthorityObject::Channel,
            Self::Listener => AuthorityObject::Listener,
            Self::Process => AuthorityObject::Process,
            Self::NameList => AuthorityObject::NameList,
            Self::Service => AuthorityObject::Service,
            Self::AuthenticationCrl | Self::AuthenticationOcsp | Self::AuthenticationOs | Self::AuthenticationLdap => {
                AuthorityObject::AuthenticationInformation
            }
            Self::Communication => AuthorityObject::CommunicationInformation,
            Self::Structure => AuthorityObject::Structure,
        }
    }

    /// Is it kept as an `AdministeredObject`?
    pub const fn is_administered(self) -> bool {
        !matches!(
            self.authority_object(),
            AuthorityObject::QueueManager | AuthorityObject::Queue | AuthorityObject::Topic
        )
    }

    /// The object that DEFINE takes from what it is not told; `None` for the queue manager and for structures.
    ///
    /// Source: MQ reference, "System and default objects", 9.3.
    pub const fn default_object(self) -> Option<&'static str> {
        Some(match self {
            Self::QueueManager | Self::Structure => return None,
            Self::QueueLocal => "SYSTEM.DEFAULT.LOCAL.QUEUE",
            Self::QueueAlias => "SYSTEM.DEFAULT.ALIAS.QUEUE",
            Self::QueueRemote => "SYSTEM.DEFAULT.REMOTE.QUEUE",
            Self::QueueModel => "SYSTEM.DEFAULT.MODEL.QUEUE",
            Self::Topic => "SYSTEM.DEFAULT.TOPIC",
            Self::Subscription => "SYSTEM.DEFAULT.SUB",
            Self::SenderChannel => "SYSTEM.DEF.SENDER",
            Self::ServerChannel => "SYSTEM.DEF.SERVER",
            Self::ReceiverChannel => "SYSTEM.DEF.RECEIVER",
            Self::RequesterChannel => "SYSTEM.DEF.REQUESTER",
            Self::ClientConnection => "SYSTEM.DEF.CLNTCONN",
            Self::ServerConnection => "SYSTEM.DEF.SVRCONN",
            Self::ClusterReceiver => "SYSTEM.DEF.CLUSRCVR",
            Self::ClusterSender => "SYSTEM.DEF.CLUSSDR",
            Self::AmqpChannel => "SYSTEM.DEF.AMQP",
            Self::Listener => "SYSTEM.DEFAULT.LISTENER.TCP",
            Self::Process => "SYSTEM.DEFAULT.PROCESS",
            Self::NameList => "SYSTEM.DEFAULT.NAMELIST",
            Self::Service => "SYSTEM.DEFAULT.SERVICE",
            Self::AuthenticationCrl => "SYSTEM.DEFAULT.AUTHINFO.CRLLDAP",
            Self::AuthenticationOcsp => "SYSTEM.DEFAULT.AUTHINFO.OCSP",
            Self::AuthenticationOs => "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
            Self::AuthenticationLdap => "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP",
            Self::Communication => "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
        })
    }
}
