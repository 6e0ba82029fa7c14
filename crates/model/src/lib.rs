//! The words of MQ as types: messages and their descriptor, identifiers, object definitions, reasons, headers.
//!
//! Pure data and pure functions: no IO, no clock, no async, no lock. Same input, same output, always.
//! Every other crate speaks in these types, so a value that exists here is already valid.

pub mod authority;
pub mod causes;
pub mod client_address;
pub mod conversion;
pub mod definition;
pub mod descriptor;
pub mod descriptor_codec;
pub mod distinguished_name;
pub mod group;
pub mod header;
pub mod hex;
pub mod identifier;
pub mod identity_context;
pub mod jms;
pub mod message;
pub mod message_file;
pub mod name;
pub mod options;
pub mod pattern;
pub mod pcf;
pub mod property;
pub mod reason;
pub mod subscribe;
pub mod text;
pub mod timestamp;
