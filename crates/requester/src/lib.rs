//! The API requester: programs with records in front, REST APIs behind.
//!
//! A program sends the record of a request; the structures of an archive (`build_toolkit::archive`) say how it becomes path,
//! query, headers and body of an HTTP request, and how the answer becomes a record again.
//!
//! ```text
//! record --conversion--> JSON --mapping--> request --client--> API --client--> answer --conversion--> record
//! ```
//!
//! No HTTP server here: a call comes as [`Call`], what becomes of it goes as [`Outcome`]. Which configuration there is,
//! [`options`] tells; archives are deployed by the shelf of `service`.

mod call;
mod client;
pub mod conversion;
mod definition;
mod endpoint;
mod error;
pub mod fetch;
mod in_hand;
mod mapping;
pub mod options;
pub mod post;
mod requesters;
mod token;

pub use call::{Call, Outcome, ReturnCode};
pub use definition::RequesterDefinition;
pub use endpoint::{OptionsError, ReadPassword};
pub use error::RequesterError;
pub use requesters::{DeployedRequester, Requesters, Settings};
pub use token::Credentials;
