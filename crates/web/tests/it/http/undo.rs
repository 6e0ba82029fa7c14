//! Undo of jobs of `/api/v1`: what comes back, as what, what is left alone, and when an undo is refused.

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::definition::QueueDefinition;
use model::definition::queue::{AliasQueue, QueueKind, RemoteQueue, Usage};
use model::descriptor::{Encoding, Expiry, Format, MessageDescriptor};
use model::identifier::{AccountingToken, MessageId};
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::text::Text;
use queue_manager::connection::{Connection, ObjectHandle};
use serde_json::{Value, json};

use super::client::{self, Answer, Client};
use super::jobs::{
    ADMIN, BASE, OTHER, await_end, dead_letter, define, depth, described, grant, on_disk, refusal, run, send, server,
    value,
};
use super::server::{TestServer, eventually, server_user};

mod model_of_queues;

type Seen = (MessageDescriptor, Bytes);

/// A server on which `app` may put back on Q.
fn undo_server() -> TestServer {
    let server = server();
    grant(&server, "Q", Authority::PASS_ALL_CONTEXT);
    server
}

/// Asks for an undo and waits for its end.
fn undo(client: &mut Client, of: &Value, wish: &Value) -> Value {
    let started = ask_undo(client, of, "", wish);
    assert_eq!(started.status, 202, "{}", started.text());
    let job = await_end(client, started.header("location").expect("a location"));
    assert_eq!((&job["action"], &job["of"]), (&json!("undo"), &of["id"]), "{job}");
    job
}

fn ask_undo(client: &mut Client, of: &Value, user: &str, wish: &Value) -> Answer {
    let id = of["id"].as_str().expect("an id");
    send(client, &format!("POST /api/v1/jobs/{id}/undo\ncontent-type: application/json{user}"), &wish.to_string())
}

/// Messages put back, gone and failed.
fn counts(job: &Value) -> (u64, u64, u64) {
    let count = |name: &str| job["counts"][name].as_u64().expect("a count");
    assert_eq!(count("seen"), count("done") + count("gone") + count("failed"), "{job}");
    (count("done"), count("gone"), count("failed"))
}

fn open(server: &TestServer, connection: &Connection, queue: &str, options: OpenOptions) -> ObjectHandle {
    let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
    server.block_on(connection.open(&server_user(), &object, options)).expect("opened").handle
}

/// All messages of a queue in their order, with every field and every byte, properties too. They stay there.
fn browse_all(server: &TestServer, queue: &str) -> Vec<Seen> {
    let connection = server.connect();
    let handle = open(server, &connection, queue, OpenOptions::BROWSE);
    let flags = GetFlags::BROWSE_NEXT | GetFlags::NO_SYNCPOINT | GetFlags::PROPERTIES_FORCE_MQRFH2;
    let options = GetOptions { flags, ..GetOptions::default() };
    let mut seen = Vec::new();
    while let Ok(message) = server.block_on(connection.get(handle, &options)) {
        seen.push((message.message.descriptor, message.message.body));
    }
    seen
}

/// With the context that the descriptor says.
fn put_as_it_is(server: &TestServer, queue: &str, descriptor: MessageDescriptor, body: impl Into<Bytes>) {
    let connection = server.connect();
    let handle = open(server, &connection, queue, OpenOptions::OUTPUT | OpenOptions::SET_ALL_CONTEXT);
    let options = PutOptions { flags: PutFlags::SET_ALL_CONTEXT, ..PutOptions::default() };
    server.block_on(connection.put(handle, descriptor, &options, body.into())).expect("put");
}

/// A message in which each field differs from that of another number.
fn peculiar(number: u8) -> MessageDescriptor {
    MessageDescriptor {
        priority: i32::from(number % 10),
        user_identifier: Text::new(&format!("user{number}")),
        accounting_token: AccountingToken::new([number; 32]),
        application_identity_data: Text::new(&format!("identity {number}")),
        put_application_type: i32::from(number),
        put_application_name: Text::new(&format!("program {number}")),
        put_date: Text::new("20240229"),
        put_time: Text::new(&format!("1122{:04}", number)),
        application_origin_data: Text::new(&format!("{number}")),
        reply_to_queue: QueueName::literal("TO"),
        ..described(number)
    }
}

fn put_dead(server: &TestServer, number: u8, to: &str, body: &[u8]) {
    let format = Format::DEAD_LETTER_HEADER;
    let descriptor = MessageDescriptor { format, encoding: Encoding::LITTLE_ENDIAN, ..peculiar(number) };
    put_as_it_is(server, "Q", descriptor, dead_letter(to, body));
}

/// They are what they were, but for their life, which goes on.
fn assert_as_before(before: &[Seen], after: &[Seen]) {
    assert_eq!(before.len(), after.len());
    for ((was, body), (is, back)) in before.iter().zip(after) {
        assert!(is.expiry.0 > 0 && is.expiry.0 <= was.expiry.0, "{:?} then {:?}", was.expiry, is.expiry);
        assert_eq!(&MessageDescriptor { expiry: is.expiry, ..was.clone() }, is);
        assert_eq!(body, back);
    }
}

#[test]
fn a_replay_that_is_undone_gives_back_each_dead_letter_as_it_was() {
    let server = undo_server();
    define(&server, "TO2");
    grant(&server, "TO2", Authority::PASS_ALL_CONTEXT);
    let mut client = client::plain(&server);
    for number in 1..=240_u8 {
        put_dead(&server, number, if number % 3 == 0 { "TO2" } else { "TO" }, &[number; 5]);
    }
    let before = browse_all(&server, "Q");
    let job = run(&mut client, "Q", &json!({ "action": "replay" }));
    assert_eq!((&job["counts"]["done"], &job["undo"]), (&json!(240), &json!(true)), "{job}");
    assert_eq!((depth(&server, "Q"), depth(&server, "TO"), depth(&server, "TO2")), (0, 160, 80));
    assert_eq!(browse_all(&server, "TO")[0].0.format, Format::STRING);
    let back = undo(&mut client, &job, &json!({}));
    assert_eq!((&back["state"], counts(&back)), (&json!("done"), (240, 0, 0)), "{back}");
    assert_eq!((&back["queue"], &back["to"]["queue"], &back["from"]), (&json!("Q"), &json!("Q"), &Value::Null));
    assert_as_before(&before, &browse_all(&server, "Q"));
    assert_eq!((depth(&server, "TO"), depth(&server, "TO2")), (0, 0));
    // It may be replayed again.
    let again = run(&mut client, "Q", &json!({ "action": "replay" }));
    assert_eq!(again["counts"]["done"], 240);
}

#[test]
fn a_replay_of_messages_with_properties_and_more_headers_is_undone_byte_by_byte() {
    let server = undo_server();
    let mut client = client::plain(&server);
    let put = |wish: Value| {
        let envelope = format!("POST {BASE}/queue/Q/messages?envelope\ncontent-type: application/json");
        let answer = send(&mut client::plain(&server), &envelope, &wish.to_string());
        assert_eq!(answer.status, 201, "{}", answer.text());
    };
    let header =
        json!({ "structure": "MQDLH", "reason": 2053, "destinationQueue": "TO", "destinationQueueManager": "QM1" });
    let cics = json!({ "structure": "MQCIH", "transactionId": "LOAN" });
    for (headers, properties) in
        [(json!([header]), json!({ "colour": "red", "size": 7 })), (json!([header, cics]), json!({ "colour": "blue" }))]
    {
        put(json!({ "headers": headers, "properties": properties, "expiry": "10m", "body": { "text": "grüße" } }));
    }
    let before = browse_all(&server, "Q");
    let job = run(&mut client, "Q", &json!({ "action": "replay" }));
    assert_eq!(job["counts"]["done"], 2, "{job}");
    assert_ne!(browse_all(&server, "TO")[0].1, before[0].1);
    let back = undo(&mut client, &job, &json!({}));
    assert_eq!(counts(&back), (2, 0, 0), "{back}");
    assert_as_before(&before, &browse_all(&server, "Q"));
}

#[test]
fn a_move_that_is_undone_leaves_messages_in_the_order_of_their_priorities() {
    let server = undo_server();
    let mut client = client::plain(&server);
    for number in 1..=120_u8 {
        put_as_it_is(&server, "Q", peculiar(number), vec![number; 3]);
    }
    let before = browse_all(&server, "Q");
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let back = undo(&mut client, &job, &json!({}));
    assert_eq!((counts(&back), &back["bytes"], &back["from"]["queue"]), ((120, 0, 0), &json!(360), &json!("TO")));
    assert_as_before(&before, &browse_all(&server, "Q"));
}

#[test]
fn the_context_that_a_job_has_written_over_comes_back_with_the_authority_to_set_it() {
    let server = undo_server();
    let mut client = client::plain(&server);
    for number in 1..=3 {
        put_as_it_is(&server, "Q", peculiar(number), "x");
    }
    let before = browse_all(&server, "Q");
    let new = json!({ "context": "new" });
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" }, "context": "new" }));
    let refused = ask_undo(&mut client, &job, "", &json!({}));
    assert_eq!((refused.status, &value(&refused)["reason"]["code"]), (403, &json!(2035)), "{}", refused.text());
    assert!(refused.text().contains("'Q'"), "{}", refused.text());
    let dry = ask_undo(&mut client, &job, "", &json!({ "dryRun": true }));
    assert_eq!(dry.status, 403, "a dry run is refused what the undo is refused");
    grant(&server, "Q", Authority::SET_ALL_CONTEXT);
    assert_eq!(counts(&undo(&mut client, &job, &json!({ "context": "keep" }))), (3, 0, 0));
    assert_as_before(&before, &browse_all(&server, "Q"));
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!(counts(&undo(&mut client, &job, &new)), (3, 0, 0));
    assert_eq!(browse_all(&server, "Q")[0].0.user_identifier, Text::new("app"));
}

#[test]
fn what_a_program_has_taken_is_gone_and_what_it_has_put_again_is_another_message() {
    let server = undo_server();
    let mut client = client::plain(&server);
    for number in 1..=5 {
        server.put("Q", described(number), vec![number]);
    }
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let connection = server.connect();
    let handle = open(&server, &connection, "TO", OpenOptions::INPUT_SHARED);
    let take = |number: u8, flags| {
        let (message_id, match_options) = (MessageId::new([number; 24]), MatchOptions::MSG_ID);
        let options = GetOptions { flags, match_options, message_id, ..GetOptions::default() };
        server.block_on(connection.get(handle, &options)).expect("a message").message
    };
    take(1, GetFlags::NO_SYNCPOINT);
    let again = take(2, GetFlags::NO_SYNCPOINT);
    server.put("TO", again.descriptor.clone(), again.body.clone());
    // One is held, and is back at its place before the second undo.
    take(3, GetFlags::SYNCPOINT);
    let dry = undo(&mut client, &job, &json!({ "dryRun": true }));
    assert_eq!((counts(&dry), depth(&server, "Q")), ((2, 3, 0), 0));
    let first = undo(&mut client, &job, &json!({}));
    assert_eq!((counts(&first), depth(&server, "Q")), ((2, 3, 0), 2));
    server.block_on(connection.back_out()).expect("backed out");
    let second = undo(&mut client, &job, &json!({}));
    assert_eq!(counts(&second), (1, 4, 0));
    let numbers = |queue| browse_all(&server, queue).iter().map(|(_, body)| body[0]).collect::<Vec<_>>();
    assert_eq!((numbers("Q"), numbers("TO")), (vec![4, 5, 3], vec![2]));
    assert_eq!(browse_all(&server, "Q")[2].0.backout_count, 0);
}

#[test]
fn a_message_with_the_same_identifier_that_was_not_moved_stays() {
    let server = undo_server();
    let mut client = client::plain(&server);
    server.put("TO", described(1), "was there");
    server.put("Q", described(1), "moved");
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    server.put("TO", described(1), "came later");
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (1, 0, 0));
    let bodies = |queue| browse_all(&server, queue).into_iter().map(|(_, body)| body).collect::<Vec<_>>();
    assert_eq!((bodies("Q"), bodies("TO")), (vec!["moved".into()], vec!["was there".into(), "came later".into()]));
}

#[test]
fn of_two_jobs_on_one_queue_each_takes_back_its_own() {
    let server = undo_server();
    let mut client = client::plain(&server);
    for number in 0..40_u8 {
        server.put("Q", described(1 + number % 2), vec![number]);
    }
    let wish = |number: u8| {
        let id = MessageId::new([1 + number; 24]);
        json!({ "action": "move", "to": { "queue": "TO" }, "match": { "id": id } })
    };
    let jobs = [0, 1].map(|number| run(&mut client, "Q", &wish(number)));
    for (number, job) in [1_u8, 0].into_iter().zip([&jobs[1], &jobs[0]]) {
        assert_eq!(counts(&undo(&mut client, job, &json!({}))), (20, 0, 0));
        let back = browse_all(&server, "Q");
        assert_eq!(back.iter().filter(|(_, body)| body[0] % 2 == number).count(), 20);
        // A second time nothing is there.
        assert_eq!(counts(&undo(&mut client, job, &json!({}))), (0, 20, 0));
    }
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (40, 0));
}

#[test]
fn an_expired_message_is_gone_and_one_that_lives_keeps_what_is_left_of_its_life() {
    let server = undo_server();
    let mut client = client::plain(&server);
    server.put("Q", MessageDescriptor { expiry: Expiry(1), ..described(1) }, "short");
    server.put("Q", MessageDescriptor { expiry: Expiry(6000), ..described(2) }, "long");
    server.put("Q", MessageDescriptor { expiry: Expiry::UNLIMITED, ..described(3) }, "for ever");
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let moved = job["counts"]["done"].as_u64().expect("a count");
    eventually("the short one has expired", || browse_all(&server, "TO").len() == 2);
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (2, moved - 2, 0));
    let lives: Vec<_> = browse_all(&server, "Q").iter().map(|(descriptor, _)| descriptor.expiry).collect();
    assert!(lives[0].0 < 6000 && lives[0].0 > 5000 && lives[1] == Expiry::UNLIMITED, "{lives:?}");
}

#[test]
fn a_queue_that_is_deleted_meanwhile_has_nothing_to_give_back_and_takes_nothing() {
    let server = undo_server();
    define(&server, "TO2");
    let mut client = client::plain(&server);
    for (number, to) in [(1, "TO"), (2, "TO2"), (3, "TO")] {
        put_dead(&server, number, to, b"x");
    }
    grant(&server, "TO2", Authority::PASS_ALL_CONTEXT);
    let job = run(&mut client, "Q", &json!({ "action": "replay" }));
    assert_eq!(job["counts"]["done"], 3, "{job}");
    let delete = |queue: &str| {
        let queue = QueueName::literal(queue);
        server.block_on(server.queue_manager.delete_queue(&server_user(), &queue, true)).expect("deleted");
    };
    delete("TO2");
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (2, 1, 0));
    // One of that name is another queue.
    define(&server, "TO2");
    grant(&server, "TO2", Authority::empty());
    server.put("TO2", described(2), "x");
    assert_eq!((counts(&undo(&mut client, &job, &json!({}))), depth(&server, "TO2")), ((0, 3, 0), 1));
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    delete("Q");
    let refused = ask_undo(&mut client, &job, "", &json!({}));
    assert_eq!((refused.status, depth(&server, "TO")), (404, 2), "{}", refused.text());
    assert!(refused.text().contains("'Q'"), "{}", refused.text());
}

#[test]
fn a_full_queue_ends_an_undo_and_another_goes_on_when_there_is_room() {
    let server = undo_server();
    let mut client = client::plain(&server);
    for number in 0..200_u8 {
        server.put("Q", described(number), vec![number]);
    }
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let set_maximum = |maximum| server.alter("Q", |queue| queue.as_local_mut().expect("local").maximum_depth = maximum);
    set_maximum(130);
    let stopped = undo(&mut client, &job, &json!({}));
    assert_eq!((&stopped["state"], &stopped["reason"]["code"]), (&json!("failed"), &json!(2053)), "{stopped}");
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (130, 70));
    set_maximum(1000);
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (70, 130, 0));
    let numbers: Vec<_> = browse_all(&server, "Q").iter().map(|(_, body)| body[0]).collect();
    assert_eq!(numbers, (0..200).collect::<Vec<_>>());
}

#[test]
fn an_undo_of_a_copy_removes_the_copies_that_are_left() {
    let server = undo_server();
    let mut client = client::plain(&server);
    for number in 0..5 {
        server.put("Q", described(number), vec![number]);
    }
    server.put("TO", described(1), "other");
    let job = run(&mut client, "Q", &json!({ "action": "copy", "to": { "queue": "TO" } }));
    assert_eq!(depth(&server, "TO"), 6);
    let dry = undo(&mut client, &job, &json!({ "dryRun": true }));
    assert_eq!((counts(&dry), depth(&server, "TO")), ((5, 0, 0), 6));
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (5, 0, 0));
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (5, 1));
    assert_eq!(browse_all(&server, "TO")[0].1, "other");
}

#[test]
fn a_job_that_failed_part_way_is_undone_as_far_as_it_came() {
    let server = undo_server();
    let mut client = client::plain(&server);
    server.alter("TO", |queue| queue.as_local_mut().expect("local").maximum_depth = 130);
    for number in 0..200_u8 {
        server.put("Q", described(number), vec![number]);
    }
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!((&job["state"], &job["undo"]), (&json!("failed"), &json!(true)), "{job}");
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (130, 0, 0));
    assert_eq!((depth(&server, "Q"), depth(&server, "TO")), (200, 0));
}

#[test]
fn a_job_that_cannot_be_undone_says_why() {
    let server = undo_server();
    let mut client = client::plain(&server);
    let jobs = [
        (json!({ "action": "purge", "limit": 1 }), "a purge removes messages for good"),
        (json!({ "action": "move", "to": { "queue": "TO" }, "dryRun": true }), "it was a dry run"),
        (json!({ "action": "move", "to": { "queue": "TO" }, "contains": "nowhere" }), "it has put no message"),
    ];
    for (wish, why) in jobs {
        server.put("Q", described(1), "x");
        let job = run(&mut client, "Q", &wish);
        assert_eq!(job["undo"], false, "{job}");
        assert!(job["undoProblem"].as_str().expect("a text").starts_with(why), "{job}");
        let refused = ask_undo(&mut client, &job, "", &json!({}));
        assert_eq!(refusal(&refused), (409, "MQWB0973E".to_owned()));
        assert!(refused.text().contains(why), "{}", refused.text());
    }
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    let back = undo(&mut client, &job, &json!({}));
    assert!(back["undoProblem"].as_str().is_some_and(|why| why.starts_with("it is an undo")), "{back}");
    assert_eq!(refusal(&ask_undo(&mut client, &back, "", &json!({}))).0, 409);
    assert_eq!(ask_undo(&mut client, &job, "", &json!({ "context": "old" })).status, 400);
    assert_eq!(ask_undo(&mut client, &job, "", &json!({ "dryrun": true })).status, 400);
    let unknown = json!({ "id": "0".repeat(32) });
    assert_eq!(refusal(&ask_undo(&mut client, &unknown, "", &json!({}))), (404, "MQWB0970E".to_owned()));
}

fn define_as(server: &TestServer, name: &str, kind: QueueKind) {
    let definition = QueueDefinition::new(QueueName::literal(name), kind);
    server.block_on(server.queue_manager.define_queue(&server_user(), definition, true)).expect("defined");
    grant(server, name, Authority::PASS_ALL_CONTEXT);
}

#[test]
fn a_message_on_the_way_to_another_queue_manager_does_not_come_back() {
    let server = undo_server();
    define(&server, "QM2");
    server.alter("QM2", |queue| queue.as_local_mut().expect("local").usage = Usage::Transmission);
    let there = RemoteQueue {
        remote_queue: QueueName::literal("THERE"),
        remote_queue_manager: QueueManagerName::literal("QM2"),
        ..RemoteQueue::default()
    };
    define_as(&server, "REMOTE", QueueKind::Remote(there));
    let mut client = client::plain(&server);
    server.put("Q", described(1), "x");
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "REMOTE" } }));
    assert_eq!((&job["counts"]["done"], &job["undo"], depth(&server, "QM2")), (&json!(1), &json!(false), 1), "{job}");
    assert_eq!(job["undoProblem"], "it has put no message on a queue of this queue manager");
    // Of a replay with several destinations the others come back.
    put_dead(&server, 2, "REMOTE", b"x");
    put_dead(&server, 3, "TO", b"x");
    let job = run(&mut client, "Q", &json!({ "action": "replay" }));
    assert_eq!((&job["counts"]["done"], &job["undo"]), (&json!(2), &json!(true)), "{job}");
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (1, 1, 0));
    assert_eq!((depth(&server, "Q"), depth(&server, "QM2"), depth(&server, "TO")), (1, 2, 0));
}

#[test]
fn an_alias_that_leads_to_another_queue_meanwhile_is_not_followed() {
    let server = undo_server();
    let alias = |target| QueueKind::Alias(AliasQueue { target: QueueName::literal(target), ..AliasQueue::default() });
    define_as(&server, "NAME", alias("TO"));
    let mut client = client::plain(&server);
    server.put("Q", described(1), "x");
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "NAME" } }));
    server.alter("NAME", |queue| queue.kind = alias("SMALL"));
    let refused = ask_undo(&mut client, &job, "", &json!({}));
    assert_eq!(value(&refused)["reason"]["code"], 2041, "{}", refused.text());
    server.alter("NAME", |queue| queue.kind = alias("TO"));
    assert_eq!(counts(&undo(&mut client, &job, &json!({}))), (1, 0, 0));
}

#[test]
fn after_a_restart_a_job_is_known_and_its_undo_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = on_disk(folder.path());
    server.put("Q", described(1), "x");
    let job = run(&mut client::plain(&server), "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!(job["undo"], true);
    drop(server);
    let server = on_disk(folder.path());
    let refused = ask_undo(&mut client::plain(&server), &job, "", &json!({}));
    assert_eq!(refusal(&refused), (409, "MQWB0973E".to_owned()));
    assert!(refused.text().contains("started again since"), "{}", refused.text());
    assert_eq!(depth(&server, "TO"), 1);
}

#[test]
fn an_undo_has_the_authorities_of_the_user_who_undoes() {
    let server = undo_server();
    let mut client = client::plain(&server);
    server.put("Q", described(1), "x");
    let job = run(&mut client, "Q", &json!({ "action": "move", "to": { "queue": "TO" } }));
    assert_eq!(refusal(&ask_undo(&mut client, &job, OTHER, &json!({}))), (404, "MQWB0970E".to_owned()));
    let (object, entity) = (AuthorityObject::Queue, Entity::Principal("app".to_owned()));
    let record = AuthorityRecord { object, profile: "TO".to_owned(), entity, authorities: Authority::PUT };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("set");
    let refused = ask_undo(&mut client, &job, "", &json!({}));
    assert_eq!((refused.status, depth(&server, "TO")), (403, 1), "{}", refused.text());
    assert!(refused.text().contains("'TO'"), "{}", refused.text());
    let started = ask_undo(&mut client, &job, ADMIN, &json!({}));
    assert_eq!(started.status, 202, "{}", started.text());
    eventually("the message is back", || depth(&server, "Q") == 1);
}
