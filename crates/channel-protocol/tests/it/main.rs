//! The crate's public face: captured flows, malformed input, round trips, splitting.

mod capture;
mod flows;
mod framing;
mod generate;
mod malformed;
mod negotiation;
mod replay;
mod round_trip;
