//! The flows, a file a family: what a request and its reply carry, at both ends.
//!
//! A type `X` with `decode` and `encode` is what follows the API header of a verb (`call.rs`), or the whole body of a
//! segment that is not a verb. `request.rs` and `reply.rs` put them together by segment type.

pub mod call;
pub mod connect;
pub mod consume;
pub mod get;
pub mod identify;
pub mod initial;
pub mod inquire;
pub mod open;
pub mod passed_on;
pub mod put;
pub mod socket;
pub mod spi;
pub mod spi_put;
pub mod spi_subscribe;
pub mod stat;
pub mod status;
pub mod subscribe;
pub mod xa;
