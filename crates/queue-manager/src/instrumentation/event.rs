//! Event messages: what monitoring programs read from the SYSTEM.ADMIN.*.EVENT queues.
//!
//! One file a family: `calls.rs` what MQI calls were refused (authority, inhibit, local, remote), `starting.rs` start and
//! stop, `performance.rs` depth and service interval, `configuration.rs` definitions, `command.rs` commands. Each family has a
//! switch in the queue manager's definition; while it is off an event costs a look at the switch. `tap.rs` tells listeners.
//!
//! Invariants
//! - An event never changes the outcome of what it tells about. One that cannot be put is dropped, as MQ drops it.
//! - An event message causes no event, but it may trigger.
//!
//! Source: MQ monitoring, "Event message format", "Event message descriptions", 9.2 and 9.3.

pub(crate) mod calls;
pub mod command;
pub mod configuration;
pub(crate) mod number;
pub(crate) mod performance;
pub(crate) mod starting;
pub mod tap;

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use model::definition::QueueManagerDefinition;
use model::descriptor::{Encoding, Format, MessageDescriptor, Persistence};
use model::header::transmission::TransmissionHeader;
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::name::{ObjectName, QueueManagerName, QueueName};
use model::pcf::{self, Coding, Header, Parameter};
use model::reason::Reason;
use model::text::Text;
use tracing::debug;

use crate::engine::Engine;
use crate::queue::delivery;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::transmission::{self, QUEUE_MANAGER, own_ccsid};
use crate::verb::put;

/// The queue a family's messages go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    QueueManager,
    Performance,
    Command,
    Configuration,
}

impl Family {
    pub(crate) const fn queue(self) -> &'static str {
        match self {
            Self::QueueManager => "SYSTEM.ADMIN.QMGR.EVENT",
            Self::Performance => "SYSTEM.ADMIN.PERFM.EVENT",
            Self::Command => "SYSTEM.ADMIN.COMMAND.EVENT",
            Self::Configuration => "SYSTEM.ADMIN.CONFIG.EVENT",
        }
    }

    const fn command(self) -> i32 {
        match self {
            Self::QueueManager => number::MQCMD_Q_MGR_EVENT,
            Self::Performance => number::MQCMD_PERFM_EVENT,
            Self::Command => number::MQCMD_COMMAND_EVENT,
            Self::Configuration => number::MQCMD_CONFIG_EVENT,
        }
    }

    /// Of the MQCFH.
    const fn version(self) -> i32 {
        match self {
            Self::QueueManager | Self::Performance => 1,
            Self::Configuration => 2,
            Self::Command => 3,
        }
    }

    /// An event with the completion code that all but few have: a warning.
    pub(crate) fn event(self, reason: i32, parameters: Vec<Parameter>) -> Event {
        let header = Header { version: self.version(), ..Header::event(self.command(), number::MQCC_WARNING, reason) };
        Event { family: self, message: pcf::Message { header, parameters }, correlation_id: CorrelationId::NONE }
    }
}

/// An event to be put.
#[derive(Debug)]
pub(crate) struct Event {
    family: Family,
    pub(crate) message: pcf::Message,
    /// Ties the messages before and after a change to each other.
    pub(crate) correlation_id: CorrelationId,
}

/// What is asked on every put and get.
#[derive(Default)]
pub(crate) struct Switches {
    /// PERFMEV.
    performance: AtomicBool,
}

impl Switches {
    pub(crate) fn new(definition: &QueueManagerDefinition) -> Self {
        let switches = Self::default();
        switches.set(definition);
        switches
    }

    pub(crate) fn set(&self, definition: &QueueManagerDefinition) {
        self.performance.store(definition.performance_event, Ordering::Relaxed);
    }

    pub(crate) fn performance(&self) -> bool {
        self.performance.load(Ordering::Relaxed)
    }
}

/// Puts an event outside any unit of work, or drops it.
pub(crate) async fn send(engine: &Engine, event: Event) {
    let (queue, reason) = (event.family.queue(), event.message.header.reason);
    engine.event_tap.tell(queue, &event.message, engine.now());
    if let Err(why) = put_event(engine, event).await {
        debug!(queue_manager = engine.name.as_str(), queue, event = reason, %why, "an event message was dropped");
    }
}

async fn put_event(engine: &Engine, event: Event) -> Result<(), Reason> {
    let name = QueueName::literal(event.family.queue());
    let Resolved::Destination(destination) = resolve(engine, &name, &QueueManagerName::BLANK)? else {
        return Err(Reason::ObjectTypeError);
    };
    put::check_put_enabled(&destination)?;
    let queue = destination.queue().ok_or(Reason::ObjectTypeError)?;
    let message = message(engine, &destination, event);
    if message.body.len() > queue.with_local(|_, local| local.maximum_message_length as usize) {
        return Err(Reason::MsgTooBigForQ);
    }
    delivery::place_event(engine, queue, message, engine.now()).await
}

fn message(engine: &Engine, destination: &Destination, event: Event) -> Message {
    let now = engine.now();
    let (priority, persistent) =
        destination.first().with(|definition| (definition.default_priority, definition.default_persistent));
    let descriptor = MessageDescriptor {
        format: Format::EVENT,
        encoding: Encoding::NATIVE,
        ccsid: own_ccsid(engine),
        priority: i32::from(priority),
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        message_id: MessageId::new(engine.identifiers.make()),
        correlation_id: event.correlation_id,
        reply_to_queue_manager: engine.name,
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        ..MessageDescriptor::default()
    };
    let body = Bytes::from(Coding::native().bytes(&event.message));
    match destination {
        Destination::Remote { transmission: by, queue, queue_manager, .. } => {
            let header = TransmissionHeader {
                remote_queue: Text::from_bytes(queue.padded()),
                remote_queue_manager: Text::from_bytes(queue_manager.padded()),
                descriptor,
            };
            transmission::wrap(engine, by, header, &body, now)
        }
        Destination::Local { .. } | Destination::Topic { .. } => Message { descriptor, body },
    }
}

/// A name as events carry it: blanks up to 48 characters.
pub(crate) fn name(id: i32, name: &ObjectName) -> Parameter {
    padded(id, name.as_str(), ObjectName::MAXIMUM)
}

/// A user's name: blanks up to the published 12 characters, and a longer name whole, since its beginning may be another user's name.
pub(crate) fn user(id: i32, name: &str) -> Parameter {
    padded(id, name, name.len().max(number::MQ_USER_ID_LENGTH))
}

/// A text of a fixed width in bytes, as programs that read events by position expect it.
pub(crate) fn padded(id: i32, text: &str, width: usize) -> Parameter {
    let mut end = text.len().min(width);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut text = text[..end].to_owned();
    text.extend(std::iter::repeat_n(' ', width - end));
    Parameter::text(id, text)
}
