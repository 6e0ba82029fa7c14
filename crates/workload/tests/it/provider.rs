//! The report's remote API over its socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;
use workload::provider::{self, API_PATH, Counts, ProviderPlan};

struct Running {
    address: SocketAddr,
    counts: Arc<Counts>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Running {
    fn start(most_entries: u32, delay: Duration) -> Self {
        let counts = Arc::new(Counts::default());
        let (stop, stopped) = watch::channel(false);
        let (tell, told) = mpsc::channel();
        let plan = ProviderPlan { listen: "127.0.0.1:0".parse().unwrap(), most_entries, delay };
        let shared = Arc::clone(&counts);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let ready = move |address| tell.send(address).unwrap();
            runtime.block_on(provider::provide(plan, shared, stopped, ready)).unwrap();
        });
        Self { address: told.recv().unwrap(), counts, stop, thread }
    }

    fn end(self) {
        self.stop.send(true).unwrap();
        self.thread.join().unwrap();
    }

    fn ask(&self, head: &str, body: &str) -> (u16, String, String) {
        exchange(&mut TcpStream::connect(self.address).unwrap(), head, body)
    }

    fn call(&self, body: &str) -> (u16, Value) {
        let (status, _, body) = self.ask(&format!("POST {API_PATH}"), body);
        (status, serde_json::from_str(&body).unwrap())
    }
}

/// Status, head and body of the answer to one request; `head` is the request line without its version, then headers.
fn exchange(socket: &mut TcpStream, head: &str, body: &str) -> (u16, String, String) {
    let mut lines = head.lines();
    let mut text =
        format!("{} HTTP/1.1\r\nHost: provider\r\nContent-Length: {}\r\n", lines.next().unwrap(), body.len());
    lines.for_each(|line| text += &format!("{line}\r\n"));
    socket.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head, String::from_utf8(body).unwrap())
}

#[test]
fn one_kept_connection_gets_one_answer_after_the_other() {
    let provider = Running::start(512, Duration::ZERO);
    let mut socket = TcpStream::connect(provider.address).unwrap();
    for (count_in, count_out) in [(1, 2), (2, 16), (3, 0), (4, 32)] {
        let body = format!("{{\"count_in\":{count_in},\"count_out\":{count_out}}}");
        let head = format!("POST {API_PATH}\nContent-Type: application/json; charset=utf-8");
        let (status, head, body) = exchange(&mut socket, &head, &body);
        assert_eq!(status, 200, "{body}");
        assert!(head.contains("content-type: application/json\r\n"), "{head}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["recv_size"], count_in * 16);
        assert_eq!(answer["user_data"].as_array().unwrap().len(), count_out * 16);
    }
    assert_eq!(provider.counts.answered.load(Ordering::Relaxed), 4);
    provider.end();
}

#[test]
fn what_is_not_served_is_refused_with_a_status_and_a_reason() {
    let provider = Running::start(512, Duration::ZERO);
    let (status, body) = provider.call(r#"{"count_in":1,"count_out":33}"#);
    assert!(status == 400 && body["error"].as_str().unwrap().contains("count_out is 33"), "{body}");
    assert_eq!(provider.call("no JSON").0, 400);
    assert_eq!(provider.call(&" ".repeat(70_000)).0, 413);
    assert_eq!(provider.ask(&format!("POST {API_PATH}\nContent-Type: text/plain"), "{}").0, 415);
    let (status, head, _) = provider.ask(&format!("GET {API_PATH}"), "");
    assert!(status == 405 && head.contains("allow: POST"), "{head}");
    assert_eq!(provider.ask("DELETE /ibm/api/docs", "").0, 405);
    assert_eq!(provider.ask("GET /", "").0, 404);
    assert_eq!(provider.ask("GET /ibm/api/docs?compact=maybe", "").0, 400);
    assert_eq!(provider.counts.refused.load(Ordering::Relaxed), 8);
    provider.end();
}

#[test]
fn its_document_comes_as_json_or_as_yaml_and_says_how_many_entries_there_are() {
    let provider = Running::start(2048, Duration::ZERO);
    let (_, head, json) = provider.ask("GET /ibm/api/docs?root=/APIrequesterPerformanceRemoteAPI/&compact=true", "");
    assert!(head.contains("content-type: application/json\r\n") && !json.contains('\n'), "{head}{json}");
    assert!(json.contains(r#""maxItems":2048"#), "{json}");
    let (_, head, yaml) = provider.ask("GET /ibm/api/docs\nAccept: application/yaml", "");
    assert!(
        head.contains("content-type: application/yaml\r\n") && yaml.contains("\"operationId\": \"VaryPayload\""),
        "{yaml}"
    );
    let (_, head, _) = provider.ask("GET /ibm/api/docs\nAccept: application/json, application/yaml", "");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    provider.end();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long an answer takes is what is tested")]
fn an_answer_can_be_late_on_purpose() {
    let provider = Running::start(16, Duration::from_millis(150));
    let begin = Instant::now();
    assert_eq!(provider.call(r#"{"count_in":1,"count_out":1}"#).0, 200);
    assert!(begin.elapsed() >= Duration::from_millis(150));
    provider.end();
}
