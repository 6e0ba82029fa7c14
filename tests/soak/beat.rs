//! One beat: every kind of load at once, each with its own check, and empty queues at the end.
//!
//! Clients of the kill test (messaging REST, persistent, bodies of 64 bytes to 1.3 MB) put what the ledger of the whole soak
//! knows. Processes of the load driver, each with a ledger of its own: a channel's clients that connect for each transaction,
//! REST clients that log in for each and put long nonpersistent messages, and request and reply, whose responder gets and puts in one unit of
//! work and is killed at the end. Beside them queues are defined, changed and deleted.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use workload::ledger::Ledger;

use crate::client::{block_on, client};
use crate::crash::load::{ANY_QUEUE, Clients, OWN_QUEUE, Victim, drain};
use crate::driver::{Bench, unharmed};

/// Answers that the clients of the kill test get.
const ANSWERS: u32 = 1000;
/// How long each process of the driver works.
const DURATION: &str = "1s";
/// Queues that are defined, changed and deleted.
const QUEUES: u32 = 40;

/// The queues of the driver's processes. A life may find them there.
pub(super) fn prepare(bench: &Bench) -> Result<()> {
    let define = |name: &str| format!("DEFINE QLOCAL(DEV.SOAK.{name}) REPLACE\n");
    commands(bench)?.finish(&["CHANNEL", "REST", "REQUEST", "REPLY"].map(define).concat())
}

pub(super) fn beat(bench: &Bench, clients: Clients, ledger: &Ledger) -> Result<Clients> {
    let running = clients.run(&bench.server, Victim::Server)?;
    let responder = bench.responder(&["--queue", "DEV.SOAK.REQUEST"])?;
    let loads = [
        bench.by_channel(&[
            "--queue",
            "DEV.SOAK.CHANNEL",
            "--scenario",
            "put-get",
            "--persistent",
            "--connect",
            "every",
        ])?,
        bench.by_url(&[
            "--queue",
            "DEV.SOAK.REST",
            "--scenario",
            "put-get",
            "--login",
            "every",
            "--request-size",
            "1500000",
        ])?,
        bench.by_channel(&[
            "--queue",
            "DEV.SOAK.REQUEST",
            "--reply-queue",
            "DEV.SOAK.REPLY",
            "--scenario",
            "request-reply",
            "--persistent",
        ])?,
    ];
    let children: Vec<Child> = loads
        .into_iter()
        .map(|mut load| load.args(["--clients", "2", "--warmup", "0s", "--duration", DURATION]).spawn())
        .collect::<Result<_, _>>()?;
    commands(bench)?.finish(&definitions())?;
    let reached = running.await_answers(ANSWERS);
    for child in children {
        unharmed(&child.wait_with_output()?)?;
    }
    drop(responder);
    let mut clients = running.join()?;
    ensure!(reached, "clients got too few answers: {}", bench.server.errors());
    block_on(async {
        for queue in [OWN_QUEUE, ANY_QUEUE] {
            drain(&mut client(&bench.server, queue, true)?, ledger).await?;
        }
        anyhow::Ok(())
    })?;
    clients.forget_drained();
    Ok(clients)
}

fn definitions() -> String {
    let queue = |number| {
        format!(
            "DEFINE QLOCAL(SOAK.{number}) DESCR('one of many')\nALTER QLOCAL(SOAK.{number}) MAXDEPTH(77)\n\
             DEFINE QALIAS(SOAK.ALIAS.{number}) TARGET(SOAK.{number})\nDELETE QALIAS(SOAK.ALIAS.{number})\n\
             DELETE QLOCAL(SOAK.{number})\n"
        )
    };
    (0..QUEUES).map(queue).collect()
}

struct Commands(Child);

fn commands(bench: &Bench) -> Result<Commands> {
    let mut runmqsc = Command::new(quaymaster()?);
    runmqsc.args(["runmqsc", "QM1"]).env("QUAYMASTER_DATA", bench.data());
    let runmqsc = runmqsc.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    Ok(Commands(runmqsc))
}

impl Commands {
    /// All of them succeed.
    fn finish(mut self, script: &str) -> Result<()> {
        // Its answers are shorter than what a pipe holds, or it reads on while they wait.
        let mut input = self.0.stdin.take().context("a pipe")?;
        let script = script.to_owned();
        let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
        let output = self.0.wait_with_output()?;
        let written = writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?;
        ensure!(output.status.success(), "runmqsc: {}", String::from_utf8_lossy(&output.stdout));
        Ok(written?)
    }
}
