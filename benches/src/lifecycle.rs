//! Starting, idling and coming back: time to ready on an empty directory, memory when idle and when full, restart.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use system_tests::server::{Server, ServerOptions};

use crate::effort::Effort;
use crate::fill::{self, UNLIMITED_DEPTH, fill};
use crate::interleave::median;
use crate::machine::memory;
use crate::report::{Bar, Report};

/// After this long without a request a server is idle.
const SETTLING: Duration = Duration::from_secs(2);
const SIZE: usize = 1024;
const MIB: f64 = 1_048_576.0;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    start_on_empty_directories(effort, report)?;
    come_back_with_many(effort, report)
}

fn start_on_empty_directories(effort: &Effort, report: &mut Report) -> Result<()> {
    let (mut ready_ms, mut proportional, mut resident) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let folder = tempfile::tempdir_in(&effort.work)?;
        let server = Server::start_on(&folder.path().join("data"))?;
        ready_ms.push(server.ready.after.as_secs_f64() * 1e3);
        std::thread::sleep(SETTLING);
        let memory = memory(server.pid())?;
        proportional.push(mib(memory.proportional));
        resident.push(mib(memory.resident));
    }
    report.add(Bar::at_most("ready on an empty directory", 300.0).value(median(ready_ms), "ms"));
    report.add(Bar::at_most("memory when idle, resident", 40.0).value(median(resident), "MiB"));
    report.add(Bar::figure("memory when idle, proportional").value(median(proportional), "MiB"));
    Ok(())
}

fn come_back_with_many(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let options = unlimited(folder.path())?;
    let server = Server::start(&options)?;
    let empty = memory(server.pid())?.proportional;
    fill(&server, effort.messages, SIZE, true)?;
    let full = memory(server.pid())?.proportional;
    report.add(
        Bar::figure("memory for a million waiting 1 KiB messages")
            .value(per_million(full.saturating_sub(empty), effort.messages), "MiB"),
    );
    let (status, said) = server.terminate()?;
    ensure!(status.success(), "{status}: {said}");
    let mut back_s = Vec::new();
    for round in 0..effort.rounds {
        let server = Server::start(&options)?;
        back_s.push(server.ready.after.as_secs_f64());
        if round == 0 {
            let after = memory(server.pid())?.proportional;
            report.add(
                Bar::figure("the same after a restart")
                    .value(per_million(after.saturating_sub(empty), effort.messages), "MiB"),
            );
            first_and_last_are_there(&server, effort.messages)?;
        }
        // Killed: the next start recovers as after a power cut.
        server.kill();
    }
    report.add(
        Bar::at_most("a million 1 KiB persistent messages are back", 5.0)
            .value(scale_to_million(median(back_s), effort.messages), "s"),
    );
    Ok(())
}

/// Options of a server whose queue takes any number of messages.
#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
pub fn unlimited(folder: &Path) -> Result<ServerOptions> {
    let drop_ins = folder.join("mqsc");
    std::fs::create_dir_all(&drop_ins)?;
    std::fs::write(drop_ins.join("depth.mqsc"), UNLIMITED_DEPTH)?;
    let drop_ins = drop_ins.to_str().context("the working folder has a UTF-8 name")?;
    Ok(ServerOptions::on(&folder.join("data")).with("--mqsc-dir").with(drop_ins))
}

/// Browses both ends by identifier.
fn first_and_last_are_there(server: &Server, count: u64) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut rest = fill::client(server, true)?;
        for number in [0, count / 2, count - 1] {
            let found = rest.browse(Some(&fill::id(number).to_hex())).await?;
            ensure!(found.is_some_and(|message| message.body.len() == SIZE), "message {number} is gone");
        }
        Ok(())
    })
}

#[expect(clippy::cast_precision_loss, reason = "bytes of memory stay below 2^53")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB
}

fn per_million(bytes: u64, messages: u64) -> f64 {
    scale_to_million(mib(bytes), messages)
}

#[expect(clippy::cast_precision_loss, reason = "a few million at most")]
fn scale_to_million(value: f64, messages: u64) -> f64 {
    value * 1e6 / messages as f64
}
