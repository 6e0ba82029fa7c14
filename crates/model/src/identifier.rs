//! The 24-byte identifiers of MQMD as newtypes, in bytes and in hexadecimal.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hex;

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $length:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; $length]);

        impl $name {
            pub const LENGTH: usize = $length;
            /// All zeros: MQ's "none".
            pub const NONE: Self = Self([0; $length]);

            pub const fn new(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            /// Exactly twice as many hexadecimal digits as bytes, in either case; `None` otherwise.
            pub fn from_hex(digits: &str) -> Option<Self> {
                hex::read(digits).map(Self)
            }

            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }

            pub fn is_none(&self) -> bool {
                self.0 == [0; $length]
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NONE
            }
        }

        impl fmt::Display for $name {
            /// Lower-case hexadecimal.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(hex::write(&self.0, &mut [0; 2 * $length]))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(hex::write(&self.0, &mut [0; 2 * $length]))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let hex = String::deserialize(deserializer)?;
                Self::from_hex(&hex).ok_or_else(|| serde::de::Error::custom("expected hexadecimal digits of full length"))
            }
        }
    };
}

identifier!(
    /// MQMD `MsgId`: names one message; made by the queue manager unless the application supplies one.
    MessageId, 24
);
identifier!(
    /// MQMD `CorrelId`: ties a message to another, by the application's choice.
    CorrelationId, 24
);
identifier!(
    /// MQMD `GroupId`: names the group or logical message a physical message belongs to.
    GroupId, 24
);
identifier!(
    /// MQMD `AccountingToken`: identity context that lets work be charged.
    AccountingToken, 32
);

impl From<MessageId> for CorrelationId {
    /// The usual reply rule: the request's message id becomes the reply's correlation id.
    fn from(id: MessageId) -> Self {
        Self(id.0)
    }
}

impl From<CorrelationId> for MessageId {
    fn from(id: CorrelationId) -> Self {
        Self(id.0)
    }
}
