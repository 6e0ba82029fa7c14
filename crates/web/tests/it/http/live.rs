//! Live events of `/api/v1`: what a stream sends, to whom, where it goes on, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use model::descriptor::MessageDescriptor;
use model::timestamp::Timestamp;
use serde_json::{Value, json};
use tokio::time::Instant;
use web::options::Level;

use super::client::{self, Answer, Client};
use super::server::{PATIENCE, TestServer, eventually};

const APP: &str = "authorization: Basic YXBwOnNlY3JldA==";
const OTHER: &str = "authorization: Basic b3RoZXI6b3RoZXJwdw==";
const ADMIN: &str = "authorization: Basic YWRtaW46YWRtaW5wdw==";

/// A stream that is being read.
pub(super) struct Events {
    socket: BufReader<TcpStream>,
    unread: String,
    id: String,
    is_resumed: bool,
    last_id: String,
}

/// An event by its name.
type Event = (String, Value);

impl Events {
    pub(super) fn open(server: &TestServer, headers: &str) -> Self {
        let mut socket = client::connect(server.http());
        let headers = headers.replace('\n', "\r\n");
        write!(socket, "GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n\r\n").expect("sent");
        let mut socket = BufReader::new(socket);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(socket.read_line(&mut head).expect("read") > 0, "the connection ended: {head}");
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
        let mut events =
            Self { socket, unread: String::new(), id: String::new(), is_resumed: false, last_id: String::new() };
        let (name, data) = events.next();
        assert_eq!(name, "stream");
        events.id = data["id"].as_str().expect("an id").to_owned();
        events.is_resumed = data["resumed"] == true;
        events
    }

    pub(super) fn next(&mut self) -> Event {
        self.next_if_any().expect("the stream goes on")
    }

    /// `None` at the end of the stream. Heartbeats are passed over.
    fn next_if_any(&mut self) -> Option<Event> {
        loop {
            while let Some((event, rest)) = self.unread.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.unread = rest;
                if !event.starts_with(':') {
                    return Some(self.read(&event));
                }
            }
            let mut line = String::new();
            if self.socket.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let length = usize::from_str_radix(line.trim(), 16).expect("the length of a chunk");
            let mut chunk = vec![0; length + 2];
            self.socket.read_exact(&mut chunk).expect("a chunk");
            if length == 0 {
                return None;
            }
            self.unread.push_str(std::str::from_utf8(&chunk[..length]).expect("UTF-8"));
        }
    }

    fn read(&mut self, event: &str) -> Event {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        if let Some(id) = field("id: ") {
            self.last_id = id;
        }
        let data = field("data: ").expect("data");
        (field("event: ").expect("a name"), serde_json::from_str(&data).expect("JSON"))
    }

    pub(super) fn watch(&self, server: &TestServer, who: &str, watch: &Value) -> Answer {
        put(&mut client::plain(server), &self.id, who, watch)
    }
}

fn put(client: &mut Client, stream: &str, who: &str, watch: &Value) -> Answer {
    let body = watch.to_string();
    let length = body.len();
    client.exchange(&format!(
        "PUT /api/v1/stream/{stream}/watch\n{who}\ncontent-type: application/json\ncontent-length: {length}\n\n{body}"
    ))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

fn queues(names: &[&str]) -> Value {
    json!({ "queues": [{ "qmgr": "QM1", "names": names }] })
}

fn put_message(server: &TestServer, queue: &str) {
    server.put(queue, MessageDescriptor::default(), "x");
}

#[test]
fn a_stream_sends_the_rows_that_are_watched_and_their_changes() {
    let server = TestServer::start();
    let mut events = Events::open(&server, APP);
    let answer = events.watch(&server, APP, &queues(&["Q", "NONE"]));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(value(&answer), json!({ "queues": 1, "unknown": [{ "qmgr": "QM1", "name": "NONE" }] }));
    let (name, row) = events.next();
    assert_eq!((&*name, &row["view"], &row["key"], &row["depth"]), ("row", &json!("queues"), &json!("Q"), &json!(0)));
    put_message(&server, "Q");
    let (name, row) = events.next();
    assert_eq!((&*name, &row["key"], &row["depth"]), ("row", &json!("Q"), &json!(1)));
    assert!(row.get("readers").is_none(), "only what has changed: {row}");
    let metrics = client::metrics(&server).exchange("GET /metrics\n-authorization\n\n").text();
    assert!(metrics.contains("\nquaymaster_live_streams 1\n") && metrics.contains("\nquaymaster_live_rows 2\n"));
}

#[test]
fn a_client_that_comes_back_goes_on_and_one_that_is_not_known_has_to_load_again() {
    let server = TestServer::start();
    let mut events = Events::open(&server, APP);
    events.watch(&server, APP, &queues(&["Q"]));
    events.next();
    let (stream, read) = (events.id.clone(), events.last_id.clone());
    drop(events);
    put_message(&server, "Q");
    let mut again = Events::open(&server, &format!("{APP}\nlast-event-id: {read}"));
    assert_eq!((again.is_resumed, &again.id), (true, &stream));
    let (_, row) = again.next();
    assert_eq!((&row["depth"], row.get("readers")), (&json!(1), None));
    // Another user's stream, and one that never was.
    for (who, id) in [(OTHER, &*read), (APP, "00000000000000000000000000000007-0-0"), (APP, "nonsense")] {
        let mut other = Events::open(&server, &format!("{who}\nlast-event-id: {id}"));
        assert!(!other.is_resumed && other.id != stream);
        assert_eq!(other.next().0, "reload");
    }
}

#[test]
fn two_users_see_neither_each_others_streams_nor_forbidden_queues() {
    let server = TestServer::start();
    let events = Events::open(&server, APP);
    assert_eq!(events.watch(&server, OTHER, &queues(&["Q"])).status, 404, "it is not theirs");
    let mut other = Events::open(&server, OTHER);
    let answer = other.watch(&server, OTHER, &queues(&["Q", "PRIVATE"]));
    assert_eq!(value(&answer)["queues"], 0, "neither may be inquired nor displayed");
    put_message(&server, "Q");
    // Had the row been sent, it would have come first.
    let watch = json!({ "queues": [{ "qmgr": "QM1", "names": ["Q", "PRIVATE"] }], "qmgrs": true });
    other.watch(&server, OTHER, &watch);
    let (_, row) = other.next();
    assert_eq!((&row["view"], &row["key"], &row["state"]), (&json!("qmgrs"), &json!("QM1"), &json!("running")));
    assert_eq!(put(&mut client::plain(&server), "1", APP, &json!({})).status, 404);
    assert_eq!(events.watch(&server, APP, &json!({ "topics": [] })).status, 400);
    let many: Vec<String> = (0..501).map(|number| format!("Q{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(events.watch(&server, APP, &queues(&many)).status, 400);
}

#[test]
fn jobs_are_told_to_their_user_and_to_administrators() {
    let server = TestServer::start();
    let mut own = Events::open(&server, APP);
    let mut other = Events::open(&server, OTHER);
    let mut admin = Events::open(&server, ADMIN);
    let jobs = json!({ "jobs": true });
    own.watch(&server, APP, &jobs);
    admin.watch(&server, ADMIN, &jobs);
    other.watch(&server, OTHER, &jobs);
    put_message(&server, "Q");
    let body = json!({ "action": "purge" }).to_string();
    let started = client::plain(&server)
        .exchange(&format!("POST /api/v1/qmgr/QM1/queue/Q/jobs\ncontent-type: application/json\n\n{body}"));
    assert_eq!(started.status, 202, "{}", started.text());
    for events in [&mut own, &mut admin] {
        let begun = Instant::now();
        loop {
            let (name, job) = events.next();
            assert_eq!((&*name, &job["id"]), ("job", &value(&started)["id"]));
            if job["state"] == "done" {
                assert_eq!(job["counts"]["done"], 1);
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "the job does not end");
        }
    }
    other.watch(&server, OTHER, &json!({ "jobs": true, "qmgrs": true }));
    assert_eq!(other.next().1["view"], "qmgrs", "no job came before");
}

#[test]
fn event_messages_are_told_to_those_who_may_browse_their_queue() {
    let server = TestServer::start();
    let mut admin = Events::open(&server, ADMIN);
    let mut other = Events::open(&server, OTHER);
    let watch = json!({ "events": true });
    admin.watch(&server, ADMIN, &watch);
    other.watch(&server, OTHER, &watch);
    let command = json!({ "type": "runCommand", "parameters": { "command": "ALTER QMGR INHIBTEV(ENABLED)" } });
    let altered = client::plain(&server)
        .exchange(&format!("POST v2/admin/action/qmgr/QM1/mqsc\n{ADMIN}\ncontent-type: application/json\n\n{command}"));
    assert_eq!(altered.status, 200, "{}", altered.text());
    let refused = client::plain(&server).exchange("POST /api/v1/qmgr/QM1/queue/NOPUT/messages\n\nx");
    assert_ne!(refused.status, 201);
    let (name, event) = admin.next();
    assert_eq!((&*name, &event["qmgr"], &event["queue"]), ("event", &json!("QM1"), &json!("SYSTEM.ADMIN.QMGR.EVENT")));
    assert_eq!(event["reason"], json!({ "code": 2051, "name": "MQRC_PUT_INHIBITED" }));
    assert_eq!(event["parameters"]["queueName"], "NOPUT");
    other.watch(&server, OTHER, &json!({ "events": true, "qmgrs": true }));
    assert_eq!(other.next().1["view"], "qmgrs", "no event came before");
}

#[test]
fn lines_of_the_log_are_told_to_administrators_that_watch_them() {
    let server = TestServer::start();
    let push = |text: &str| {
        let at = Timestamp::from_millis(1_800_000_000_000);
        server.options.log.push(at, Level::Info, text.to_owned(), serde_json::Map::new());
    };
    push("before");
    let mut admin = Events::open(&server, ADMIN);
    let mut own = Events::open(&server, APP);
    admin.watch(&server, ADMIN, &json!({ "log": true }));
    own.watch(&server, APP, &json!({ "log": true }));
    for number in 2..=300 {
        push(&format!("line {number}"));
    }
    for number in 2..=300 {
        let (name, line) = admin.next();
        assert_eq!((&*name, &line["number"], &line["text"]), ("log", &json!(number), &json!(format!("line {number}"))));
    }
    own.watch(&server, APP, &json!({ "log": true, "qmgrs": true }));
    assert_eq!(own.next().1["view"], "qmgrs", "no line came before");
    admin.watch(&server, ADMIN, &json!({ "qmgrs": true }));
    push("not watched any more");
    assert_eq!(admin.next().1["view"], "qmgrs");
    admin.watch(&server, ADMIN, &json!({ "log": true }));
    push("watched again");
    assert_eq!(admin.next().1["text"], "watched again");
}

#[test]
fn a_stream_is_not_idle_and_ends_with_its_sign_in() {
    let server = TestServer::start_with(|options| {
        options.limits.idle_seconds = 1;
        options.ltpa.secure = false;
    });
    let login = client::plain(&server).exchange(
        "POST v3/login\n-authorization\ncontent-type: application/json\n\n{\"username\":\"app\",\"password\":\"secret\"}",
    );
    assert_eq!(login.status, 204, "{}", login.text());
    let cookie = login.header("set-cookie").and_then(|cookie| cookie.split(';').next()).expect("a cookie").to_owned();
    let mut events = Events::open(&server, &format!("cookie: {cookie}"));
    events.watch(&server, APP, &queues(&["Q"]));
    assert_eq!(events.next().0, "row");
    let logout = client::plain(&server).exchange(&format!("DELETE v3/login\n-authorization\ncookie: {cookie}\n\n"));
    assert_eq!(logout.status, 204, "{}", logout.text());
    // That takes up to ten seconds, in which the connection is idle for longer than others may be.
    assert_eq!(events.next_if_any(), Some(("session".to_owned(), json!({ "state": "ended" }))));
    assert_eq!(events.next_if_any(), None);
    let again = put(&mut client::plain(&server), &events.id, APP, &json!({}));
    assert_eq!(again.status, 404, "nobody goes on with it");
}

#[test]
fn streams_of_a_user_are_limited_and_a_stream_that_ends_makes_room() {
    let server = TestServer::start_with(|options| options.console.live_streams_per_user = 1);
    let first = Events::open(&server, APP);
    let refused = client::plain(&server).exchange("GET /api/v1/stream\n\n");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    let _other = Events::open(&server, OTHER);
    drop(first);
    eventually("there is room again", || {
        let mut socket = client::connect(server.http());
        write!(socket, "GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\n{APP}\r\n\r\n").expect("sent");
        let mut head = [0; 12];
        socket.read_exact(&mut head).expect("an answer");
        &head == b"HTTP/1.1 200"
    });
    let head = client::plain(&server).exchange("HEAD /api/v1/stream\n\n");
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
}

#[test]
fn streams_end_when_the_server_stops() {
    let server = TestServer::start();
    let mut events = Events::open(&server, APP);
    let web = Arc::clone(&server.web);
    let stopped = server.spawn(async move { web.shutdown(Duration::from_secs(3600)).await });
    assert_eq!(events.next_if_any(), None);
    server.block_on(async { tokio::time::timeout(PATIENCE, stopped).await }).expect("in time").expect("stopped");
}
