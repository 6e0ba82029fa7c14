//! The 24-byte identifiers of MQMD as newtypes, in bytes and in hexadecimal.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
            pub fn from_hex(hex: &str) -> Option<Self> {
                let digits = hex.as_bytes();
                if digits.len() != 2 * $length {
                    return None;
                }
                let mut bytes = [0; $length];
                for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
                    *byte = digit(pair[0])? << 4 | digit(pair[1])?;
                }
                Some(Self(bytes))
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
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let mut text = [0; 2 * $length];
                for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
                    pair[0] = DIGITS[usize::from(byte >> 4)];
                    pair[1] = DIGITS[usize::from(byte & 15)];
                }
                f.write_str(std::str::from_utf8(&text).expect("hexadecimal digits are ASCII"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
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

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        b'A'..=b'F' => Some(character - b'A' + 10),
        _ => None,
    }
}
