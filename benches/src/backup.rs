//! What a backup costs the queue manager that it is of: durable pairs on a channel, with and without backups one after another.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use system_tests::program::quaymaster;
use system_tests::server::Server;
use workload::plan::{Choices, Login, Plan, Scenario, Span};

use crate::effort::Effort;
use crate::fill::fill;
use crate::interleave::{Cell, interleave};
use crate::lifecycle::unlimited;
use crate::report::{Bar, Report};
use crate::rest::password_file;

const ALONE: &str = "durable put+get pairs";
const BESIDE: &str = "durable put+get pairs while a backup runs";
const PAIR_QUEUE: &str = "DEV.QUEUE.2";
const CLIENTS: u32 = 10;
const SIZE: usize = 1024;
/// How often a backup is looked after.
const LOOK: Duration = Duration::from_millis(10);

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let server = Server::start(&unlimited(folder.path())?.listening("127.0.0.1:0"))?;
    // There is something to copy for as long as a cell takes.
    fill(&server, effort.messages, SIZE, true)?;
    let pairs = Choices {
        scenario: Some(Scenario::PutGet),
        channel: Some("DEV.APP.SVRCONN".to_owned()),
        mq: Some(server.mq_address()?.to_string()),
        login: Some(Login::Basic),
        queue: Some(PAIR_QUEUE.to_owned()),
        request_size: Some(SIZE),
        persistent: Some(true),
        clients: Some(CLIENTS),
        threads: Some(1),
        password_file: Some(password_file(folder.path())?),
        warmup: Some(Span(effort.warmup)),
        duration: Some(Span(effort.rest)),
        ..Choices::default()
    };
    let rate = || {
        let report = workload::run(&Plan::new(pairs.clone())?)?;
        ensure!(report.errors == 0 && report.is_clean(), "the load did not go well: {report}");
        Ok(report.transactions_per_second)
    };
    let beside = || {
        let backups = Backups::begin(folder.path().join("data"), folder.path().join("backup"))?;
        let rate = rate()?;
        backups.end()?;
        Ok(rate)
    };
    let measured = interleave(effort.rounds, vec![Cell::new(ALONE, rate), Cell::new(BESIDE, beside)])?;
    report.add(
        Bar::at_least("durable put+get pairs while a backup runs, against without", 0.9)
            .ratio(&measured, BESIDE, ALONE, "/s"),
    );
    Ok(())
}

/// Backups one after another, each a whole one.
struct Backups {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<()>>,
}

impl Backups {
    fn begin(data: PathBuf, to: PathBuf) -> Result<Self> {
        let program = quaymaster()?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                if to.exists() {
                    std::fs::remove_dir_all(&to).context("the backup before")?;
                }
                let mut backup = Command::new(&program);
                backup.arg("backup").arg("QM1").arg("--data").arg(&data).arg("--to").arg(&to);
                follow(backup.stdout(Stdio::null()).spawn()?, &told)?;
            }
            Ok(())
        });
        Ok(Self { stop, thread })
    }

    /// The last one is cut short.
    fn end(self) -> Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow!("the thread of the backups panicked"))?
    }
}

fn follow(mut backup: Child, stop: &AtomicBool) -> Result<()> {
    loop {
        if let Some(status) = backup.try_wait()? {
            ensure!(status.success(), "a backup ended with {status}");
            return Ok(());
        }
        if stop.load(Ordering::Relaxed) {
            // It may have ended by itself.
            let _ = backup.kill();
            backup.wait()?;
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}
