//! The collector of OpenTelemetry itself: it takes what the server sends, and passes the same spans on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use system_tests::http::Client;
use system_tests::ports;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use super::{CALLER, PATIENCE, TRACE};
use crate::interop::packages::cache;
use crate::interop::run;
use crate::services::repository;

const PAUSE: Duration = Duration::from_millis(100);
const LOOKS: u32 = 600;

struct Collector {
    process: Child,
    endpoint: String,
    /// Bodies that it has passed on.
    passed_on: mpsc::Receiver<Value>,
    log: std::path::PathBuf,
}

impl Collector {
    fn start(folder: &Path) -> Result<Self> {
        let program = cache("collector")?.join("collector");
        let mut go = Command::new("go");
        go.args(["build", "-o"]).arg(&program).arg(".").current_dir(repository()?.join("tests/traces/collector"));
        go.env("GOCACHE", cache("go")?).env("GOFLAGS", "-mod=readonly").env_remove("GO111MODULE");
        let built = run(&mut go)?;
        ensure!(
            built.status.success(),
            "tests/traces/collector/go.mod names the Go it needs:\n{}",
            String::from_utf8_lossy(&built.stderr)
        );
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let next = listener.local_addr()?.port().to_string();
        let (sender, passed_on) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                std::thread::spawn(move || take(&stream, &sender));
            }
        });
        let port = ports::free()?;
        let log = folder.join("collector.log");
        let mut command = Command::new(program);
        command.args([port.to_string(), next]).stdin(Stdio::null()).stdout(Stdio::null());
        let process = command.stderr(std::fs::File::options().create(true).append(true).open(&log)?).spawn()?;
        let mut collector = Self { process, endpoint: format!("http://127.0.0.1:{port}"), passed_on, log };
        for _ in 0..LOOKS {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(collector);
            }
            if let Some(status) = collector.process.try_wait()? {
                bail!("the collector ended, {status}: {}", collector.said());
            }
            sleep(PAUSE);
        }
        bail!("the collector does not listen: {}", collector.said())
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Spans with their resources' service names, until each of these is there.
    fn spans(&self, wanted: &[&dyn Fn(&Value) -> bool]) -> Result<Vec<(String, Value)>> {
        let mut spans: Vec<(String, Value)> = Vec::new();
        while !wanted.iter().all(|wanted| spans.iter().any(|(_, span)| wanted(span))) {
            let body = self.passed_on.recv_timeout(PATIENCE).with_context(|| format!("{spans:?}\n{}", self.said()))?;
            for of in body["resourceSpans"].as_array().into_iter().flatten() {
                let service = text(&of["resource"], "service.name").context("a service")?;
                let scopes = of["scopeSpans"].as_array().into_iter().flatten();
                let all = scopes.flat_map(|scope| scope["spans"].as_array().into_iter().flatten());
                spans.extend(all.map(|span| (service.clone(), span.clone())));
            }
        }
        Ok(spans)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Requests of one connection of the collector.
fn take(stream: &TcpStream, sender: &mpsc::Sender<Value>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if !reader.read_line(&mut line).is_ok_and(|read| read > 0) {
                return;
            }
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        if reader.read_exact(&mut body).is_err() || (&*stream).write_all(answer.as_bytes()).is_err() {
            return;
        }
        let _ = sender.send(serde_json::from_slice(&body).unwrap_or_default());
    }
}

/// An attribute that is text.
fn text(of: &Value, key: &str) -> Option<String> {
    let attribute = of["attributes"].as_array()?.iter().find(|attribute| attribute["key"] == key)?;
    attribute["value"]["stringValue"].as_str().map(str::to_owned)
}

#[test]
#[ignore = "builds the collector of OpenTelemetry, which takes minutes once; make test-full runs it"]
fn the_collector_of_opentelemetry_passes_on_the_spans_of_a_put_and_a_get() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let collector = Collector::start(folder.path())?;
    let mut options = ServerOptions::on(&folder.path().join("data"));
    options.environment.push(("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), collector.endpoint.clone()));
    options.environment.push(("QUAYMASTER_TRACING_MESSAGE_PROPERTIES".to_owned(), "true".to_owned()));
    let server = Server::start(&options)?;
    let credentials = STANDARD.encode(format!("app:{APP_PASSWORD}"));
    let mut client = Client::connect(server.ready.http.context("it listens for HTTP")?, &credentials)?;
    let path = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";
    let headers = format!(
        "Content-Type: text/plain\r\nibm-mq-rest-csrf-token: x\r\ntraceparent: 00-{TRACE}-{CALLER}-01\r\ntracestate: vendor=1\r\n"
    );
    for method in ["POST", "DELETE"] {
        let answer = client.ask(method, path, &headers, if method == "POST" { b"order 8" } else { b"" })?;
        ensure!(answer.status < 300, "{method} {}: {}", answer.status, answer.text());
    }
    let method = |span: &Value| text(span, "http.request.method");
    let posted = |span: &Value| method(span).as_deref() == Some("POST");
    let deleted = |span: &Value| method(span).as_deref() == Some("DELETE");
    let got = |span: &Value| span["name"] == "get DEV.QUEUE.1";
    let spans = collector.spans(&[&posted, &deleted, &got])?;
    for (service, span) in &spans {
        assert_eq!(
            (service.as_str(), &span["traceId"], &span["traceState"]),
            ("quaymaster", &TRACE.into(), &"vendor=1".into())
        );
        let nanoseconds = |key: &str| span[key].as_str().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let (begun, ended) = (nanoseconds("startTimeUnixNano"), nanoseconds("endTimeUnixNano"));
        ensure!(begun > 0 && ended >= begun, "{span}");
    }
    let one = |wanted: &dyn Fn(&Value) -> bool| {
        let found: Vec<&Value> = spans.iter().map(|(_, span)| span).filter(|span| wanted(span)).collect();
        ensure!(found.len() == 1, "{spans:?}");
        Ok(found[0].clone())
    };
    let (post, delete, get) = (one(&posted)?, one(&deleted)?, one(&got)?);
    for request in [&post, &delete] {
        assert_eq!((&request["parentSpanId"], &request["kind"]), (&CALLER.into(), &2.into()));
        assert_eq!(text(request, "url.path").as_deref(), Some(path));
    }
    assert_eq!((&get["parentSpanId"], &get["kind"]), (&delete["spanId"], &5.into()));
    assert_eq!((&get["links"][0]["traceId"], &get["links"][0]["spanId"]), (&TRACE.into(), &post["spanId"]));
    assert_eq!(text(&get, "messaging.system").as_deref(), Some("ibmmq"));
    Ok(())
}
