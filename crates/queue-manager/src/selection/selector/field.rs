//! What a name in a selector stands for: a property, a header field of JMS, or a field of the descriptor.
//!
//! | name | value |
//! |---|---|
//! | `Root.MQMD.X` | field X of MQMD: numbers, text without padding, identifiers as bytes |
//! | `JMSMessageID`, `JMSCorrelationID` | `ID:` and hexadecimal digits; a correlation id of the program's own form as that |
//! | `JMSDeliveryMode` | `'PERSISTENT'` or `'NON_PERSISTENT'`, and 2 or 1 |
//! | `JMSPriority`, `JMSTimestamp`, `JMSType`, `JMSRedelivered`, `JMSX…`, `JMS_IBM_…` | as JMS has them |
//! | `folder.name` | an element of another folder of an MQRFH2, where the `usr` folder has none of that name |
//! | any other | a property of the `usr` folder |
//!
//! Source: MQ, "Mapping JMS fields onto IBM MQ fields", "JMS fields in the MQRFH2 header", 9.3.

use std::borrow::Cow;

use model::descriptor::{MessageFlags, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::text::Text;
use model::timestamp::Timestamp;

use crate::selection::selector::message::View;
use crate::selection::selector::value::{Value, identifier};
use crate::selection::selector::{Identifiers, SelectorError};

#[derive(Debug, Clone)]
pub(super) enum Field {
    Known(&'static Known),
    Property(String),
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Field::Known(one), Field::Known(other)) => one.name == other.name,
            (Field::Property(one), Field::Property(other)) => one == other,
            (Field::Known(_), Field::Property(_)) | (Field::Property(_), Field::Known(_)) => false,
        }
    }
}

/// A name with a meaning of its own.
#[derive(Debug)]
pub(super) struct Known {
    name: &'static str,
    pub(super) read: for<'v> fn(&'v View<'_>) -> Value<'v>,
}

impl Field {
    /// # Errors
    /// `Content`: a path into the body.
    pub(super) fn named(name: String) -> Result<Self, SelectorError> {
        if let Some(known) = KNOWN.iter().find(|known| known.name == name) {
            return Ok(Field::Known(known));
        }
        if name.starts_with("Root.") {
            return Err(SelectorError::Content { name });
        }
        Ok(Field::Property(name))
    }

    /// What a message has whose field equals `value`, and whether every such message is meant. `None` when the
    /// comparison says nothing of identifiers.
    pub(super) fn identifiers(&self, value: &Value<'_>) -> Option<(Identifiers, bool)> {
        let Field::Known(known) = self else { return None };
        let bytes = match value {
            Value::String(text) => identifier(text),
            Value::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        };
        let whole: Option<[u8; 24]> = bytes.and_then(|bytes| bytes.try_into().ok()).filter(|id| *id != [0; 24]);
        match (known.name, value) {
            ("JMSMessageID", Value::String(_)) | ("Root.MQMD.MsgId", Value::Bytes(_)) => {
                Some((Identifiers { message_id: Some(MessageId::new(whole?)), correlation_id: None }, true))
            }
            ("Root.MQMD.CorrelId", Value::Bytes(_)) => {
                Some((Identifiers { message_id: None, correlation_id: Some(CorrelationId::new(whole?)) }, true))
            }
            ("JMSCorrelationID", Value::String(text)) => {
                // Text of the program's own is in MQMD as far as it fits, and whole in the `jms` folder.
                let is_own = whole.is_none();
                let id = whole.or_else(|| of_text(text))?;
                Some((Identifiers { message_id: None, correlation_id: Some(CorrelationId::new(id)) }, !is_own))
            }
            _ => None,
        }
    }
}

/// MQMD `CorrelId` of a correlation id in the program's own form: its first 24 bytes, zeros behind.
fn of_text(text: &str) -> Option<[u8; 24]> {
    if text.is_empty() || text.starts_with("ID:") {
        return None;
    }
    let mut id = [0; 24];
    let length = text.len().min(id.len());
    id[..length].copy_from_slice(&text.as_bytes()[..length]);
    Some(id)
}

/// A row of `KNOWN`.
const fn known(name: &'static str, read: for<'v> fn(&'v View<'_>) -> Value<'v>) -> Known {
    Known { name, read }
}

static KNOWN: [Known; 52] = [
    known("JMSMessageID", |view| Value::Identifier(view.descriptor.message_id.as_bytes())),
    known("JMSCorrelationID", correlation_id),
    known("JMSDeliveryMode", |view| Value::DeliveryMode {
        persistent: view.descriptor.persistence == Persistence::Persistent,
    }),
    known("JMSPriority", |view| Value::Integer(view.descriptor.priority.into())),
    known("JMSTimestamp", timestamp),
    known("JMSType", jms_type),
    known("JMSRedelivered", |view| Value::Boolean(view.descriptor.backout_count > 0)),
    known("JMSExpiration", |view| long(view.text("jms", "Exp"))),
    known("JMSDestination", |view| text(view.text("jms", "Dst"))),
    known("JMSReplyTo", reply_to),
    known("JMSXUserID", |view| field(&view.descriptor.user_identifier)),
    known("JMSXAppID", |view| field(&view.descriptor.put_application_name)),
    known("JMSXDeliveryCount", |view| Value::Integer(i64::from(view.descriptor.backout_count) + 1)),
    known("JMSXGroupID", group_id),
    known("JMSXGroupSeq", group_sequence),
    known("JMS_IBM_Format", |view| field(&view.descriptor.format.0)),
    known("JMS_IBM_MsgType", |view| Value::Integer(view.descriptor.message_type.0.into())),
    known("JMS_IBM_Feedback", |view| Value::Integer(view.descriptor.feedback.0.into())),
    known("JMS_IBM_PutApplType", |view| Value::Integer(view.descriptor.put_application_type.into())),
    known("JMS_IBM_PutDate", |view| field(&view.descriptor.put_date)),
    known("JMS_IBM_PutTime", |view| field(&view.descriptor.put_time)),
    known("JMS_IBM_Encoding", |view| Value::Integer(view.descriptor.encoding.0.into())),
    known("JMS_IBM_Character_Set", |view| Value::Integer(view.descriptor.ccsid.0.into())),
    known("JMS_IBM_Last_Msg_In_Group", |view| {
        Value::Boolean(view.descriptor.message_flags.contains(MessageFlags::LAST_MSG_IN_GROUP))
    }),
    known("Root.MQMD.Report", |view| Value::Integer(view.descriptor.report.bits().into())),
    known("Root.MQMD.MsgType", |view| Value::Integer(view.descriptor.message_type.0.into())),
    known("Root.MQMD.Expiry", |view| Value::Integer(view.descriptor.expiry.0.into())),
    known("Root.MQMD.Feedback", |view| Value::Integer(view.descriptor.feedback.0.into())),
    known("Root.MQMD.Encoding", |view| Value::Integer(view.descriptor.encoding.0.into())),
    known("Root.MQMD.CodedCharSetId", |view| Value::Integer(view.descriptor.ccsid.0.into())),
    known("Root.MQMD.Format", |view| field(&view.descriptor.format.0)),
    known("Root.MQMD.Priority", |view| Value::Integer(view.descriptor.priority.into())),
    known("Root.MQMD.Persistence", |view| {
        Value::Integer((view.descriptor.persistence == Persistence::Persistent).into())
    }),
    known("Root.MQMD.MsgId", |view| Value::Bytes(Cow::Borrowed(view.descriptor.message_id.as_bytes()))),
    known("Root.MQMD.CorrelId", |view| Value::Bytes(Cow::Borrowed(view.descriptor.correlation_id.as_bytes()))),
    known("Root.MQMD.BackoutCount", |view| Value::Integer(view.descriptor.backout_count.into())),
    known("Root.MQMD.ReplyToQ", |view| Value::String(view.descriptor.reply_to_queue.as_str().into())),
    known("Root.MQMD.ReplyToQMgr", |view| Value::String(view.descriptor.reply_to_queue_manager.as_str().into())),
    known("Root.MQMD.UserIdentifier", |view| field(&view.descriptor.user_identifier)),
    known("Root.MQMD.AccountingToken", |view| Value::Bytes(Cow::Borrowed(view.descriptor.accounting_token.as_bytes()))),
    known("Root.MQMD.ApplIdentityData", |view| field(&view.descriptor.application_identity_data)),
    known("Root.MQMD.PutApplType", |view| Value::Integer(view.descriptor.put_application_type.into())),
    known("Root.MQMD.PutApplName", |view| field(&view.descriptor.put_application_name)),
    known("Root.MQMD.PutDate", |view| field(&view.descriptor.put_date)),
    known("Root.MQMD.PutTime", |view| field(&view.descriptor.put_time)),
    known("Root.MQMD.ApplOriginData", |view| field(&view.descriptor.application_origin_data)),
    known("Root.MQMD.GroupId", |view| Value::Bytes(Cow::Borrowed(view.descriptor.group_id.as_bytes()))),
    known("Root.MQMD.MsgSeqNumber", |view| Value::Integer(view.descriptor.message_sequence_number.into())),
    known("Root.MQMD.Offset", |view| Value::Integer(view.descriptor.offset.into())),
    known("Root.MQMD.MsgFlags", |view| Value::Integer(view.descriptor.message_flags.bits().into())),
    known("Root.MQMD.OriginalLength", |view| Value::Integer(view.descriptor.original_length.into())),
    known("Root.MQMD.Version", |_| Value::Integer(2)),
];

fn field<const N: usize>(field: &Text<N>) -> Value<'_> {
    Value::String(field.to_text())
}

fn text(text: Option<String>) -> Value<'static> {
    text.map_or(Value::Null, |text| Value::String(text.into()))
}

fn long(text: Option<String>) -> Value<'static> {
    text.and_then(|text| text.trim().parse().ok()).map_or(Value::Null, Value::Integer)
}

/// The program's own form where there is one, otherwise MQMD's.
fn correlation_id<'v>(view: &'v View<'_>) -> Value<'v> {
    let own = view.text("jms", "Cid").filter(|own| !own.starts_with("ID:"));
    match own {
        Some(own) => Value::String(own.into()),
        None if view.descriptor.correlation_id.is_none() => Value::Null,
        None => Value::Identifier(view.descriptor.correlation_id.as_bytes()),
    }
}

fn timestamp<'v>(view: &'v View<'_>) -> Value<'v> {
    let put = || {
        let at = Timestamp::of_put(&view.descriptor.put_date, &view.descriptor.put_time)?;
        i64::try_from(at.as_millis()).ok()
    };
    match long(view.text("jms", "Tms")) {
        Value::Null => put().map_or(Value::Null, Value::Integer),
        sent => sent,
    }
}

/// The type alone, or with set and format as a URI of `mcd:`.
fn jms_type<'v>(view: &'v View<'_>) -> Value<'v> {
    let part = |name| view.text("mcd", name).filter(|part| !part.is_empty());
    let (set, message_type, format) = (part("Set"), part("Type"), part("Fmt"));
    if set.is_none() && format.is_none() {
        return text(message_type);
    }
    let domain = part("Msd").unwrap_or_default();
    let mut uri = format!("mcd://{domain}/{}/{}", set.unwrap_or_default(), message_type.unwrap_or_default());
    if let Some(format) = format {
        uri.push_str("?format=");
        uri.push_str(&format);
    }
    Value::String(uri.into())
}

fn reply_to<'v>(view: &'v View<'_>) -> Value<'v> {
    let named = view.text("jms", "Rto").map(|uri| Value::String(uri.into()));
    named.unwrap_or_else(|| {
        let descriptor = view.descriptor;
        if descriptor.reply_to_queue.is_blank() {
            return Value::Null;
        }
        Value::String(format!("queue://{}/{}", descriptor.reply_to_queue_manager, descriptor.reply_to_queue).into())
    })
}

fn group_id<'v>(view: &'v View<'_>) -> Value<'v> {
    let own = view.text("jms", "Gid").filter(|own| !own.starts_with("ID:"));
    match own {
        Some(own) => Value::String(own.into()),
        None if view.descriptor.group_id.is_none() => Value::Null,
        None => Value::Identifier(view.descriptor.group_id.as_bytes()),
    }
}

fn group_sequence<'v>(view: &'v View<'_>) -> Value<'v> {
    match long(view.text("jms", "Seq")) {
        Value::Null if view.descriptor.group_id.is_none() => Value::Null,
        Value::Null => Value::Integer(view.descriptor.message_sequence_number.into()),
        sequence => sequence,
    }
}
