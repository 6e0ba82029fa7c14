//! A message as the body of an answer: a record through the copybook, or text as it is.
//!
//! What a message is, JMS's kinds decide: text is MQSTR or `jms_text`, everything else bytes, except the kinds that hold
//! objects of Java, which are refused. MQRFH2 headers are passed over.

use std::borrow::Cow;

use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::rfh2::Rfh2;
use model::property::read_folder;

use crate::convert::Transformation;
use crate::definition::{Payload, Service};
use crate::error::ServiceError;

use super::answer::{Content, Identifiers, ServiceAnswer};
use super::outgoing::check_object;

/// Headers looked at in one message.
const MAXIMUM_HEADERS: usize = 8;

/// The data of a message behind its headers.
struct Data<'a> {
    bytes: Cow<'a, Bytes>,
    is_text: bool,
    ccsid: Ccsid,
    encoding: Encoding,
}

/// 200 with the message as body, without one when it holds nothing.
///
/// # Errors
/// 500: it cannot be passed on; the caller of this has to back it out.
pub(super) fn answer(
    service: &Service,
    descriptor: &MessageDescriptor,
    body: &Bytes,
) -> Result<ServiceAnswer, ServiceError> {
    let data = if descriptor.format == Format::RF_HEADER_2 {
        behind_headers(service, descriptor, body)?
    } else {
        Data {
            bytes: Cow::Borrowed(body),
            is_text: descriptor.format == Format::STRING,
            ccsid: descriptor.ccsid,
            encoding: descriptor.encoding,
        }
    };
    let message = Some(Identifiers { message_id: descriptor.message_id, correlation_id: descriptor.correlation_id });
    let answer = |body, content| ServiceAnswer { status: 200, body, content, message, error: None };
    if data.bytes.is_empty() {
        return Ok(answer(Bytes::new(), Content::Json));
    }
    if let Some(structure) = service.transformation.as_ref().and_then(Transformation::of_responses) {
        let record = record(service, data)?;
        let mut json = Vec::new();
        structure
            .decode(&record, &mut json)
            .map_err(|error| ServiceError::reply_data(&service.name).with_details(error.to_string()))?;
        return Ok(answer(json.into(), Content::Json));
    }
    if !data.is_text {
        return Err(ServiceError::message_type(&service.name, "bytes"));
    }
    let text = in_set(service, data, 1208)?;
    match service.provider.payload {
        Payload::Text => {
            let is_text = std::str::from_utf8(&text).is_ok();
            let garbled =
                || ServiceError::reply_data(&service.name).with_details("the text is not UTF-8, as its MQMD says");
            is_text.then(|| answer(text.into_owned(), Content::Text)).ok_or_else(garbled)
        }
        Payload::Json => {
            check_object(&text)
                .map_err(|problem| ServiceError::reply_data(&service.name).with_details(problem.to_string()))?;
            Ok(answer(text.into_owned(), Content::Json))
        }
    }
}

/// Bytes as they are; text in the code page of records.
fn record<'a>(service: &Service, data: Data<'a>) -> Result<Cow<'a, Bytes>, ServiceError> {
    if data.is_text { in_set(service, data, service.provider.receive_text_ccsid) } else { Ok(data.bytes) }
}

/// The text in another set; not copied where nothing changes.
fn in_set<'a>(service: &Service, data: Data<'a>, wanted: u32) -> Result<Cow<'a, Bytes>, ServiceError> {
    let order = if data.encoding.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
    let from = if data.ccsid == Ccsid::Q_MGR { Ccsid::UTF_8 } else { data.ccsid };
    if u32::try_from(from.0) == Ok(wanted) {
        return Ok(data.bytes);
    }
    let unknown = || {
        let details = format!("the message is in CCSID {}, which is not known here", from.0);
        ServiceError::reply_data(&service.name).with_details(details)
    };
    let from = u32::try_from(from.0).ok().and_then(|ccsid| CharacterSet::of(ccsid, order)).ok_or_else(unknown)?;
    let to = CharacterSet::of(wanted, order).ok_or_else(unknown)?;
    let converted = codepage::convert(from, to, &data.bytes)
        .map_err(|error| ServiceError::reply_data(&service.name).with_details(error.to_string()))?;
    Ok(match converted.bytes {
        Cow::Borrowed(_) => data.bytes,
        Cow::Owned(bytes) => Cow::Owned(bytes.into()),
    })
}

fn behind_headers(
    service: &Service,
    descriptor: &MessageDescriptor,
    body: &Bytes,
) -> Result<Data<'static>, ServiceError> {
    let damaged = |problem: String| ServiceError::reply_data(&service.name).with_details(problem);
    let (mut format, mut ccsid, mut encoding) = (descriptor.format, descriptor.ccsid, descriptor.encoding);
    let mut rest = body.clone();
    let mut domain = None;
    for _ in 0..MAXIMUM_HEADERS {
        if format != Format::RF_HEADER_2 {
            break;
        }
        let (header, length) = Rfh2::decode(&rest, encoding).map_err(|error| damaged(error.to_string()))?;
        for folder in header.folders.iter().filter(|folder| is_domain(folder)) {
            let (_, properties) = read_folder(folder).map_err(|error| damaged(error.to_string()))?;
            let stated = properties.into_iter().find(|property| property.name == "Msd");
            domain = stated.map(|property| property.value.to_string()).or(domain);
        }
        rest = rest.slice(length.min(rest.len())..);
        (format, encoding) = (header.format, header.encoding);
        if !matches!(header.ccsid, Ccsid::INHERIT | Ccsid::Q_MGR) {
            ccsid = header.ccsid;
        }
    }
    let is_text = match domain.as_deref() {
        Some("jms_text") => true,
        Some("jms_bytes" | "jms_none" | "none") => false,
        Some(other @ ("jms_map" | "jms_stream" | "jms_object")) => {
            return Err(ServiceError::message_type(&service.name, other));
        }
        Some(_) | None => format == Format::STRING,
    };
    Ok(Data { bytes: Cow::Owned(rest), is_text, ccsid, encoding })
}

fn is_domain(folder: &str) -> bool {
    let tag = folder.trim_start().strip_prefix("<mcd");
    tag.is_some_and(|rest| rest.starts_with(['>', ' ', '/']))
}
