//! Intra-group queuing: messages for private queues of another member, over a shared transmission queue.
//!
//! With IGQ(ENABLED) a message for another member goes to SYSTEM.QSG.TRANSMIT.QUEUE before any other transmission queue, with the member's
//! name as CorrelId. An agent in each member gets what has its name and puts it where the MQXQH says, or on the dead-letter queue. The get
//! and the puts are one unit of work.
//!
//! Invariants
//! - A message is on the transmission queue, or where it was to go, and never in both places.
//! - The agent runs whatever IGQ says: that is about what this member sends.
//!
//! Source: MQ for z/OS, "Intra-group queuing", "IGQPutAuthority", "User IDs used by the intra-group queuing agent", 9.3.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use model::authority::{Authority, Principal};
use model::definition::IntraGroupAuthority;
use model::descriptor::MessageDescriptor;
use model::header::transmission::TransmissionHeader;
use model::identifier::CorrelationId;
use model::message::Message;
use model::name::{ObjectName, QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use tracing::warn;

use crate::QueueManager;
use crate::engine::{Engine, Phase};
use crate::queue::dead_letter::{self, Undelivered};
use crate::queue::expiry::remaining;
use crate::queue::report;
use crate::queue::resolve::{Resolved, resolve};
use crate::queue::{Queue, transmission};
use crate::reason;
use crate::security::authority::Door;
use crate::verb::connection::{Connection, GetResult};
use crate::verb::open::check_destination_authority;

/// The shared transmission queue, which an administrator defines.
pub(crate) const QUEUE: &str = "SYSTEM.QSG.TRANSMIT.QUEUE";
/// Messages of one unit of work.
const MOST_TOGETHER: usize = 50;
/// A get waits so long, and then begins anew.
const WAIT: Duration = Duration::from_secs(60);
/// Between two tries of what fails, at first and at last.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Between two looks for the queue.
const UNDEFINED: Duration = Duration::from_millis(500);

/// The transmission queue of messages for a queue manager, if it is another member and IGQ is ENABLED.
///
/// # Errors
/// `UnknownXmitQ` (2196): the queue is not defined. `XmitQUsageError` (2184), `XmitQTypeError` (2091): it is no transmission queue.
pub(crate) fn transmission_queue(engine: &Engine, to: &QueueManagerName) -> Result<Option<Arc<Queue>>, Reason> {
    let is_member = || engine.store.shared().is_some_and(|shared| shared.has_member(to.as_str()));
    if engine.group.is_none() || !engine.definition.read().intra_group_queuing || !is_member() {
        return Ok(None);
    }
    let queue = engine.queue(&QueueName::literal(QUEUE)).ok_or(Reason::UnknownXmitQ)?;
    transmission::check(queue, Reason::XmitQTypeError, Reason::XmitQUsageError).map(Some)
}

/// The queue is that of intra-group queuing.
pub(crate) fn is_of_group(queue: &Queue) -> bool {
    queue.id.is_shared() && queue.name.as_str() == QUEUE
}

/// What messages for a member have as CorrelId: its name, or the beginning of a long name and a hash of it.
pub(crate) fn correlation(member: &str) -> CorrelationId {
    const HASHED: usize = 16;
    let mut bytes = [0; 24];
    if let Some(place) = bytes.get_mut(..member.len()) {
        place.copy_from_slice(member.as_bytes());
        return CorrelationId::new(bytes);
    }
    // FNV-1a, which every version of a member computes alike.
    let hash = member
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    bytes[..HASHED].copy_from_slice(&member.as_bytes()[..HASHED]);
    bytes[HASHED..].copy_from_slice(&hash.to_be_bytes());
    CorrelationId::new(bytes)
}

impl QueueManager {
    /// Messages for a queue manager go by intra-group queuing.
    pub fn sends_within_group(&self, to: &QueueManagerName) -> bool {
        matches!(transmission_queue(self.engine(), to), Ok(Some(_)))
    }

    /// The agent: delivers what other members have sent here, until it is dropped.
    pub(crate) async fn deliver_within_group(&self) {
        let engine = self.engine();
        if engine.store.shared().is_none() {
            return std::future::pending().await;
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let mut delivered = 0;
            let reason = Box::pin(deliver_until(engine, &mut delivered)).await;
            if engine.phase() >= Phase::Stopping {
                return std::future::pending().await;
            }
            if reason == Reason::UnknownObjectName || engine.may_lack_queues() {
                // Not defined yet, perhaps by another member, or not learned yet.
                tokio::time::sleep(UNDEFINED).await;
                continue;
            }
            pause = if delivered > 0 { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
            if reason != Reason::ObjectChanged {
                warn!(
                    queue_manager = engine.name.as_str(),
                    %reason,
                    "messages of other members of the group cannot be delivered; the agent of intra-group queuing tries again"
                );
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// Delivers until something fails; what was begun is backed out then.
async fn deliver_until(engine: &Arc<Engine>, delivered: &mut usize) -> Reason {
    let own = Connection::internal(engine);
    match deliver(engine, &own, delivered).await {
        Ok(never) => match never {},
        Err(reason) => {
            if let Err(reason) = own.back_out().await {
                warn!(%reason, "a unit of work of intra-group queuing could not be backed out");
            }
            reason
        }
    }
}

/// A unit of work has one message at first, and twice as many as the one before: those before a message that fails are delivered.
async fn deliver(engine: &Arc<Engine>, own: &Connection, delivered: &mut usize) -> Result<Infallible, Reason> {
    let principal = Principal::administrator(&engine.authorities.server_user);
    let object = ObjectDescriptor { name: QueueName::literal(QUEUE), ..ObjectDescriptor::default() };
    let handle = own.open(&principal, &object, OpenOptions::INPUT_SHARED).await?.handle;
    let mut wanted = GetOptions { wait: Some(WAIT), ..GetOptions::default() };
    wanted.match_identifiers(None, Some(correlation(engine.name.as_str())), None);
    let mut together = 1;
    loop {
        let mut in_unit = 0;
        while in_unit < together {
            // Once something is in the unit, what is not there is left for the next one.
            wanted.flags = GetFlags::SYNCPOINT | if in_unit == 0 { GetFlags::WAIT } else { GetFlags::empty() };
            match own.get(handle, &wanted).await {
                Ok(got) => arrive(engine, own, &got).await?,
                Err(Reason::NoMsgAvailable) => break,
                Err(reason) => return Err(reason),
            }
            in_unit += 1;
        }
        if in_unit > 0 {
            own.commit().await?;
            *delivered += in_unit;
            together = (together * 2).min(MOST_TOGETHER);
        }
    }
}

/// Puts one message where it goes, in the unit of work.
async fn arrive(engine: &Engine, own: &Connection, got: &GetResult) -> Result<(), Reason> {
    let now = engine.now();
    let unit = Some(&*own.state);
    let Ok((header, length)) = TransmissionHeader::decode(&got.body, got.descriptor.encoding) else {
        // Put by a program, which did not write what a transmission queue holds.
        let (queue, queue_manager) = (QueueName::BLANK, QueueManagerName::BLANK);
        let message = Message::clone(&got.message);
        let undelivered = Undelivered { message, queue, queue_manager, reason: Reason::XqhError };
        return dead_letter::put(engine, unit, undelivered, now).await;
    };
    let (expiry, expires) = remaining(header.descriptor.expiry, got.arrived, now);
    let message =
        Message { descriptor: MessageDescriptor { expiry, ..header.descriptor }, body: got.body.slice(length..) };
    let queue = ObjectName::parse(header.remote_queue.to_text().trim_end()).unwrap_or(QueueName::BLANK);
    let Err(reason) = put(engine, own, &got.descriptor, &queue, &message, expires, now).await else { return Ok(()) };
    if is_passing(reason) {
        return Err(reason);
    }
    let undelivered = Undelivered { message, queue, queue_manager: QueueManagerName::BLANK, reason };
    dead_letter::dispose(engine, unit, undelivered, now).await.map_err(|_| reason)
}

/// Not about the message: it is delivered later.
fn is_passing(reason: Reason) -> bool {
    reason::is_of_caller(reason) || matches!(reason, Reason::CfNotAvailable | Reason::ObjectChanged)
}

async fn put(
    engine: &Engine,
    own: &Connection,
    outer: &MessageDescriptor,
    queue: &QueueName,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    let Resolved::Destination(destination) = resolve(engine, queue, &QueueManagerName::BLANK)? else {
        return Err(Reason::ObjectTypeError);
    };
    let object = ObjectDescriptor { name: *queue, ..ObjectDescriptor::default() };
    for principal in asked(engine, outer, &message.descriptor) {
        check_destination_authority(engine, Door::Report, &principal, &object, &destination, Authority::PUT)?;
    }
    report::put_on(engine, Some(&*own.state), &destination, message, expires, now).await
}

/// Whose authority to put counts, as IGQAUT says; nobody's is that of the queue manager, which may do all.
fn asked(engine: &Engine, outer: &MessageDescriptor, of_message: &MessageDescriptor) -> Vec<Principal> {
    let user = |descriptor: &MessageDescriptor| {
        descriptor.answerable().unwrap_or_else(|| Principal::user(descriptor.user_identifier.to_text().trim_end()))
    };
    let definition = engine.definition.read();
    let of_agent = definition.intra_group_user.trim();
    let of_agent = (!of_agent.is_empty()).then(|| Principal::user(of_agent));
    match definition.intra_group_authority {
        IntraGroupAuthority::Default => vec![user(outer)],
        IntraGroupAuthority::Context => vec![user(outer), user(of_message)],
        IntraGroupAuthority::OnlyAgent => of_agent.into_iter().collect(),
        IntraGroupAuthority::AlternateOrAgent => of_agent.into_iter().chain([user(of_message)]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_told_by_its_name_also_by_a_long_one() {
        assert_eq!(&correlation("QM1").as_bytes()[..4], b"QM1\0");
        let names = ["A.LONG.NAME.OF.A.QUEUE.MANAGER.1", "A.LONG.NAME.OF.A.QUEUE.MANAGER.2", "QM1", "QM10"];
        let different: std::collections::HashSet<_> = names.iter().map(|name| correlation(name)).collect();
        assert_eq!(different.len(), names.len());
    }
}
