//! `docs/first-service.md` runs as pasted: two copybooks become an API in three commands.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{Checkout, repository};
use crate::readme::shell_blocks;

/// From the first command to the answer: what the page promises.
const FIVE_MINUTES: Duration = Duration::from_secs(300);

/// Ends the batch server, whatever the test did.
struct Stopped<'a>(&'a Path);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let _ = Command::new("sh").arg(self.0.join("loan/stop.sh")).status();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the page promises five minutes")]
fn two_copybooks_become_a_running_api_with_document_and_program_in_three_commands() -> Result<()> {
    let page = std::fs::read_to_string(repository()?.join("docs/first-service.md"))?;
    let sessions = shell_blocks(&page);
    let commands: Vec<&str> = sessions[1].lines().filter(|line| !line.starts_with('#')).collect();
    ensure!(commands.len() == 3, "three commands: {commands:?}");
    let checkout = Checkout::new()?;
    let _stopped = Stopped(checkout.folder.path());
    let settings = "export URL=https://localhost:9443 MQ=localhost:1414\n";
    let began = Instant::now();
    let out = checkout.run(&format!("{settings}{}", sessions.concat()))?;
    ensure!(began.elapsed() < FIVE_MINUTES, "it took {:?}", began.elapsed());
    let shown: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("# -> ")).collect();
    ensure!(shown.len() >= 4, "the page shows answers");
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    // The request that start.sh prints is that of the page.
    let printed = out.lines().find_map(|line| line.strip_prefix("request   "));
    let address = checkout.server.ready.https.map(|address| address.to_string()).unwrap_or_default();
    let third = commands[2].replace("localhost:9443", &address);
    ensure!(printed.map(normal) == Some(normal(&third)), "{printed:?} is not {third}");
    Ok(())
}

/// Paths of the folder as the page has them.
fn normal(command: &str) -> String {
    let words = command.split(' ').map(|word| match word.rsplit_once("/loan/") {
        Some((_, file)) if word.starts_with('@') => format!("@loan/{file}"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_missing_is_named_with_what_to_do() -> Result<()> {
    let checkout = Checkout::new()?;
    let run = |script: &str| checkout.run(&format!("{{ {script}; }} 2>&1 || true"));
    let new = "PATH=$PWD/target/release:$PATH quaymaster service new examples/two-way-service/LOANREQ.cpy examples/two-way-service/LOANREP.cpy";
    ensure!(
        run(&new.replace("LOANREP", "LOANREPLY"))?.contains("LOANREPLY.cpy: No such file"),
        "a file that is missing"
    );
    ensure!(run(new)?.contains("Next: loan/start.sh"), "the next command");
    let told = run(new)?;
    ensure!(told.contains("exists: name another folder with --out, or write over it with --replace"), "{told}");
    let told = run(&format!("{new} --name 1st"))?;
    ensure!(told.contains("the name '1st' cannot be used: letters, digits"), "{told}");
    let start = |settings: &str| run(&format!("export PATH=$PWD/target/release:$PATH; {settings} loan/start.sh"));
    let told = start("DATA=elsewhere")?;
    ensure!(told.contains("there is no data directory elsewhere. Set DATA to that of the server"), "{told}");
    let told = start("PASSWORDS=none")?;
    ensure!(told.contains("there is no file none. Set PASSWORDS"), "{told}");
    let told = start("CALLER=guest")?;
    ensure!(told.contains("has no line 'guest PASSWORD'. Add it, or set CALLER"), "{told}");
    let told = start("MQ=127.0.0.1:9")?;
    ensure!(
        told.contains("the batch server cannot serve LOAN.REQUEST at 127.0.0.1:9. Set MQ, QM or CHANNEL"),
        "{told}"
    );
    let told = start("QM=NONE")?;
    ensure!(told.contains("the queues were not defined. Is the server running?"), "{told}");
    Ok(())
}
