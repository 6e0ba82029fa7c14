//! A peer as a process of its own on a port of this machine, with a folder that goes with it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use system_tests::ports;
use tempfile::TempDir;

/// Looks before a peer is given up: a Java virtual machine on a busy machine needs a while.
const LOOKS: u32 = 600;
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct Process {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Process {
    /// Starts what `command` makes for a folder and a port, and waits until `is_ready` succeeds.
    ///
    /// # Errors
    /// The program cannot be started, ends at once, or does not get ready.
    pub(super) fn start(
        name: &str,
        work: &Path,
        command: impl FnOnce(&Path, u16) -> Result<Command>,
        is_ready: impl Fn(SocketAddr) -> bool,
    ) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix(name).tempdir_in(work)?;
        let port = ports::free()?;
        let mut command = command(folder.path(), port)?;
        command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child =
            command.spawn().with_context(|| format!("{name} cannot be started: is what it needs installed?"))?;
        let mut running = Self { child, port, _folder: folder };
        for _ in 0..LOOKS {
            if is_ready(running.address()) {
                return Ok(running);
            }
            if let Some(status) = running.child.try_wait()? {
                bail!("{name} ended with {status}");
            }
            std::thread::sleep(LOOK);
        }
        bail!("{name} is not ready")
    }

    pub(super) fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
