//! ElasticMQ, a server with the interface of Amazon SQS, from Maven Central; its queues are in memory.
//!
//! Requests are those of the AWS SDKs: JSON, with the action in a header. It checks no credentials.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::queue::{CLIENTS, Connection, HttpQueue, Persistence, Taking, UNCHECKED, body, holds};
use crate::distribution::Libraries;
use crate::nginx::free_port;

const LIBRARIES: Libraries<'_> =
    Libraries { folder: "elasticmq-1.6.12", artifacts: &["org.elasticmq:elasticmq-server_2.13:1.6.12"] };

pub(super) struct ElasticMq {
    server: Child,
    port: u16,
    _folder: TempDir,
}

pub(super) struct Queues<'a>(&'a ElasticMq);

impl ElasticMq {
    /// # Errors
    /// No Java, no Maven, or the download failed: the message says which.
    #[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
    pub(super) fn start(work: &Path) -> Result<Self> {
        let libraries = LIBRARIES.copied(work)?;
        let folder = tempfile::Builder::new().prefix("elasticmq").tempdir_in(work)?;
        let port = free_port()?;
        let configuration = folder.path().join("elasticmq.conf");
        std::fs::write(&configuration, configured(port))?;
        let server = Command::new("java")
            .arg("-Xmx1g")
            .arg(format!("-Dconfig.file={}", configuration.display()))
            .arg("-cp")
            .arg(libraries.join("*"))
            .arg("org.elasticmq.server.Main")
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("java is not installed")?;
        let mut running = Self { server, port, _folder: folder };
        running.await_ready()?;
        Ok(running)
    }

    fn await_ready(&mut self) -> Result<()> {
        for _ in 0..600 {
            let mut connection = Connection::new(self.address(), UNCHECKED);
            if ask(&mut connection, "ListQueues", &json!({})).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.server.try_wait()? {
                bail!("ElasticMQ ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("ElasticMQ is not ready")
    }

    fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    pub(super) fn queues(&self) -> Queues<'_> {
        Queues(self)
    }
}

impl Drop for ElasticMq {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl HttpQueue for Queues<'_> {
    fn name(&self) -> &'static str {
        "ElasticMQ"
    }

    fn persistence(&self) -> Persistence {
        Persistence::Nonpersistent
    }

    fn taking(&self) -> Taking {
        Taking::Locked
    }

    fn address(&self) -> SocketAddr {
        self.0.address()
    }

    fn credentials(&self) -> &'static str {
        UNCHECKED
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.0.server.id()])
    }

    fn is_java(&self) -> bool {
        true
    }

    fn send(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let url = self.url(queue);
        if together == 1 {
            return ask(connection, "SendMessage", &json!({ "QueueUrl": url, "MessageBody": body() })).map(drop);
        }
        let entry = |number: usize| json!({ "Id": number.to_string(), "MessageBody": body() });
        let entries: Vec<_> = (0..together).map(entry).collect();
        whole(&ask(connection, "SendMessageBatch", &json!({ "QueueUrl": url, "Entries": entries }))?, together)
    }

    fn take(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let url = self.url(queue);
        let received = ask(connection, "ReceiveMessage", &json!({ "QueueUrl": url, "MaxNumberOfMessages": together }))?;
        let received = received["Messages"].as_array().context("a list of messages")?;
        ensure!(received.len() == together, "{} of {together} messages", received.len());
        if let [one] = received.as_slice() {
            let which = json!({ "QueueUrl": url, "ReceiptHandle": one["ReceiptHandle"] });
            return ask(connection, "DeleteMessage", &which).map(drop);
        }
        let entry =
            |(number, one): (usize, &Value)| json!({ "Id": number.to_string(), "ReceiptHandle": one["ReceiptHandle"] });
        let entries: Vec<_> = received.iter().enumerate().map(entry).collect();
        whole(&ask(connection, "DeleteMessageBatch", &json!({ "QueueUrl": url, "Entries": entries }))?, together)
    }
}

impl Queues<'_> {
    fn url(&self, queue: usize) -> String {
        format!("http://127.0.0.1:{}/000000000000/bench{queue}", self.0.port)
    }
}

fn ask(connection: &mut Connection, action: &str, body: &Value) -> Result<Value> {
    let headers = format!("Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AmazonSQS.{action}\r\n");
    let answer = connection.ask("POST", "/", &headers, body.to_string().as_bytes())?;
    if action == "ReceiveMessage" {
        holds(&answer, 1)?;
    }
    Ok(answer.json())
}

/// All entries of a batch have succeeded.
fn whole(answer: &Value, together: usize) -> Result<()> {
    let done = answer["Successful"].as_array().map_or(0, Vec::len);
    ensure!(done == together, "{done} of {together} entries: {answer}");
    Ok(())
}

fn configured(port: u16) -> String {
    let queues: String = (0..CLIENTS).map(|queue| format!("bench{queue} {{ }}\n")).collect();
    format!(
        "include classpath(\"application.conf\")\n\
         node-address {{ protocol = http, host = \"127.0.0.1\", port = {port}, context-path = \"\" }}\n\
         rest-sqs {{ enabled = true, bind-port = {port}, bind-hostname = \"127.0.0.1\", sqs-limits = strict }}\n\
         rest-stats {{ enabled = false }}\n\
         queues {{\n{queues}}}\n"
    )
}
