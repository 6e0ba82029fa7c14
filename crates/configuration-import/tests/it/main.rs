//! The crate's public face.

mod reference_rows;
mod samples;
