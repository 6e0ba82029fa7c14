//! What a message costs while another program holds a snapshot open, so that no vacuum can clean what is dead.

use std::time::Duration;

use anyhow::{Context, Result};
use postgres::{Client, NoTls};
use workload::measure;

use crate::effort::Effort;
use crate::interleave::median;
use crate::report::{Bar, Report};

const HELD: Duration = Duration::from_secs(60);
const HELD_QUICK: Duration = Duration::from_secs(10);
/// Of so many loads at the end the median counts.
const LAST: usize = 5;

/// `cost` works for a while and answers microseconds an operation.
pub(super) fn run(
    effort: &Effort,
    database: &str,
    report: &mut Report,
    mut cost: impl FnMut() -> Result<f64>,
) -> Result<()> {
    let held = if report.is_quick() { HELD_QUICK } else { HELD };
    let before = cost()?;
    let mut holder = Client::connect(database, NoTls)?;
    holder.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM group_state")?;
    let begun = measure::now();
    let mut costs = vec![cost()?];
    while begun.elapsed() + effort.engine < held {
        costs.push(cost()?);
    }
    let last = median(costs.split_off(costs.len().saturating_sub(LAST)));
    holder.batch_execute("COMMIT").context("the snapshot was held to the end")?;
    report.add(
        Bar::at_most("database CPU after a snapshot was held for a minute, 50 callers", 2.0)
            .value(last / before, "times"),
    );
    Ok(())
}
