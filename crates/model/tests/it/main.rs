//! The public face of `model`: headers, properties, data conversion, reasons.

mod conversion;
mod headers;
mod pcf;
mod properties;
mod reasons;
