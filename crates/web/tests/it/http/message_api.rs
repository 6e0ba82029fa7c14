//! `/api/v1`: messages in every form, deliveries, transactions, keys, pages.

use std::time::Duration;

use model::definition::QueueDefinition;
use model::definition::queue::QueueKind;
use model::descriptor::Format;
use model::name::QueueName;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::client::{self, Answer, Client, basic};
use super::server::{PATIENCE, TestServer, eventually, server_user};

const BASE: &str = "/api/v1/qmgr/QM1";

/// Sends a request with headers, each on a line of its own.
fn send(client: &mut Client, head: &str, body: &str) -> Answer {
    let (first, headers) = head.split_once('\n').unwrap_or((head, ""));
    let (method, path) = first.split_once(' ').expect("METHOD PATH");
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\n") };
    let length = if method == "POST" { String::new() } else { "-content-length\n".to_owned() };
    client.exchange(&format!("{method} {BASE}{path}\n-ibm-mq-rest-csrf-token\n{length}{headers}\n{body}"))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

fn ok(answer: &Answer) -> Value {
    assert!(answer.status < 300, "{} {}", answer.status, answer.text());
    value(answer)
}

/// Status and identifier of a problem.
fn problem(answer: &Answer) -> (u16, String) {
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{}", answer.text());
    let problem = value(answer);
    assert_eq!(problem["status"], answer.status);
    let kind = problem["type"].as_str().expect("a type").rsplit('/').next().expect("an id");
    (answer.status, kind.to_owned())
}

fn put_text(client: &mut Client, text: &str) -> Value {
    ok(&send(client, "POST /queue/Q/messages", text))
}

fn receive(client: &mut Client, wanted: &Value) -> Vec<Value> {
    let got = ok(&send(client, "POST /queue/Q/deliveries\ncontent-type: application/json", &wanted.to_string()));
    got["messages"].as_array().expect("messages").clone()
}

fn token(delivered: &Value) -> &str {
    delivered["token"].as_str().expect("a token")
}

fn settle(client: &mut Client, token: &str, action: &str) -> Answer {
    send(client, &format!("POST /deliveries/{token}/{action}\ncontent-type: application/json"), "{}")
}

fn depth(server: &TestServer) -> u32 {
    server.status("Q").depth.current
}

#[test]
fn a_body_of_any_type_comes_back_with_its_type() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for (content_type, body) in [
        ("application/json", r#"{"order":17}"#),
        ("text/plain; charset=utf-8", "hello"),
        ("application/xml", "<a/>"),
        ("application/octet-stream", "\u{1}\u{2}bytes"),
        ("image/svg+xml; v=1", "<svg/>"),
    ] {
        let put = send(&mut client, &format!("POST /queue/Q/messages\ncontent-type: {content_type}"), body);
        assert_eq!(put.status, 201, "{}", put.text());
        let got = send(&mut client, "DELETE /queue/Q/messages", "");
        assert_eq!((got.status, got.header("content-type"), &*got.text()), (200, Some(content_type), body));
        assert_eq!(got.header("mq-id"), ok(&put)["id"].as_str());
    }
    assert_eq!(send(&mut client, "DELETE /queue/Q/messages", "").status, 204);
}

#[test]
fn json_and_text_are_plain_strings_for_programs_without_properties() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    send(&mut client, "POST /queue/Q/messages\ncontent-type: application/json", "{\"a\":1}");
    put_text(&mut client, "hello");
    let taken = server.take_all("Q");
    let shown: Vec<_> = taken.iter().map(|(descriptor, body)| (descriptor.format, &body[..])).collect();
    assert_eq!(shown, [(Format::STRING, &b"{\"a\":1}"[..]), (Format::STRING, b"hello")]);
}

#[test]
fn headers_and_members_say_the_same() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let id = "000102030405060708090a0b0c0d0e0f1011121314151617";
    let head = format!(
        "POST /queue/Q/messages\nmq-correlation-id: {id}\nmq-priority: 7\nmq-persistence: persistent\nmq-reply-to: R@QM9\n\
         mq-report: coa,pan\nmq-properties: {{\"colour\":\"red\",\"size\":5}}"
    );
    ok(&send(&mut client, &head, "x"));
    let envelope = json!({
        "correlationId": id, "priority": 7, "persistence": "persistent", "replyTo": { "queue": "R", "qmgr": "QM9" },
        "report": ["coa", "pan"], "properties": { "colour": "red", "size": 5 }, "body": { "text": "x" }
    });
    ok(&send(&mut client, "POST /queue/Q/messages?envelope\ncontent-type: application/json", &envelope.to_string()));
    let got = ok(&send(&mut client, "DELETE /queue/Q/messages?max=10", ""));
    let mut messages = got["messages"].as_array().expect("messages").clone();
    assert_eq!(messages.len(), 2);
    for message in &mut messages {
        for own in ["id", "position", "putAt"] {
            message.as_object_mut().expect("an object").remove(own).expect("it is there");
        }
    }
    assert_eq!(messages[0], messages[1]);
    for (name, expected) in envelope.as_object().expect("an object") {
        assert_eq!(&messages[0][name], expected, "{name}");
    }
}

#[test]
fn mistakes_are_problems_that_name_the_member() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for (head, body, expected) in [
        ("POST /queue/Q/messages\nmq-priority: 12", "x", (400, "MQWB0905E")),
        ("POST /queue/Q/messages\nmq-prioritie: 1", "x", (400, "MQWB0302E")),
        ("POST /queue/Q/messages?envelope", "{\"bodie\":1}", (400, "MQWB0905E")),
        ("POST /queue/Q/messages\ncontent-type: text/plain; charset=klingon", "x", (400, "MQWB0305E")),
        ("POST /queue/Q/messages?once", "x", (400, "MQWB0903E")),
        ("POST /queue/NONE/messages", "x", (404, "MQWB0300E")),
        ("DELETE /queue/Q/messages?wait=soon", "", (400, "MQWB0904E")),
        ("GET /queue/Q/messages?cursor=z", "", (400, "MQWB0904E")),
        ("GET /queue/Q/messages?cursor=10-0", "", (400, "MQWB0904E")),
        ("GET /queue/Q/messages?cursor=0-1000000000000000", "", (400, "MQWB0904E")),
        ("GET /queue/Q/messages/17", "", (404, "MQWB0947E")),
        ("GET /queue/Q/messages/x", "", (400, "MQWB0948E")),
        ("POST /deliveries/00/complete", "", (404, "MQWB0940E")),
        ("POST /queue/Q/messages\nmq-delay: soon", "x", (400, "MQWB0905E")),
    ] {
        let (status, id) = problem(&send(&mut client, head, body));
        assert_eq!((status, &*id), expected, "{head}");
    }
    let page = client.exchange("GET /api/v1/problems/MQWB0942E\n-authorization");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("lock"), "{}", page.text());
    assert_eq!(client.exchange("GET /api/v1/problems/MQWB9999E").status, 404);
}

#[test]
fn a_batch_is_answered_line_by_line_and_each_counts_by_itself() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let lines = "{\"body\":{\"text\":\"a\"},\"persistence\":\"persistent\"}\nnot JSON\n\n{\"body\":{\"text\":\"b\"}}";
    let answer = send(&mut client, "POST /queue/Q/messages\ncontent-type: application/x-ndjson", lines);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-ndjson")));
    let answers: Vec<Value> =
        answer.text().lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(answers.len(), 3);
    assert!(answers[0]["id"].is_string() && answers[2]["position"].is_string(), "{answers:?}");
    assert_eq!(answers[1]["error"]["status"], 400);
    let bodies: Vec<_> = server.take_all("Q").into_iter().map(|(_, body)| body).collect();
    assert_eq!(bodies, ["a", "b"]);
}

#[test]
fn an_atomic_batch_is_put_whole_or_not_at_all() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let head = "POST /queue/Q/messages?atomic\ncontent-type: application/x-ndjson";
    let refused = send(&mut client, head, "{\"body\":{\"text\":\"a\"}}\n{\"priority\":77}");
    assert_eq!(value(&refused)["line"], 2);
    assert_eq!(problem(&refused), (400, "MQWB0905E".to_owned()));
    server.alter("Q", |queue| {
        if let QueueKind::Local(local) = &mut queue.kind {
            local.maximum_depth = 2;
        }
    });
    let three = "{\"body\":{\"text\":\"a\"}}\n{\"body\":{\"text\":\"b\"}}\n{\"body\":{\"text\":\"c\"}}";
    let full = send(&mut client, head, three);
    assert_eq!((full.status, value(&full)["reason"]["code"].clone()), (500, json!(2053)));
    assert_eq!(depth(&server), 0);
    let done = send(&mut client, head, "{\"body\":{\"text\":\"a\"}}\n{\"body\":{\"text\":\"b\"}}");
    assert_eq!((done.status, done.text().lines().count(), depth(&server)), (200, 2, 2));
}

#[test]
fn a_delivery_hides_its_message_until_it_is_completed() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for text in ["a", "b", "c"] {
        put_text(&mut client, text);
    }
    let first = receive(&mut client, &json!({ "max": 2, "lock": "60s" }));
    assert_eq!(first.iter().map(|one| &one["body"]["text"]).collect::<Vec<_>>(), ["a", "b"]);
    let second = receive(&mut client, &json!({ "max": 10 }));
    assert_eq!(second.iter().map(|one| &one["body"]["text"]).collect::<Vec<_>>(), ["c"]);
    assert_eq!(receive(&mut client, &json!({})).len(), 0);
    for delivered in first.iter().chain(&second) {
        assert_eq!(settle(&mut client, token(delivered), "complete").status, 200);
        // As often as one likes.
        assert_eq!(settle(&mut client, token(delivered), "complete").status, 200);
        assert_eq!(problem(&settle(&mut client, token(delivered), "abandon")), (409, "MQWB0943E".to_owned()));
    }
    assert_eq!(depth(&server), 0);
}

#[test]
fn an_abandoned_delivery_and_one_whose_lock_runs_out_return_with_a_raised_count() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    put_text(&mut client, "a");
    let delivered = receive(&mut client, &json!({}));
    assert_eq!(settle(&mut client, token(&delivered[0]), "abandon").status, 200);
    let again = receive(&mut client, &json!({ "lock": "50ms" }));
    assert_eq!(again[0]["backoutCount"], 1);
    let third = receive(&mut client, &json!({ "wait": "60s" }));
    assert_eq!(third[0]["backoutCount"], 2);
    assert_eq!(problem(&settle(&mut client, token(&again[0]), "complete")), (410, "MQWB0942E".to_owned()));
    assert_eq!(settle(&mut client, token(&third[0]), "complete").status, 200);
}

#[test]
fn a_renewed_lock_does_not_run_out() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    put_text(&mut client, "a");
    let begun = Instant::now();
    let delivered = loop {
        let delivered = receive(&mut client, &json!({ "lock": "500ms", "wait": "60s" }));
        let renew = format!("POST /deliveries/{}/renew", token(&delivered[0]));
        let renewed = send(&mut client, &renew, r#"{"lock":"1h"}"#);
        if renewed.status == 410 && begun.elapsed() < PATIENCE {
            // It came too late: then the message comes again.
            continue;
        }
        assert!(ok(&renewed)["lockedUntil"].is_string());
        break delivered;
    };
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(receive(&mut client, &json!({})).len(), 0);
    assert_eq!(settle(&mut client, token(&delivered[0]), "complete").status, 200);
}

#[test]
fn a_delivery_of_another_user_is_unknown() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    put_text(&mut client, "a");
    let delivered = receive(&mut client, &json!({}));
    let head = format!("POST /deliveries/{}/complete\nauthorization: Basic b3RoZXI6b3RoZXJwdw==", token(&delivered[0]));
    assert_eq!(problem(&send(&mut client, &head, "")), (404, "MQWB0940E".to_owned()));
    assert_eq!(settle(&mut client, token(&delivered[0]), "complete").status, 200);
}

#[test]
fn a_message_given_back_as_often_as_bothresh_says_moves_to_boqname() {
    let server = TestServer::start();
    define(&server, "BACKOUT");
    server.alter("Q", |queue| {
        if let QueueKind::Local(local) = &mut queue.kind {
            local.backout_threshold = 2;
            local.backout_requeue_queue = QueueName::literal("BACKOUT");
        }
    });
    let mut client = client::plain(&server);
    let put = ok(&send(&mut client, "POST /queue/Q/messages\nmq-persistence: persistent", "a"));
    for _ in 0..2 {
        let delivered = receive(&mut client, &json!({ "wait": "60s" }));
        assert_eq!(settle(&mut client, token(&delivered[0]), "abandon").status, 200);
    }
    assert_eq!((depth(&server), server.status("BACKOUT").depth.current), (0, 1));
    let (descriptor, body) = server.take_all("BACKOUT").remove(0);
    assert_eq!((descriptor.message_id.to_string(), &body[..]), (put["id"].as_str().unwrap().to_owned(), &b"a"[..]));
}

#[test]
fn a_dead_letter_has_its_reason_and_where_it_came_from() {
    let server = TestServer::start();
    define(&server, "DLQ");
    let mut client = client::plain(&server);
    put_text(&mut client, "a");
    let delivered = receive(&mut client, &json!({}));
    let dead = format!("POST /deliveries/{}/dead-letter", token(&delivered[0]));
    let refused = send(&mut client, &dead, "");
    assert_eq!(value(&refused)["reason"]["code"], 2085, "there is no dead-letter queue: {}", refused.text());
    let mut definition = (*server.queue_manager.definition()).clone();
    definition.dead_letter_queue = QueueName::literal("DLQ");
    server.block_on(server.queue_manager.alter_queue_manager(&server_user(), definition)).expect("altered");
    assert_eq!(send(&mut client, &dead, r#"{"reason":65537}"#).status, 200);
    assert_eq!(depth(&server), 0);
    let admin = "authorization: Basic YXBwOnNlY3JldA==";
    grant(&server, "DLQ");
    let shown = ok(&send(&mut client, &format!("GET /queue/DLQ/messages\n{admin}"), ""));
    let message = &shown["messages"][0];
    assert_eq!(
        (&message["headers"][0]["reason"], &message["headers"][0]["destinationQueue"]),
        (&json!(65537), &json!("Q"))
    );
    assert_eq!(message["body"]["text"], "a");
}

#[test]
fn many_deliveries_are_settled_in_one_request() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for text in ["a", "b", "c"] {
        put_text(&mut client, text);
    }
    let delivered = receive(&mut client, &json!({ "max": 3 }));
    let wishes = json!({ "settle": [
        { "token": token(&delivered[0]), "action": "complete" },
        { "token": token(&delivered[1]), "action": "abandon" },
        { "token": "00", "action": "complete" },
        { "token": token(&delivered[2]), "action": "eat" },
    ] });
    let settled =
        ok(&send(&mut client, "POST /deliveries/settle\ncontent-type: application/json", &wishes.to_string()));
    let statuses: Vec<_> =
        settled["settled"].as_array().unwrap().iter().map(|one| one["error"]["status"].clone()).collect();
    assert_eq!(statuses, [Value::Null, Value::Null, json!(404), json!(400)]);
    assert_eq!(depth(&server), 2);
}

#[test]
fn many_completions_are_done_together_and_the_first_wish_for_a_delivery_counts() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for text in ["a", "b", "c", "d"] {
        put_text(&mut client, text);
    }
    let delivered = receive(&mut client, &json!({ "max": 4 }));
    let wish = |index: usize, action: &str| json!({ "token": token(&delivered[index]), "action": action });
    let settle_many = |client: &mut Client, wishes: Value| {
        let body = json!({ "settle": wishes }).to_string();
        let settled = ok(&send(client, "POST /deliveries/settle\ncontent-type: application/json", &body));
        let list = settled["settled"].as_array().expect("a list").clone();
        list.iter().map(|one| one["error"]["status"].as_u64()).collect::<Vec<_>>()
    };
    let wishes = json!([wish(0, "complete"), wish(1, "complete"), wish(2, "abandon"), wish(2, "complete")]);
    assert_eq!(settle_many(&mut client, wishes), [None, None, None, Some(409)]);
    // One that was completed before leaves the others their turn.
    let again = json!([wish(0, "complete"), wish(3, "complete"), wish(1, "complete")]);
    assert_eq!(settle_many(&mut client, again), [None; 3]);
    assert_eq!(depth(&server), 1);
}

#[test]
fn a_line_of_a_batch_comes_in_pieces_of_any_size() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let long = "x".repeat(300_000);
    let lines = format!(
        "{{\"body\":{{\"text\":\"a\"}}}}\r\n\n{{\"body\":{{\"text\":\"{long}\"}}}}\n{{\"body\":{{\"text\":\"b\\n\"}}}}"
    );
    let answer = send(&mut client, "POST /queue/Q/messages\ncontent-type: application/x-ndjson", &lines);
    assert_eq!((answer.status, answer.text().lines().count()), (200, 3), "{}", answer.text());
    let bodies: Vec<_> = server.take_all("Q").into_iter().map(|(_, body)| body).collect();
    assert_eq!(bodies, ["a".as_bytes(), long.as_bytes(), b"b\n"]);
}

#[test]
fn a_transaction_completes_and_puts_all_or_nothing() {
    let server = TestServer::start();
    define(&server, "ANSWERS");
    grant(&server, "ANSWERS");
    let mut client = client::plain(&server);
    put_text(&mut client, "question");
    let delivered = receive(&mut client, &json!({}));
    let head = "POST /transactions\ncontent-type: application/json";
    let transaction = |queue: &str| {
        json!({
            "complete": [token(&delivered[0])],
            "put": [{ "queue": "ANSWERS", "message": { "body": { "text": "answer" } } }, { "queue": queue, "message": {} }]
        })
        .to_string()
    };
    let refused = send(&mut client, head, &transaction("NONE"));
    assert_eq!((refused.status, &value(&refused)["line"]), (404, &json!(2)));
    assert_eq!((depth(&server), server.status("ANSWERS").depth.current), (1, 0));
    let done = ok(&send(&mut client, head, &transaction("ANSWERS")));
    assert_eq!(done["messages"].as_array().unwrap().len(), 2);
    assert_eq!((depth(&server), server.status("ANSWERS").depth.current), (0, 2));
    assert_eq!(problem(&send(&mut client, head, &transaction("ANSWERS"))), (409, "MQWB0943E".to_owned()));
}

#[test]
fn the_same_request_with_its_key_is_done_once() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let head = "POST /queue/Q/messages\nidempotency-key: order-17\nmq-persistence: persistent";
    let first = send(&mut client, head, "a");
    let second = send(&mut client, head, "a");
    assert_eq!((first.status, second.status, value(&first)), (201, 201, value(&second)));
    assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), (None, Some("true")));
    assert_eq!(problem(&send(&mut client, head, "b")), (422, "MQWB0945E".to_owned()));
    assert_eq!(depth(&server), 1);
    // Another user's key is another key.
    let other = format!("{head}\nauthorization: Basic b3RoZXI6b3RoZXJwdw==");
    grant_to(&server, "Q", "other");
    assert_eq!(send(&mut client, &other, "a").status, 201);
    assert_eq!(depth(&server), 2);
}

#[test]
fn operators_browse_with_the_servers_authority_and_administrators_put_and_take_too() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    put_text(&mut client, "hidden from operators otherwise");
    let as_user = |request: &str, user: &str, password: &str| format!("{request}\n{}", basic(user, password));
    let statuses = |client: &mut Client, user: &str, password: &str| {
        [
            "GET /queue/Q/messages",
            "GET /queue/Q/export",
            "POST /queue/Q/messages",
            "DELETE /queue/Q/messages",
            "POST /queue/Q/deliveries",
        ]
        .map(|request| {
            send(client, &as_user(request, user, password), if request.starts_with("POST") { "x" } else { "" }).status
        })
    };
    assert_eq!(statuses(&mut client, "reader", "readerpw"), [200, 200, 403, 403, 403]);
    assert_eq!(statuses(&mut client, "admin", "adminpw"), [200, 200, 201, 200, 403]);
    assert_eq!(depth(&server), 1);
}

#[test]
fn a_publication_with_its_key_is_made_once() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    server.subscribe("orders", "Q");
    server.subscribe("orders/#", "Q");
    let head = "POST /topic/orders/messages\nidempotency-key: order-17";
    let (first, second) = (send(&mut client, head, "a"), send(&mut client, head, "a"));
    assert_eq!((first.status, second.status, second.header("idempotency-replayed")), (201, 201, Some("true")));
    assert_eq!((depth(&server), value(&first)), (2, value(&second)));
}

#[test]
fn the_order_of_headers_does_not_make_another_request_and_their_values_do() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let request = |headers: &str| format!("POST /queue/Q/messages\nidempotency-key: k\n{headers}");
    assert_eq!(send(&mut client, &request("mq-priority: 3\nmq-expiry: 90s"), "a").status, 201);
    let turned = send(&mut client, &request("mq-expiry: 90s\nmq-priority: 3"), "a");
    assert_eq!((turned.status, turned.header("idempotency-replayed")), (201, Some("true")));
    assert_eq!(problem(&send(&mut client, &request("mq-expiry: 90s\nmq-priority: 4"), "a")).0, 422);
    assert_eq!(depth(&server), 1);
}

#[test]
fn an_atomic_batch_with_a_key_is_done_once_and_is_as_long_as_its_answer_can_be_kept() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let lines = |count: usize| "{\"body\":{\"text\":\"a\"}}\n".repeat(count);
    let head = |key: &str| {
        format!("POST /queue/Q/messages?atomic\ncontent-type: application/x-ndjson\nidempotency-key: {key}")
    };
    assert_eq!(problem(&send(&mut client, &head("long"), &lines(501))), (400, "MQWB0905E".to_owned()));
    let first = send(&mut client, &head("b"), &lines(500));
    let again = send(&mut client, &head("b"), &lines(500));
    assert_eq!((first.status, again.status, again.header("idempotency-replayed")), (200, 200, Some("true")));
    assert_eq!((first.body.len(), &first.body), (again.body.len(), &again.body));
    assert_eq!(depth(&server), 500);
}

#[test]
fn a_refused_request_leaves_its_key_free() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    server.alter("Q", |queue| queue.put_inhibited = true);
    let head = "POST /queue/Q/messages\nidempotency-key: k";
    assert_eq!(send(&mut client, head, "a").status, 405);
    server.alter("Q", |queue| queue.put_inhibited = false);
    assert_eq!(send(&mut client, head, "a").status, 201);
}

#[test]
fn a_transaction_with_a_key_is_done_once() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    put_text(&mut client, "question");
    let delivered = receive(&mut client, &json!({}));
    let transaction = json!({
        "complete": [token(&delivered[0])], "put": [{ "queue": "Q", "message": { "body": { "text": "answer" } } }]
    });
    let head = "POST /transactions\ncontent-type: application/json\nidempotency-key: t1";
    let first = ok(&send(&mut client, head, &transaction.to_string()));
    let again = send(&mut client, head, &transaction.to_string());
    assert_eq!((again.header("idempotency-replayed"), ok(&again)), (Some("true"), first));
    assert_eq!(depth(&server), 1);
}

#[test]
fn pages_go_through_a_queue_that_changes_and_show_nothing_twice() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for number in 0..25 {
        put_text(&mut client, &format!("m{number}"));
    }
    let mut seen = Vec::new();
    let mut path = "GET /queue/Q/messages?limit=10".to_owned();
    let mut is_first = true;
    loop {
        let page = ok(&send(&mut client, &path, ""));
        let texts =
            page["messages"].as_array().unwrap().iter().map(|one| one["body"]["text"].as_str().unwrap().to_owned());
        seen.extend(texts);
        if std::mem::take(&mut is_first) {
            // Of the next page, and the one that the cursor names.
            for index in [9, 12] {
                let position =
                    ok(&send(&mut client, "GET /queue/Q/messages?limit=25", ""))["messages"][index]["position"].clone();
                let taken = send(&mut client, &format!("DELETE /queue/Q/messages/{}", position.as_str().unwrap()), "");
                assert_eq!(taken.status, 200, "{}", taken.text());
            }
        }
        match page["cursor"].as_str() {
            Some(cursor) => path = format!("GET /queue/Q/messages?limit=10&cursor={cursor}"),
            None => break,
        }
    }
    let expected: Vec<String> = (0..25).filter(|number| *number != 13).map(|number| format!("m{number}")).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_page_shows_what_is_selected_and_what_contains_a_text() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for colour in ["red", "blue", "red"] {
        let head = format!("POST /queue/Q/messages\nmq-properties: {{\"colour\":\"{colour}\"}}");
        ok(&send(&mut client, &head, &format!("a {colour} thing")));
    }
    let count = |page: Value| page["messages"].as_array().unwrap().len();
    assert_eq!(count(ok(&send(&mut client, "GET /queue/Q/messages?selector=colour%3D'red'", ""))), 2);
    assert_eq!(count(ok(&send(&mut client, "GET /queue/Q/messages?contains=blue", ""))), 1);
    assert_eq!(count(ok(&send(&mut client, "DELETE /queue/Q/messages?max=9&selector=colour%3D'red'", ""))), 2);
    assert_eq!(depth(&server), 1);
}

fn texts(page: &Value) -> Vec<&str> {
    page["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|one| one["body"]["text"].as_str().expect("text"))
        .collect()
}

#[test]
fn pages_go_back_from_the_end_to_the_beginning() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for number in 0..25 {
        put_text(&mut client, &format!("m{number}"));
    }
    let mut page = |query: &str| ok(&send(&mut client, &format!("GET /queue/Q/messages?limit=10&{query}"), ""));
    let names = |numbers: std::ops::Range<u32>| numbers.map(|number| format!("m{number}")).collect::<Vec<_>>();
    let last = page("before=end");
    assert_eq!((texts(&last), &last["cursor"]), (names(15..25).iter().map(String::as_str).collect(), &Value::Null));
    let middle = page(&format!("before={}", last["previous"].as_str().expect("more before")));
    assert_eq!(texts(&middle), names(5..15));
    let first = page(&format!("before={}", middle["previous"].as_str().expect("more before")));
    assert_eq!((texts(&first), &first["previous"]), (names(0..5).iter().map(String::as_str).collect(), &Value::Null));
    let forward = page(&format!("cursor={}", first["cursor"].as_str().expect("more behind")));
    assert_eq!(texts(&forward), names(5..15));
    assert_eq!(texts(&page(&format!("before={}", forward["previous"].as_str().expect("more before")))), names(0..5));
}

#[test]
fn a_page_before_the_end_shows_the_last_messages_that_fit() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for number in 0..30 {
        put_text(&mut client, &format!("{} {number}", if number % 3 == 0 { "red" } else { "blue" }));
    }
    let mut page =
        |query: &str| ok(&send(&mut client, &format!("GET /queue/Q/messages?limit=4&contains=red&{query}"), ""));
    let last = page("before=end");
    assert_eq!((texts(&last), &last["lookedAt"]), (vec!["red 18", "red 21", "red 24", "red 27"], &json!(30)));
    let before = page(&format!("before={}", last["previous"].as_str().expect("more before")));
    assert_eq!(texts(&before), ["red 6", "red 9", "red 12", "red 15"]);
}

#[test]
fn a_part_of_the_data_comes_as_bytes_or_as_text_of_a_character_set() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let put = ok(&send(&mut client, "POST /queue/Q/messages?envelope", r#"{"ccsid":37,"body":{"base64":"yMXT09Y="}}"#));
    let path = format!("GET /queue/Q/messages/{}/body", put["position"].as_str().expect("a position"));
    let part = send(&mut client, &format!("{path}?offset=1&length=3"), "");
    assert_eq!((part.header("mq-part"), &*part.body), (Some("bytes 1-4/5"), &[0xC5, 0xD3, 0xD3][..]));
    assert_eq!(&*send(&mut client, &format!("{path}?ccsid=37"), "").text(), "HELLO");
    assert_eq!(send(&mut client, &format!("{path}?offset=9"), "").body.len(), 0);
    assert_eq!(problem(&send(&mut client, &format!("{path}?ccsid=1208"), "")), (400, "MQWB0904E".to_owned()));
}

#[test]
fn one_message_is_shown_by_its_position_and_its_body_as_it_is() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let put = ok(&send(&mut client, "POST /queue/Q/messages\ncontent-type: application/xml", "<a/>"));
    let position = put["position"].as_str().unwrap();
    let shown = ok(&send(&mut client, &format!("GET /queue/Q/messages/{position}"), ""));
    assert_eq!(
        (&shown["id"], &shown["contentType"], &shown["body"]["text"]),
        (&put["id"], &json!("application/xml"), &json!("<a/>"))
    );
    let body = send(&mut client, &format!("GET /queue/Q/messages/{position}/body"), "");
    assert_eq!((body.header("content-type"), &*body.text()), (Some("application/xml"), "<a/>"));
    assert_eq!(depth(&server), 1);
}

#[test]
fn publications_reach_their_subscribers_and_later_ones_when_they_are_retained() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    server.subscribe("sport/football", "Q");
    assert_eq!(send(&mut client, "POST /topic/sport/football/messages", "goal").status, 201);
    let lines = "{\"body\":{\"text\":\"a\"}}\n{\"body\":{\"text\":\"b\"}}";
    let many =
        send(&mut client, "POST /topic/sport/football/messages?retain\ncontent-type: application/x-ndjson", lines);
    assert_eq!(many.text().lines().count(), 2);
    assert_eq!(depth(&server), 3);
    define(&server, "LATER");
    let later = model::definition::SubscriptionDefinition {
        name: "later".to_owned(),
        topic_string: "sport/football".to_owned(),
        destination: QueueName::literal("LATER"),
        user: "server".to_owned(),
        ..Default::default()
    };
    server.block_on(server.queue_manager.define_subscription(&server_user(), later, false)).expect("subscribed");
    assert_eq!(server.body_of_first("LATER"), b"b");
}

#[test]
fn a_page_of_another_site_cannot_use_a_cookie() {
    let server = TestServer::start();
    let mut client = client::tls(&server);
    client.exchange("POST /ibmmq/rest/v3/login\n-authorization\ncontent-type: application/json\n\n{\"username\":\"app\",\"password\":\"secret\"}");
    let request = |origin: &str| {
        format!(
            "POST {BASE}/queue/Q/messages\n-authorization\n-ibm-mq-rest-csrf-token\ncookie: {{cookie}}\norigin: {origin}\n\nx"
        )
    };
    assert_eq!(client.exchange(&request("http://evil.example")).status, 403);
    assert_eq!(client.exchange(&request("https://localhost")).status, 201);
}

#[test]
fn a_page_of_another_site_cannot_use_a_password_that_the_browser_remembers() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let mut with = |headers: &str| {
        let request = format!("POST {BASE}/queue/Q/messages\n-ibm-mq-rest-csrf-token{headers}\n\nx");
        client.exchange(&request)
    };
    for foreign in ["\norigin: http://evil.example", "\norigin: null", "\nsec-fetch-site: cross-site"] {
        assert_eq!(problem(&with(foreign)), (403, "MQWB0937E".to_owned()), "{foreign}");
    }
    for own in ["", "\norigin: http://localhost", "\nsec-fetch-site: same-origin"] {
        assert_eq!(with(own).status, 201, "{own}");
    }
    assert_eq!(depth(&server), 3);
}

#[test]
fn a_program_that_keeps_cookies_needs_no_csrf_header_beside_its_password() {
    let server = TestServer::start();
    let mut client = client::tls(&server);
    for _ in 0..2 {
        // The first answer brings the cookie.
        let put =
            client.exchange(&format!("POST {BASE}/queue/Q/messages\n-ibm-mq-rest-csrf-token\ncookie: {{cookie}}\n\nx"));
        assert_eq!(put.status, 201, "{}", put.text());
    }
    let alone = client.exchange(&format!(
        "POST {BASE}/queue/Q/messages\n-authorization\n-ibm-mq-rest-csrf-token\ncookie: {{cookie}}\n\nx"
    ));
    assert_eq!(problem(&alone), (403, "MQWB0100E".to_owned()));
}

#[test]
fn open_deliveries_end_with_their_queue_manager() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    put_text(&mut client, "a");
    let delivered = receive(&mut client, &json!({}));
    server.block_on(server.queue_manager.stop());
    let late = settle(&mut client, token(&delivered[0]), "complete");
    assert!(late.status == 410 || late.status == 503, "{} {}", late.status, late.text());
}

#[test]
fn a_wait_for_a_delivery_ends_with_a_message() {
    let server = TestServer::start();
    let waiting = std::thread::scope(|scope| {
        let task = scope.spawn(|| receive(&mut client::plain(&server), &json!({ "wait": "60s" })));
        eventually("somebody waits", || server.status("Q").open_input > 0);
        put_text(&mut client::plain(&server), "late");
        task.join().expect("received")
    });
    assert_eq!(waiting[0]["body"]["text"], "late");
}

fn define(server: &TestServer, name: &str) {
    let definition = QueueDefinition::local(QueueName::literal(name));
    server.block_on(server.queue_manager.define_queue(&server_user(), definition, false)).expect("defined");
}

fn grant(server: &TestServer, queue: &str) {
    grant_to(server, queue, "app");
}

fn grant_to(server: &TestServer, queue: &str, user: &str) {
    use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
    let record = AuthorityRecord {
        object: AuthorityObject::Queue,
        profile: queue.to_owned(),
        entity: Entity::Principal(user.to_owned()),
        authorities: Authority::PUT | Authority::GET | Authority::BROWSE | Authority::INQUIRE,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
}
