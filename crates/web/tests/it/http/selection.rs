//! Query parameters: which message, how many, how long to wait; and waits that end early.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use expect_test::expect;
use model::descriptor::{Ccsid, Format, MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use queue_manager::Home;
use web::options::FullPoolBehavior;

use super::client::{self, Client};
use super::held_disk::HeldDisk;
use super::server::{PATIENCE, TestServer, eventually};
use super::{check, check_on};

const ONE: &str = "010101010101010101010101010101010101010101010101";
const TWO: &str = "020202020202020202020202020202020202020202020202";
const NONE: &str = "000000000000000000000000000000000000000000000000";

/// Messages a (ONE), b (TWO), c (none).
fn three() -> TestServer {
    let server = TestServer::start();
    for (text, correlation) in [("a", ONE), ("b", TWO), ("c", NONE)] {
        let descriptor = MessageDescriptor {
            format: Format::STRING,
            ccsid: Ccsid::UTF_8,
            correlation_id: CorrelationId::from_hex(correlation).unwrap(),
            ..MessageDescriptor::default()
        };
        server.put("Q", descriptor, text);
    }
    server
}

fn bodies(server: &TestServer, requests: &[&str]) -> String {
    let mut client = client::plain(server);
    let answers = requests.iter().map(|request| client.exchange(request));
    answers.map(|answer| format!("{} {}; ", answer.status, answer.text())).collect()
}

#[test]
fn identifiers_select_and_all_zeros_select_nothing() {
    let shown = bodies(
        &three(),
        &[
            &format!("GET v1/queue/Q/message?correlationId={TWO}"),
            &format!("GET v3/queue/Q/message?correlationId=ID:{}", TWO.to_uppercase()),
            &format!("GET v1/queue/Q/message?correlationId={NONE}&messageId={NONE}"),
            &format!("DELETE v2/queue/Q/message?correlationId={TWO}"),
            &format!("DELETE v2/queue/Q/message?correlationId={TWO}"),
            &format!("GET v1/queue/Q/message?messageId={ONE}"),
            "DELETE v1/queue/Q/message",
            "GET v1/queue/Q/message",
            "DELETE v1/queue/Q/message?messageId={id}",
            "DELETE v1/queue/Q/message",
        ],
    );
    expect!["200 b; 200 b; 200 a; 200 b; 204 ; 204 ; 200 a; 200 c; 200 c; 204 ; "].assert_eq(&shown);
}

#[test]
fn both_identifiers_have_to_match() {
    let server = three();
    let mut client = client::plain(&server);
    assert_eq!(client.exchange("GET v1/queue/Q/message").text(), "a");
    let answer = client.exchange(&format!("GET v1/queue/Q/message?messageId={{id}}&correlationId={TWO}"));
    assert_eq!(answer.status, 204);
    let answer = client.exchange(&format!("GET v1/queue/Q/message?messageId={{id}}&correlationId={ONE}"));
    assert_eq!(answer.text(), "a");
}

#[test]
fn a_message_list_shows_what_matches_up_to_the_limit() {
    check_on(
        &three(),
        &format!(
            "GET v1/queue/Q/messagelist\n>>\nGET v3/queue/Q/messagelist?limit=1\n>>\nGET v1/queue/Q/messagelist?limit=0\n>>\n\
             GET v2/queue/Q/messagelist?correlationId={TWO}&limit=5\n>>\nGET v1/queue/Q.EMPTY/messagelist"
        ),
        expect![[r#"
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "010101010101010101010101010101010101010101010101",
              |   "format": "MQSTR",
              |   "messageId": "<id>"
              | }, {
              |   "correlationId": "020202020202020202020202020202020202020202020202",
              |   "format": "MQSTR",
              |   "messageId": "<id>"
              | }, {
              |   "format": "MQSTR",
              |   "messageId": "<id>"
              | }]}
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "ID:010101010101010101010101010101010101010101010101",
              |   "format": "MQSTR",
              |   "messageId": "ID:<id>"
              | }]}
            200
              content-type: application/json; charset=utf-8
              | {"messages": []}
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "020202020202020202020202020202020202020202020202",
              |   "format": "MQSTR",
              |   "messageId": "<id>"
              | }]}
            200
              content-type: application/json; charset=utf-8
              | {"messages": []}
        "#]],
    );
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    check(
        &[
            "GET v1/queue/Q/message?messageId=12",
            "GET v1/queue/Q/message?messageId=ID:010101010101010101010101010101010101010101010101",
            "GET v3/queue/Q/message?messageId=010101010101010101010101010101010101010101010101",
            "GET v1/queue/Q/message?correlationId=order",
            "GET v3/queue/Q/message?correlationId=ID:xyz",
            "GET v1/queue/Q/message?wait=1",
            "DELETE v1/queue/Q/message?wait=-1",
            "DELETE v1/queue/Q/message?wait=2147483648",
            "DELETE v1/queue/Q/message?wait=1.5",
            "DELETE v1/queue/Q/message?limit=1",
            "GET v1/queue/Q/messagelist?limit=x",
            "DELETE v1/queue/Q/message?wait=1&wait=1",
            "GET v1/queue/Q/message?browse=true",
            "GET v1/queue/Q/message?messageId=%FF",
        ]
        .join("\n>>\n"),
        expect![[r#"
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'messageId' has a value that is not valid: '12'; expected 48 hexadecimal digits.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'messageId' has a value that is not valid: 'ID:010101010101010101010101010101010101010101010101'; expected 48 hexadecimal digits.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'messageId' has a value that is not valid: '010101010101010101010101010101010101010101010101'; expected ID: and 48 hexadecimal digits.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'correlationId' has a value that is not valid: 'order'; expected 48 hexadecimal digits.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'correlationId' has a value that is not valid: 'ID:xyz'; expected ID: and 48 hexadecimal digits, or another text.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0903E: The query parameter 'wait' is unknown to this resource, or is given twice.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'wait' has a value that is not valid: '-1'; expected milliseconds from 0 to 2147483647.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'wait' has a value that is not valid: '2147483648'; expected milliseconds from 0 to 2147483647.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'wait' has a value that is not valid: '1.5'; expected milliseconds from 0 to 2147483647.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0903E: The query parameter 'limit' is unknown to this resource, or is given twice.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'limit' has a value that is not valid: 'x'; expected a whole number from 0 to 2147483647.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0903E: The query parameter 'wait' is unknown to this resource, or is given twice.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0903E: The query parameter 'browse' is unknown to this resource, or is given twice.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0904E: The query parameter 'messageId' has a value that is not valid: '%FF'.
        "#]],
    );
}

#[test]
fn a_get_waits_until_a_message_comes() {
    let server = TestServer::start();
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=2147483647");
    eventually("a waiter", || server.status("Q").waiters == 1);
    assert_eq!(bodies(&server, &["POST v1/queue/Q/message\n\nhello"]), "201 ; ");
    assert_eq!(waiting.receive(false).text(), "hello");
}

#[test]
fn a_wait_for_a_long_correlation_text_sees_what_sorts_before_others() {
    const TEXT: &str = "a-text-longer-than-its-field-";
    let server = TestServer::start();
    let post = |number: u32, priority: u32| {
        let headers = format!("ibm-mq-md-correlationId: {TEXT}{number}\nibm-mq-md-priority: {priority}");
        assert_eq!(bodies(&server, &[&format!("POST v3/queue/Q/message\n{headers}\n\n{number}")]), "201 ; ");
    };
    let wanted = |number: u32| format!("DELETE v3/queue/Q/message?correlationId={TEXT}{number}&wait=20000");
    post(1, 4);
    let mut waiting = client::plain(&server);
    waiting.send(&wanted(2));
    eventually("a waiter", || server.status("Q").waiters == 1);
    post(3, 9);
    post(2, 9);
    let answer = waiting.receive(false);
    assert_eq!((answer.status, answer.text()), (200, "2".to_owned()));
    assert_eq!(bodies(&server, &[&wanted(1), &wanted(3)]), "200 1; 200 3; ");
    assert_eq!(bodies(&server, &[&wanted(1).replace("20000", "30")]), "204 ; ");
}

#[test]
fn a_stop_does_not_break_off_a_get_that_is_taking_its_message() {
    let disk = Arc::new(HeldDisk::new());
    let server = TestServer::start_on(Home::Disk(Arc::clone(&disk) as _), |_| {});
    let posted = bodies(&server, &["POST v1/queue/Q/message\nibm-mq-md-persistence: persistent\n\nhello"]);
    assert_eq!(posted, "201 ; ");
    let mut idle = client::plain(&server);
    assert_eq!(idle.exchange("GET /livez").status, 200);
    std::thread::scope(|scope| {
        let held = disk.hold();
        let persistent = MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() };
        scope.spawn(|| server.put("A/B", persistent, "x"));
        // A thread that serves connections writes the log itself, unless another is about it.
        eventually("a write to the log", || disk.is_syncing());
        let mut getting = client::plain(&server);
        getting.send("DELETE v1/queue/Q/message?wait=20000");
        eventually("the message in the hands of the get", || server.status("Q").depth.current == 0);
        let web = Arc::clone(&server.web);
        let stopped = server.spawn(async move { web.shutdown(Duration::from_secs(3600)).await });
        assert!(idle.is_closed_by_server());
        drop(held);
        let answer = getting.receive(false);
        assert_eq!((answer.status, answer.text()), (200, "hello".to_owned()));
        server.block_on(stopped).expect("it ends");
    });
}

#[test]
fn a_long_list_holds_up_no_other_connection_of_its_thread() {
    const MESSAGES: usize = 5000;
    let server = TestServer::start_with(|options| options.limits.connections_per_thread = 100);
    for _ in 0..MESSAGES {
        server.put("Q", MessageDescriptor::default(), "x");
    }
    let mut quick = client::plain(&server);
    assert_eq!(quick.exchange("GET /livez").status, 200);
    let socket = client::connect(server.http());
    let mut listing = Client::over(socket.try_clone().expect("one more descriptor"));
    // Several attempts: a test that is not given the processor looks too late.
    let was_first = (0..10).any(|_| {
        let before = server.status("Q").browses;
        listing.send(&format!("GET v1/queue/Q/messagelist?limit={MESSAGES}"));
        eventually("a browse", || server.status("Q").browses > before);
        assert_eq!(quick.exchange("GET /livez").status, 200);
        socket.set_nonblocking(true).expect("set");
        let is_listing = socket.peek(&mut [0]).is_err();
        socket.set_nonblocking(false).expect("set");
        let answer = listing.receive(false);
        assert_eq!(answer.text().matches("messageId").count(), MESSAGES);
        is_listing
    });
    assert!(was_first, "the list was answered first each time");
}

#[test]
fn a_wait_that_is_over_finds_nothing() {
    assert_eq!(bodies(&TestServer::start(), &["DELETE v1/queue/Q/message?wait=30"]), "204 ; ");
}

#[test]
fn a_client_that_leaves_while_it_waits_consumes_nothing() {
    let server = TestServer::start();
    for over_tls in [false, true] {
        let mut leaving = if over_tls { client::tls(&server) } else { client::plain(&server) };
        leaving.send("DELETE v1/queue/Q/message?wait=600000");
        eventually("a waiter", || server.status("Q").waiters == 1);
        drop(leaving);
        eventually("no waiter", || server.status("Q").waiters == 0);
    }
    let shown = bodies(&server, &["POST v1/queue/Q/message\n\nhello", "DELETE v1/queue/Q/message"]);
    assert_eq!(shown, "201 ; 200 hello; ");
}

#[test]
fn each_of_many_waiters_gets_one_message() {
    let server = TestServer::start();
    let (sender, receiver) = mpsc::channel();
    let waiters = 30;
    std::thread::scope(|scope| {
        for _ in 0..waiters {
            let (server, sender) = (&server, sender.clone());
            scope.spawn(move || {
                let answer = client::plain(server).exchange("DELETE v1/queue/Q/message?wait=60000");
                sender.send(answer.text()).expect("the test listens");
            });
        }
        eventually("all wait", || server.status("Q").waiters == waiters);
        let mut client = client::plain(&server);
        for number in 0..waiters {
            assert_eq!(client.exchange(&format!("POST v1/queue/Q/message\n\n{number}")).status, 201);
        }
        let mut got: Vec<u32> =
            (0..waiters).map(|_| receiver.recv_timeout(PATIENCE).unwrap().parse().unwrap()).collect();
        got.sort_unstable();
        assert_eq!(got, (0..waiters).collect::<Vec<_>>());
    });
    assert_eq!(server.status("Q").depth.current, 0);
}

#[test]
fn a_message_that_is_no_text_ends_a_wait_and_stays() {
    let server = TestServer::start();
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("a waiter", || server.status("Q").waiters == 1);
    server.put("Q", MessageDescriptor::default(), "bytes");
    let answer = waiting.receive(false);
    assert_eq!((answer.status, &*answer.error_id()), (501, "MQWB0309E"));
    assert_eq!(server.status("Q").depth.current, 1);
}

#[test]
fn an_exhausted_pool_behaves_as_configured() {
    for (behavior, status) in [(FullPoolBehavior::Overflow, 204), (FullPoolBehavior::Error, 503)] {
        let server = TestServer::start_with(|options| {
            options.messaging.max_pool_size = 1;
            options.messaging.full_pool_behavior = behavior;
        });
        let mut waiting = client::plain(&server);
        waiting.send("DELETE v1/queue/Q/message?wait=600000");
        eventually("a waiter", || server.status("Q").waiters == 1);
        let answer = client::plain(&server).exchange("GET v1/queue/Q/message");
        assert_eq!(answer.status, status, "{behavior:?}");
        server.put("Q", MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() }, "x");
        assert_eq!(waiting.receive(false).status, 200);
        assert_eq!(client::plain(&server).exchange("GET v1/queue/Q/message").status, 204);
    }
}

#[test]
fn a_blocking_pool_makes_others_wait_for_a_connection() {
    let server = TestServer::start_with(|options| {
        options.messaging.max_pool_size = 1;
        options.messaging.full_pool_behavior = FullPoolBehavior::Block;
    });
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("a waiter", || server.status("Q").waiters == 1);
    let mut blocked = client::plain(&server);
    blocked.send("GET v1/queue/Q/message");
    server.put("Q", MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() }, "x");
    assert_eq!(waiting.receive(false).status, 200);
    assert_eq!(blocked.receive(false).status, 204);
}
