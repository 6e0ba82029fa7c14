//! MQOPEN, and what SPI open shares with it.

use std::sync::Arc;

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::{Ending, NO_HANDLE};
use channel_protocol::flow::open::Open;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::open_attributes::OpenAttributes;
use model::definition::queue::{PropertyControl, PutResponse};
use model::definition::{QueueDefinition, QueueKind};
use model::name::ObjectName;
use model::options::{ObjectKind, OpenOptions};
use model::reason::Reason;
use model::text::Text;

use crate::conversation::OpenObject;
use crate::verb::{Call, distribution};

const POLICY_QUEUE: &str = "SYSTEM.PROTECTION.POLICY.QUEUE";

/// What an open came to.
pub(crate) struct Opening {
    pub(crate) handle: i32,
    /// The request's, with the names found.
    pub(crate) object: ObjectStructure,
    pub(crate) attributes: OpenAttributes,
    pub(crate) ending: Ending,
}

pub(super) async fn open(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Open::decode(reader)?;
    let opened = if asks_for_policies(&request) {
        Err(Reason::UnknownObjectName)
    } else {
        open_object(call, &request.object, request.options).await
    };
    match opened {
        Ok(opening) => {
            let attributes = request.attributes.map(|_| opening.attributes);
            let reply = Open { object: opening.object, options: request.options, attributes };
            call.reply_with_handle(opening.ending, opening.handle, |writer| reply.encode(writer));
        }
        Err(reason) => {
            let reply = Open { object: request.object.without_strings(), ..request };
            call.reply_with_handle(Ending::of(reason), NO_HANDLE, |writer| reply.encode(writer));
        }
    }
    Ok(())
}

/// Is this a client asking whether its messages are to be protected, as every Java client does before its first queue?
///
/// Message protection is not supported, and whoever connects may lack authority for the queue of policies: 2085 says that
/// there are none, where 2035 would keep the client from opening anything.
fn asks_for_policies(request: &Open) -> bool {
    request.options == OpenOptions::BROWSE && request.object.name.to_text() == POLICY_QUEUE
}

/// Opens an object for the conversation, and remembers what it is.
///
/// # Errors
/// Those of MQOPEN; 2202.
pub(crate) async fn open_object(
    call: &Call<'_>,
    object: &ObjectStructure,
    options: OpenOptions,
) -> Result<Opening, Reason> {
    let connected = call.connected()?;
    call.admit(options.contains(OpenOptions::FAIL_IF_QUIESCING))?;
    if distribution::is_list(object)? {
        return distribution::open(call, object, options).await;
    }
    let wanted = object.to_model(call.unit.form)?;
    let opened = connected.connection.open(&connected.principal, &wanted, options).await?;
    let mut reply = object.clone().without_strings();
    let is_queue = wanted.object == ObjectKind::Queue;
    if is_queue {
        reply.name = text(&opened.object_name);
        reply.resolved_queue = text(&opened.resolved_queue);
        reply.resolved_queue_manager = text(&opened.resolved_queue_manager);
    }
    reply.resolved_type = reply.object_type;
    let definition = if is_queue { call.conversation.terms().queue_manager.queue(&opened.object_name) } else { None };
    let attributes = definition.map_or(OpenAttributes::PLAIN, |definition| attributes(&definition));
    let remembered = OpenObject {
        kind: wanted.object,
        name: opened.object_name,
        queue_manager: wanted.queue_manager,
        topic_string: wanted.topic_string,
        resolved_queue: opened.resolved_queue,
        resolved_queue_manager: opened.resolved_queue_manager,
        options,
    };
    call.conversation.objects.lock().insert(opened.handle.0, Arc::new(remembered));
    let handle = i32::try_from(opened.handle.0).map_err(|_| Reason::HandleNotAvailable)?;
    Ok(Opening { handle, object: reply, attributes, ending: Ending::OK })
}

/// DEFPSIST, DEFPRESP and PROPCTL. Read-ahead is never offered: a client gets when it asks.
fn attributes(definition: &QueueDefinition) -> OpenAttributes {
    let property_control = match &definition.kind {
        QueueKind::Local(local) => local.property_control,
        QueueKind::Model(model) => model.local.property_control,
        QueueKind::Alias(alias) => alias.property_control,
        QueueKind::Remote(_) => PropertyControl::Compatibility,
    };
    OpenAttributes {
        default_persistence: i32::from(definition.default_persistent),
        default_put_response: match definition.default_put_response {
            PutResponse::Synchronous => 1,
            PutResponse::Asynchronous => 2,
        },
        default_read_ahead: 0,
        property_control: match property_control {
            PropertyControl::Compatibility => 0,
            PropertyControl::None => 1,
            PropertyControl::All => 2,
            PropertyControl::ForceRfh2 => 3,
            PropertyControl::Version6Compatible => 4,
        },
    }
}

pub(crate) fn text(name: &ObjectName) -> Text<48> {
    Text::from_bytes(name.padded())
}
