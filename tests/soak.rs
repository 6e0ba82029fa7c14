//! Mixed load on one server for long, and what the server keeps of it: nothing answered is lost or seen twice, and memory,
//! descriptors, threads and the log come back to a bound whenever the queues are empty.
//!
//! A *life* is one process of the server on the same data directory, until it is killed with SIGKILL under load. It consists of
//! *beats*: load of all kinds, then all queues are emptied and all clients gone, then the footprint is taken. What grows from
//! beat to beat is a leak (`footprint.rs`). `QUAYMASTER_SOAK_SECONDS` is the time of the long soak, an hour by default.
//! `QUAYMASTER_SEED` repeats the choices of clients.

mod beat;
mod footprint;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use workload::ledger::Ledger;
use workload::measure::now;

use crate::crash::load::{CLIENTS, Clients, Victim};
use crate::crash::{setting, settle};
use crate::driver::Bench;

use beat::{beat, prepare};
use footprint::Trend;

const SHORT: Duration = Duration::from_secs(20);
const LONG_SECONDS: u64 = 3600;
/// Of the long soak: long enough for a leak of little, short enough for some kills in an hour.
const LONGEST_LIFE: Duration = Duration::from_secs(600);
/// So many that thirds of them have medians.
const FEWEST_BEATS: usize = 8;

#[test]
fn nothing_grows_and_nothing_is_lost_under_mixed_load_and_kills() -> Result<()> {
    soak(SHORT)
}

#[test]
#[ignore = "takes QUAYMASTER_SOAK_SECONDS, an hour by default; make test-full runs it"]
fn nothing_grows_and_nothing_is_lost_in_an_hour_of_mixed_load_and_kills() -> Result<()> {
    soak(Duration::from_secs(setting("QUAYMASTER_SOAK_SECONDS")?.unwrap_or(LONG_SECONDS)))
}

fn soak(time: Duration) -> Result<()> {
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("soak: {time:?}, QUAYMASTER_SEED={seed}");
    soak_with(time, seed).with_context(|| format!("QUAYMASTER_SEED={seed}"))
}

fn soak_with(time: Duration, seed: u64) -> Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let ledger = Arc::new(Ledger::new(seed, CLIENTS));
    let mut clients = Clients::new(&ledger, seed);
    let mut bench = Bench::listening("127.0.0.1:0")?;
    let end = now() + time;
    for life in 1.. {
        prepare(&bench)?;
        clients =
            live(&bench, clients, &ledger, end.min(now() + LONGEST_LIFE)).with_context(|| format!("life {life}"))?;
        let running = clients.run(&bench.server, Victim::Server)?;
        let reached = running.await_answers(random.gen_range(20..500));
        let said;
        (bench, said) = bench.killed_and_started()?;
        clients = running.join()?;
        check_lines(&said)?;
        ensure!(reached, "life {life}: clients got too few answers: {said}");
        if now() >= end {
            break;
        }
    }
    settle(&bench.server, &ledger)?;
    let (status, said) = bench.server.terminate()?;
    check_lines(&said)?;
    ensure!(status.success(), "the server ended with {status}: {said}");
    Ok(())
}

/// Beats until `end`, and some more if they were few; what is left behind must not grow.
fn live(bench: &Bench, mut clients: Clients, ledger: &Ledger, end: Instant) -> Result<Clients> {
    let mut trend = Trend::default();
    while trend.beats() < FEWEST_BEATS || now() < end {
        clients = beat(bench, clients, ledger).with_context(|| format!("beat {}", trend.beats() + 1))?;
        trend.take(bench.server.pid(), &bench.log_folder())?;
    }
    eprintln!("soak: {trend}");
    trend.check().map(|()| clients)
}

/// The server has had no trouble that an operator must hear of.
fn check_lines(said: &str) -> Result<()> {
    let trouble = said.lines().find(|line| line.contains("ERROR") || line.contains("panicked"));
    ensure!(trouble.is_none(), "{trouble:?} in: {said}");
    Ok(())
}
