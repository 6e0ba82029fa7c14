//! MQSUB and MQSUBRQ.
//!
//! ```text
//! subscribe, request and reply   handle of the subscription 4 (-1 in requests), zero 4, MQSD with its texts
//! request, request and reply     action 4, MQSRO 16
//! ```
//!
//! The API header carries the handle of the destination queue in MQSUB, that of the subscription in MQSUBRQ. The classes
//! for Java subscribe by MQSUB, those for JMS by SPI verb 7. Source: `docs/channel-protocol.md` (C; what the zero means is
//! unknown).

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::subscription_descriptor::{SubscriptionRequestOptions, SubscriptionStructure};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscribe {
    pub subscription_handle: i32,
    pub reserved: i32,
    pub subscription: SubscriptionStructure,
}

impl Subscribe {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSUB");
        Ok(Self {
            subscription_handle: reader.integer()?,
            reserved: reader.integer()?,
            subscription: SubscriptionStructure::decode(reader)?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integers(&[self.subscription_handle, self.reserved]);
        self.subscription.encode(writer);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionRequest {
    /// MQSR_*: 1 send retained publications.
    pub action: i32,
    pub options: SubscriptionRequestOptions,
}

impl SubscriptionRequest {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSUBRQ");
        Ok(Self { action: reader.integer()?, options: SubscriptionRequestOptions::decode(reader)? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integer(self.action);
        self.options.encode(writer);
    }
}
