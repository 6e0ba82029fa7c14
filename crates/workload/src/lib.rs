//! Load driver: clients that put, get, browse, administer and call like any other program, and a ledger that proves that
//! nothing answered was lost and nothing was seen twice.
//!
//! It is only ever a client: it never imports the engine, and everything it knows about a server it learnt over a
//! socket or from `/proc`. It must cost less processor time than what it measures, so clients share few threads,
//! requests are cloned from prepared parts and bodies are one copy.

pub mod batch;
pub mod cli;
pub mod client;
mod delay;
pub mod error;
pub mod ledger;
pub mod machine;
pub mod measure;
pub mod outcome;
pub mod payload;
pub mod plan;
pub mod processor;
pub mod provider;
pub mod report;
pub mod responder;
pub mod run;

pub use error::WorkloadError;
pub use outcome::{Outcome, repeat};
pub use plan::Plan;
pub use report::Report;
pub use run::run;
