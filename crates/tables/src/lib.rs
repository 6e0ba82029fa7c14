//! The published performance tables, measured here: each table and chart of the seed documents is one experiment on real
//! processes of this program, shown beside the published figures.
//!
//! It is only ever a client: it never imports the engine. Servers are processes that `setting` starts from the program's own
//! executable in temporary folders; load comes from `workload`. Experiments say what to run and which figure stands
//! where; renderers only read the outcome.
//!
//! Invariants
//! - No figure is typed in: published ones come from `published.json`, all others from a run.
//! - Every process that was started is ended by its process id, also on Ctrl-C and on errors.

pub mod cli;
pub mod drive;
pub mod error;
pub mod experiment;
pub mod machine;
pub mod outcome;
pub mod published;
pub mod render;
pub mod repeat;
pub mod session;
pub mod setting;

pub use error::TablesError;
