//! GET of a message list: every matching message, whatever its format, in delivery order, without bodies.

use std::fmt::Write;

use http::StatusCode;
use identity::Identity;
use model::descriptor::Format;
use model::message::Message;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;

use crate::answer::{self, Answer};
use crate::error::{ApiError, Verb};
use crate::routes::Version;
use crate::service::Call;

use super::readable::Readable;
use super::selection::{Selection, Takes};
use super::{OpenQueue, Target, Walk, get_flags, headers};

/// A list up to this length is not charged while it is written.
const UNCHARGED: usize = 64 << 10;

/// On an empty queue, and on one whose gets are inhibited, the list is empty.
///
/// # Errors
/// As section 1.7 of the reference: 400, 403, 404, 500, 503.
pub(crate) async fn list(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::BrowseFrom)?;
    let selection = Selection::read(&call, Takes::IdentifiersAndLimit)?;
    let mut queue = target.open(OpenOptions::BROWSE | OpenOptions::INQUIRE).await?;
    let result = write_list(call, &mut queue, &selection).await;
    queue.close().await;
    result.map(|body| answer::json(StatusCode::OK, body))
}

async fn write_list(call: Call<'_>, queue: &mut OpenQueue<'_>, selection: &Selection) -> Result<String, ApiError> {
    let flags = get_flags() | GetFlags::ACCEPT_TRUNCATED_MSG;
    let mut options =
        GetOptions { flags: flags | GetFlags::BROWSE_FIRST, buffer_length: Some(0), ..GetOptions::default() };
    selection.apply(&mut options);
    let mut body = String::from("{\"messages\": [");
    let mut listed = 0;
    let mut walk = Walk::default();
    // Lists of many requests grow side by side.
    let limits = &call.settings.options.limits;
    let mut charge = call.shared.answers.charge(0);
    let mut charged = UNCHARGED;
    while listed < selection.limit() {
        let message = match queue.get(&options).await {
            Ok(message) => message,
            Err(error) if matches!(error.reason(), Reason::NoMsgAvailable | Reason::GetInhibited) => break,
            Err(error) => return Err(queue.target.failed(&error)),
        };
        options.flags = flags | GetFlags::BROWSE_NEXT;
        walk.step().await;
        let correlation_text = correlation_text(call.version, queue, &message).await?;
        if !selection.is_of(correlation_text.as_deref()) {
            continue;
        }
        if listed > 0 {
            body.push_str(", ");
        }
        write_entry(&mut body, call.version, &message, correlation_text.as_deref());
        listed += 1;
        if body.capacity() > charged {
            charged = body.capacity();
            if !charge.grow_to(charged, limits.answer_memory_bytes) {
                return Err(ApiError::overloaded("limits.answer_memory_bytes"));
            }
        }
    }
    body.push_str("]}");
    if charged > UNCHARGED {
        body.shrink_to_fit();
    }
    Ok(body)
}

/// The correlation text of a JMS message, which only its body tells: read it again, as a whole. v3 only.
async fn correlation_text(
    version: Version,
    queue: &mut OpenQueue<'_>,
    message: &Message,
) -> Result<Option<String>, ApiError> {
    let descriptor = &message.descriptor;
    if version < Version::V3 || descriptor.format != Format::RF_HEADER_2 || descriptor.correlation_id.is_none() {
        return Ok(None);
    }
    let flags = get_flags() | GetFlags::BROWSE_MSG_UNDER_CURSOR;
    match queue.get(&GetOptions { flags, ..GetOptions::default() }).await {
        Ok(whole) => {
            let readable = Readable::of(version, &whole).ok();
            Ok(readable.and_then(|readable| readable.correlation_text().map(str::to_owned)))
        }
        Err(error) if matches!(error.reason(), Reason::NoMsgUnderCursor | Reason::NoMsgAvailable) => Ok(None),
        Err(error) => Err(queue.target.failed(&error)),
    }
}

fn write_entry(body: &mut String, version: Version, message: &Message, correlation_text: Option<&str>) {
    let descriptor = &message.descriptor;
    let prefix = if version < Version::V3 { "" } else { headers::ID_PREFIX };
    body.push_str("{\n");
    match correlation_text {
        Some(text) => member(body, "correlationId", text),
        None if descriptor.correlation_id.is_none() => {}
        None => {
            let _ = writeln!(body, "  \"correlationId\": \"{prefix}{}\",", descriptor.correlation_id);
        }
    }
    member(body, "format", &descriptor.format.0.to_text());
    let _ = write!(body, "  \"messageId\": \"{prefix}{}\"\n}}", descriptor.message_id);
}

fn member(body: &mut String, name: &str, value: &str) {
    let _ = writeln!(body, "  \"{name}\": {},", serde_json::Value::from(value));
}
