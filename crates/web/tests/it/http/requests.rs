//! `/api/v1`: requests with their replies in one call, and messages that are delivered later.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::descriptor::{Expiry, MessageDescriptor, MessageType};
use model::identifier::CorrelationId;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use model::reason::Reason;
use queue_manager::{Clock, SystemClock};
use serde_json::{Value, json};
use test_control::clock::TestClock;
use tokio::sync::oneshot;

use super::client::{self, Answer, Client};
use super::server::{PATIENCE, TestServer, eventually, server_user};

const BASE: &str = "/api/v1/qmgr/QM1";

/// Sends a request with headers, each on a line of its own.
fn post(client: &mut Client, head: &str, body: &str) -> Answer {
    let (path, headers) = head.split_once('\n').unwrap_or((head, ""));
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\n") };
    client.exchange(&format!("POST {BASE}{path}\n-ibm-mq-rest-csrf-token\n{headers}\n{body}"))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

fn problem(answer: &Answer) -> (u16, String) {
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{}", answer.text());
    let kind = value(answer)["type"].as_str().expect("a type").rsplit('/').next().expect("an id").to_owned();
    (answer.status, kind)
}

fn depth(server: &TestServer, queue: &str) -> u32 {
    server.status(queue).depth.current
}

/// What a responder does with a request: its reply, or nothing.
type Responder = fn(&MessageDescriptor, &Bytes) -> (MessageDescriptor, Bytes);

/// The body in capitals, correlated as usual.
fn capitals(request: &MessageDescriptor, body: &Bytes) -> (MessageDescriptor, Bytes) {
    let descriptor = MessageDescriptor {
        message_type: MessageType::REPLY,
        correlation_id: CorrelationId::from(request.message_id),
        format: request.format,
        ccsid: request.ccsid,
        encoding: request.encoding,
        ..MessageDescriptor::default()
    };
    (descriptor, body.to_ascii_uppercase().into())
}

/// Answers so many requests of a queue. Returns those requests.
fn respond(
    server: &TestServer,
    queue: &'static str,
    count: usize,
    responder: Responder,
) -> tokio::task::JoinHandle<Vec<MessageDescriptor>> {
    respond_after(server, queue, count, responder, std::future::ready(()))
}

/// As `respond`; all replies come after something.
fn respond_after(
    server: &TestServer,
    queue: &'static str,
    count: usize,
    responder: Responder,
    moment: impl Future<Output = ()> + Send + 'static,
) -> tokio::task::JoinHandle<Vec<MessageDescriptor>> {
    let connection = server.connect();
    server.spawn(async move {
        let object = |name| ObjectDescriptor { name, ..ObjectDescriptor::default() };
        let from = object(QueueName::literal(queue));
        let opened = connection.open(&server_user(), &from, OpenOptions::INPUT_SHARED).await.expect("opened");
        let flags = GetFlags::NO_SYNCPOINT | GetFlags::WAIT;
        let options = GetOptions { flags, wait: Some(PATIENCE), ..GetOptions::default() };
        let (mut requests, mut moment) = (Vec::new(), Some(moment));
        for _ in 0..count {
            let got = connection.get(opened.handle, &options).await.expect("a request");
            let request = got.message;
            if let Some(moment) = moment.take() {
                moment.await;
            }
            let (descriptor, body) = responder(&request.descriptor, &request.body);
            let to = object(request.descriptor.reply_to_queue);
            let put = connection.put1(&server_user(), &to, descriptor, &PutOptions::default(), body).await;
            assert!(matches!(put, Ok(_) | Err(Reason::UnknownObjectName)), "{:?}", put.map(drop));
            requests.push(request.descriptor);
        }
        requests
    })
}

/// For a responder that listens to get a request before its life is over.
const LONG_ENOUGH: &str = "3s";

/// Answers one request once it is told to.
fn respond_late(server: &TestServer) -> (oneshot::Sender<()>, tokio::task::JoinHandle<Vec<MessageDescriptor>>) {
    let (tell, told) = oneshot::channel();
    let responder = respond_after(server, "Q", 1, capitals, async { told.await.expect("the test goes on") });
    eventually("it listens", || server.status("Q").waiters == 1);
    (tell, responder)
}

#[test]
fn a_request_is_answered_with_its_reply() {
    let server = TestServer::start();
    let responder = respond(&server, "Q", 3, capitals);
    let mut client = client::plain(&server);
    for body in ["one", "two"] {
        let answer = post(&mut client, "/queue/Q/requests?wait=60s\ncontent-type: text/plain", body);
        assert_eq!((answer.status, &*answer.text()), (200, &*body.to_uppercase()));
        assert_eq!(answer.header("mq-type"), Some("reply"));
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    }
    let envelope = json!({ "body": { "text": "three" }, "priority": 7 });
    let answer =
        post(&mut client, "/queue/Q/requests?wait=60s&envelope\ncontent-type: application/json", &envelope.to_string());
    let reply = value(&answer);
    assert_eq!((answer.status, &reply["body"]), (200, &json!({ "text": "THREE" })));
    let requests = server.block_on(responder).expect("it ends");
    assert_eq!(reply["correlationId"], requests[2].message_id.to_string());
    assert!(requests.iter().all(|request| request.message_type == MessageType::REQUEST));
    // All of them by one reply queue, which lives on.
    let queues: Vec<_> = requests.iter().map(|request| request.reply_to_queue.to_string()).collect();
    assert!(queues[0].starts_with("QUAYMASTER.REPLY."), "{queues:?}");
    assert!(queues.iter().all(|queue| *queue == queues[0]), "{queues:?}");
    assert_eq!(depth(&server, &queues[0]), 0);
}

#[test]
fn many_requests_at_once_get_their_own_replies() {
    let server = TestServer::start();
    let responder = respond(&server, "Q", 40, capitals);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let server = &server;
            scope.spawn(move || {
                let mut client = client::plain(server);
                for number in 0..10 {
                    let answer =
                        post(&mut client, "/queue/Q/requests\ncontent-type: text/plain", &format!("x{thread}{number}"));
                    assert_eq!(answer.text(), format!("X{thread}{number}"));
                }
            });
        }
    });
    server.block_on(responder).expect("it ends");
}

#[test]
fn no_reply_in_time_is_504_and_leaves_nothing_behind() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let answer = post(&mut client, "/queue/Q/requests?wait=200ms", "x");
    assert_eq!(problem(&answer), (504, "MQWB0949E".to_owned()));
    // The request expired with its wait.
    eventually("the request is gone", || depth(&server, "Q") == 0);
    // A reply without an expiry, to a request that was read in time.
    let (late, responder) = respond_late(&server);
    assert_eq!(post(&mut client, &format!("/queue/Q/requests?wait={LONG_ENOUGH}"), "x").status, 504);
    late.send(()).expect("the responder waits");
    let request = server.block_on(responder).expect("it ends").remove(0);
    let queue = request.reply_to_queue.to_string();
    eventually("the late reply is swept away", || depth(&server, &queue) == 0);
}

#[test]
fn a_late_reply_on_a_named_queue_goes_stays_or_is_moved() {
    for (late, on_reply_queue, moved) in [("expire", 0, 0), ("keep", 1, 0), ("MOVED", 0, 1)] {
        let server = TestServer::start();
        for queue in ["ANSWERS", "MOVED"] {
            server.define_local(queue);
        }
        let (over, responder) = respond_late(&server);
        let mut client = client::plain(&server);
        let head = format!("/queue/Q/requests?wait={LONG_ENOUGH}&replyQueue=ANSWERS&late={late}");
        assert_eq!(post(&mut client, &head, "x").status, 504);
        over.send(()).expect("the responder waits");
        server.block_on(responder).expect("it ends");
        let there = || (depth(&server, "ANSWERS"), depth(&server, "MOVED"));
        eventually("the late reply is where it belongs", || there() == (on_reply_queue, moved));
    }
}

#[test]
fn a_named_queue_and_a_correlation_of_the_callers_own() {
    let server = TestServer::start();
    server.define_local("ANSWERS");
    let by_correlation: Responder = |request, body| {
        let (descriptor, body) = capitals(request, body);
        (MessageDescriptor { correlation_id: request.correlation_id, ..descriptor }, body)
    };
    let responder = respond(&server, "Q", 3, by_correlation);
    let mut client = client::plain(&server);
    // Somebody else's reply is not taken.
    server.put("ANSWERS", MessageDescriptor::default(), "another");
    let id = "000102030405060708090a0b0c0d0e0f1011121314151617";
    for parameters in ["&replyQueue=ANSWERS", ""] {
        let head = format!("/queue/Q/requests?wait=60s&correlation=correlationId{parameters}\nmq-correlation-id: {id}");
        let answer = post(&mut client, &head, "x");
        assert_eq!((answer.status, &*answer.text(), answer.header("mq-correlation-id")), (200, "X", Some(id)));
    }
    let answer = post(&mut client, "/queue/Q/requests?wait=60s&correlation=none&late=expire", "y");
    assert_eq!((answer.status, &*answer.text()), (200, "Y"));
    assert_eq!(depth(&server, "ANSWERS"), 1);
    server.block_on(responder).expect("it ends");
}

#[test]
fn a_repeated_request_is_put_once_and_waits_for_the_same_reply() {
    let server = TestServer::start();
    server.define_local("ANSWERS");
    let mut client = client::plain(&server);
    for parameters in ["", "&replyQueue=ANSWERS"] {
        let key = format!("key{parameters}");
        let head = format!("/queue/Q/requests?wait=6s{parameters}\nidempotency-key: {key}\ncontent-type: text/plain");
        // The first client goes away while it waits.
        let mut gone = client::plain(&server);
        gone.send(&format!("POST {BASE}{head}\n-ibm-mq-rest-csrf-token\n\nx"));
        eventually("the request is there", || depth(&server, "Q") == 1);
        drop(gone);
        eventually("the first wait is over", || {
            let mut again = client::plain(&server);
            // 409 while it lasts.
            post(&mut again, &head, "y").status == 422
        });
        let responder = respond(&server, "Q", 1, capitals);
        let answer = post(&mut client, &head, "x");
        assert_eq!((answer.status, &*answer.text()), (200, "X"), "{parameters}");
        assert_eq!(answer.header("idempotency-replayed"), Some("true"));
        server.block_on(responder).expect("it ends");
        assert_eq!(depth(&server, "Q"), 0);
        // The reply was taken: a repetition finds none.
        let answer = post(&mut client, &head, "x");
        assert_eq!((answer.status, answer.header("idempotency-replayed")), (504, Some("true")));
    }
}

#[test]
fn mistakes_of_requests_are_problems() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for (head, expected) in [
        ("/queue/Q/requests?late=keep", (400, "MQWB0904E")),
        ("/queue/Q/requests?correlation=some", (400, "MQWB0904E")),
        ("/queue/Q/requests?wait=2h", (400, "MQWB0904E")),
        ("/queue/Q/requests?reply=ANSWERS", (400, "MQWB0903E")),
        ("/queue/Q/requests?replyQueue=NONE", (404, "MQWB0300E")),
        ("/queue/Q/requests?replyQueue=Q&late=NONE", (404, "MQWB0300E")),
        ("/queue/NONE/requests", (404, "MQWB0300E")),
        ("/queue/Q/requests\nmq-delay: 1s", (400, "MQWB0905E")),
    ] {
        let answer = post(&mut client, head, "x");
        let (status, kind) = problem(&answer);
        assert_eq!((status, &*kind), expected, "{head}: {}", answer.text());
    }
    assert_eq!(depth(&server, "Q"), 0);
}

#[test]
fn a_message_with_a_delay_is_there_when_its_time_has_come() {
    let clock = Arc::new(TestClock::new(SystemClock.now()));
    let server = TestServer::start_by(&clock);
    let mut client = client::plain(&server);
    let put = post(&mut client, "/queue/Q/messages\nmq-delay: 30s\nmq-expiry: 60s", "later");
    assert_eq!((put.status, value(&put).get("position")), (201, None), "{}", put.text());
    let there = || (depth(&server, "Q"), depth(&server, "SYSTEM.DDELAY.LOCAL.QUEUE"));
    assert_eq!(there(), (0, 1));
    server.pass(&clock, Duration::from_secs(29));
    post(&mut client, "/queue/Q/messages\nmq-delay: 500ms", "sooner");
    server.pass(&clock, Duration::from_millis(500));
    eventually("the other one is delivered", || there() == (1, 1));
    assert_eq!(server.take_body("Q"), b"sooner");
    server.pass(&clock, Duration::from_millis(500));
    eventually("it is delivered", || there() == (1, 0));
    let taken = server.take_all("Q");
    assert_eq!(
        (&taken[0].1[..], taken[0].0.message_id.to_string()),
        (&b"later"[..], value(&put)["id"].as_str().expect("an id").to_owned())
    );
    assert!(taken[0].0.expiry != Expiry::UNLIMITED);
}

#[test]
fn delays_are_members_of_puts_batches_and_transactions_and_a_key_holds_for_them() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let json = "content-type: application/json";
    let line = |text: &str| json!({ "delay": "200ms", "body": { "text": text } });
    let envelope = line("one").to_string();
    for _ in 0..2 {
        let head = format!("/queue/Q/messages?envelope\n{json}\nidempotency-key: k");
        assert_eq!(post(&mut client, &head, &envelope).status, 201);
    }
    let lines = format!("{}\n{}", line("two"), line("three"));
    assert_eq!(post(&mut client, "/queue/Q/messages\ncontent-type: application/x-ndjson", &lines).status, 200);
    assert_eq!(
        post(&mut client, "/queue/Q/messages?atomic\ncontent-type: application/x-ndjson", &line("four").to_string())
            .status,
        200
    );
    let transaction = json!({ "put": [{ "queue": "Q", "message": line("five") }] });
    assert_eq!(post(&mut client, &format!("/transactions\n{json}"), &transaction.to_string()).status, 200);
    let past = json!({ "deliverAt": "2020-01-01T00:00:00Z", "body": { "text": "now" } });
    assert_eq!(post(&mut client, &format!("/queue/Q/messages?envelope\n{json}"), &past.to_string()).status, 201);
    let there = || (depth(&server, "Q"), depth(&server, "SYSTEM.DDELAY.LOCAL.QUEUE"));
    eventually("all are delivered", || there() == (6, 0));
    let mut bodies: Vec<_> =
        server.take_all("Q").into_iter().map(|(_, body)| String::from_utf8_lossy(&body).into_owned()).collect();
    bodies.sort();
    assert_eq!(bodies, ["five", "four", "now", "one", "three", "two"]);
}
