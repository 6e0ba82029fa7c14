//! Traces: a request, the message that it puts, and the webhook that the message goes to are one trace, as a receiver with the published
//! messages of OpenTelemetry reads it.

mod collector;
mod faults;
mod remote;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use system_tests::http::Client;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use crate::services::repository;

const PATIENCE: Duration = Duration::from_secs(300);
pub(crate) const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
pub(crate) const CALLER: &str = "b7ad6b7169203331";

/// `receiver.py`, with the published messages of OpenTelemetry.
pub(crate) struct Receiver {
    process: Child,
    port: u16,
    lines: mpsc::Receiver<Value>,
    seen: Vec<Value>,
}

impl Receiver {
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let environment = folder.join("environment");
        let run = |command: &mut Command| -> Result<()> {
            let said = command.output()?;
            ensure!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
            Ok(())
        };
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let mut pip = Command::new(environment.join("bin/pip"));
        run(pip.args(["install", "--quiet", "--disable-pip-version-check", "opentelemetry-proto==1.45.2"]))?;
        let mut command = Command::new(environment.join("bin/python"));
        command.arg(repository()?.join("tests/traces/receiver.py"));
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut out = BufReader::new(process.stdout.take().context("a pipe")?).lines();
        let port = out.next().context("the receiver ended")??.parse()?;
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap_or_default());
            }
        });
        Ok(Self { process, port, lines, seen: Vec::new() })
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What has been received so far.
    pub(crate) fn seen(&self) -> &[Value] {
        &self.seen
    }

    /// The first thing that is so, among what was and what will be received.
    pub(crate) fn find(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        if let Some(found) = self.seen.iter().find(|seen| is_wanted(seen)) {
            return Ok(found.clone());
        }
        loop {
            let next = self.lines.recv_timeout(PATIENCE).with_context(|| format!("in vain; seen: {:?}", self.seen))?;
            self.seen.push(next.clone());
            if is_wanted(&next) {
                return Ok(next);
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_request_its_message_and_the_webhook_of_the_message_are_one_trace() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut receiver = Receiver::start(folder.path())?;
    let endpoint = receiver.endpoint();
    let mut options = ServerOptions::on(&folder.path().join("data"));
    for (name, value) in [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_SERVICE_NAME", "orders"),
        ("QUAYMASTER_TRACING_MESSAGE_PROPERTIES", "true"),
        ("QUAYMASTER_PUSH_ALLOWED_NETWORKS", "127.0.0.1"),
    ] {
        options.environment.push((name.to_owned(), value.to_owned()));
    }
    let server = Server::start(&options)?;
    let credentials = STANDARD.encode(format!("app:{APP_PASSWORD}"));
    let mut client = Client::connect(server.ready.http.context("it listens for HTTP")?, &credentials)?;
    let wish = json!({ "queue": "DEV.QUEUE.1", "url": format!("{endpoint}/orders") }).to_string();
    let json = "Content-Type: application/json\r\nibm-mq-rest-csrf-token: x\r\n";
    let made = client.ask("PUT", "/api/v1/qmgr/QM1/push/orders", json, wish.as_bytes())?;
    ensure!(made.status < 300, "{}: {}", made.status, made.text());

    let path = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";
    let headers = format!(
        "Content-Type: text/plain\r\nibm-mq-rest-csrf-token: x\r\ntraceparent: 00-{TRACE}-{CALLER}-01\r\ntracestate: vendor=1\r\n"
    );
    let put = client.ask("POST", path, &headers, b"order 8")?;
    ensure!(put.status == 201, "{}: {}", put.status, put.text());

    let request = receiver.find(|seen| seen["parent"] == CALLER)?;
    assert_eq!(
        (&request["trace"], &request["kind"], &request["service"]),
        (&TRACE.into(), &2.into(), &"orders".into())
    );
    assert_eq!((&request["state"], &request["status"]), (&"vendor=1".into(), &0.into()));
    let attributes = &request["attributes"];
    assert_eq!(
        (&attributes["http.request.method"], &attributes["url.path"], &attributes["http.response.status_code"]),
        (&"POST".into(), &path.into(), &201.into())
    );
    let route = attributes["http.route"].as_str().context("a route")?;
    assert_eq!(request["name"], format!("POST {route}"));
    ensure!(request["nanoseconds"].as_i64() > Some(0), "{request}");

    let pushed = receiver.find(|seen| seen["name"] == "push orders")?;
    assert_eq!((&pushed["trace"], &pushed["parent"], &pushed["kind"]), (&TRACE.into(), &request["span"], &5.into()));
    let post = receiver.find(|seen| seen["kind"] == 3 && seen["parent"] == pushed["span"])?;
    assert_eq!((&post["trace"], &post["parent"]), (&TRACE.into(), &pushed["span"]));
    assert_eq!(post["attributes"]["http.response.status_code"], 200);
    let webhook = receiver.find(|seen| seen["webhook"] == "/orders")?;
    let span = post["span"].as_str().context("a span")?;
    assert_eq!(webhook["traceparent"], format!("00-{TRACE}-{span}-01"));

    // A request of nobody's trace begins one, and what sends the spans is in none.
    let made = receiver.find(|seen| seen["name"].as_str().is_some_and(|name| name.starts_with("PUT ")))?;
    assert_eq!(made["parent"], "");
    ensure!(made["trace"] != TRACE, "{made}");
    ensure!(receiver.seen.iter().all(|seen| seen["attributes"]["url.path"] != "/v1/traces"));
    Ok(())
}
