//! GoAws, a server with the interface of Amazon SQS, a Go module; its queues are in memory.
//!
//! It speaks SQS's older protocol: forms, answered in XML. It checks no credentials, writes each message to its log, and listens
//! on all addresses.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::process::Process;
use super::queue::{CLIENTS, Connection, HttpQueue, Persistence, Taking, UNCHECKED, body, holds};
use crate::distribution::run;

const MODULE: &str = "github.com/Admiral-Piett/goaws/app/cmd@v0.4.5";
const FOLDER: &str = "goaws-0.4.5";
/// What the module's program is called.
const PROGRAM: &str = "cmd";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\n";

pub(super) struct GoAws(Process);

pub(super) struct Queues<'a>(&'a GoAws);

impl GoAws {
    /// # Errors
    /// No Go, or the download failed: the message says which.
    #[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
    pub(super) fn start(work: &Path) -> Result<Self> {
        let program = installed(work)?;
        let command = |folder: &Path, port| {
            let configuration = folder.join("goaws.yaml");
            std::fs::write(&configuration, configured(port))?;
            let mut goaws = Command::new(program);
            goaws.arg("-config").arg(configuration);
            Ok(goaws)
        };
        let is_ready = |address| Connection::new(address, UNCHECKED).ask("GET", "/health", "", b"").is_ok();
        Process::start("goaws", work, command, is_ready).map(Self)
    }

    pub(super) fn queues(&self) -> Queues<'_> {
        Queues(self)
    }
}

impl HttpQueue for Queues<'_> {
    fn name(&self) -> &'static str {
        "GoAws"
    }

    fn persistence(&self) -> Persistence {
        Persistence::Nonpersistent
    }

    fn taking(&self) -> Taking {
        Taking::Locked
    }

    fn address(&self) -> SocketAddr {
        self.0.0.address()
    }

    fn credentials(&self) -> &'static str {
        UNCHECKED
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.0.0.id()])
    }

    fn send(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let body = body();
        if together == 1 {
            return ask(connection, queue, "SendMessage", &format!("&MessageBody={body}")).map(drop);
        }
        let mut entries = String::new();
        for number in 1..=together {
            let entry = format!("&SendMessageBatchRequestEntry.{number}");
            write!(entries, "{entry}.Id={number}{entry}.MessageBody={body}").expect("writing into a String succeeds");
        }
        whole(&ask(connection, queue, "SendMessageBatch", &entries)?, "<SendMessageBatchResultEntry>", together)
    }

    fn take(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let received = ask(connection, queue, "ReceiveMessage", &format!("&MaxNumberOfMessages={together}"))?;
        let receipts: Vec<_> = receipts(&received).collect();
        ensure!(receipts.len() == together, "{} of {together} messages", receipts.len());
        if let [one] = receipts.as_slice() {
            return ask(connection, queue, "DeleteMessage", &format!("&ReceiptHandle={one}")).map(drop);
        }
        let mut entries = String::new();
        for (number, receipt) in (1..).zip(receipts) {
            let entry = format!("&DeleteMessageBatchRequestEntry.{number}");
            write!(entries, "{entry}.Id={number}{entry}.ReceiptHandle={receipt}")
                .expect("writing into a String succeeds");
        }
        whole(&ask(connection, queue, "DeleteMessageBatch", &entries)?, "<DeleteMessageBatchResultEntry>", together)
    }
}

/// The installed program, fetched when it is not there.
fn installed(work: &Path) -> Result<PathBuf> {
    let folder = work.join("peers").join(FOLDER);
    let program = folder.join(PROGRAM);
    if !program.is_file() {
        run(Command::new("go").args(["install", MODULE]).env("GOBIN", &folder))?;
    }
    Ok(program)
}

fn ask(connection: &mut Connection, queue: usize, action: &str, parameters: &str) -> Result<String> {
    let form = format!("Action={action}&Version=2012-11-05{parameters}");
    let answer = connection.ask("POST", &format!("/000000000000/{}", name(queue)), FORM, form.as_bytes())?;
    if action == "ReceiveMessage" {
        holds(&answer, 1)?;
    }
    Ok(answer.text())
}

/// As a form has them: they hold a `#`.
fn receipts(received: &str) -> impl Iterator<Item = String> {
    received.split("<ReceiptHandle>").skip(1).filter_map(|rest| Some(rest.split_once('<')?.0.replace('#', "%23")))
}

/// All entries of a batch have succeeded.
fn whole(answer: &str, entry: &str, together: usize) -> Result<()> {
    let done = answer.matches(entry).count();
    ensure!(done == together, "{done} of {together} entries: {answer}");
    Ok(())
}

fn name(queue: usize) -> String {
    format!("bench{queue}")
}

fn configured(port: u16) -> String {
    let queues: String = (0..CLIENTS).map(|queue| format!("    - Name: {}\n", name(queue))).collect();
    format!(
        "Local:\n  Host: localhost\n  Port: {port}\n  Region: us-east-1\n  AccountId: \"000000000000\"\n  Queues:\n{queues}"
    )
}
