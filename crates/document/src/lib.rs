//! The file formats that services and API requesters share: YAML, Java properties, XML and zip archives, to values and back.
//!
//! Pure: bytes come in, bytes go out. No IO, no clock, no async. Every reader is bounded in length, depth and number, for what
//! it reads comes from outside.

pub mod package;
pub mod properties;
pub mod xml;
pub mod yaml;
