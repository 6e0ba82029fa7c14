//! The COBOL program that calls, or does not, as often as it is told, and the processor time that took it.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::stub_folder;
use tempfile::TempDir;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/stub/STUBCOST.cbl");
/// How many calls failed, as the program writes it when there was none.
const NONE_FAILED: &[u8; 9] = b"00000000\n";

/// Ends with its value, as its orders do.
pub(super) struct Program {
    child: Child,
    orders: Option<ChildStdin>,
    outcomes: ChildStdout,
    _folder: TempDir,
}

impl Program {
    /// Compiles it and has it call the server at `address`.
    ///
    /// # Errors
    /// There is no stub or no compiler, or it refuses the program.
    pub(super) fn start(work: &Path, address: SocketAddr) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let stub = stub_folder()?;
        let program = folder.path().join("STUBCOST");
        let compiled =
            Command::new("cobc").args(["-x", "-O2", "-I"]).arg(&stub).arg("-o").arg(&program).arg(SOURCE).output();
        let compiled = compiled.context("cobc is not installed (Debian: gnucobol3)")?;
        ensure!(compiled.status.success(), "cobc: {}", String::from_utf8_lossy(&compiled.stderr));
        let mut child = Command::new(&program)
            .env("COB_LIBRARY_PATH", &stub)
            .env("BAQURI", address.ip().to_string())
            .env("BAQPORT", address.port().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = child.stdin.take();
        let outcomes = child.stdout.take().context("standard output is a pipe")?;
        Ok(Self { child, orders, outcomes, _folder: folder })
    }

    /// Goes round `times`, each time calling for an answer of so many entries, or not calling: microseconds a round.
    ///
    /// # Errors
    /// A call failed, or the program ended.
    pub(super) fn cpu_us(&mut self, times: u32, entries: Option<u32>) -> Result<f64> {
        let before = self.processor_time()?;
        let calls = if entries.is_some() { 'Y' } else { 'N' };
        let orders = self.orders.as_mut().context("standard input is a pipe")?;
        // In one piece, as the program takes what one read gives for a record.
        orders.write_all(format!("{times:08}{calls}{:08}", entries.unwrap_or_default()).as_bytes())?;
        let mut outcome = *NONE_FAILED;
        self.outcomes.read_exact(&mut outcome).context("the program ended")?;
        ensure!(outcome == *NONE_FAILED, "{} calls failed", String::from_utf8_lossy(&outcome).trim());
        #[expect(clippy::cast_precision_loss, reason = "some seconds in nanoseconds")]
        let used = (self.processor_time()? - before) as f64;
        Ok(used / 1000.0 / f64::from(times))
    }

    /// Nanoseconds that its one thread has run, as the scheduler counts them.
    fn processor_time(&self) -> Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/schedstat", self.child.id()))?;
        text.split(' ').next().and_then(|time| time.parse().ok()).context("the time the program ran")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The end of its orders ends it.
        drop(self.orders.take());
        let _ = self.child.wait();
    }
}
