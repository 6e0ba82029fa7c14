//! Keeps the machine's processors from halting while something is measured.
//!
//! In a virtual machine, whoever wakes a program on a processor that has halted pays for it: the wake-up goes through the
//! hypervisor, and its time is counted as the waker's. Programs that call and wait, one at a time, then cost three times as
//! much on a machine that does nothing else as on a busy one. Ours and the floor beside it are measured under the same terms.
//!
//! Source: the kernel's documentation, "PM Quality Of Service Interface": a latency of 0 µs, for as long as the file is open.

use std::fs::{File, OpenOptions};
use std::io::Write as _;

const DEVICE: &str = "/dev/cpu_dma_latency";
const NEVER_HALT: [u8; 4] = 0_i32.to_ne_bytes();

/// Until it is dropped.
pub struct Awake {
    _held: Option<File>,
}

impl Awake {
    /// Says so, and goes on without, where that is not permitted.
    pub fn keep() -> Self {
        let hold = || {
            let mut device = OpenOptions::new().write(true).open(DEVICE)?;
            device.write_all(&NEVER_HALT)?;
            std::io::Result::Ok(device)
        };
        let held = hold().inspect_err(|error| eprintln!("  {DEVICE}: {error}; processors halt, and wake-ups are dear"));
        Self { _held: held.ok() }
    }
}
