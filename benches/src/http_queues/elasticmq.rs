//! ElasticMQ, a server with the interface of Amazon SQS, from Maven Central; its queues are in memory.
//!
//! Requests are those of the AWS SDKs: JSON, with the action in a header. It checks no credentials.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::process::Process;
use super::queue::{CLIENTS, Connection, HttpQueue, Persistence, Taking, UNCHECKED, body, holds};
use crate::distribution::Libraries;

const LIBRARIES: Libraries<'_> =
    Libraries { folder: "elasticmq-1.6.12", artifacts: &["org.elasticmq:elasticmq-server_2.13:1.6.12"] };

pub(super) struct ElasticMq(Process);

pub(super) struct Queues<'a>(&'a ElasticMq);

impl ElasticMq {
    /// # Errors
    /// No Java, no Maven, or the download failed: the message says which.
    #[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
    pub(super) fn start(work: &Path) -> Result<Self> {
        let libraries = LIBRARIES.copied(work)?;
        let command = |folder: &Path, port| {
            let configuration = folder.join("elasticmq.conf");
            std::fs::write(&configuration, configured(port))?;
            let mut java = Command::new("java");
            java.arg("-Xmx1g").arg(format!("-Dconfig.file={}", configuration.display()));
            java.arg("-cp").arg(libraries.join("*")).arg("org.elasticmq.server.Main");
            Ok(java)
        };
        let is_ready = |address| ask(&mut Connection::new(address, UNCHECKED), "ListQueues", &json!({})).is_ok();
        Process::start("elasticmq", work, command, is_ready).map(Self)
    }

    pub(super) fn queues(&self) -> Queues<'_> {
        Queues(self)
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
        self.0.0.address()
    }

    fn credentials(&self) -> &'static str {
        UNCHECKED
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.0.0.id()])
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
        format!("http://{}/000000000000/bench{queue}", self.address())
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
