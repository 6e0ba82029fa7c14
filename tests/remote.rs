//! A web tier in a process of its own before a queue manager in another, which is killed under load.
//!
//! The web tier hosts no queue manager and stays up. What it answered stands: every answered put is found exactly once, every
//! answered get never again. Its clients get 503 while the queue manager is gone, and no other error; its kept connections are
//! replaced when it is back. `QUAYMASTER_KILL_ROUNDS` and `QUAYMASTER_SEED` are those of the kill test.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use system_tests::ports;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};
use workload::ledger::Ledger;

use crate::client::{fetch, write};
use crate::crash::load::{CLIENTS, Clients, Victim};
use crate::crash::{setting, settle};

#[test]
fn nothing_answered_is_lost_or_seen_twice_when_a_remote_queue_manager_is_killed_under_load() -> Result<()> {
    let rounds: u32 = setting("QUAYMASTER_KILL_ROUNDS")?.unwrap_or(4);
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("remote kill test: {rounds} rounds, QUAYMASTER_SEED={seed}");
    kill_repeatedly(rounds, seed).with_context(|| format!("QUAYMASTER_SEED={seed} QUAYMASTER_KILL_ROUNDS={rounds}"))
}

fn kill_repeatedly(rounds: u32, seed: u64) -> Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let (far_data, web_data) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let port = ports::free()?;
    let far_options = ServerOptions::on(far_data.path()).listening(&format!("127.0.0.1:{port}"));
    let web = Server::start(&web_tier(web_data.path(), port)?).context("the web tier")?;
    ensure!(web.ready.line.contains("\"queueManagers\":[]"), "{}", web.ready.line);
    let ledger = Arc::new(Ledger::new(seed, CLIENTS));
    let mut clients = Clients::new(&ledger, seed);
    for round in 1..=rounds {
        let far = Server::start(&far_options).with_context(|| format!("start of round {round}"))?;
        let running = clients.run(&web, Victim::QueueManager)?;
        let reached = running.await_answers(random.gen_range(20..1_500));
        let said = far.kill();
        clients = running.join()?;
        ensure!(!said.contains("panicked"), "round {round}: the queue manager's server panicked: {said}");
        ensure!(reached, "round {round}: clients got too few answers: {said}\n{}", web.errors());
    }
    let far = Server::start(&far_options).context("the last start")?;
    settle(&web, &ledger)?;
    check_pool(&web)?;
    for (name, server) in [("web tier", web), ("queue manager's server", far)] {
        let (status, said) = server.terminate()?;
        ensure!(status.success() && !said.contains("panicked"), "the {name} ended with {status}: {said}");
    }
    Ok(())
}

/// Under the name the clients know it by; its channel wants user and password.
fn web_tier(data: &Path, port: u16) -> Result<ServerOptions> {
    let configuration = format!(
        "[server]\nqueue_managers = []\n[messaging]\nmax_pool_size = 6\n[remote_queue_managers.QM1]\n\
         channel = 'DEV.APP.SVRCONN'\nconnection_name = '127.0.0.1({port})'\nuser = 'app'\npassword = '{APP_PASSWORD}'\n"
    );
    write(&data.join("quaymaster.toml"), &configuration)?;
    Ok(ServerOptions::on(data))
}

/// Connections that died were counted and replaced, more than there were places overflowed, and none is in use.
fn check_pool(web: &Server) -> Result<()> {
    let ready: serde_json::Value = serde_json::from_str(&web.ready.line)?;
    let address = ready["metrics"].as_str().context("the ready line names the metrics")?.to_owned();
    let page = fetch(&address, "/metrics")?;
    let value = |family: &str, labels: &str| -> Result<u64> {
        let start = format!(
            "quaymaster_connection_pool_{family}{{used_by=\"messaging\",qmgr=\"QM1\",remote=\"true\"{labels}}} "
        );
        let line = page.lines().find_map(|line| line.strip_prefix(start.as_str()));
        line.with_context(|| format!("{start} in {page}"))?.parse().context("a whole number")
    };
    ensure!(value("closed_total", ",reason=\"lost\"")? > 0, "no kept connection was lost: {page}");
    ensure!(value("overflowed_total", "")? > 0 && value("failed_total", "")? > 0, "{page}");
    ensure!(value("in_use", "")? == 0 && (1..=6).contains(&value("idle", "")?), "{page}");
    Ok(())
}
