//! MQSD version 1 and the request options MQSRO of MQSUBRQ.
//!
//! ```text
//! SD     0 StrucId "SD  "        4     112 SubExpiry         4     200 PubPriority            4
//!        4 Version 1             4     116 ObjectString     20     204 PubAccountingToken    32
//!        8 Options               4     136 SubName          20     236 PubApplIdentityData   32
//!       12 ObjectName           48     156 SubUserData      20     268 SelectionString       20
//!       60 AlternateUserId      12     176 SubCorrelId      24     288 SubLevel               4
//!       72 AlternateSecurityId  40                                 292 ResObjectString       20
//!                                                                  312 then the texts
//!
//! SRO    0 StrucId "SRO "        4       8 Options           4
//!        4 Version 1             4      12 NumPubs           4      16
//! ```
//!
//! Source: MQ reference, "MQSD", "MQSRO", 9.3; capture 11 for the layout (C).

use model::descriptor::Expiry;
use model::identifier::{AccountingToken, CorrelationId};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::form::Form;
use crate::structure::char_string::{self, CharString};
use crate::structure::object_descriptor::object_name;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionStructure {
    pub flags: SubscribeFlags,
    pub topic_object: Text<48>,
    pub alternate_user: Text<12>,
    pub alternate_security: [u8; 40],
    /// In tenths of a second; -1 unlimited.
    pub expiry: i32,
    pub object_string: CharString,
    pub name: CharString,
    pub user_data: CharString,
    pub correlation_id: [u8; 24],
    pub priority: i32,
    pub accounting_token: [u8; 32],
    pub application_identity_data: Text<32>,
    pub selection_string: CharString,
    pub level: i32,
    pub resolved_object_string: CharString,
}

impl Default for SubscriptionStructure {
    fn default() -> Self {
        Self::from_model(&SubscriptionDescriptor::default())
    }
}

impl SubscriptionStructure {
    pub const LENGTH: usize = 312;

    /// # Errors
    /// Too short, or a text outside the body; refused with 2424 for another identifier or version.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSD");
        let base = reader.offset();
        if reader.peek_identifier()? != *b"SD  " {
            return Err(DecodeError::Refused(Reason::SdError));
        }
        reader.take(4)?;
        if reader.integer()? != 1 {
            return Err(DecodeError::Refused(Reason::SdError));
        }
        let mut strings = char_string::Decoding::new(base);
        let decoded = Self {
            flags: SubscribeFlags::from_bits_retain(reader.bits()?),
            topic_object: reader.text()?,
            alternate_user: reader.text()?,
            alternate_security: reader.array()?,
            expiry: reader.integer()?,
            object_string: strings.read(reader)?,
            name: strings.read(reader)?,
            user_data: strings.read(reader)?,
            correlation_id: reader.array()?,
            priority: reader.integer()?,
            accounting_token: reader.array()?,
            application_identity_data: reader.text()?,
            selection_string: strings.read(reader)?,
            level: reader.integer()?,
            resolved_object_string: strings.read(reader)?,
        };
        strings.finish(reader);
        Ok(decoded)
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        let mut running = Self::LENGTH;
        writer.text(b"SD  ");
        writer.integer(1);
        writer.bits(self.flags.bits());
        writer.text(self.topic_object.as_bytes());
        writer.text(self.alternate_user.as_bytes());
        writer.bytes(&self.alternate_security);
        writer.integer(self.expiry);
        char_string::encode(&self.object_string, &mut running, writer);
        char_string::encode(&self.name, &mut running, writer);
        char_string::encode(&self.user_data, &mut running, writer);
        writer.bytes(&self.correlation_id);
        writer.integer(self.priority);
        writer.bytes(&self.accounting_token);
        writer.text(self.application_identity_data.as_bytes());
        char_string::encode(&self.selection_string, &mut running, writer);
        writer.integer(self.level);
        char_string::encode(&self.resolved_object_string, &mut running, writer);
        let strings =
            [&self.object_string, &self.name, &self.user_data, &self.selection_string, &self.resolved_object_string];
        char_string::encode_texts(&strings, base, writer);
    }

    /// The same for a reply: strings come back as zeros, never as a length without text.
    #[must_use]
    pub fn without_strings(mut self) -> Self {
        self.object_string = CharString::default();
        self.name = CharString::default();
        self.user_data = CharString::default();
        self.selection_string = CharString::default();
        self.resolved_object_string = CharString::default();
        self
    }

    /// # Errors
    /// 2085 a topic name no object can have, 2440, 2441, 2431 or 2519 a string that cannot be decoded.
    pub fn to_model(&self, form: Form) -> Result<SubscriptionDescriptor, Reason> {
        Ok(SubscriptionDescriptor {
            flags: self.flags,
            topic_object: object_name(&self.topic_object).ok_or(Reason::UnknownObjectName)?,
            topic_string: self.object_string.to_text(form).ok_or(Reason::ObjectStringError)?,
            alternate_user: self.alternate_user.to_text().into_owned(),
            name: self.name.to_text(form).ok_or(Reason::SubNameError)?,
            expiry: Expiry(self.expiry),
            user_data: self.user_data.to_text(form).ok_or(Reason::SubUserDataError)?,
            correlation_id: CorrelationId::new(self.correlation_id),
            priority: self.priority,
            accounting_token: AccountingToken::new(self.accounting_token),
            application_identity_data: self.application_identity_data,
            selector: self.selection_string.to_text(form).ok_or(Reason::SelectionStringError)?,
            level: self.level,
            shared: false,
        })
    }

    pub fn from_model(subscription: &SubscriptionDescriptor) -> Self {
        Self {
            flags: subscription.flags,
            topic_object: Text::from_bytes(subscription.topic_object.padded()),
            alternate_user: Text::new(&subscription.alternate_user),
            alternate_security: [0; 40],
            expiry: subscription.expiry.0,
            object_string: CharString::utf_8(&subscription.topic_string),
            name: CharString::utf_8(&subscription.name),
            user_data: CharString::utf_8(&subscription.user_data),
            correlation_id: *subscription.correlation_id.as_bytes(),
            priority: subscription.priority,
            accounting_token: *subscription.accounting_token.as_bytes(),
            application_identity_data: subscription.application_identity_data,
            selection_string: CharString::utf_8(&subscription.selector),
            level: subscription.level,
            resolved_object_string: CharString::default(),
        }
    }
}

/// MQSRO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscriptionRequestOptions {
    pub options: i32,
    /// How many retained publications were sent.
    pub publications: i32,
}

impl SubscriptionRequestOptions {
    /// # Errors
    /// Too short; refused with 2438 for another identifier or version.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSRO");
        if reader.peek_identifier()? != *b"SRO " {
            return Err(DecodeError::Refused(Reason::SroError));
        }
        reader.take(4)?;
        if reader.integer()? != 1 {
            return Err(DecodeError::Refused(Reason::SroError));
        }
        Ok(Self { options: reader.integer()?, publications: reader.integer()? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(b"SRO ");
        writer.integers(&[1, self.options, self.publications]);
    }
}
