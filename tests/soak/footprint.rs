//! What a process holds when it has nothing to do, beat by beat, and whether that grows.
//!
//! The first quarter of the beats warms up: pools fill, extents are made, threads start. The others are compared by thirds: the
//! medians of the second and last third may be above that of the first by no more than the allowance.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// Looks at one process after a beat, and the time between them: the least of what they see counts, so that what goes within
/// this time is no leak.
const LOOKS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(50);

/// Growth of a median that is no leak, beside a tenth of it for memory: what allocators keep for later.
const MEMORY_KIB: u64 = 24 << 10;
const DESCRIPTORS: u64 = 8;
const THREADS: u64 = 6;
/// The log is kept below 256 MiB while nothing is held, and a few extents of 64 MiB are ready beside it.
const LOG_KIB: u64 = (256 + 4 * 64) << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Footprint {
    memory_kib: u64,
    descriptors: u64,
    threads: u64,
    log_kib: u64,
}

impl Footprint {
    fn of(process: u32, log: &Path) -> Result<Self> {
        let of_process = |name: &str| format!("/proc/{process}/{name}");
        let count = |name: &str| anyhow::Ok(std::fs::read_dir(of_process(name))?.count() as u64);
        let status = std::fs::read_to_string(of_process("status"))?;
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB"));
        let log = std::fs::read_dir(log)?.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum::<u64>();
        Ok(Self {
            memory_kib: memory.context("a process has memory")?.trim().parse()?,
            descriptors: count("fd")?,
            threads: count("task")?,
            log_kib: log >> 10,
        })
    }

    fn least(self, other: Self) -> Self {
        Self {
            memory_kib: self.memory_kib.min(other.memory_kib),
            descriptors: self.descriptors.min(other.descriptors),
            threads: self.threads.min(other.threads),
            log_kib: self.log_kib.min(other.log_kib),
        }
    }
}

#[derive(Default)]
pub(super) struct Trend(Vec<Footprint>);

type Measure = fn(&Footprint) -> u64;
/// What may be added to a first median.
type Allowance = fn(u64) -> u64;

const MEASURES: [(&str, Measure, Allowance); 3] = [
    ("KiB of memory", |footprint| footprint.memory_kib, |first| first / 10 + MEMORY_KIB),
    ("descriptors", |footprint| footprint.descriptors, |_| DESCRIPTORS),
    ("threads", |footprint| footprint.threads, |_| THREADS),
];

impl Trend {
    pub(super) fn beats(&self) -> usize {
        self.0.len()
    }

    /// The footprint of a process that nobody uses.
    pub(super) fn take(&mut self, process: u32, log: &Path) -> Result<()> {
        let mut least = Footprint::of(process, log)?;
        for _ in 1..LOOKS {
            std::thread::sleep(BETWEEN);
            least = least.least(Footprint::of(process, log)?);
        }
        self.0.push(least);
        Ok(())
    }

    /// # Errors
    /// A median grows by more than is allowed, or the log is too long.
    pub(super) fn check(&self) -> Result<()> {
        for (name, _, allowance) in MEASURES {
            let [first, later @ ..] = self.medians(name);
            let most = first + allowance(first);
            ensure!(later.iter().all(|median| *median <= most), "{name} grow from {first} to {later:?}: {self}");
        }
        let longest = self.settled().iter().map(|footprint| footprint.log_kib).max();
        ensure!(longest <= Some(LOG_KIB), "the log has {longest:?} KiB although nothing is held: {self}");
        Ok(())
    }

    fn settled(&self) -> &[Footprint] {
        &self.0[self.0.len() / 4..]
    }

    fn medians(&self, name: &str) -> [u64; 3] {
        let (_, measure, _) = MEASURES.into_iter().find(|(known, ..)| *known == name).expect("a name of the table");
        let settled = self.settled();
        let third = settled.len() / 3;
        [&settled[..third], &settled[third..2 * third], &settled[2 * third..]].map(|part| {
            let mut values: Vec<u64> = part.iter().map(measure).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied().unwrap_or_default()
        })
    }
}

impl fmt::Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} beats", self.beats())?;
        for (name, ..) in MEASURES {
            write!(f, ", {name} {:?}", self.medians(name))?;
        }
        write!(f, ", {:?} KiB of log", self.0.last().map(|footprint| footprint.log_kib))
    }
}

fn trend(beats: u64, of_beat: impl Fn(u64) -> Footprint) -> Trend {
    Trend((0..beats).map(of_beat).collect())
}

const USUAL: Footprint = Footprint { memory_kib: 100 << 10, descriptors: 60, threads: 20, log_kib: 300 << 10 };

#[test]
fn a_warm_up_and_noise_are_no_leak() {
    let noisy = trend(40, |beat| Footprint {
        memory_kib: if beat < 8 { 40 << 10 } else { (100 << 10) + (beat * 7919) % (20 << 10) },
        descriptors: 60 + beat % 5,
        ..USUAL
    });
    noisy.check().expect("no leak");
}

#[test]
fn what_grows_from_beat_to_beat_is_a_leak() {
    let leaks: [fn(u64) -> Footprint; 4] = [
        |beat| Footprint { memory_kib: (100 << 10) + beat * (2 << 10), ..USUAL },
        |beat| Footprint { descriptors: 60 + beat, ..USUAL },
        |beat| Footprint { threads: 20 + beat / 2, ..USUAL },
        |beat| Footprint { log_kib: beat * (20 << 10), ..USUAL },
    ];
    for (number, leak) in leaks.into_iter().enumerate() {
        assert!(trend(40, leak).check().is_err(), "leak {number} is found");
    }
}
