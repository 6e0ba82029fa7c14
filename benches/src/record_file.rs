//! Whole files of records to JSON lines, by one thread: what a core decodes, of a generated file beside other readers and of the public
//! files of CardDemo.

mod carddemo;
mod generated;
mod peers;

use std::io::Read;
use std::time::Duration;

use anyhow::{Result, ensure};
use record_file::{Decoding, Framing, Segments, Target, decode};
use workload::measure::processor_time;

use crate::effort::Effort;
use crate::report::Report;

/// Megabytes of records a second that a core is to decode.
const WANTED: f64 = 400.0;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    carddemo::run(effort, report)?;
    generated::run(effort, report)
}

/// Nanoseconds of processor time that this process takes for a byte of a file of so many bytes.
fn decoded(segments: &Segments, length: usize, input: impl Read + Send, bytes: u64) -> Result<f64> {
    let job = Decoding {
        segments,
        framing: Framing::Fixed(length),
        target: Target::JsonLines,
        is_lenient: false,
        is_exact: false,
        threads: 1,
    };
    let used = || Ok::<_, std::io::Error>(processor_time(std::process::id(), false)?.used);
    let before = used()?;
    let summary = decode(&job, input, std::io::sink(), |_| {})?;
    ensure!(summary.read == bytes, "{} of {bytes} bytes were read", summary.read);
    Ok(per_byte(used()?.saturating_sub(before), bytes))
}

/// Nanoseconds a byte.
#[expect(clippy::cast_precision_loss, reason = "a file of some gigabytes")]
fn per_byte(used: Duration, bytes: u64) -> f64 {
    used.as_secs_f64() * 1e9 / bytes as f64
}

/// Nanoseconds a byte are seconds a gigabyte.
fn megabytes_a_second(nanoseconds_a_byte: f64) -> f64 {
    1000.0 / nanoseconds_a_byte
}
