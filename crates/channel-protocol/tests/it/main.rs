//! The crate's public face: captured flows, malformed input, round trips, splitting.

mod capture;
mod replay;
