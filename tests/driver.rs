//! `workload run` against the real server: what becomes of a run whose server is killed, of clients that are processes, and of
//! those that connect, open and log in anew for each transaction.

mod killed;
mod ways;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use system_tests::program::quaymaster;
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};

/// A server with everything by default, and what the driver needs to reach it.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) server: Server,
}

impl Bench {
    fn start() -> Result<Self> {
        Self::listening("127.0.0.1:0")
    }

    /// Channels are listened for at this address.
    pub(crate) fn listening(mq: &str) -> Result<Self> {
        Self::on(tempfile::tempdir()?, mq)
    }

    fn on(folder: tempfile::TempDir, mq: &str) -> Result<Self> {
        let server = Server::start(&ServerOptions::on(&folder.path().join("data")).listening(mq))?;
        let passwords = format!("app {APP_PASSWORD}\nadmin {ADMIN_PASSWORD}\n");
        std::io::Write::write_all(&mut std::fs::File::create(folder.path().join("passwords"))?, passwords.as_bytes())?;
        Ok(Self { folder, server })
    }

    /// Kills the server and starts another one on the same data; with what the first one said on standard error.
    pub(crate) fn killed_and_started(self) -> Result<(Self, String)> {
        let Self { folder, server } = self;
        let said = server.kill();
        Ok((Self::on(folder, "127.0.0.1:0")?, said))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn log_folder(&self) -> PathBuf {
        self.data().join("qmgrs/QM1/log")
    }

    fn passwords(&self) -> PathBuf {
        self.folder.path().join("passwords")
    }

    /// The batch server of request and reply, ready.
    pub(crate) fn responder(&self, arguments: &[&str]) -> Result<Responder> {
        let mut responder = Command::new(quaymaster()?)
            .args([
                "workload",
                "responder",
                "--channel",
                "DEV.APP.SVRCONN",
                "--mq",
                &self.server.mq_address()?.to_string(),
            ])
            .args(arguments)
            .arg("--password-file")
            .arg(self.passwords())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = responder.stdout.take().context("a pipe")?;
        let responder = Responder(responder);
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line)?;
        ensure!(line.contains("\"ready\""), "{line}");
        Ok(responder)
    }

    /// `workload run` over HTTPS, which says what it found as JSON.
    pub(crate) fn by_url(&self, arguments: &[&str]) -> Result<Command> {
        let mut run = run(&self.passwords(), arguments)?;
        run.arg("--url").arg(self.server.https_url()?).arg("--cacert").arg(self.server.ca_file());
        Ok(run)
    }

    /// The same through a channel.
    pub(crate) fn by_channel(&self, arguments: &[&str]) -> Result<Command> {
        let mut run = run(&self.passwords(), arguments)?;
        run.args(["--channel", "DEV.APP.SVRCONN", "--mq", &self.server.mq_address()?.to_string()]);
        Ok(run)
    }
}

/// Killed with its value.
pub(crate) struct Responder(std::process::Child);

impl Drop for Responder {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(passwords: &Path, arguments: &[&str]) -> Result<Command> {
    let mut run = Command::new(quaymaster()?);
    run.args(["workload", "run", "--json", "-"]).args(arguments).arg("--password-file").arg(passwords);
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(run)
}

/// The JSON result of a run, however it ended.
fn result(output: &Output) -> Result<Value> {
    serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The JSON result of a run in which all was well.
fn well(mut run: Command) -> Result<Value> {
    well_ended(&run.output()?)
}

/// The same of a run that has ended.
pub(crate) fn well_ended(output: &Output) -> Result<Value> {
    let result = result(output)?;
    ensure!(output.status.success() && result["judgement"] == "clean" && result["errors"] == 0, "{result:#}");
    Ok(result)
}

/// Of a run so short that a busy machine may let it complete nothing: nothing went wrong in it.
pub(crate) fn unharmed(output: &Output) -> Result<()> {
    let result = result(output)?;
    let is_clean = output.status.success() && result["judgement"] == "clean";
    ensure!((is_clean || result["judgement"] == "nothing-done") && result["errors"] == 0, "{result:#}");
    Ok(())
}
