//! What a service is: its name, its queues, how a request is sent and a reply awaited, and how data is converted.
//!
//! A [`Service`] is made by a [`Builder`] from properties by their published names, so that whatever reads archives,
//! properties files or YAML says the same words. Once built it is valid: nothing later asks whether it makes sense.
//!
//! Source: z/OS Connect EE, "IBM MQ service provider", properties of two-way and one-way services.

mod builder;

use std::time::Duration;

use bytes::Bytes;
use model::descriptor::{Ccsid, Format, Persistence};
use model::name::{QueueManagerName, QueueName};

use crate::convert::Transformation;
use crate::names::TargetClient;

pub(crate) use builder::lifetime;
pub use builder::{Builder, DefinitionError, PROPERTIES};
pub use connection::target::Target;

/// A service as it is invoked.
#[derive(Clone)]
pub struct Service {
    pub name: String,
    pub version: String,
    pub description: String,
    /// Paths that lead to it beside its own, each beginning with a slash; one that ends in `*` stands for all that begin so.
    pub invoke_uris: Vec<String>,
    pub provider: Mq,
    /// `None`: bodies are JSON or text and stay what they are.
    pub transformation: Option<Transformation>,
}

impl Service {
    /// Begins one; see [`Builder::property`].
    pub fn builder(name: &str) -> Builder {
        Builder::new(name)
    }

    /// The body of a request that says nothing: an object without members, within the wrapper of the record; for a service
    /// of texts the empty text.
    pub fn empty_request(&self) -> Bytes {
        if self.passes_text() {
            return Bytes::new();
        }
        let structure = self.transformation.as_ref().and_then(Transformation::of_requests);
        structure.map_or_else(|| Bytes::from_static(b"{}"), |structure| structure.empty().into())
    }

    /// Bodies are texts, which nobody looks into.
    pub fn passes_text(&self) -> bool {
        self.transformation.is_none() && matches!(self.provider.payload, Payload::Text)
    }
}

/// How a service uses queues.
#[derive(Clone)]
pub struct Mq {
    pub target: Target,
    pub destination: Destination,
    pub kind: Kind,
    /// How long a receive or a reply is awaited.
    pub wait: Wait,
    /// Lifetime of messages sent; `None`: unlimited.
    pub expiry: Option<Duration>,
    pub persistence: Persistence,
    /// 0 to 9, or -1 for the queue's DEFPRTY.
    pub priority: i32,
    /// JMS selector over the messages received; empty for none.
    pub selector: String,
    /// Of messages sent with a transformation.
    pub format: Format,
    /// Of text messages sent without a transformation, and stated in the MQMD of records.
    pub ccsid: Ccsid,
    /// Into which a received text message is encoded before it is read as a record.
    pub receive_text_ccsid: u32,
    pub target_client: TargetClient,
    pub payload: Payload,
    pub user: ServiceUser,
}

/// Where messages are put, or got from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    Queue(QueueAddress),
    /// A topic string.
    Topic(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueAddress {
    pub queue: QueueName,
    /// Blank: the queue manager connected to, or wherever a definition leads.
    pub queue_manager: QueueManagerName,
}

/// Which verbs a service has, and what they do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Any method sends a request and awaits its reply.
    TwoWay { reply: QueueAddress, selection: ReplySelection, late_reply: LateReply },
    /// `messagingAction=mqput`: any method sends.
    Put,
    /// `messagingAction=mqget`: any method receives.
    Get,
    /// One queue with three methods: POST sends, GET browses, DELETE receives.
    Queue,
    /// A topic: POST publishes.
    Topic,
}

impl Kind {
    pub fn is_two_way(&self) -> bool {
        matches!(self, Self::TwoWay { .. })
    }
}

/// How long to wait for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The service says nothing, and no header changes it: not at all.
    None,
    For(Duration),
    /// Up to the server's limit for a request.
    Unlimited,
}

impl Wait {
    /// `waitInterval`: negative is without limit.
    pub fn of_milliseconds(milliseconds: i64) -> Self {
        u64::try_from(milliseconds).map_or(Self::Unlimited, |it| Self::For(Duration::from_millis(it)))
    }
}

/// `replySelection`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplySelection {
    /// The reply's CorrelId is the request's MsgId.
    #[default]
    MessageIdToCorrelationId,
    /// The reply's CorrelId is the request's CorrelId.
    CorrelationIdToCorrelationId,
    /// The next message on the reply queue.
    None,
}

/// What becomes of replies that nobody waits for any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LateReply {
    /// Requests expire with the wait, and ask for replies that do the same; a reply that does not and comes after the wait
    /// is discarded. A reply whose client went away during the wait stays on its queue.
    #[default]
    Expire,
    /// They are moved to this queue, whether the wait ended or the client went away.
    Queue(QueueAddress),
    /// They stay where they are.
    Keep,
}

impl LateReply {
    /// As `service.yaml` says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expire => "expire",
            Self::Queue(_) => "queue",
            Self::Keep => "keep",
        }
    }
}

/// What bodies are without a transformation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Payload {
    /// JSON objects.
    #[default]
    Json,
    /// Any text.
    Text,
}

/// Whose authority counts.
#[derive(Clone, PartialEq, Eq)]
pub enum ServiceUser {
    /// The server's own, or the one that the remote queue manager's entry names.
    Server,
    /// The caller's.
    Caller,
    Named {
        user: String,
        password: String,
    },
}

/// Without the password.
impl std::fmt::Debug for ServiceUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Server => f.write_str("Server"),
            Self::Caller => f.write_str("Caller"),
            Self::Named { user, .. } => f.debug_tuple("Named").field(user).finish(),
        }
    }
}
