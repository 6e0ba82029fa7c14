//! The crate's public face.

mod api_keys;
mod authenticator;
mod vectors;
