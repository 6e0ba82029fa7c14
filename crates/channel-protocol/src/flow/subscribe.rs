//! MQSUB and MQSUBRQ.
//!
//! ```text
//! subscribe, request and reply   MQSD (with its texts), handle of the subscription 4
//! request, request and reply     handle of the subscription 4, action 4, MQSRO 16
//! ```
//!
//! In MQSUB the API header carries the handle of the destination queue; the reply gives both. Never observed: the Java
//! client subscribes by SPI verb 7. The order of the fields is that of the MQI's parameters (G).

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::subscription_descriptor::{SubscriptionRequestOptions, SubscriptionStructure};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscribe {
    pub subscription: SubscriptionStructure,
    pub subscription_handle: i32,
}

impl Subscribe {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let subscription = SubscriptionStructure::decode(reader)?;
        let subscription_handle = if reader.is_empty() { 0 } else { reader.integer()? };
        Ok(Self { subscription, subscription_handle })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.subscription.encode(writer);
        writer.integer(self.subscription_handle);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionRequest {
    pub subscription_handle: i32,
    /// MQSR_*: 1 send retained publications.
    pub action: i32,
    pub options: SubscriptionRequestOptions,
}

impl SubscriptionRequest {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSUBRQ");
        Ok(Self {
            subscription_handle: reader.integer()?,
            action: reader.integer()?,
            options: SubscriptionRequestOptions::decode(reader)?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integer(self.subscription_handle);
        writer.integer(self.action);
        self.options.encode(writer);
    }
}
