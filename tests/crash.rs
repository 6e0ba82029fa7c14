//! The process killed with SIGKILL under load: every answered put is found exactly once, every answered get never again.
//!
//! A round starts the server on the same directory, lets concurrent clients work until a random number of requests has
//! been answered, kills it in the middle of the others, and keeps every client's memory of what it was told. Some
//! rounds kill it once more while it recovers. In the end the queues are emptied and the ledger judges.
//!
//! `QUAYMASTER_KILL_ROUNDS` sets the rounds (default 5), `QUAYMASTER_SEED` repeats a run's choices. The choices are
//! repeatable, the interleaving of server and clients is not.

mod jobs;
pub(crate) mod load;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use system_tests::server::{Server, ServerOptions, StartingServer};
use workload::ledger::Ledger;

use crate::client::{block_on, client};
use crate::crash::load::{ANY_QUEUE, CLIENTS, Clients, OWN_QUEUE, Victim, drain};

#[test]
fn nothing_answered_is_lost_or_seen_twice_when_the_server_is_killed_under_load() -> Result<()> {
    let rounds: u32 = setting("QUAYMASTER_KILL_ROUNDS")?.unwrap_or(5);
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("kill test: {rounds} rounds, QUAYMASTER_SEED={seed}");
    kill_repeatedly(rounds, seed).with_context(|| format!("QUAYMASTER_SEED={seed} QUAYMASTER_KILL_ROUNDS={rounds}"))
}

fn kill_repeatedly(rounds: u32, seed: u64) -> Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let data = tempfile::tempdir()?;
    // A hundred rounds leave more on a queue than it holds by default.
    let roomy = [OWN_QUEUE, ANY_QUEUE].map(|queue| format!("ALTER QLOCAL({queue}) MAXDEPTH(10000000)\n")).concat();
    crate::client::write(&data.path().join("mqsc.d/roomy.mqsc"), &roomy)?;
    let options = ServerOptions::on(data.path());
    let ledger = Arc::new(Ledger::new(seed, CLIENTS));
    let mut clients = Clients::new(&ledger, seed);
    for round in 1..=rounds {
        if round > 1 && random.gen_ratio(1, 4) {
            kill_while_starting(&options, &mut random)?;
        }
        let server = Server::start(&options).with_context(|| format!("start of round {round}"))?;
        let running = clients.run(&server, Victim::Server)?;
        let reached = running.await_answers(random.gen_range(20..2_000));
        let said = server.kill();
        clients = running.join()?;
        ensure!(!said.contains("panicked"), "round {round}: the server panicked: {said}");
        ensure!(reached, "round {round}: clients got too few answers: {said}");
    }
    let server = Server::start(&options).context("the last start")?;
    settle(&server, &ledger)?;
    let (status, said) = server.terminate()?;
    ensure!(status.success(), "the server ended with {status}: {said}");
    Ok(())
}

/// Recovery itself is interrupted at some moment of its first milliseconds.
fn kill_while_starting(options: &ServerOptions, random: &mut StdRng) -> Result<()> {
    let starting = StartingServer::spawn(options)?;
    // The moment is what is tested, so it is a time and not a condition.
    std::thread::sleep(Duration::from_micros(random.gen_range(0..60_000)));
    starting.kill();
    Ok(())
}

/// Empties the queues and judges.
pub(crate) fn settle(server: &Server, ledger: &Ledger) -> Result<()> {
    block_on(async {
        for queue in [OWN_QUEUE, ANY_QUEUE] {
            drain(&mut client(server, queue, true)?, ledger).await?;
        }
        anyhow::Ok(())
    })?;
    let verdict = ledger.verdict(true);
    eprintln!("kill test: {verdict:?}");
    ensure!(verdict.lost == Some(0), "answered puts are gone: {verdict:?}");
    ensure!(verdict.duplicated == 0, "messages were got twice: {verdict:?}");
    ensure!(verdict.is_clean() && verdict.foreign == 0, "{verdict:?}");
    ensure!(verdict.got > 0 && verdict.answered_puts > 0, "the load did nothing: {verdict:?}");
    Ok(())
}

pub(crate) fn setting<T: std::str::FromStr>(name: &str) -> Result<Option<T>> {
    let Ok(text) = std::env::var(name) else { return Ok(None) };
    text.parse().ok().with_context(|| format!("{name}: '{text}' is not a whole number")).map(Some)
}
