//! The message API through its public face.

mod envelope;
mod exported;
mod headers;
