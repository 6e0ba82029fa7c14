//! Processor time of a server that is many processes.

use std::time::Duration;

use anyhow::{Context, Result};
use workload::processor::{processor_time, run_time_of_all};

/// Of the parent, of its living children in nanoseconds, and of those that ended in hundredths of a second.
pub(super) fn used_by(parent: u32) -> Result<Duration> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let children = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let children: Vec<u32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    Ok(run_time_of_all(&children) + processor_time(parent, true)?.used)
}
