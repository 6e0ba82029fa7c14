//! MQSUB, MQSUBRQ, and SPI verb 7, by which the Java client subscribes.
//!
//! What SPI adds to MQSUB is in the structure LSD beside the subscription descriptor: above all whether several
//! consumers share the subscription. The reply carries the handle of the destination queue in the API header, that of
//! the subscription in the word before LSD.
//!
//! Source: `docs/channel-protocol.md`, "Subscribing".

use std::sync::Arc;

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::{Ending, NO_HANDLE};
use channel_protocol::flow::spi::{Spi, SpiOutput};
use channel_protocol::flow::spi_subscribe::{SpiSubscribe, SubscriptionDestination};
use channel_protocol::flow::subscribe::{Subscribe, SubscriptionRequest};
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::subscription_descriptor::SubscriptionStructure;
use model::name::{QueueManagerName, QueueName, TopicName};
use model::options::{ObjectKind, OpenOptions};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::connection::ObjectHandle;
use queue_manager::subscribe::Subscribed;

use crate::conversation::OpenObject;
use crate::spi;
use crate::verb::open::text;
use crate::verb::{Call, ending_with};

/// MQSR_ACTION_PUBLICATION.
const ACTION_PUBLICATION: i32 = 1;

/// MQSUB.
pub(crate) async fn subscribe(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Subscribe::decode(reader)?;
    match make(call, request.subscription.to_model(call.unit.form)).await {
        Ok(made) => {
            let reply = Subscribe {
                subscription_handle: number(made.subscription),
                subscription: answered(request.subscription, &made),
                ..request
            };
            call.reply_with_handle(ending_with(made.warning), number(made.queue), |writer| reply.encode(writer));
        }
        Err(reason) => {
            let reply = Subscribe { subscription: request.subscription.without_strings(), ..request };
            call.reply(Ending::of(reason), |writer| reply.encode(writer));
        }
    }
    Ok(())
}

/// SPI verb 7.
pub(crate) async fn subscribe_by_spi(call: &Call<'_>, request: &Spi, wanted: &SpiSubscribe) {
    let descriptor = wanted.subscription.to_model(call.unit.form).map(|descriptor| SubscriptionDescriptor {
        shared: wanted.destination.options & SubscriptionDestination::SHARED != 0,
        ..descriptor
    });
    let mut reply = wanted.clone();
    reply.destination.string = CharString::default();
    match make(call, descriptor).await {
        Ok(made) => {
            reply.subscription_handle = number(made.subscription);
            reply.destination.queue = text(&made.queue_name);
            reply.subscription = answered(reply.subscription, &made);
            let ending = ending_with(made.warning);
            spi::reply(call, request, ending, number(made.queue), SpiOutput::Subscribe(reply));
        }
        Err(reason) => {
            reply.subscription = reply.subscription.without_strings();
            spi::reply(call, request, Ending::of(reason), call.header.handle, SpiOutput::Subscribe(reply));
        }
    }
}

/// MQSUBRQ.
pub(crate) async fn request(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let mut request = SubscriptionRequest::decode(reader)?;
    let sent = send_retained(call, &request).await;
    if let Ok(sent) = sent {
        request.options.publications = i32::try_from(sent).unwrap_or(i32::MAX);
    }
    call.reply(sent.map_or_else(Ending::of, |_| Ending::OK), |writer| request.encode(writer));
    Ok(())
}

async fn send_retained(call: &Call<'_>, request: &SubscriptionRequest) -> Result<u32, Reason> {
    let connected = call.connected()?;
    if request.action != ACTION_PUBLICATION {
        return Err(Reason::ActionError);
    }
    connected.connection.request_publications(call.handle()).await
}

/// Subscribes for the conversation, and remembers both handles.
async fn make(call: &Call<'_>, descriptor: Result<SubscriptionDescriptor, Reason>) -> Result<Subscribed, Reason> {
    let connected = call.connected()?;
    let descriptor = descriptor?;
    call.admit(descriptor.flags.contains(SubscribeFlags::FAIL_IF_QUIESCING))?;
    // 0 and -1 are no handles: the queue is to be made.
    let queue = u32::try_from(call.header.handle).ok().filter(|&handle| handle != 0).map(ObjectHandle);
    let made = connected.connection.subscribe(&connected.principal, &descriptor, queue).await?;
    let mut objects = call.conversation.objects.lock();
    objects.entry(made.queue.0).or_insert_with(|| object(ObjectKind::Queue, made.queue_name, String::new()));
    let topic = object(ObjectKind::Topic, descriptor.topic_object, made.topic_string.clone());
    objects.insert(made.subscription.0, topic);
    Ok(made)
}

fn object(kind: ObjectKind, name: TopicName, topic_string: String) -> Arc<OpenObject> {
    Arc::new(OpenObject {
        kind,
        name,
        queue_manager: QueueManagerName::BLANK,
        topic_string,
        resolved_queue: if kind == ObjectKind::Queue { name } else { QueueName::BLANK },
        resolved_queue_manager: QueueManagerName::BLANK,
        options: OpenOptions::empty(),
    })
}

/// The descriptor as it comes back: what the queue manager chose, the whole topic string, and what a resumed subscription is.
fn answered(structure: SubscriptionStructure, made: &Subscribed) -> SubscriptionStructure {
    let mut flags = structure.flags;
    flags.set(SubscribeFlags::DURABLE, made.durable);
    flags.set(SubscribeFlags::MANAGED, made.managed);
    SubscriptionStructure {
        flags,
        correlation_id: *made.correlation_id.as_bytes(),
        resolved_object_string: CharString::utf_8(&made.topic_string),
        ..structure.without_strings()
    }
}

fn number(handle: ObjectHandle) -> i32 {
    i32::try_from(handle.0).unwrap_or(NO_HANDLE)
}
