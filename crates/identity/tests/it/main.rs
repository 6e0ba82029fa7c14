//! The crate's public face.

mod authenticator;
mod vectors;
