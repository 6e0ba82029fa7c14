//! Services of the real server: the page that introduces them, the worked example, and the two-way scenario.

mod example;
mod first;
mod page;
mod scenario;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use system_tests::program::quaymaster;
use system_tests::server::{Server, ServerOptions};

/// What the page and the example expect: the repository after `make run`, with a server that listens for everything.
pub(crate) struct Checkout {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) server: Server,
}

impl Checkout {
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let programs = folder.path().join("target/release");
        std::fs::create_dir_all(&programs)?;
        std::os::unix::fs::symlink(quaymaster()?, programs.join("quaymaster"))?;
        copy(&repository()?.join("examples"), &folder.path().join("examples"))?;
        let data = folder.path().join("quaymaster-data");
        let server = Server::start(&ServerOptions::on(&data).listening("127.0.0.1:0"))?;
        Ok(Self { folder, server })
    }

    /// Runs a script in the repository's folder: standard output, or a failure with both streams.
    pub(crate) fn run(&self, script: &str) -> Result<String> {
        let script = script
            .replace("localhost:9443", &self.server.ready.https.context("the server speaks https")?.to_string())
            .replace("localhost:1414", &self.server.mq_address()?.to_string());
        // What a failing script has started would keep its output open.
        let script = format!("trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n{script}");
        let output = Command::new("bash").arg("-ec").arg(&script).current_dir(self.folder.path()).output()?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        anyhow::ensure!(output.status.success(), "{script}\n{out}\n{err}\n{}", self.server.errors());
        Ok(out.into_owned())
    }
}

pub(crate) fn repository() -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the tests lie in the repository")?.to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
