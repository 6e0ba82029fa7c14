//! The public face of `model`: headers, properties, data conversion, reasons.

mod conversion;
mod differences;
mod headers;
mod pcf;
mod properties;
mod reasons;
