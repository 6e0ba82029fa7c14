//! POST of a message to a queue: one MQPUT1 outside syncpoint.

use bytes::Bytes;
use http::StatusCode;
use identity::Identity;
use model::definition::queue::QueueKind;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, MessageType};
use model::jms::{JmsFields, TextMessage};
use model::message::Message;
use model::options::{ObjectDescriptor, ObjectKind, PutFlags, PutOptions};
use model::property::Property;
use model::reason::Reason;

use crate::answer::{self, Answer, TEXT};
use crate::error::{self, ApiError, Verb};
use crate::request_body::{Allowed, RequestBody};
use crate::routes::Version;
use crate::service::Call;
use crate::{media_type, query};

use super::headers::{self, Correlation, PutHeaders};
use super::{Target, properties};

const MEDIA_TYPES: &[&str] = &["text/plain", "text/html", "text/xml", "application/json", "application/xml"];

/// # Errors
/// As section 1.7 of the reference: 415, 400, 403, 404, 405, 500, 503.
pub(crate) async fn put(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::PutTo)?;
    let prepared = Prepared::read(call, true)?;
    let queue = target.queue()?;
    put_to(call, &target, &queue, prepared, body).await
}

/// What the request says beside its body.
pub(super) struct Prepared {
    headers: PutHeaders,
    properties: Vec<Property>,
}

impl Prepared {
    /// # Errors
    /// 415 media type, 400 query parameters and headers.
    pub(super) fn read(call: Call<'_>, takes_correlation: bool) -> Result<Self, ApiError> {
        media_type::require(call.headers(), MEDIA_TYPES)?;
        query::none(call.query())?;
        let headers = PutHeaders::read(call.headers(), call.version, takes_correlation)?;
        let properties = if call.version >= Version::V3 { properties::read(call.headers())? } else { Vec::new() };
        Ok(Self { headers, properties })
    }

    /// What stands before the text: with properties or a correlation text the headers of a JMS text message, else nothing.
    fn head(&mut self) -> Vec<u8> {
        let correlation_id = match &self.headers.correlation {
            Some(Correlation::Text(text)) => Some(text.clone()),
            Some(Correlation::Bytes(_)) | None => None,
        };
        if self.properties.is_empty() && correlation_id.is_none() {
            return Vec::new();
        }
        let jms = JmsFields { correlation_id, ..JmsFields::default() };
        TextMessage { jms, properties: std::mem::take(&mut self.properties), text: String::new() }.head()
    }

    /// Of `body`, whose first bytes are the head.
    fn into_message(self, head: usize, body: Bytes) -> Result<Message, ApiError> {
        let not_text = |_| ApiError::new(&error::CHARACTER_SET, &["bytes that are not UTF-8"]);
        std::str::from_utf8(&body[head..]).map_err(not_text)?;
        let mut descriptor = self.headers.descriptor();
        if head > 0 {
            descriptor.format = Format::RF_HEADER_2;
            descriptor.encoding = TextMessage::BODY_ENCODING;
        }
        Ok(Message { descriptor, body })
    }
}

impl PutHeaders {
    /// MQMD of a text message in UTF-8.
    fn descriptor(&self) -> MessageDescriptor {
        let (reply_to_queue, reply_to_queue_manager) = self.reply_to.unwrap_or_default();
        MessageDescriptor {
            message_type: if self.reply_to.is_some() { MessageType::REQUEST } else { MessageType::DATAGRAM },
            expiry: self.expiry,
            encoding: Encoding::NATIVE,
            ccsid: Ccsid::UTF_8,
            format: Format::STRING,
            priority: self.priority,
            persistence: self.persistence,
            correlation_id: self.correlation.as_ref().map(Correlation::to_descriptor).unwrap_or_default(),
            reply_to_queue,
            reply_to_queue_manager,
            ..MessageDescriptor::default()
        }
    }
}

/// Reads the body, puts the message, and answers 201 with its id.
pub(super) async fn put_to(
    call: Call<'_>,
    target: &Target<'_>,
    object: &ObjectDescriptor,
    mut prepared: Prepared,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let head = prepared.head();
    let limits = &call.settings.options.limits;
    let body = body.read_message(limits, &head, || target.longest(call, object)).await?;
    let message = Box::new(prepared.into_message(head.len(), body)?);
    let options = PutOptions {
        flags: PutFlags::NO_SYNCPOINT | PutFlags::NEW_MSG_ID | PutFlags::FAIL_IF_QUIESCING,
        context: None,
    };
    let put = target.pool.put1(target.acting, object, message, &options).await;
    let done = put.map_err(|error| target.change_failed(&error))?;
    let mut answer = answer::with_body(StatusCode::CREATED, Some(TEXT), Bytes::new());
    headers::add_message_id(answer.headers_mut(), call.version, &done.message_id);
    Ok(answer)
}

impl Target<'_> {
    /// How long a message may be there, by MAXMSGL of the queue manager and of the queue, so that a longer one need not be
    /// read. `None` where this server cannot know: the queue manager itself refuses it then.
    pub(crate) fn longest(&self, call: Call<'_>, object: &ObjectDescriptor) -> Option<Allowed> {
        let queue_manager = call.shared.queue_managers.admitting_one(self.pool.name()).ok()?;
        let of_queue_manager = queue_manager.definition().maximum_message_length;
        let queue = match object.object {
            ObjectKind::Queue => queue_manager.queue(&object.name),
            _ => None,
        };
        let queue = queue.and_then(|queue| match &queue.kind {
            QueueKind::Alias(alias) => queue_manager.queue(&alias.target),
            _ => Some(queue),
        });
        let of_queue = queue.and_then(|queue| queue.as_local().map(|local| local.maximum_message_length));
        let (longest, reason) = match of_queue {
            Some(longest) if longest < of_queue_manager => (longest, Reason::MsgTooBigForQ),
            _ => (of_queue_manager, Reason::MsgTooBigForQMgr),
        };
        Some(Allowed { bytes: longest as usize, refusal: self.failed(&reason.into()) })
    }
}
