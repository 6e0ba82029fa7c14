//! The server dies in the middle of a run: the run goes on to its end, with every error counted, and says that it could not
//! look for what was left, if anything was: a client may have lost its connection between two messages. With `--drain` a run
//! looks in any case.

use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use system_tests::wait::until;
use workload::measure::processor_time;

use super::{Bench, result};

/// Longest wait for the load to begin.
const BEGIN_LIMIT: Duration = Duration::from_secs(300);
/// Longest time from the kill to the end of a run that lasts fifteen seconds.
const END_LIMIT: Duration = Duration::from_secs(300);
/// No other test's server listens here, so that none can get the port of the one that died and answer in its place. Over HTTPS
/// its certificate would tell.
const MQ: &str = "127.0.0.2:0";

#[test]
fn over_https_errors_are_counted_and_the_run_ends() -> Result<()> {
    let bench = Bench::start()?;
    let run = bench.by_url(&["--scenario", "put-get", "--persistent", "--drain"])?;
    killed(bench, run)
}

#[test]
fn through_a_channel_errors_are_counted_and_the_run_ends() -> Result<()> {
    let bench = Bench::listening(MQ)?;
    let run = bench.by_channel(&["--scenario", "put-get", "--connect", "every", "--drain"])?;
    killed(bench, run)
}

#[test]
fn a_run_of_a_number_of_transactions_ends_as_well() -> Result<()> {
    let bench = Bench::start()?;
    let run = bench.by_url(&["--scenario", "put-get", "--requests", "1000000", "--duration", "15s", "--drain"])?;
    killed(bench, run)
}

#[test]
fn users_with_a_process_each_end_as_well() -> Result<()> {
    let bench = Bench::start()?;
    let run = bench.by_url(&["--scenario", "put-get", "--processes", "user", "--login", "every"])?;
    killed(bench, run)
}

fn killed(bench: Bench, mut run: Command) -> Result<()> {
    let pid = bench.server.pid();
    run.args(["--clients", "4", "--warmup", "0s", "--pid", &format!("server={pid}")]);
    let has = |run: &Command, option: &str| run.get_args().any(|argument| argument == option);
    if !has(&run, "--duration") {
        run.args(["--duration", "15s"]);
    }
    let drains = has(&run, "--drain");
    // More than logging in takes, and less than the run.
    let started = processor_time(pid, false)?.used;
    let mut child = run.spawn()?;
    let begun = until("the load begins", BEGIN_LIMIT, || {
        Ok(processor_time(pid, false)?.used > started + Duration::from_millis(400))
    });
    if let Err(error) = begun {
        return Err(end(&mut child, error));
    }
    let Bench { folder, server } = bench;
    server.kill();
    if let Err(error) = until("the run ends", END_LIMIT, || Ok(child.try_wait()?.is_some())) {
        return Err(end(&mut child, error));
    }
    let output = child.wait_with_output()?;
    let result = result(&output)?;
    ensure!(result["transactions"].as_u64() > Some(0) && result["errors"].as_u64() > Some(0), "{result:#}");
    ensure!(result["first_error"].as_str().is_some_and(|error| !error.is_empty()), "{result:#}");
    let verdict = &result["verdict"];
    let count = |key: &str| verdict[key].as_u64().with_context(|| format!("{key}: {result:#}"));
    let expected = match drains || count("answered_puts")? + count("unknown_puts")? > count("got")? {
        true => ("not-examined", Value::Null, 1),
        false => ("clean", Value::from(0), 0),
    };
    let (judgement, lost, status) = &expected;
    ensure!(result["judgement"] == *judgement && verdict["lost"] == *lost, "not {expected:?}: {result:#}");
    ensure!(output.status.code() == Some(*status), "{}, not {expected:?}: {result:#}", output.status);
    ensure!(verdict["duplicated"] == 0 && verdict["damaged"] == 0, "{result:#}");
    let processes = result["processes"].as_array().context("processes")?;
    let server = processes.iter().find(|process| process["name"] == "server").context("the server's")?;
    ensure!(server["ended"] == true && server["cpu_ms_per_transaction"].is_null(), "{server}");
    drop(folder);
    Ok(())
}

fn end(child: &mut Child, error: anyhow::Error) -> anyhow::Error {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    error
}
