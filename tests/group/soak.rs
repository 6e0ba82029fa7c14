//! A group under nine tenths of the load that it can take, for long, with autovacuum at work: it stays as fast as at the beginning, and
//! tables, indexes and members stay as small.
//!
//! Senders keep so many messages on a queue, and receivers at the other members take them; both wait so that the rate is nine tenths of
//! what the first seconds without a wait have shown. `QUAYMASTER_SOAK_SECONDS` is the time of the long soak, thirty minutes at most.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use workload::measure::now;

use super::faults::pause;
use super::site::Site;
use crate::crash::setting;

mod pair;

const SHORT: Duration = Duration::from_secs(15);
const LONG_SECONDS: u64 = 1800;
/// Pairs of a sender and a receiver.
const PAIRS: u32 = 12;
/// Without a wait, to know what the group can take.
const FULL: Duration = Duration::from_secs(5);
/// Not counted: connections are made, caches fill.
const WARM_UP: Duration = Duration::from_secs(2);
const SHARE: f64 = 0.9;
/// The last third may be so much slower than the first: the bar.
const SLOWER: f64 = 0.9;
/// Messages are gone as soon as they are got: tables and indexes hold what the vacuum has not cleaned yet.
const MOST_BYTES: i64 = 256 << 20;
/// Growth of a member's memory between the first and the last third that is no leak, beside a tenth of it.
const MEMORY_KIB: u64 = 32 << 10;

#[test]
fn a_group_under_load_stays_as_fast_and_its_tables_stay_small() -> Result<()> {
    // Too short to compare speeds on a machine that does other things.
    soak(SHORT).map(drop)
}

#[test]
#[ignore = "takes QUAYMASTER_SOAK_SECONDS, thirty minutes at most; make test-full runs it"]
fn a_group_under_nine_tenths_of_its_load_for_half_an_hour_stays_as_fast() -> Result<()> {
    let seconds = setting("QUAYMASTER_SOAK_SECONDS")?.unwrap_or(LONG_SECONDS).min(LONG_SECONDS);
    let report = soak(Duration::from_secs(seconds))?;
    let [first, _, last] = report.rates();
    ensure!(last >= first * SLOWER, "{last:.0} pairs a second at the end, and {first:.0} at the beginning: {report}");
    Ok(())
}

/// What was seen once a second.
struct Sample {
    pairs: u64,
    seconds: f64,
    bytes: i64,
    memory_kib: u64,
}

struct Report {
    full: f64,
    samples: Vec<Sample>,
}

impl Report {
    fn thirds(&self) -> [&[Sample]; 3] {
        let third = self.samples.len() / 3;
        [&self.samples[..third], &self.samples[third..2 * third], &self.samples[2 * third..]]
    }

    /// Pairs a second.
    #[expect(clippy::cast_precision_loss, reason = "counts of a test")]
    fn rates(&self) -> [f64; 3] {
        self.thirds().map(|part| {
            let pairs: u64 = part.iter().map(|sample| sample.pairs).sum();
            pairs as f64 / part.iter().map(|sample| sample.seconds).sum::<f64>().max(0.001)
        })
    }

    fn bytes(&self) -> [i64; 3] {
        self.thirds().map(|part| part.iter().map(|sample| sample.bytes).max().unwrap_or(0))
    }

    /// The median of all members together.
    fn memory_kib(&self) -> [u64; 3] {
        self.thirds().map(|part| {
            let mut memory: Vec<u64> = part.iter().map(|sample| sample.memory_kib).collect();
            memory.sort_unstable();
            memory.get(memory.len() / 2).copied().unwrap_or(0)
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, third] = self.rates();
        write!(
            f,
            "{:.0} pairs a second without a wait; by thirds {first:.0}, {second:.0}, {third:.0}; most bytes of tables and indexes {:?}; \
             KiB of memory of the members {:?}",
            self.full,
            self.bytes(),
            self.memory_kib()
        )
    }
}

fn soak(time: Duration) -> Result<Report> {
    let site = Arc::new(Site::start(3)?);
    let load = Load::start(&site);
    let report = observe(&site, &load, time);
    load.end()?;
    let report = report.with_context(|| site.said())?;
    eprintln!("group soak: {time:?}: {report}");
    let most = report.bytes().into_iter().max().unwrap_or(0);
    ensure!(most <= MOST_BYTES, "tables and indexes grow to {most} bytes: {report}");
    let [first, _, last] = report.memory_kib();
    ensure!(last <= first + first / 10 + MEMORY_KIB, "members grow: {report}");
    ensure!(report.rates()[2] > 1.0, "the load did nothing: {report}");
    site.end()?;
    Ok(report)
}

fn observe(site: &Site, load: &Load, time: Duration) -> Result<Report> {
    pause(WARM_UP);
    let (begun, before) = (now(), load.pairs());
    pause(FULL);
    let full = rate(load.pairs() - before, begun.elapsed());
    load.slow_down_to(full * SHARE);
    let end = now() + time;
    let mut samples = Vec::new();
    while now() < end {
        let (begun, before) = (now(), load.pairs());
        pause(Duration::from_secs(1));
        load.check()?;
        samples.push(Sample {
            pairs: load.pairs() - before,
            seconds: begun.elapsed().as_secs_f64(),
            bytes: site.count(
                "SELECT sum(pg_total_relation_size(oid))::int8 FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
            )?,
            memory_kib: site.members().iter().filter_map(|member| memory_kib(member.process()?)).sum(),
        });
    }
    Ok(Report { full, samples })
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test")]
fn rate(pairs: u64, time: Duration) -> f64 {
    pairs as f64 / time.as_secs_f64()
}

fn memory_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB")?.trim().parse().ok())
}

/// Pairs at work. Each begins its next put at a time of its own.
pub(crate) struct Load {
    shared: Arc<Pace>,
    threads: Vec<JoinHandle<Result<()>>>,
}

/// What all pairs look at.
pub(crate) struct Pace {
    stop: AtomicBool,
    pairs: AtomicU64,
    /// Of each pair, in microseconds; 0: no wait.
    interval_us: AtomicU64,
}

impl Pace {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    fn count(&self) {
        self.pairs.fetch_add(1, Ordering::Relaxed);
    }

    /// When the next put begins, after the one of `last`.
    fn next(&self, last: Instant) -> Instant {
        let interval = Duration::from_micros(self.interval_us.load(Ordering::Relaxed));
        // Who is late does not catch up with more than one.
        (last + interval).max(now().checked_sub(interval).unwrap_or(last))
    }
}

impl Load {
    fn start(site: &Arc<Site>) -> Self {
        let shared =
            Arc::new(Pace { stop: AtomicBool::new(false), pairs: AtomicU64::new(0), interval_us: AtomicU64::new(0) });
        let start = |number| {
            let (site, pace) = (Arc::clone(site), Arc::clone(&shared));
            std::thread::spawn(move || pair::work(&site, number, &pace).with_context(|| format!("pair {number}")))
        };
        let threads = (0..PAIRS).map(start).collect();
        Self { shared, threads }
    }

    fn pairs(&self) -> u64 {
        self.shared.pairs.load(Ordering::Relaxed)
    }

    /// Of all together, in pairs a second.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an interval below a minute")]
    fn slow_down_to(&self, rate: f64) {
        let interval = f64::from(PAIRS) / rate.max(1.0) * 1e6;
        self.shared.interval_us.store(interval as u64, Ordering::Relaxed);
    }

    fn check(&self) -> Result<()> {
        ensure!(!self.threads.iter().any(JoinHandle::is_finished), "a client has ended");
        Ok(())
    }

    fn end(mut self) -> Result<()> {
        self.shared.stop.store(true, Ordering::Release);
        let threads = std::mem::take(&mut self.threads);
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a client panicked"))?)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
    }
}
