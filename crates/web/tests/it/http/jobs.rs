//! Jobs of `/api/v1`: what becomes of the messages, who sees a job, and how it ends.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::definition::QueueDefinition;
use model::descriptor::{Ccsid, Encoding, Expiry, Format, MessageDescriptor, Persistence};
use model::header::dead_letter::DeadLetterHeader;
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::text::Text;
use queue_manager::Home;
use serde_json::{Value, json};
use storage::private::log::disk::DirectoryDisk;
use tokio::time::Instant;

use super::client::{self, Answer, Client};
use super::held_disk::HeldDisk;
use super::server::{PATIENCE, TestServer, eventually, server_user};

pub(super) const BASE: &str = "/api/v1/qmgr/QM1";
pub(super) const OTHER: &str = "\nauthorization: Basic b3RoZXI6b3RoZXJwdw==";
const READER: &str = "\nauthorization: Basic cmVhZGVyOnJlYWRlcnB3";
pub(super) const ADMIN: &str = "\nauthorization: Basic YWRtaW46YWRtaW5wdw==";

/// Sends a request below `/api/v1`; further headers stand on lines of their own.
pub(super) fn send(client: &mut Client, head: &str, body: &str) -> Answer {
    let (first, headers) = head.split_once('\n').unwrap_or((head, ""));
    let (method, path) = first.split_once(' ').expect("METHOD PATH");
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\n") };
    let length = if method == "POST" { String::new() } else { "-content-length\n".to_owned() };
    client.exchange(&format!("{method} {path}\n-ibm-mq-rest-csrf-token\n{length}{headers}\n{body}"))
}

pub(super) fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

pub(super) fn order(client: &mut Client, queue: &str, wish: &Value) -> Answer {
    send(client, &format!("POST {BASE}/queue/{queue}/jobs\ncontent-type: application/json"), &wish.to_string())
}

/// Status and identifier of a refusal.
pub(super) fn refusal(answer: &Answer) -> (u16, String) {
    let problem = value(answer);
    (answer.status, problem["type"].as_str().expect("a type").rsplit('/').next().expect("an id").to_owned())
}

/// Starts a job, and waits for its end.
pub(super) fn run(client: &mut Client, queue: &str, wish: &Value) -> Value {
    let started = order(client, queue, wish);
    assert_eq!(started.status, 202, "{}", started.text());
    await_end(client, started.header("location").expect("a location"))
}

pub(super) fn await_end(client: &mut Client, location: &str) -> Value {
    let begun = Instant::now();
    loop {
        let job = value(&send(client, &format!("GET {location}"), ""));
        if job["state"] != "running" {
            return job;
        }
        assert!(begun.elapsed() < PATIENCE, "the job does not end: {job}");
        std::thread::yield_now();
    }
}

fn counts(job: &Value) -> (u64, u64, u64) {
    let count = |name: &str| job["counts"][name].as_u64().expect("a count");
    (count("seen"), count("done"), count("failed"))
}

pub(super) fn depth(server: &TestServer, queue: &str) -> u32 {
    server.status(queue).depth.current
}

pub(super) fn define(server: &TestServer, name: &str) {
    let definition = QueueDefinition::local(QueueName::literal(name));
    server.block_on(server.queue_manager.define_queue(&server_user(), definition, true)).expect("defined");
}

pub(super) fn grant(server: &TestServer, queue: &str, more: Authority) {
    let basic = Authority::PUT | Authority::GET | Authority::BROWSE | Authority::INQUIRE;
    let record = AuthorityRecord {
        object: AuthorityObject::Queue,
        profile: queue.to_owned(),
        entity: Entity::Principal("app".to_owned()),
        authorities: basic | more,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
}

/// A server with a second queue TO, on which `app` may pass on and set context.
pub(super) fn server() -> TestServer {
    let server = TestServer::start();
    define(&server, "TO");
    grant(&server, "TO", Authority::PASS_ALL_CONTEXT | Authority::SET_ALL_CONTEXT);
    server
}

fn put(server: &TestServer, queue: &str, text: &str) {
    server.put(queue, MessageDescriptor { format: Format::STRING, ..described(1) }, text.to_owned());
}

/// A descriptor in which nothing is by default.
pub(super) fn described(number: u8) -> MessageDescriptor {
    MessageDescriptor {
        message_id: MessageId::new([number; 24]),
        correlation_id: CorrelationId::new([!number; 24]),
        priority: 3,
        persistence: Persistence::Persistent,
        expiry: Expiry(36_000),
        ..MessageDescriptor::default()
    }
}

#[test]
fn a_move_keeps_identifiers_context_persistence_priority_and_expiry() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 1..=250_u8 {
        server.put("Q", described(number), vec![number; 3]);
    }
    let before = server.take_all("Q");
    for number in 1..=250_u8 {
        server.put("Q", described(number), vec![number; 3]);
    }
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!((&job["state"], counts(&job), &job["errors"]), (&json!("done"), (250, 250, 0), &json!([])), "{job}");
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (0, 250));
    let after = server.take_all("TO");
    for ((was, body), (is, moved)) in before.iter().zip(&after) {
        assert_eq!(body, moved);
        assert!(is.expiry.0 > 0 && is.expiry.0 <= was.expiry.0);
        // The server user put them, not the one who moved them.
        let times = (is.put_date, is.put_time);
        let expected = MessageDescriptor { expiry: is.expiry, put_date: times.0, put_time: times.1, ..was.clone() };
        assert_eq!(&expected, is);
        assert_eq!(is.user_identifier, Text::new("server"));
    }
}

#[test]
fn without_the_authority_to_pass_context_on_a_job_is_refused_unless_it_asks_for_new_context() {
    let server = TestServer::start();
    define(&server, "TO");
    grant(&server, "TO", Authority::empty());
    let mut client = client::plain(&server);
    put(&server, "Q", "a");
    for action in ["move", "copy"] {
        let wish = json!({ "action": action, "to": { "queue": "TO" } });
        let refused = order(&mut client, "Q", &wish);
        assert_eq!((refused.status, &value(&refused)["reason"]["code"]), (403, &json!(2035)), "{}", refused.text());
    }
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" }, "context": "new" }));
    assert_eq!((counts(&job), depth(&server, "Q")), ((1, 1, 0), 0));
    let (descriptor, _) = server.take_all("TO").remove(0);
    assert_eq!((descriptor.message_id, descriptor.user_identifier), (MessageId::new([1; 24]), Text::new("app")));
}

#[test]
fn the_authority_to_set_context_is_enough_for_a_move() {
    let server = TestServer::start();
    define(&server, "TO");
    grant(&server, "TO", Authority::SET_ALL_CONTEXT);
    put(&server, "Q", "a");
    run(&mut client::plain(&server), "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!(server.take_all("TO").remove(0).0.user_identifier, Text::new("server"));
}

#[test]
fn a_copy_onto_its_own_queue_copies_what_was_there_when_it_began() {
    let server = server();
    grant(&server, "Q", Authority::SET_ALL_CONTEXT);
    for number in 0..150_u8 {
        server.put("Q", described(number), "x");
    }
    let job = run(&mut client::plain(&server), "Q", &json!({ "action": "copy", "to": { "queue": "Q" } }));
    assert_eq!((counts(&job), depth(&server, "Q")), ((150, 150, 0), 300));
    let taken = server.take_all("Q");
    let users: Vec<_> = taken.iter().map(|(descriptor, _)| descriptor.user_identifier.to_string()).collect();
    assert!(users.iter().all(|user| user == "server"), "{users:?}");
}

#[test]
fn a_move_to_the_same_queue_is_refused_by_whatever_name() {
    let server = server();
    grant(&server, "Q", Authority::PASS_ALL_CONTEXT);
    grant(&server, "ALIAS", Authority::PASS_ALL_CONTEXT);
    put(&server, "Q", "a");
    for to in ["Q", "ALIAS"] {
        let refused = order(&mut client::plain(&server), "Q", &json!({ "action": "move", "to": { "queue": to } }));
        assert_eq!(refusal(&refused), (400, "MQWB0971E".to_owned()), "{to}");
    }
    assert_eq!(depth(&server, "Q"), 1);
}

#[test]
fn a_job_does_the_positions_that_it_was_given() {
    let server = server();
    let mut client = client::plain(&server);
    for text in ["a", "b", "c"] {
        put(&server, "Q", text);
    }
    let page = value(&send(&mut client, &format!("GET {BASE}/queue/Q/messages"), ""));
    let positions = [&page["messages"][0]["position"], &page["messages"][2]["position"]];
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" }, "positions": positions }));
    assert_eq!((counts(&job), depth(&server, "Q"), depth(&server, "TO")), ((2, 2, 0), 1, 2));
    assert_eq!(server.take_all("Q").remove(0).1, "b");
}

#[test]
fn what_arrives_after_a_dry_run_is_left_alone_by_the_job_that_names_where_it_ended() {
    let server = server();
    let mut client = client::plain(&server);
    put(&server, "Q", "counted");
    put(&server, "Q", "too");
    let counted = run(&mut client, "Q", &json!({ "action": "purge", "dryRun": true }));
    assert_eq!((counts(&counted), &counted["bytes"]), ((2, 2, 0), &json!(10)));
    assert_eq!(counted["sample"]["positions"].as_array().map(Vec::len), Some(2), "{counted}");
    put(&server, "Q", "later");
    let job = run(&mut client, "Q", &json!({ "action": "purge", "before": counted["before"] }));
    assert_eq!((counts(&job), depth(&server, "Q")), ((2, 2, 0), 1));
}

#[test]
fn dead_letters_of_one_cause_are_replayed_alone() {
    let server = server();
    let mut client = client::plain(&server);
    for queue in ["TO", "TO", "Q2"] {
        let descriptor = MessageDescriptor { format: Format::DEAD_LETTER_HEADER, ..described(7) };
        server.put("Q", descriptor, dead_letter(queue, b"x"));
    }
    let cause = json!({ "reason": 2053, "queue": "TO" });
    let counted = run(&mut client, "Q", &json!({ "action": "replay", "deadLetter": cause, "dryRun": true }));
    assert_eq!(counted["sample"]["targets"], json!([{ "queue": "TO", "count": 2 }]), "{counted}");
    let job = run(&mut client, "Q", &json!({ "action": "replay", "deadLetter": cause }));
    assert_eq!((counts(&job), depth(&server, "Q"), depth(&server, "TO")), ((3, 2, 0), 1, 2));
    let none = run(&mut client, "Q", &json!({ "action": "purge", "deadLetter": { "reason": null } }));
    assert_eq!((counts(&none), depth(&server, "Q")), ((1, 0, 0), 1));
}

#[test]
fn a_job_does_the_identifiers_that_it_was_given() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 1..=3 {
        server.put("Q", described(number), "x");
    }
    let ids = [MessageId::new([1; 24]), MessageId::new([3; 24])];
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" }, "ids": ids }));
    assert_eq!((counts(&job), depth(&server, "Q"), depth(&server, "TO")), ((2, 2, 0), 1, 2));
    assert_eq!(server.take_all("Q").remove(0).0.message_id, MessageId::new([2; 24]));
}

#[test]
fn an_administrator_works_with_messages_as_the_server_and_a_reader_looks_at_them() {
    let server = server();
    let mut client = client::plain(&server);
    put(&server, "Q", "a");
    let path = format!("{BASE}/queue/Q/messages");
    for user in [ADMIN, READER] {
        let page = send(&mut client, &format!("GET {path}{user}"), "");
        assert_eq!((page.status, value(&page)["messages"].as_array().map(Vec::len)), (200, Some(1)), "{}", page.text());
    }
    let wish = json!({ "action": "move", "to": { "queue": "TO" } }).to_string();
    let start = format!("POST {BASE}/queue/Q/jobs\ncontent-type: application/json");
    assert_eq!(refusal(&send(&mut client, &format!("{start}{READER}"), &wish)), (403, "MQWB0108E".to_owned()));
    assert_eq!(send(&mut client, &format!("{start}{ADMIN}"), &wish).status, 202);
    eventually("the message is on TO", || depth(&server, "TO") == 1);
}

#[test]
fn a_purge_takes_what_matches_and_leaves_the_rest() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 0..210_u8 {
        server.put("Q", MessageDescriptor { format: Format::STRING, ..described(number) }, format!("number {number}"));
    }
    let purge = |more: Value| {
        let mut wish = json!({ "action": "purge" });
        wish.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        wish
    };
    let one = json!({ "match": { "id": MessageId::new([7; 24]) } });
    assert_eq!(counts(&run(&mut client, "Q", &purge(one))), (1, 1, 0));
    assert_eq!(counts(&run(&mut client, "Q", &purge(json!({ "contains": "number 20" })))).1, 11);
    assert_eq!(counts(&run(&mut client, "Q", &purge(json!({ "match": { "selector": "JMSPriority = 9" } })))).1, 0);
    assert_eq!(counts(&run(&mut client, "Q", &purge(json!({ "limit": 100 })))).1, 100);
    assert_eq!(depth(&server, "Q"), 98);
    assert_eq!(counts(&run(&mut client, "Q", &purge(json!({})))), (98, 98, 0));
    assert_eq!(depth(&server, "Q"), 0);
}

#[test]
fn messages_are_browsed_exported_and_done_by_the_length_of_their_data_without_headers() {
    let server = server();
    let mut client = client::plain(&server);
    for length in [0, 10, 20, 30] {
        server.put("Q", described(1), vec![b'x'; length]);
    }
    // The header before it does not count.
    put_dead(&server, 2, "TO");
    let mut count = |path: &str| {
        let answer = send(&mut client, &format!("GET {BASE}/queue/Q/{path}"), "");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.text().matches("\"id\":").count()
    };
    for (lengths, expected) in
        [("minLength=20", 2), ("maxLength=10", 3), ("minLength=2&maxLength=10", 2), ("minLength=31", 0)]
    {
        let both = [count(&format!("messages?{lengths}")), count(&format!("messages?before=end&{lengths}"))];
        assert_eq!((both, count(&format!("export?{lengths}"))), ([expected; 2], expected), "{lengths}");
    }
    assert_eq!(send(&mut client, &format!("GET {BASE}/queue/Q/messages?minLength=-1"), "").status, 400);
    let job = run(&mut client, "Q", &json!({ "action": "purge", "minLength": 1, "maxLength": 20 }));
    assert_eq!((counts(&job), depth(&server, "Q")), ((5, 3, 0), 2));
}

#[test]
fn a_dry_run_counts_and_changes_nothing() {
    let server = server();
    let mut client = client::plain(&server);
    put(&server, "Q", "red");
    put(&server, "Q", "blue");
    for action in ["move", "copy", "purge", "replay"] {
        let mut wish = json!({ "action": action, "dryRun": true, "contains": "red" });
        if action != "purge" {
            wish["to"] = json!({ "queue": "TO" });
        }
        let job = run(&mut client, "Q", &wish);
        let expected = if action == "replay" { (2, 0, 1) } else { (2, 1, 0) };
        assert_eq!((counts(&job), &job["dryRun"]), (expected, &json!(true)), "{action}");
    }
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (2, 0));
    let backed_out = server.take_all("Q").iter().map(|(descriptor, _)| descriptor.backout_count).max();
    assert_eq!(backed_out, Some(0));
}

/// The body of a dead letter for a queue.
pub(super) fn dead_letter(queue: &str, body: &[u8]) -> Vec<u8> {
    let header = DeadLetterHeader {
        reason: 2053,
        destination_queue: Text::new(queue),
        destination_queue_manager: Text::new("QM1"),
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid(37),
        format: Format::STRING,
        put_application_type: 6,
        put_application_name: Text::new("program"),
        put_date: Text::new("20261123"),
        put_time: Text::new("04000000"),
    };
    let mut whole = Vec::new();
    header.encode(Encoding::LITTLE_ENDIAN, &mut whole);
    whole.extend_from_slice(body);
    whole
}

pub(super) fn put_dead(server: &TestServer, number: u8, queue: &str) {
    let descriptor = MessageDescriptor {
        format: Format::DEAD_LETTER_HEADER,
        encoding: Encoding::LITTLE_ENDIAN,
        ccsid: Ccsid(1208),
        ..described(number)
    };
    server.put("Q", descriptor, dead_letter(queue, b"\xC1\xC2"));
}

#[test]
fn a_replay_takes_the_dead_letter_header_off_and_leaves_what_has_none() {
    let server = server();
    let mut client = client::plain(&server);
    put(&server, "Q", "no header");
    put_dead(&server, 10, "TO");
    put_dead(&server, 20, "NO.SUCH.QUEUE");
    put_dead(&server, 30, "TO");
    let job = run(&mut client, "Q", &json!({ "action": "replay" }));
    assert_eq!((&job["state"], counts(&job)), (&json!("done"), (4, 2, 2)), "{job}");
    let reasons: Vec<_> = job["errors"].as_array().expect("errors").iter().map(|one| &one["reason"]["code"]).collect();
    assert_eq!(reasons, [&Value::Null, &json!(2085)]);
    let revived = server.take_all("TO");
    assert_eq!(revived.len(), 2);
    let (descriptor, body) = &revived[0];
    assert_eq!(
        (descriptor.format, descriptor.encoding, descriptor.ccsid),
        (Format::STRING, Encoding::BIG_ENDIAN, Ccsid(37))
    );
    assert_eq!((&body[..], descriptor.message_id), (&b"\xC1\xC2"[..], MessageId::new([10; 24])));
    assert_eq!(descriptor.user_identifier, Text::new("server"));
    // The one without a queue, to a queue that the order names.
    let job = run(&mut client, "Q", &json!({ "action": "replay", "to": { "queue": "TO" } }));
    assert_eq!((counts(&job), depth(&server, "Q"), depth(&server, "TO")), ((2, 1, 1), 1, 1));
}

#[test]
fn a_full_queue_ends_a_job_and_no_message_is_on_both_queues_or_on_none() {
    let server = server();
    server.alter("TO", |queue| queue.as_local_mut().expect("local").maximum_depth = 130);
    for number in 0..200_u8 {
        server.put("Q", described(number), "x");
    }
    let job = run(&mut client::plain(&server), "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!((&job["state"], &job["reason"]["code"], counts(&job).1), (&json!("failed"), &json!(2053), 130), "{job}");
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (70, 130));
}

#[test]
fn messages_of_any_length_move_in_batches_that_the_log_takes() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = on_disk(folder.path());
    let lengths = [0, 10, 70_000, 300_000, 1_200_000, 5, 2_500_000, 300_000, 300_000, 1];
    for (number, length) in (0..).zip(lengths) {
        server.put("Q", described(number), vec![number; length]);
    }
    let job = run(&mut client::plain(&server), "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!(counts(&job), (10, 10, 0), "{job}");
    let moved: Vec<_> = server.take_all("TO").iter().map(|(_, body)| body.len()).collect();
    assert_eq!(moved, lengths);
}

#[test]
fn after_a_restart_jobs_are_known_with_what_became_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = on_disk(folder.path());
    for number in 0..150_u8 {
        server.put("Q", described(number), "x");
    }
    let mut client = client::plain(&server);
    let mut done = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" }, "limit": 120 }));
    let mut failed = run(&mut client, "Q", &json!({ "action": "copy", "to": { "queue": "FULL" } , "context": "new" }));
    assert_eq!(failed["state"], "failed", "{failed}");
    for job in [&mut done, &mut failed] {
        assert_eq!((job["undo"].take(), &job["undoProblem"]), (json!(true), &Value::Null), "{job}");
        // Which messages these were, is known until the server ends.
        job["undo"] = json!(false);
        job["undoProblem"] =
            json!("the queue manager has started again since, and the server has forgotten which messages these are");
    }
    drop(server);
    let server = on_disk(folder.path());
    let mut client = client::plain(&server);
    let listed = value(&send(&mut client, "GET /api/v1/jobs", ""));
    assert_eq!(listed["jobs"], json!([failed, done]));
    // A new job takes no place of theirs.
    run(&mut client, "Q", &json!({ "action": "purge" }));
    let id = done["id"].as_str().expect("an id");
    assert_eq!(value(&send(&mut client, &format!("GET /api/v1/jobs/{id}"), "")), done);
}

/// The folder of a server that was started before.
pub(super) fn open_disk(folder: &Path) -> DirectoryDisk {
    // The threads of a server that was dropped may hold the folder for a moment.
    let until = Instant::now() + PATIENCE;
    loop {
        match DirectoryDisk::open(folder.to_owned()) {
            Ok(disk) => return disk,
            Err(error) => assert!(Instant::now() < until, "the folder stays in use: {error:?}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(super) fn on_disk(folder: &Path) -> TestServer {
    let server = TestServer::start_on(Home::Disk(Arc::new(open_disk(folder))), |_| {});
    define(&server, "TO");
    grant(&server, "TO", Authority::PASS_ALL_CONTEXT | Authority::SET_ALL_CONTEXT);
    server
}

#[test]
fn a_job_is_seen_by_the_user_who_started_it_and_by_administrators() {
    let server = server();
    let mut client = client::plain(&server);
    let started = order(&mut client, "Q", &json!({ "action": "purge" }));
    let location = started.header("location").expect("a location").to_owned();
    await_end(&mut client, &location);
    assert_eq!(refusal(&send(&mut client, &format!("GET {location}{OTHER}"), "")), (404, "MQWB0970E".to_owned()));
    assert_eq!(refusal(&send(&mut client, &format!("DELETE {location}{OTHER}"), "")), (404, "MQWB0970E".to_owned()));
    assert_eq!(send(&mut client, &format!("GET {location}{ADMIN}"), "").status, 200);
    let listed = |client: &mut Client, of: &str| {
        value(&send(client, &format!("GET /api/v1/jobs{of}"), ""))["jobs"].as_array().expect("jobs").len()
    };
    assert_eq!([listed(&mut client, ""), listed(&mut client, OTHER), listed(&mut client, ADMIN)], [1, 0, 1]);
}

#[test]
fn jobs_are_listed_page_by_page_the_newest_first() {
    let server = server();
    let mut client = client::plain(&server);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(run(&mut client, "Q", &json!({ "action": "purge" }))["id"].clone());
    }
    ids.reverse();
    let (mut seen, mut path) = (Vec::new(), "/api/v1/jobs?limit=2".to_owned());
    loop {
        let page = value(&send(&mut client, &format!("GET {path}"), ""));
        seen.extend(page["jobs"].as_array().expect("jobs").iter().map(|job| job["id"].clone()));
        assert!(seen.len() <= ids.len(), "{seen:?}");
        match page["cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/jobs?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, ids);
}

#[test]
fn a_cancelled_job_ends_with_what_it_has_done() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 0..4000_u32 {
        server.put("Q", MessageDescriptor::default(), number.to_string());
    }
    let started = order(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let location = started.header("location").expect("a location").to_owned();
    assert_eq!(send(&mut client, &format!("DELETE {location}"), "").status, 202);
    let job = await_end(&mut client, &location);
    let done = counts(&job).1;
    assert_eq!(job["state"], if done == 4000 { "done" } else { "cancelled" });
    assert_eq!((u64::from(depth(&server, "TO")), u64::from(depth(&server, "Q"))), (done, 4000 - done));
    // Of a job that is over nothing changes.
    send(&mut client, &format!("DELETE {location}"), "");
    assert_eq!(value(&send(&mut client, &format!("GET {location}"), "")), job);
}

#[test]
fn a_job_ends_with_its_queue_manager_and_says_what_it_has_done() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 0..4000_u32 {
        server.put("Q", MessageDescriptor::default(), number.to_string());
    }
    let started = order(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let location = started.header("location").expect("a location").to_owned();
    server.queue_manager.quiesce();
    let job = await_end(&mut client, &location);
    let done = counts(&job).1;
    assert_eq!(job["state"], if done == 4000 { "done" } else { "interrupted" }, "{job}");
    assert_eq!((u64::from(depth(&server, "TO")), u64::from(depth(&server, "Q"))), (done, 4000 - done));
}

#[test]
fn what_another_program_takes_meanwhile_is_not_moved_too() {
    let server = server();
    for number in 0..2000_u32 {
        server.put("Q", MessageDescriptor::default(), number.to_string());
    }
    let (mut taken, job) = std::thread::scope(|scope| {
        let taking = scope.spawn(|| {
            let mut client = client::plain(&server);
            let mut taken = Vec::new();
            loop {
                let got = send(&mut client, &format!("DELETE {BASE}/queue/Q/messages"), "");
                match got.status {
                    200 => taken.push(got.body.clone()),
                    _ => return taken,
                }
            }
        });
        let job = run(&mut client::plain(&server), "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
        (taking.join().expect("a program that takes"), job)
    });
    let moved = server.take_all("TO");
    assert_eq!(counts(&job).1, moved.len() as u64, "{job}");
    taken.extend(moved.iter().map(|(_, body)| body.to_vec()));
    assert_eq!(taken.len(), 2000);
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), 2000, "each is taken or moved, and none both");
}

#[test]
fn a_user_has_a_few_jobs_running_at_once() {
    let disk = Arc::new(HeldDisk::new());
    let server = TestServer::start_on(Home::Disk(Arc::clone(&disk) as _), |_| {});
    let purge = || order(&mut client::plain(&server), "Q", &json!({ "action": "purge" }));
    std::thread::scope(|scope| {
        let held = disk.hold();
        // A thread that serves connections writes the log itself, unless another is about it.
        scope.spawn(|| server.put("A/B", described(1), "x"));
        eventually("a write to the log", || disk.is_syncing());
        let started: Vec<_> = (0..4).map(|_| scope.spawn(purge)).collect();
        let running = || {
            let listed = value(&send(&mut client::plain(&server), "GET /api/v1/jobs", ""));
            listed["jobs"].as_array().expect("jobs").len()
        };
        eventually("four jobs", || running() == 4);
        let refused = purge();
        assert_eq!(refusal(&refused), (503, "MQWB0919E".to_owned()));
        drop(held);
        for job in started {
            assert_eq!(job.join().expect("an answer").status, 202);
        }
    });
    eventually("a place for another job", || purge().status == 202);
}

#[test]
fn mistakes_in_an_order_are_named() {
    let server = server();
    let mut client = client::plain(&server);
    for (wish, expected) in [
        (json!({ "action": "eat" }), (400, "MQWB0905E")),
        (json!({ "action": "move" }), (400, "MQWB0905E")),
        (json!({ "action": "purge", "to": { "queue": "TO" } }), (400, "MQWB0905E")),
        (json!({ "action": "purge", "limit": 0 }), (400, "MQWB0905E")),
        (json!({ "action": "purge", "dryrun": true }), (400, "MQWB0905E")),
        (json!({ "action": "copy", "to": { "queue": "TO" }, "context": "old" }), (400, "MQWB0905E")),
        (json!({ "action": "move", "to": { "queue": "" } }), (400, "MQWB0300E")),
        (json!({ "action": "move", "to": { "queue": "NONE" } }), (404, "MQWB0300E")),
        (json!({ "action": "purge", "match": { "selector": "a b" } }), (400, "MQWB0300E")),
    ] {
        let refused = order(&mut client, "Q", &wish);
        assert_eq!(refused.status, expected.0, "{wish} {}", refused.text());
        if expected.0 == 400 && expected.1 == "MQWB0905E" {
            assert_eq!(refusal(&refused).1, expected.1, "{wish}");
        }
    }
    assert_eq!(order(&mut client, "PRIVATE", &json!({ "action": "purge" })).status, 403);
    assert_eq!(order(&mut client, "NONE", &json!({ "action": "purge" })).status, 404);
}
