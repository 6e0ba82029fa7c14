//! A disk that is used for a part of the time only, so that a backup leaves the log beside it most of processors and disk.
//!
//! Whoever works with the disk rests before a call when enough was done since the last rest: [`REST`] times as long as the work
//! took, whatever it was. So the backup's share of the machine is bounded without knowing how fast the machine is.
//!
//! Never: decides what is copied, or delays the log's own calls.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::private::log::disk::{Disk, FileName};

/// A rest is so many times as long as the work before it.
const REST: u32 = 9;
/// So much work is done without a rest.
const WORK: Duration = Duration::from_millis(5);
/// Bytes that are read or written without a rest.
const PIECE: usize = 1 << 20;

/// When the last rest of one backup ended. All its disks share it.
#[derive(Debug)]
pub struct Pace(Mutex<Instant>);

impl Pace {
    pub fn start() -> Arc<Self> {
        Arc::new(Self(Mutex::new(now())))
    }

    fn rest(&self) {
        let mut rested = self.0.lock();
        let work = now().saturating_duration_since(*rested);
        if work >= WORK {
            std::thread::sleep(work * REST);
            *rested = now();
        }
    }
}

pub struct Paced<'a> {
    disk: &'a dyn Disk,
    pace: Arc<Pace>,
}

impl<'a> Paced<'a> {
    pub fn new(disk: &'a dyn Disk, pace: &Arc<Pace>) -> Self {
        Self { disk, pace: Arc::clone(pace) }
    }
}

impl Disk for Paced<'_> {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.disk.list()
    }

    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.disk.length(file)
    }

    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.pace.rest();
        let length = buffer.len().min(PIECE);
        self.disk.read(file, offset, &mut buffer[..length])
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        for (piece, at) in bytes.chunks(PIECE).zip((offset..).step_by(PIECE)) {
            self.pace.rest();
            self.disk.write(file, at, piece)?;
        }
        Ok(())
    }

    fn sync(&self, file: &FileName) -> io::Result<()> {
        self.pace.rest();
        self.disk.sync(file)
    }

    fn create(&self, file: &FileName) -> io::Result<()> {
        self.pace.rest();
        self.disk.create(file)
    }

    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.pace.rest();
        self.disk.remove(file)
    }
}

#[expect(clippy::disallowed_methods, reason = "the share of a backup is one of real time; it decides nothing else")]
fn now() -> Instant {
    Instant::now()
}
