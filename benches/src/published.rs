//! The bars of the published tables: what a request and its reply cost by each way in, against a Java tier that does nothing;
//! what pooled and kept connections save, against nginx; five hundred users against one; and the load driver against wrk.
//!
//! The tables themselves are `quaymaster tables`; here are the comparisons that need other servers beside ours.

mod comparison;
mod driver;
mod pooling;
mod users;

use anyhow::Result;

use crate::effort::Effort;
use crate::report::Report;

/// # Errors
/// A server does not start, or a load did not go well.
pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    pooling::run(effort, report)?;
    users::run(effort, report)?;
    driver::run(effort, report)?;
    comparison::run(effort, report)
}
