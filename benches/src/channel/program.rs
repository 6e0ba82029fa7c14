//! A program of clients that does what it is told by lines on standard input, and answers each by one with a count.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// It ends with its value.
pub(super) struct Program {
    child: Child,
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    /// What it says beside its answers.
    log: PathBuf,
}

impl Program {
    /// Starts it in a folder, with a log of this name there.
    pub(super) fn start(mut command: Command, folder: &Path, name: &str) -> Result<Self> {
        let log = folder.join(format!("{name}.log"));
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let commands = child.stdin.take().context("standard input is a pipe")?;
        let answers = child.stdout.take().context("standard output is a pipe")?;
        Ok(Self { child, commands, answers: BufReader::new(answers).lines(), log })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The count of its answer, when it has obeyed.
    pub(super) fn ask(&mut self, command: &str) -> Result<u64> {
        writeln!(self.commands, "{command}")?;
        for line in self.answers.by_ref() {
            let line = line?;
            match line.split_once(' ') {
                Some((word, count)) if command.starts_with(word) => return Ok(count.parse()?),
                Some(("failed", _)) => bail!("{command}: {line}\n{}", self.said()),
                // Some clients greet.
                _ => {}
            }
        }
        bail!("{command}: the program has ended\n{}", self.said())
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
