//! One Java program as a process with bounds, and what it printed.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::interop::java::{ADMIN_PASSWORD, APP_PASSWORD, build};

/// Longest run of a program: its checks end by themselves long before.
const LIMIT: Duration = Duration::from_secs(300);

/// Which of the public clients a program is compiled and run with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Client {
    /// Jakarta Messaging and the classes for Java.
    Jakarta,
    /// JMS 2 and the classes for Java.
    Javax,
    Spring,
}

pub(super) struct Program {
    client: Client,
    main: &'static str,
    properties: Vec<String>,
    arguments: Vec<String>,
    folder: PathBuf,
}

/// A program that was started; it ends with its value.
pub(super) struct Running {
    child: Child,
    output: PathBuf,
}

impl Program {
    /// `main` is the class without `interop.`; the server listens at `address`; the process works and writes in `folder`.
    pub(super) fn new(client: Client, main: &'static str, address: SocketAddr, folder: &Path) -> Self {
        let program = Self { client, main, properties: Vec::new(), arguments: Vec::new(), folder: folder.to_owned() };
        program
            .property("mq.port", &address.port().to_string())
            .property("mq.app.password", APP_PASSWORD)
            .property("mq.admin.password", ADMIN_PASSWORD)
    }

    pub(super) fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    pub(super) fn property(mut self, name: &str, value: &str) -> Self {
        self.properties.push(format!("-D{name}={value}"));
        self
    }

    pub(super) fn start(self) -> Result<Running> {
        let client = match self.client {
            Client::Jakarta => "jakarta",
            Client::Javax => "javax",
            Client::Spring => "spring",
        };
        let programs = build::programs()?.join(client);
        let path = self.folder.join(format!("{}.{client}.txt", self.main));
        let output = File::create(&path)?;
        let mut command = Command::new("java");
        command.args(["-Xmx1500m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]).args(&self.properties);
        command.arg("-cp").arg(format!("{0}/classes:{0}/lib/*", programs.display()));
        command.arg(format!("interop.{}", self.main)).args(&self.arguments).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        Ok(Running { child, output: path })
    }

    /// Runs it to its end, which must be a good one.
    pub(super) fn run(self) -> Result<()> {
        self.start()?.finish()
    }
}

impl Running {
    /// Waits until it has printed this line.
    pub(super) fn await_line(&mut self, line: &str) -> Result<()> {
        self.poll(|running| {
            let there = running.printed()?.lines().any(|printed| printed.trim() == line);
            if !there && running.child.try_wait()?.is_some() {
                bail!("it ended before it printed '{line}'");
            }
            Ok(there.then_some(()))
        })
    }

    /// Waits for its end, which must be a good one.
    pub(super) fn finish(mut self) -> Result<()> {
        let status = self.poll(|running| Ok(running.child.try_wait()?))?;
        let printed = self.printed()?;
        ensure!(well(status, &printed), "{status}\n{printed}");
        // Shown by `cargo test -- --nocapture`: rates, and what was checked.
        println!("{printed}");
        Ok(())
    }

    /// Ends it at once, as a power cut would.
    pub(super) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    fn poll<T>(&mut self, mut look: impl FnMut(&mut Self) -> Result<Option<T>>) -> Result<T> {
        let end = now() + LIMIT;
        loop {
            match look(self) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) if now() < end => std::thread::sleep(Duration::from_millis(20)),
                Ok(None) => bail!("nothing for {LIMIT:?}\n{}", self.printed()?),
                Err(error) => return Err(error.context(self.printed()?)),
            }
        }
    }

    fn printed(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(&self.output)?).into_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has mostly ended by itself; then there is nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn well(status: ExitStatus, printed: &str) -> bool {
    status.success() && printed.trim_end().lines().next_back().is_some_and(|last| last.starts_with("done"))
}

#[expect(clippy::disallowed_methods, reason = "waiting for a process has a bound")]
fn now() -> Instant {
    Instant::now()
}
