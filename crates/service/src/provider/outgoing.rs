//! A request's headers and body as a message: a record, JSON or text, with an MQRFH2 header where somebody wants one.
//!
//! Everything that may be wrong with a request is found out here, before anything is put.

use std::sync::LazyLock;

use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};
use copybook::{DataError, DataProblem};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, MessageType};
use model::header::rfh2::Rfh2;
use model::message::Message;
use model::options::{ObjectDescriptor, ObjectKind, PutFlags, PutOptions};
use model::property::{Property, PropertyValue, write_folder};
use serde::de::IgnoredAny;

use crate::convert::{Structure, Transformation};
use crate::definition::{Destination, Payload, Service, lifetime};
use crate::error::ServiceError;
use crate::names::TargetClient;

use super::{Call, header, object_of};

/// A message that is ready to be put.
pub(super) struct Outgoing {
    pub(super) object: ObjectDescriptor,
    /// Moved by its address from here to the queue.
    pub(super) message: Box<Message>,
    pub(super) options: PutOptions,
}

impl Outgoing {
    /// # Errors
    /// 400 and 415: what is wrong with the request.
    pub(super) fn of(call: &Call<'_>) -> Result<Self, ServiceError> {
        let service = call.service;
        let provider = &service.provider;
        let headers = &call.request.headers;
        check_media_type(service, headers.content_type)?;
        let persistence = header::persistence(&service.name, headers)?.unwrap_or(provider.persistence);
        let lifetime = match header::expiry(&service.name, headers)? {
            Some(milliseconds) => lifetime(milliseconds),
            None => provider.expiry,
        };
        let correlation_id = header::correlation_id(headers)?;
        let properties = header::user_properties(headers)?;
        let mut content = content(service, &call.request.body)?;
        if provider.target_client == TargetClient::Jms || !properties.is_empty() {
            content = with_header(content, provider.target_client, &properties);
        }
        let descriptor = MessageDescriptor {
            message_type: MessageType::DATAGRAM,
            expiry: header::tenths(lifetime),
            encoding: content.encoding,
            ccsid: content.ccsid,
            format: content.format,
            priority: provider.priority,
            persistence,
            correlation_id: correlation_id.unwrap_or_default(),
            ..MessageDescriptor::default()
        };
        let mut flags = PutFlags::NO_SYNCPOINT | PutFlags::NEW_MSG_ID | PutFlags::FAIL_IF_QUIESCING;
        let object = match &provider.destination {
            Destination::Queue(address) => object_of(address, ""),
            Destination::Topic(string) => {
                // To a queue the header means nothing, whatever it says.
                if header::retain(headers)? {
                    flags |= PutFlags::RETAIN;
                }
                ObjectDescriptor {
                    object: ObjectKind::Topic,
                    topic_string: string.clone(),
                    ..ObjectDescriptor::default()
                }
            }
        };
        let message = Box::new(Message { descriptor, body: content.bytes });
        Ok(Self { object, message, options: PutOptions { flags, context: None } })
    }
}

/// Of a queue or topic.
pub(super) fn name_of(object: &ObjectDescriptor) -> &str {
    match object.object {
        ObjectKind::Topic => &object.topic_string,
        _ => object.name.as_str(),
    }
}

/// A payload, and how MQMD describes it.
struct Content {
    bytes: Bytes,
    format: Format,
    ccsid: Ccsid,
    encoding: Encoding,
}

fn content(service: &Service, body: &Bytes) -> Result<Content, ServiceError> {
    if let Some(structure) = service.transformation.as_ref().and_then(Transformation::of_requests) {
        return record(service, structure, body);
    }
    let bytes = match service.provider.payload {
        Payload::Json => {
            check_object(body).map_err(NoObject::of_request)?;
            body.clone()
        }
        Payload::Text => {
            std::str::from_utf8(body).map_err(|_| ServiceError::not_text())?;
            body.clone()
        }
    };
    let ccsid = service.provider.ccsid;
    let bytes = if ccsid == Ccsid::UTF_8 { bytes } else { in_code_page(bytes, ccsid) };
    Ok(Content { bytes, format: Format::STRING, ccsid, encoding: Encoding::NATIVE })
}

fn record(service: &Service, structure: &Structure, body: &Bytes) -> Result<Content, ServiceError> {
    let mut record = Vec::with_capacity(structure.expected_length());
    structure.encode(body, &mut record).map_err(|error| refusal(service, &error))?;
    Ok(Content {
        bytes: record.into(),
        format: service.provider.format,
        ccsid: service.provider.ccsid,
        encoding: structure.encoding(),
    })
}

/// No JSON object at all, or one that is not what the copybook describes.
fn refusal(service: &Service, error: &DataError) -> ServiceError {
    let is_no_object = match error.problem {
        DataProblem::Json { .. } => true,
        DataProblem::WrongType { .. } => error.pointer.is_empty(),
        _ => false,
    };
    let told = if is_no_object { ServiceError::not_an_object() } else { ServiceError::request_data(&service.name) };
    told.with_details(error.to_string())
}

/// Why text is no JSON object.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoObject {
    #[error("it is not a JSON object: the first character must be {{")]
    AnotherValue,
    #[error("it is not UTF-8")]
    NotText,
    #[error("{0}")]
    NotJson(serde_json::Error),
}

impl NoObject {
    /// Of a request's body.
    fn of_request(self) -> ServiceError {
        match self {
            Self::AnotherValue => ServiceError::not_an_object(),
            Self::NotText => ServiceError::not_text(),
            Self::NotJson(error) => ServiceError::not_an_object().with_details(error.to_string()),
        }
    }
}

/// # Errors
/// The body is no JSON, not UTF-8, or no object.
pub(super) fn check_object(body: &[u8]) -> Result<(), NoObject> {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(NoObject::AnotherValue);
    }
    std::str::from_utf8(body).map_err(|_| NoObject::NotText)?;
    let read: Result<IgnoredAny, _> = serde_json::from_slice(body);
    read.map(drop).map_err(NoObject::NotJson)
}

/// UTF-8 put into another set, whose CCSID the definition has found to be known.
fn in_code_page(text: Bytes, ccsid: Ccsid) -> Bytes {
    let set = u32::try_from(ccsid.0).ok().and_then(|ccsid| CharacterSet::of(ccsid, native_order()));
    let (Some(set), Some(utf_8)) = (set, CharacterSet::of(1208, ByteOrder::Big)) else { return text };
    match codepage::convert(utf_8, set, &text) {
        Ok(converted) => converted.bytes.into_owned().into(),
        Err(_) => text,
    }
}

/// Of MQMD's `Encoding::NATIVE`.
fn native_order() -> ByteOrder {
    if Encoding::NATIVE.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big }
}

/// Puts an MQRFH2 header before the payload: the message domain for JMS applications, and properties.
fn with_header(content: Content, client: TargetClient, properties: &[Property]) -> Content {
    static TEXT: LazyLock<PropertyValue> = LazyLock::new(|| PropertyValue::String("jms_text".to_owned()));
    static BYTES: LazyLock<PropertyValue> = LazyLock::new(|| PropertyValue::String("jms_bytes".to_owned()));
    let mut folders = Vec::with_capacity(2);
    if client == TargetClient::Jms {
        let domain = if content.format == Format::STRING { &*TEXT } else { &*BYTES };
        folders.push(write_folder("mcd", [("Msd", domain)]));
    }
    if !properties.is_empty() {
        folders.push(write_folder("usr", properties.iter().map(|property| (&*property.name, &property.value))));
    }
    let header = Rfh2 { encoding: content.encoding, ccsid: content.ccsid, format: content.format, flags: 0, folders };
    let mut whole = Vec::with_capacity(256 + content.bytes.len());
    header.encode(Encoding::BIG_ENDIAN, &mut whole);
    whole.extend_from_slice(&content.bytes);
    Content { bytes: whole.into(), format: Format::RF_HEADER_2, ccsid: Ccsid::UTF_8, encoding: Encoding::BIG_ENDIAN }
}

/// `application/json` in UTF-8; for services of text, any text in UTF-8. A body of another kind would be refused by
/// browsers' rules only if the header is asked for, so that it must be there.
fn check_media_type(service: &Service, value: Option<&[u8]>) -> Result<(), ServiceError> {
    if value == Some(b"application/json") {
        return Ok(());
    }
    let value = value.map(String::from_utf8_lossy).unwrap_or_default();
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim();
    let is_text = service.transformation.is_none() && service.provider.payload == Payload::Text;
    let is_known = essence.eq_ignore_ascii_case("application/json")
        || is_text && essence.get(..5).is_some_and(|begin| begin.eq_ignore_ascii_case("text/"));
    let mut charsets =
        parts.filter_map(|part| part.split_once('=')).filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let is_utf_8 = |value: &str| {
        let value = value.trim().trim_matches('"');
        value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("utf8")
    };
    if is_known && charsets.all(|(_, value)| is_utf_8(value)) {
        return Ok(());
    }
    Err(ServiceError::media_type(&value))
}
