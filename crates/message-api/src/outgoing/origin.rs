//! The members of an envelope that say where a message comes from, and the rest of its descriptor: those of an export.
//!
//! They are read from every envelope. They count where the message is put with its own context, as an import does; elsewhere
//! the queue manager writes that part of the descriptor itself.

use model::descriptor::{MessageDescriptor, MessageFlags};
use model::identifier::AccountingToken;
use model::text::Text;
use serde::Deserialize;

use super::{Envelope, NUMBER, read};
use crate::error::NotAMessage;

/// A field of characters: a text, or the hexadecimal digits of all its bytes.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum TextMember {
    Text(String),
    Hex { hex: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PutApplication {
    name: Option<TextMember>,
    r#type: Option<i64>,
}

impl TextMember {
    /// # Errors
    /// It is longer than the field, or has no such digits.
    pub(super) fn field<const N: usize>(&self, member: &'static str) -> Result<Text<N>, NotAMessage> {
        match self {
            Self::Text(text) if text.len() <= N => Ok(Text::new(text)),
            Self::Text(text) => Err(NotAMessage::member(member, text, "a text that its field of MQMD can hold")),
            Self::Hex { hex } => {
                let bytes = bytes_of_hex(hex).and_then(|bytes| bytes.try_into().ok());
                bytes.map(Text::from_bytes).ok_or_else(|| {
                    NotAMessage::member(member, hex, "two hexadecimal digits for each byte of its field of MQMD")
                })
            }
        }
    }
}

/// Two digits for each byte.
pub(super) fn bytes_of_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |character: u8| char::from(character).to_digit(16);
    let byte = |pair: &[u8]| u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok();
    digits.len().is_multiple_of(2).then(|| digits.as_bytes().chunks_exact(2).map(byte).collect())?
}

impl Envelope<'_> {
    /// Behind all other members: the flags are those of the message, whatever the others have made of them.
    pub(super) fn describe_origin(&self, descriptor: &mut MessageDescriptor) -> Result<(), NotAMessage> {
        if let Some(flags) = self.flags {
            let bits = read("flags", &flags.to_string(), NUMBER, |text| text.parse().ok())?;
            descriptor.message_flags = MessageFlags::from_bits_retain(bits);
        }
        if let Some(length) = self.original_length {
            descriptor.original_length = read("originalLength", &length.to_string(), NUMBER, |text| text.parse().ok())?;
        }
        if let Some(user) = &self.user {
            descriptor.user_identifier = user.field("user")?;
        }
        if let Some(token) = &self.accounting_token {
            descriptor.accounting_token =
                read("accountingToken", token, "64 hexadecimal digits", AccountingToken::from_hex)?;
        }
        if let Some(data) = &self.application_identity_data {
            descriptor.application_identity_data = data.field("applicationIdentityData")?;
        }
        if let Some(PutApplication { name, r#type }) = &self.put_application {
            if let Some(name) = name {
                descriptor.put_application_name = name.field("putApplication")?;
            }
            if let Some(number) = r#type {
                descriptor.put_application_type =
                    read("putApplication", &number.to_string(), NUMBER, |text| text.parse().ok())?;
            }
        }
        if let Some(date) = &self.put_date {
            descriptor.put_date = date.field("putDate")?;
        }
        if let Some(time) = &self.put_time {
            descriptor.put_time = time.field("putTime")?;
        }
        if let Some(data) = &self.application_origin_data {
            descriptor.application_origin_data = data.field("applicationOriginData")?;
        }
        Ok(())
    }
}
