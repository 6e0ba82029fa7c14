//! What a get shows of a message whose MQRFH2 carries properties: all of it, or the data without them.
//!
//! Properties lie in MQRFH2 headers at the front of the data, as clients put them there. They are left out when a get asks
//! for that (MQGMO_NO_PROPERTIES), and when it says nothing and the queue or alias has PROPCTL(NONE). Folders that hold no
//! properties stay, in a header of their own. What is malformed is shown as it is.
//!
//! Source: MQ reference, "MQGMO_NO_PROPERTIES", "PROPCTL", and "MQRFH2", folders that are properties, 9.3.

use bytes::Bytes;
use model::descriptor::{Ccsid, Format, MessageDescriptor};
use model::header::rfh2::Rfh2;
use model::message::Message;

/// Folders that hold properties, whoever wrote them; others do when their tag says so.
const PROPERTY_FOLDERS: [&str; 7] = ["jms", "mcd", "mq", "mq_usr", "mqext", "mqps", "usr"];
const SAYS_SO: [&str; 2] = ["content='properties'", "content=\"properties\""];
/// Headers looked at in one message.
const MAXIMUM_HEADERS: usize = 8;

/// Whether a message may have properties in its data at all.
pub(super) fn may_have_properties(descriptor: &MessageDescriptor) -> bool {
    descriptor.format == Format::RF_HEADER_2
}

/// The same message without properties.
pub(super) fn without_properties(message: Message) -> Message {
    let Message { mut descriptor, mut body } = message;
    for _ in 0..MAXIMUM_HEADERS {
        if !may_have_properties(&descriptor) {
            break;
        }
        let Ok((mut header, length)) = Rfh2::decode(&body, descriptor.encoding) else { break };
        let before = header.folders.len();
        header.folders.retain(|folder| !is_of_properties(folder));
        let rest = body.slice(length.min(body.len())..);
        if !header.folders.is_empty() {
            if header.folders.len() < before {
                body = with_header(&header, &descriptor, &rest);
            }
            break;
        }
        descriptor.format = header.format;
        descriptor.encoding = header.encoding;
        if header.ccsid != Ccsid::INHERIT {
            descriptor.ccsid = header.ccsid;
        }
        body = rest;
    }
    Message { descriptor, body }
}

fn with_header(header: &Rfh2, descriptor: &MessageDescriptor, rest: &Bytes) -> Bytes {
    let mut whole = Vec::with_capacity(Rfh2::FIXED_LENGTH + rest.len());
    header.encode(descriptor.encoding, &mut whole);
    whole.extend_from_slice(rest);
    Bytes::from(whole)
}

fn is_of_properties(folder: &str) -> bool {
    let Some(tag) = folder.trim_start().strip_prefix('<').and_then(|rest| rest.split(['>', '/']).next()) else {
        return false;
    };
    let name = tag.split_ascii_whitespace().next().unwrap_or_default();
    PROPERTY_FOLDERS.contains(&name) || SAYS_SO.iter().any(|words| tag.contains(words))
}

#[cfg(test)]
mod tests;
