//! Streams of the message API: what comes when, what becomes of what the client did not get, and how streams end.

use std::collections::VecDeque;
use std::time::Duration;

use identity::api_key::NewApiKey;
use identity::scope::Scope;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::descriptor::{Ccsid, Encoding, MessageDescriptor};
use model::name::QueueName;
use model::options::{ObjectDescriptor, PutFlags, PutOptions};
use model::timestamp::Timestamp;
use queue_manager::registry::State;
use serde_json::{Value, json};

use super::bodies::{ORDER, ORDER_BYTES, server_with};
use super::client::{self, Answer, Client};
use super::server::{TestServer, eventually, server_user};

const BASE: &str = "/api/v1/qmgr/QM1";
const EVENTS: &str = "accept: text/event-stream";
/// After so many heartbeats nothing else is expected to come.
const MOST_HEARTBEATS: usize = 5;

/// A stream that is read.
struct Stream {
    client: Client,
    answer: Answer,
    buffer: Vec<u8>,
    frames: VecDeque<Frame>,
}

#[derive(Debug, Clone, PartialEq)]
enum Frame {
    Heartbeat,
    /// Name, id and data; of a line the name is `message` or `error`.
    Event(String, Option<String>, Value),
    End,
}

impl Stream {
    /// `head` may have headers on lines of their own.
    fn open(server: &TestServer, head: &str) -> Self {
        Self::by(client::plain(server), head)
    }

    fn by(mut client: Client, head: &str) -> Self {
        let (path, headers) = head.split_once('\n').unwrap_or((head, ""));
        // Without a byte behind the request: it would keep the server from looking for the end of the connection.
        let answer = client.open(format!("GET {BASE}{path}\n{headers}").trim_end());
        Self { client, answer, buffer: Vec::new(), frames: VecDeque::new() }
    }

    fn opened(self) -> Self {
        assert_eq!(self.answer.status, 200, "{}", self.answer.text());
        self
    }

    fn is_events(&self) -> bool {
        self.answer.header("content-type") == Some("text/event-stream")
    }

    fn frame(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.frames.pop_front() {
                return frame;
            }
            let Some(chunk) = self.client.chunk() else { return Frame::End };
            self.buffer.extend(chunk);
            let separator: &[u8] = if self.is_events() { b"\n\n" } else { b"\n" };
            while let Some(end) = self.buffer.windows(separator.len()).position(|window| window == separator) {
                let frame: Vec<u8> = self.buffer.drain(..end + separator.len()).collect();
                let text = std::str::from_utf8(&frame[..end]).expect("UTF-8");
                self.frames.push_back(if self.is_events() { event(text) } else { line(text) });
            }
        }
    }

    /// The next frame that is no heartbeat.
    fn next(&mut self) -> Frame {
        for _ in 0..MOST_HEARTBEATS {
            match self.frame() {
                Frame::Heartbeat => {}
                frame => return frame,
            }
        }
        panic!("nothing but heartbeats comes");
    }

    /// The next message.
    fn message(&mut self) -> Value {
        match self.next() {
            Frame::Event(name, _, message) if name == "message" => message,
            other => panic!("no message: {other:?}"),
        }
    }

    fn text(&mut self) -> String {
        text(&self.message())
    }

    /// Nothing comes until the stream says that it lives; the first heartbeat may have been on its way.
    fn is_silent(&mut self) -> bool {
        self.frame() == Frame::Heartbeat && self.frame() == Frame::Heartbeat
    }

    /// The last event, and that nothing follows.
    fn problem(&mut self) -> Value {
        match self.next() {
            Frame::Event(name, _, problem) if name == "error" => {
                assert_eq!(self.next(), Frame::End);
                problem
            }
            other => panic!("no error: {other:?}"),
        }
    }
}

fn event(text: &str) -> Frame {
    let (mut name, mut id, mut data) = ("message".to_owned(), None, None);
    if text.starts_with(':') {
        return Frame::Heartbeat;
    }
    for field in text.lines() {
        match field.split_once(": ").expect("a field") {
            ("event", value) => value.clone_into(&mut name),
            ("id", value) => id = Some(value.to_owned()),
            ("data", value) => data = Some(serde_json::from_str(value).expect("JSON")),
            other => panic!("an unknown field: {other:?}"),
        }
    }
    Frame::Event(name, id, data.expect("data"))
}

fn line(text: &str) -> Frame {
    let mut value: Value = serde_json::from_str(text).expect("JSON");
    match value.as_object_mut().expect("an object") {
        object if object.is_empty() => Frame::Heartbeat,
        object if object.contains_key("error") => Frame::Event("error".to_owned(), None, object["error"].take()),
        _ => {
            let id = value["cursor"].as_str().map(str::to_owned);
            Frame::Event("message".to_owned(), id, value)
        }
    }
}

fn text(message: &Value) -> String {
    message["body"]["text"].as_str().unwrap_or_else(|| panic!("no text: {message}")).to_owned()
}

/// The identifier of a problem.
fn kind(problem: &Value) -> &str {
    problem["type"].as_str().expect("a type").rsplit('/').next().expect("an id")
}

fn ask(client: &mut Client, head: &str, body: &str) -> Value {
    let (method, path) = head.split_once(' ').expect("METHOD PATH");
    let answer = client.exchange(&format!("{method} {BASE}{path}\n\n{body}"));
    assert!(answer.status < 300, "{} {}", answer.status, answer.text());
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

fn settle(server: &TestServer, message: &Value, action: &str) {
    let token = message["token"].as_str().expect("a token");
    ask(&mut client::plain(server), &format!("POST /deliveries/{token}/{action}"), "");
}

fn put(server: &TestServer, text: &str) {
    server.put(
        "Q",
        MessageDescriptor { format: model::descriptor::Format::STRING, ..Default::default() },
        text.to_owned(),
    );
}

/// Puts with MQPUT under syncpoint; the connection commits or backs out.
fn put_uncommitted(server: &TestServer, text: &str) -> queue_manager::Connection {
    let connection = server.connect();
    let object = ObjectDescriptor { name: QueueName::literal("Q"), ..ObjectDescriptor::default() };
    let options = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
    let descriptor = MessageDescriptor { format: model::descriptor::Format::STRING, ..Default::default() };
    let caller = server_user();
    let put = connection.put1(&caller, &object, descriptor, &options, text.to_owned().into());
    server.block_on(put).expect("put");
    connection
}

fn allow(server: &TestServer, profile: &str, object: AuthorityObject, authorities: Authority) {
    for user in ["app", "other"] {
        let record = AuthorityRecord {
            profile: profile.to_owned(),
            object,
            entity: Entity::Principal(user.to_owned()),
            authorities,
        };
        server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("an authority record");
    }
}

#[test]
fn messages_that_are_there_come_first_and_others_as_they_arrive() {
    for (headers, is_events) in [("", false), (EVENTS, true)] {
        let server = TestServer::start();
        put(&server, "a");
        put(&server, "b");
        let mut stream = Stream::open(&server, &format!("/queue/Q/stream?lock=60s\n{headers}")).opened();
        assert_eq!(stream.is_events(), is_events);
        assert_eq!(stream.answer.header("cache-control"), Some("no-store"));
        assert_eq!(stream.answer.header("x-accel-buffering"), Some("no"));
        assert_eq!(stream.frame(), Frame::Heartbeat, "so that the client sees that it is there");
        let first = stream.message();
        assert_eq!((text(&first), stream.text()), ("a".to_owned(), "b".to_owned()));
        assert!(first["token"].is_string() && first["lockedUntil"].is_string() && first["position"].is_string());
        put(&server, "c");
        let third = stream.message();
        assert_eq!(text(&third), "c");
        settle(&server, &first, "complete");
        settle(&server, &third, "complete");
        assert_eq!(server.status("Q").depth.current, 1, "the second is locked");
    }
}

#[test]
fn only_so_many_deliveries_of_a_stream_are_open_and_the_next_comes_when_one_is_settled() {
    let server = TestServer::start();
    for body in ["a", "b", "c", "d"] {
        put(&server, body);
    }
    let mut stream = Stream::open(&server, "/queue/Q/stream?lock=60s&max=2&heartbeat=1s").opened();
    let [first, second] = [(); 2].map(|()| stream.message());
    assert_eq!([text(&first), text(&second)], ["a", "b"]);
    assert!(stream.is_silent(), "two are open");
    settle(&server, &first, "complete");
    assert_eq!(stream.text(), "c");
    assert!(stream.is_silent(), "two are open again");
    // What is abandoned is the next one, because it was put first.
    settle(&server, &second, "abandon");
    assert_eq!(stream.text(), "b");
    assert!(stream.is_silent());
}

#[test]
fn a_lock_that_runs_out_makes_room_for_the_next_delivery() {
    let server = TestServer::start();
    put(&server, "a");
    let mut stream = Stream::open(&server, "/queue/Q/stream?lock=50ms&max=1").opened();
    for count in 0..3 {
        let message = stream.message();
        assert_eq!((text(&message), &message["backoutCount"]), ("a".to_owned(), &json!(count)));
    }
}

#[test]
fn a_message_that_was_given_back_too_often_does_not_come_again() {
    let server = TestServer::start();
    server.define_local("BACKOUT");
    server.alter("Q", |queue| {
        let local = queue.as_local_mut().expect("local");
        local.backout_threshold = 2;
        local.backout_requeue_queue = QueueName::literal("BACKOUT");
    });
    put(&server, "poison");
    let mut stream = Stream::open(&server, "/queue/Q/stream?lock=60s&max=1").opened();
    for _ in 0..2 {
        let message = stream.message();
        settle(&server, &message, "abandon");
    }
    put(&server, "next");
    assert_eq!(stream.text(), "next");
    assert_eq!(server.status("BACKOUT").depth.current, 1);
}

#[test]
fn what_a_client_was_told_of_stays_locked_when_it_leaves_and_can_be_settled_then() {
    let server = TestServer::start();
    for body in ["a", "b", "c"] {
        put(&server, body);
    }
    let mut stream = Stream::open(&server, "/queue/Q/stream?lock=60s&max=2").opened();
    let [first, second] = [(); 2].map(|()| stream.message());
    drop(stream);
    eventually("the stream ends", || server.status("Q").open_input == 0);
    assert_eq!(server.status("Q").depth.uncommitted, 2, "locked still");
    settle(&server, &first, "complete");
    settle(&server, &second, "abandon");
    assert_eq!(server.status("Q").depth.current, 2);
    let mut stream = Stream::open(&server, "/queue/Q/stream?lock=2s&max=2").opened();
    assert_eq!([stream.text(), stream.text()], ["b", "c"]);
    drop(stream);
    eventually("their locks run out", || server.status("Q").depth.uncommitted == 0);
}

#[test]
fn what_was_not_written_is_on_its_queue_again_when_the_client_leaves() {
    let server = TestServer::start();
    let long = "x".repeat(1 << 20);
    for _ in 0..40 {
        put(&server, &long);
    }
    // The client reads nothing, so that all that the socket does not take waits.
    let stream = Stream::open(&server, "/queue/Q/stream?lock=12h&max=1000").opened();
    eventually("the socket is full", || server.status("Q").depth.uncommitted > 1);
    let taken = until_quiet(|| server.status("Q").depth.uncommitted);
    assert!(taken < 40, "the server holds no more than one piece: {taken}");
    drop(stream);
    eventually("the stream ends", || server.status("Q").open_input == 0);
    eventually("the piece that was being written comes back", || server.status("Q").depth.uncommitted < taken);
}

/// The figure once it has stayed the same for a while.
fn until_quiet(figure: impl Fn() -> u32) -> u32 {
    let mut last = figure();
    let mut same = 0;
    while same < 300 {
        std::thread::sleep(Duration::from_millis(10));
        let now = figure();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    last
}

#[test]
fn a_client_that_does_not_read_loses_its_stream_and_holds_up_no_other() {
    let server = TestServer::start_with(|options| options.limits.idle_seconds = 1);
    let long = "x".repeat(1 << 20);
    for _ in 0..30 {
        put(&server, &long);
    }
    let mut stalled = Stream::open(&server, "/queue/Q/stream?lock=1s&max=1000").opened();
    put(&server, "last");
    let mut reader = Stream::open(&server, "/queue/Q/stream?lock=60s&max=1000&body=none").opened();
    // Those that the first stream was writing come back at the end of their locks.
    let mut seen = 0;
    while seen < 31 {
        settle(&server, &reader.message(), "complete");
        seen += 1;
    }
    eventually("the stalled stream ends", || server.status("Q").open_input == 1);
    let mut read = Vec::new();
    // What was in the socket comes; then the connection ends in the middle.
    let ended = stalled.client.stream.read_to_end(&mut read);
    assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
    assert!(read.len() < 30 << 20, "{}", read.len());
}

#[test]
fn a_stream_is_not_idle_and_says_that_it_lives() {
    let server = TestServer::start_with(|options| options.limits.idle_seconds = 1);
    let mut stream = Stream::open(&server, "/queue/Q/stream?lock=60s&heartbeat=3s").opened();
    assert!(stream.is_silent());
    put(&server, "a");
    assert_eq!(stream.text(), "a");
}

#[test]
fn a_queue_that_is_followed_keeps_its_messages_and_each_comes_once() {
    let server = TestServer::start();
    for body in ["a", "b"] {
        put(&server, body);
    }
    let mut stream = Stream::open(&server, &format!("/queue/Q/stream?browse\n{EVENTS}")).opened();
    assert_eq!([stream.text(), stream.text()], ["a", "b"]);
    put(&server, "c");
    let message = stream.message();
    assert_eq!((text(&message), &message["token"]), ("c".to_owned(), &Value::Null));
    let urgent = MessageDescriptor { priority: 9, format: model::descriptor::Format::STRING, ..Default::default() };
    server.put("Q", urgent, "urgent");
    assert_eq!(stream.text(), "urgent", "also what comes before the others in the order of delivery");
    let [early, late] = ["early", "late"].map(|body| put_uncommitted(&server, body));
    put(&server, "d");
    assert_eq!(stream.text(), "d");
    server.block_on(late.commit()).expect("committed");
    assert_eq!(stream.text(), "late", "also what was put before another and committed after it");
    server.block_on(early.back_out()).expect("backed out");
    put(&server, "e");
    assert_eq!(stream.text(), "e");
    assert_eq!(server.status("Q").depth.current, 7, "nothing was taken");
}

#[test]
fn a_stream_goes_on_behind_the_last_event_and_shows_none_twice() {
    let server = TestServer::start();
    for body in ["a", "b", "c", "d"] {
        put(&server, body);
    }
    let waiting = put_uncommitted(&server, "w");
    put(&server, "e");
    let id_of = |frame: Frame| match frame {
        Frame::Event(_, Some(id), message) => (id, text(&message)),
        other => panic!("no id: {other:?}"),
    };
    let mut stream = Stream::open(&server, &format!("/queue/Q/stream?browse=true\n{EVENTS}")).opened();
    let events: Vec<_> = (0..5).map(|_| id_of(stream.next())).collect();
    drop(stream);
    put(&server, "f");
    for (number, (id, shown)) in events.iter().enumerate() {
        // The header of an `EventSource` counts more than what its URL says.
        let query = if number == 2 { "&cursor=0-1" } else { "" };
        let head = format!("/queue/Q/stream?browse{query}\n{EVENTS}\nlast-event-id: {id}");
        let mut again = Stream::open(&server, &head).opened();
        let rest: Vec<String> = (number + 1..6).map(|_| again.text()).collect();
        assert_eq!(rest, ["b", "c", "d", "e", "f"][number..], "behind {shown}");
    }
    server.block_on(waiting.commit()).expect("committed");
    let (last, _) = events.last().expect("five");
    let mut again = Stream::open(&server, &format!("/queue/Q/stream?browse&cursor={last}")).opened();
    assert_eq!([again.text(), again.text()], ["w", "f"], "what was not committed when the last event came");
    let page = ask(&mut client::plain(&server), "GET /queue/Q/messages?limit=3", "");
    let cursor = page["cursor"].as_str().expect("a cursor");
    let mut behind = Stream::open(&server, &format!("/queue/Q/stream?browse&cursor={cursor}")).opened();
    assert_eq!([behind.text(), behind.text()], ["d", "w"], "a page of a browse is a place to begin as well");
}

#[test]
fn a_selector_and_identifiers_choose_what_a_stream_shows() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for colour in ["red", "blue", "red"] {
        let body = json!({ "properties": { "colour": colour }, "body": { "text": colour } });
        ask(&mut client, "POST /queue/Q/messages?envelope", &body.to_string());
    }
    for kind in ["lock=60s", "browse"] {
        let path = format!("/queue/Q/stream?{kind}&heartbeat=1s&selector=colour%3D'red'");
        let mut stream = Stream::open(&server, &path).opened();
        let [first, second] = [(); 2].map(|()| stream.message());
        assert_eq!([text(&first), text(&second)], ["red", "red"], "{kind}");
        assert!(stream.is_silent());
        if kind == "lock=60s" {
            drop(stream);
            eventually("the stream ends", || server.status("Q").open_input == 0);
            for message in [first, second] {
                settle(&server, &message, "abandon");
            }
        }
    }
}

#[test]
fn a_named_subscription_keeps_publications_while_no_stream_is_open() {
    let server = TestServer::start();
    allow(&server, "SYSTEM.BASE.TOPIC", AuthorityObject::Topic, Authority::PUBLISH | Authority::SUBSCRIBE);
    let mut client = client::plain(&server);
    let path = "/topic/news/%23/stream?subscription=mine&lock=60s";
    let mut stream = Stream::open(&server, path).opened();
    assert_eq!(stream.frame(), Frame::Heartbeat);
    ask(&mut client, "POST /topic/news/a/messages", "one");
    let first = stream.message();
    assert_eq!((text(&first), first["token"].is_string()), ("one".to_owned(), true));
    settle(&server, &first, "complete");
    drop(stream);
    let opened_by = || {
        let all = server.queue_manager.subscription_statuses();
        all.iter()
            .find(|one| one.definition.name == "mine")
            .map(|one| (one.definition.durable, one.opened_by.is_some()))
    };
    eventually("the stream ends", || opened_by() == Some((true, false)));
    ask(&mut client, "POST /topic/news/b/messages", "two");
    let mut stream = Stream::open(&server, path).opened();
    let second = stream.message();
    assert_eq!(text(&second), "two");
    let shared = Stream::open(&server, path);
    assert_eq!(shared.answer.status, 200, "several streams share a subscription: {}", shared.answer.text());
    let refused = Stream::open(&server, &format!("{path}\n{}", client::basic("other", "otherpw")));
    assert_eq!(refused.answer.status, 403, "it is another user's: {}", refused.answer.text());
}

#[test]
fn a_subscription_without_a_name_ends_with_its_stream() {
    let server = TestServer::start();
    allow(&server, "SYSTEM.BASE.TOPIC", AuthorityObject::Topic, Authority::PUBLISH | Authority::SUBSCRIBE);
    let before = server.queue_manager.subscription_statuses().len();
    let mut stream = Stream::open(&server, &format!("/topic/news/a/stream\n{EVENTS}")).opened();
    assert_eq!(stream.frame(), Frame::Heartbeat);
    ask(&mut client::plain(&server), "POST /topic/news/a/messages", "one");
    let message = stream.message();
    assert_eq!((text(&message), &message["token"]), ("one".to_owned(), &Value::Null));
    assert_eq!(server.queue_manager.subscription_statuses().len(), before + 1);
    drop(stream);
    eventually("it is gone", || server.queue_manager.subscription_statuses().len() == before);
}

#[test]
fn mistakes_are_answered_before_a_stream_begins() {
    let server = TestServer::start_with(|options| {
        options.limits.streams = 3;
        options.limits.streams_per_user = 2;
    });
    for (path, status, expected) in [
        ("/queue/Q/stream?lock=soon", 400, "MQWB0904E"),
        ("/queue/Q/stream?max=0", 400, "MQWB0904E"),
        ("/queue/Q/stream?heartbeat=1ms", 400, "MQWB0904E"),
        ("/queue/Q/stream?browse&lock=60s", 400, "MQWB0903E"),
        ("/queue/Q/stream?cursor=0-1", 400, "MQWB0903E"),
        ("/queue/Q/stream?browse&cursor=x", 400, "MQWB0904E"),
        ("/queue/Q/stream?browse\nlast-event-id: x", 400, "MQWB0302E"),
        ("/queue/Q/stream?subscription=x", 400, "MQWB0903E"),
        ("/queue/Q/stream?selector=%3D", 400, "MQWB0303E"),
        ("/queue/NONE/stream", 404, "MQWB0300E"),
        ("/queue/PRIVATE/stream", 403, "MQWB0103E"),
        ("/queue/PRIVATE/stream?browse", 403, "MQWB0103E"),
        ("/topic/news/stream?browse", 400, "MQWB0903E"),
        ("/topic/news/stream?lock=60s", 400, "MQWB0903E"),
        ("/topic/news/stream?subscription=", 400, "MQWB0904E"),
        ("/topic/news/stream", 403, "MQWB0103E"),
    ] {
        let refused = Stream::open(&server, path).answer;
        assert_eq!(refused.header("content-type"), Some("application/problem+json"), "{path}: {}", refused.text());
        let problem: Value = serde_json::from_slice(&refused.body).expect("JSON");
        assert_eq!((refused.status, kind(&problem)), (status, expected), "{path}: {problem}");
    }
    let open = |user: &str| {
        let password = if user == "app" { "secret" } else { "otherpw" };
        Stream::open(&server, &format!("/queue/Q/stream?browse\n{}", client::basic(user, password)))
    };
    allow(&server, "Q", AuthorityObject::Queue, Authority::BROWSE);
    let first = open("app").opened();
    let _second = open("app").opened();
    assert_eq!(open("app").answer.status, 503, "the third of a user");
    let _third = open("other").opened();
    let refused = open("other").answer;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "the fourth of all");
    drop(first);
    eventually("there is room again", || open("other").answer.status == 200);
}

#[test]
fn the_head_of_a_stream_can_be_asked_for_alone() {
    let server = TestServer::start();
    put(&server, "a");
    let mut client = client::plain(&server);
    let answer = client.exchange(&format!("HEAD {BASE}/queue/Q/stream?lock=60s\n{EVENTS}\n\n"));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(server.status("Q").depth.uncommitted, 0);
}

#[test]
fn a_stream_ends_with_its_queue_manager_and_says_so() {
    for path in ["/queue/Q/stream?max=1", "/queue/Q/stream?browse"] {
        let server = TestServer::start();
        put(&server, "a");
        let mut stream = Stream::open(&server, &format!("{path}\n{EVENTS}")).opened();
        assert_eq!(stream.text(), "a");
        // One waits for room, the other for a message.
        let name = server.queue_manager.name();
        server.queue_managers.claim(&name, State::EndingImmediately, |state| state == State::Running).expect("it runs");
        server.block_on(server.queue_manager.stop());
        server.queue_managers.ended(&name, State::EndedImmediately, None);
        server.web.queue_managers_changed();
        let problem = stream.problem();
        assert_eq!(problem["status"], 503, "{path}: {problem}");
        assert!(problem["reason"]["code"].is_number(), "{problem}");
    }
}

#[test]
fn a_stream_that_waits_for_room_ends_when_its_queue_manager_quiesces() {
    let server = TestServer::start();
    put(&server, "a");
    let mut stream = Stream::open(&server, "/queue/Q/stream?max=1&lock=12h").opened();
    assert_eq!(stream.text(), "a");
    let name = server.queue_manager.name();
    server.queue_managers.claim(&name, State::Quiescing, |state| state == State::Running).expect("it runs");
    server.web.queue_managers_changed();
    assert_eq!(stream.problem()["reason"]["code"], 2161);
}

#[test]
fn a_stream_ends_with_the_server_and_says_so() {
    let server = TestServer::start();
    put(&server, "a");
    let mut full = Stream::open(&server, "/queue/Q/stream?max=1").opened();
    let mut waiting = Stream::open(&server, &format!("/queue/Q/stream?browse&heartbeat=5m\n{EVENTS}")).opened();
    assert_eq!(full.text(), "a");
    let web = std::sync::Arc::clone(&server.web);
    let stopped = server.spawn(async move { web.shutdown(Duration::from_secs(3600)).await });
    for stream in [&mut full, &mut waiting] {
        assert_eq!(kind(&stream.problem()), "MQWB0985E");
    }
    server.block_on(stopped).expect("the streams do not hold it up");
}

#[test]
fn a_stream_ends_when_the_credentials_of_its_client_do() {
    let server = TestServer::start();
    let scope = Scope::parse(&["Q".to_owned()], &[], &["browse".to_owned()]).expect("a scope");
    let key = NewApiKey { name: "watcher".to_owned(), user: "app".to_owned(), expires: None, scope };
    let (made, secret) = server.options.api_keys.create(key, Timestamp(0)).expect("a key");
    let head = format!("/queue/Q/stream?browse&heartbeat=1s\n-authorization\nx-api-key: {secret}");
    let mut of_key = Stream::open(&server, &head).opened();
    let refused = Stream::open(&server, &head.replace("browse&", "")).answer;
    assert_eq!(refused.status, 403, "the key is for browsing");
    let mut of_user = Stream::open(&server, &format!("/queue/Q/stream?browse&heartbeat=1s\n{EVENTS}")).opened();
    server.options.api_keys.revoke(&made.id).expect("revoked");
    assert_eq!(kind(&of_key.problem()), "MQWB0986E");
    put(&server, "a");
    assert_eq!(of_user.text(), "a", "the other goes on");
    let mut options = server.options.clone();
    options.web.users.remove("app");
    server.web.reload(options).expect("reloaded");
    let problem = of_user.problem();
    assert_eq!((kind(&problem), &problem["status"]), ("MQWB0986E", &json!(401)));
}

#[test]
fn open_streams_and_their_events_are_counted() {
    let server = TestServer::start();
    put(&server, "a");
    put(&server, "b");
    let figure = |name: &str| {
        let page = client::metrics(&server).exchange("GET /metrics\n\n").text();
        let line = page.lines().find(|line| line.starts_with(name)).expect("a sample").to_owned();
        line.rsplit(' ').next().expect("a value").to_owned()
    };
    let mut stream = Stream::open(&server, "/queue/Q/stream?browse").opened();
    assert_eq!([stream.text(), stream.text()], ["a", "b"]);
    assert_eq!(figure("quaymaster_message_api_streams"), "1");
    assert_eq!(figure("quaymaster_message_api_stream_events_total"), "2");
    drop(stream);
    eventually("it has ended", || figure("quaymaster_message_api_streams") == "0");
}

#[test]
fn a_stream_shows_bodies_as_records_of_a_copybook_where_they_are() {
    let server = server_with(&[("ORDER.cpy", ORDER)]);
    let record = MessageDescriptor { ccsid: Ccsid(37), encoding: Encoding::Z_OS, ..MessageDescriptor::default() };
    server.put("Q", record, ORDER_BYTES);
    put(&server, "hello");
    let mut stream = Stream::open(&server, "/queue/Q/stream?browse&copybook=ORDER").opened();
    let expected = json!({ "order_number": 17, "customer": "ADA", "price": -12.5 });
    assert_eq!(stream.message()["body"], json!({ "copybook": "ORDER", "record": expected }));
    let other = stream.message();
    assert_eq!((text(&other), &other["problem"]["copybook"]), ("hello".to_owned(), &json!("ORDER")));
}
