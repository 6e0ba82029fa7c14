//! The crate's public face.

mod gnucobol;
mod vectors;
