//! The public face of `codepage`: tables, text, conversion.

mod conversion;
mod tables;
