//! The crate's public face.

mod vectors;
