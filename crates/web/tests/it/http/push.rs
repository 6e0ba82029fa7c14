//! Push targets of `/api/v1`: what receivers get, what becomes of messages that they do not accept, who sees a target.

mod receiver;

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use identity::api_key::NewApiKey;
use identity::scope::Scope;
use message_api::push::{Secret, sign};
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::descriptor::{Encoding, Expiry, Format, MessageDescriptor, Persistence};
use model::header::dead_letter::DeadLetterHeader;
use model::name::QueueName;
use model::timestamp::Timestamp;
use queue_manager::Home;
use serde_json::{Value, json};
use tokio::time::Instant;
use web::WebOptions;

use self::receiver::{Post, Receiver, Reply, status};
use super::client::{self, Answer, Client};
use super::jobs::open_disk;
use super::server::{PATIENCE, TestServer, eventually, make_certificate, make_signer, server_user};

const BASE: &str = "/api/v1/qmgr/QM1/push";
const OTHER: &str = "\nauthorization: Basic b3RoZXI6b3RoZXJwdw==";
const ADMIN: &str = "\nauthorization: Basic YWRtaW46YWRtaW5wdw==";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Sends a request below `/push`; further headers stand on lines of their own.
fn send(client: &mut Client, head: &str, body: &str) -> Answer {
    let (first, headers) = head.split_once('\n').unwrap_or((head, ""));
    let (method, path) = first.split_once(' ').expect("METHOD PATH");
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\n") };
    let length = match method {
        "PUT" => format!("content-length: {}\n", body.len()),
        "POST" => String::new(),
        _ => "-content-length\n".to_owned(),
    };
    client.exchange(&format!("{method} {BASE}{path}\n-ibm-mq-rest-csrf-token\n{length}{headers}\n{body}"))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

/// Status and identifier of a refusal.
fn refusal(answer: &Answer) -> (u16, String) {
    let problem = value(answer);
    (answer.status, problem["type"].as_str().expect("a type").rsplit('/').next().expect("an id").to_owned())
}

fn make(client: &mut Client, name: &str, wish: &Value) -> Value {
    let made = send(client, &format!("PUT /{name}"), &wish.to_string());
    assert_eq!(made.status, 201, "{}", made.text());
    value(&made)
}

fn show(client: &mut Client, name: &str) -> Value {
    value(&send(client, &format!("GET /{name}"), ""))
}

/// Waits until what is shown of the target is as wanted.
fn await_shown(client: &mut Client, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let shown = show(client, name);
        if is_so(&shown) {
            return shown;
        }
        assert!(begun.elapsed() < PATIENCE, "in vain: {shown}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn loopback(options: &mut WebOptions) {
    options.push.allowed_networks = vec!["127.0.0.0/8".to_owned()];
}

fn server() -> TestServer {
    TestServer::start_with(loopback)
}

fn put(server: &TestServer, queue: &str, text: &str) {
    let descriptor = MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() };
    server.put(queue, descriptor, text.to_owned());
}

fn depth(server: &TestServer, queue: &str) -> u32 {
    server.status(queue).depth.current
}

fn await_empty(server: &TestServer, queue: &str) {
    eventually("the queue becomes empty", || depth(server, queue) == 0);
}

/// Delays so short that a test needs no clock of its own.
fn quick() -> Value {
    json!({ "attempts": 0, "delay": "10ms", "longestDelay": "20ms" })
}

fn grant(server: &TestServer, object: AuthorityObject, profile: &str, authorities: Authority) {
    let entity = Entity::Principal("app".to_owned());
    let record = AuthorityRecord { object, profile: profile.to_owned(), entity, authorities };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
}

#[test]
fn each_message_is_posted_as_a_get_shows_it_with_a_signature_and_then_is_off_its_queue() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(204));
    let mut client = client::plain(&server);
    let headers = json!({ "X-Tenant": "a b", "Authorization": "Bearer t" });
    let wish = json!({ "queue": "Q", "url": receiver.url(), "secret": SECRET, "headers": headers });
    make(&mut client, "orders", &wish);
    let posted = client.exchange(
        "POST /api/v1/qmgr/QM1/queue/Q/messages\ncontent-type: application/json\nmq-properties: {\"colour\":\"red\"}\nmq-priority: 7\n\n{\"order\":1}",
    );
    assert_eq!(posted.status, 201, "{}", posted.text());
    let post = receiver.await_posts(1).remove(0);
    assert_eq!((&*post.path, &*post.text()), ("/in?a=b", "{\"order\":1}"));
    let header = |name: &str| post.header(name).to_owned();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!((header("mq-properties"), header("mq-priority")), ("{\"colour\":\"red\"}".to_owned(), "7".to_owned()));
    assert_eq!((header("x-tenant"), header("authorization")), ("a b".to_owned(), "Bearer t".to_owned()));
    let placed = value(&posted);
    assert_eq!(placed["id"], header("mq-id"));
    let id = format!("{}-{}", placed["id"].as_str().expect("an id"), placed["position"].as_str().expect("a position"));
    assert_eq!(header("webhook-id"), id);
    let seconds: u64 = header("webhook-timestamp").parse().expect("seconds");
    let expected = sign(&[Secret::parse(SECRET).expect("a secret")], &id, seconds, &post.body);
    assert_eq!(header("webhook-signature"), expected);
    await_empty(&server, "Q");
    server.put("Q", MessageDescriptor::default(), vec![0, 255, 7]);
    let post = receiver.await_posts(2).remove(1);
    assert_eq!((post.header("content-type"), &*post.body), ("application/octet-stream", &[0, 255, 7][..]));
    let shown = await_shown(&mut client, "orders", |shown| shown["statistics"]["completed"] == 2);
    assert_eq!(shown["statistics"]["posted"], 2);
    assert_eq!((&shown["state"], &shown["headers"]), (&json!("running"), &json!(["authorization", "x-tenant"])));
    assert!(shown["statistics"]["lastSuccessAt"].is_string() && shown["statistics"]["lastError"].is_null(), "{shown}");
}

#[test]
fn an_envelope_is_posted_where_it_is_asked_for_and_a_selector_leaves_others_on_the_queue() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    let wish =
        json!({ "queue": "Q", "url": receiver.url(), "body": "envelope", "match": { "selector": "colour = 'red'" } });
    make(&mut client, "red", &wish);
    for colour in ["blue", "red"] {
        let head = "POST /api/v1/qmgr/QM1/queue/Q/messages\ncontent-type: text/plain";
        client.exchange(&format!("{head}\nmq-properties: {{\"colour\":\"{colour}\"}}\n\n{colour}"));
    }
    let post = receiver.await_posts(1).remove(0);
    assert_eq!((post.header("content-type"), post.header("mq-id")), ("application/json", ""));
    let envelope: Value = serde_json::from_slice(&post.body).expect("JSON");
    assert_eq!(envelope["body"], json!({ "text": "red" }));
    assert_eq!(envelope["properties"], json!({ "colour": "red" }));
    eventually("one is left", || depth(&server, "Q") == 1);
    assert_eq!(receiver.posts().len(), 1);
}

#[test]
fn a_receiver_that_answers_500_for_a_long_time_gets_each_message_in_order_in_the_end() {
    let server = server();
    let is_well = Arc::new(AtomicBool::new(false));
    let well = Arc::clone(&is_well);
    let receiver = Receiver::start(move |_, _| status(if well.load(Ordering::Relaxed) { 200 } else { 500 }));
    let mut client = client::plain(&server);
    for number in 0..20 {
        put(&server, "Q", &format!("{number}"));
    }
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "retry": quick() }));
    let posts = receiver.await_posts(100);
    let id = posts[0].header("webhook-id");
    assert!(posts.iter().all(|post| post.header("webhook-id") == id && post.text() == "0"));
    let shown = show(&mut client, "orders");
    assert_eq!((&shown["state"], &shown["statistics"]["lastError"]["status"]), (&json!("failing"), &json!(500)));
    assert!(shown["statistics"]["waitingSince"].is_string() && shown["statistics"]["inFlight"] == 1, "{shown}");
    assert_eq!((depth(&server, "Q"), &shown["statistics"]["completed"]), (20, &json!(0)));
    is_well.store(true, Ordering::Relaxed);
    await_empty(&server, "Q");
    let shown = await_shown(&mut client, "orders", |shown| shown["statistics"]["completed"] == 20);
    assert_eq!(shown["state"], "running");
    let mut texts = receiver.texts();
    texts.dedup();
    assert_eq!(texts, (0..20).map(|number| number.to_string()).collect::<Vec<_>>());
    let count = |name: &str| shown["statistics"][name].as_u64().expect("a count");
    assert_eq!(count("posted"), count("retried") + 20);
}

#[test]
fn after_the_last_attempt_a_message_goes_to_the_dead_letter_queue_with_the_reason_of_the_target() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(400));
    let dead = QueueName::literal("DEAD");
    server.define_local("DEAD");
    let mut definition = (*server.queue_manager.definition()).clone();
    definition.dead_letter_queue = dead;
    server.block_on(server.queue_manager.alter_queue_manager(&server_user(), definition)).expect("altered");
    let mut client = client::plain(&server);
    let retry = json!({ "attempts": 3, "delay": "10ms" });
    let wish = json!({ "queue": "Q", "url": receiver.url(), "retry": retry, "deadLetter": { "reason": 65600 } });
    make(&mut client, "orders", &wish);
    put(&server, "Q", "poison");
    eventually("it is dead", || (depth(&server, "Q"), depth(&server, "DEAD")) == (0, 1));
    let (descriptor, body) = server.take_all("DEAD").remove(0);
    let header = DeadLetterHeader::decode(&body, descriptor.encoding).expect("a header");
    assert_eq!((header.reason, header.format, descriptor.encoding), (65600, Format::STRING, Encoding::NATIVE));
    assert_eq!(&body[DeadLetterHeader::LENGTH..], b"poison");
    let shown = await_shown(&mut client, "orders", |shown| shown["statistics"]["inFlight"] == 0);
    let statistics = &shown["statistics"];
    let counts = ["posted", "retried", "failed", "completed"].map(|name| statistics[name].as_u64().expect("a count"));
    assert_eq!(counts, [3, 2, 1, 0], "{shown}");
    assert_eq!((depth(&server, "Q"), &shown["state"]), (0, &json!("failing")));
}

#[test]
fn without_a_dead_letter_queue_of_the_target_bothresh_and_boqname_decide() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(400));
    server.define_local("BACK");
    server.alter("Q", |queue| {
        let local = queue.as_local_mut().expect("local");
        local.backout_threshold = 2;
        local.backout_requeue_queue = QueueName::literal("BACK");
    });
    let mut client = client::plain(&server);
    let retry = json!({ "attempts": 1, "delay": "10ms", "longestDelay": "10ms" });
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "retry": retry }));
    put(&server, "Q", "poison");
    // The depth counts what is not committed: it is on both queues for a moment.
    eventually("it is on the backout queue", || (depth(&server, "Q"), depth(&server, "BACK")) == (0, 1));
    assert_eq!(receiver.posts().len(), 2);
    let counts: Vec<_> = receiver.posts().iter().map(|post| post.header("mq-backout-count").to_owned()).collect();
    assert_eq!(counts, ["", "1"]);
}

#[test]
fn a_message_whose_life_has_ended_is_discarded_and_holds_up_no_other() {
    let server = server();
    let receiver = Receiver::start(|_, post| status(if post.text() == "short" { 500 } else { 200 }));
    let mut client = client::plain(&server);
    let short = MessageDescriptor { expiry: Expiry(4), format: Format::STRING, ..MessageDescriptor::default() };
    server.put("Q", short, "short");
    put(&server, "Q", "long");
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "retry": quick() }));
    await_empty(&server, "Q");
    let shown = await_shown(&mut client, "orders", |shown| shown["statistics"]["inFlight"] == 0);
    let statistics = &shown["statistics"];
    assert_eq!(
        (&statistics["completed"], &statistics["failed"], &shown["state"]),
        (&json!(1), &json!(0), &json!("running"))
    );
    assert_eq!(receiver.texts().last().map(String::as_str), Some("long"));
}

#[test]
fn a_redirect_is_not_followed() {
    let server = server();
    let elsewhere = Receiver::start(|_, _| status(200));
    let location = elsewhere.url();
    let receiver =
        Receiver::start(move |_, _| Reply::Head(format!("307 Temporary Redirect\r\nlocation: {location}\r\n")));
    let mut client = client::plain(&server);
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "retry": quick() }));
    put(&server, "Q", "a");
    receiver.await_posts(5);
    assert_eq!((elsewhere.connections(), depth(&server, "Q")), (0, 1));
    assert_eq!(show(&mut client, "orders")["statistics"]["lastError"]["status"], 307);
}

#[test]
fn a_target_that_hangs_is_left_after_its_time_and_holds_up_no_other() {
    let server = server();
    let hanging = Receiver::start(|_, _| Reply::Hang);
    let good = Receiver::start(|_, _| status(200));
    server.define_local("OTHER");
    let mut client = client::plain(&server);
    let wish = json!({ "queue": "Q", "url": hanging.url(), "timeout": "1s", "concurrency": 8, "retry": quick() });
    make(&mut client, "hanging", &wish);
    make(&mut client, "good", &json!({ "queue": "OTHER", "url": good.url() }));
    for number in 0..20 {
        put(&server, "Q", &format!("{number}"));
    }
    hanging.await_posts(8);
    for number in 0..50 {
        put(&server, "OTHER", &format!("{number}"));
    }
    await_empty(&server, "OTHER");
    // Between its attempts a message is not in flight.
    await_shown(&mut client, "hanging", |shown| shown["statistics"]["inFlight"] == 8);
    assert_eq!(depth(&server, "Q"), 20);
    // Each is tried again after its second.
    hanging.await_posts(16);
    let shown = show(&mut client, "hanging");
    assert_eq!(shown["statistics"]["lastError"]["problem"], "no answer within 1 seconds");
}

#[test]
fn a_flood_and_a_body_that_never_ends_are_cut_off_and_their_status_counts() {
    let server = server();
    let receiver = Receiver::start(|number, _| match number {
        0 => Reply::Flood,
        1 => Reply::Drip,
        _ => status(200),
    });
    let mut client = client::plain(&server);
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url() }));
    for text in ["flood", "drip", "good"] {
        put(&server, "Q", text);
    }
    await_empty(&server, "Q");
    assert_eq!(receiver.texts(), ["flood", "drip", "good"]);
    // What the sockets hold, and no more.
    assert!(receiver.flooded() < 16 << 20, "{} bytes", receiver.flooded());
    // No connection is used again whose answer was not read.
    assert_eq!(receiver.connections(), 3);
    assert_eq!(show(&mut client, "orders")["statistics"]["retried"], 0);
}

#[test]
fn a_receiver_with_tls_gets_messages_where_its_certificate_is_of_a_trusted_signer() {
    let folder = tempfile::tempdir().expect("a folder");
    let signer = make_signer(folder.path());
    let (certificate, key) = make_certificate(folder.path(), "receiver", Some(&signer));
    let receiver = Receiver::start_tls(&certificate, &key, |_, _| status(200));
    let server = server();
    let mut client = client::plain(&server);
    let url = format!("https://localhost:{}/in", receiver.address.port());
    make(&mut client, "orders", &json!({ "queue": "Q", "url": url, "retry": quick() }));
    put(&server, "Q", "a");
    let shown = await_shown(&mut client, "orders", |shown| shown["statistics"]["retried"].as_u64() > Some(2));
    let problem = shown["statistics"]["lastError"]["problem"].as_str().expect("a problem");
    assert!(problem.starts_with("TLS: ") && receiver.posts().is_empty(), "{problem}");
    let mut options = server.options.clone();
    options.push.ca_file = Some(signer.file.clone());
    server.web.reload(options).expect("reloaded");
    assert_eq!(receiver.await_posts(1)[0].text(), "a");
    await_empty(&server, "Q");
}

#[test]
fn a_kept_connection_carries_one_message_after_the_other() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url() }));
    for number in 0..50 {
        put(&server, "Q", &format!("{number}"));
    }
    await_empty(&server, "Q");
    assert_eq!((receiver.posts().len(), receiver.connections()), (50, 1));
}

#[test]
fn a_receiver_that_asks_for_quiet_gets_it_for_all_messages() {
    let server = server();
    let receiver = Receiver::start(|number, _| match number {
        0 => Reply::Head("503 Busy\r\nretry-after: 1\r\n".to_owned()),
        _ => status(200),
    });
    let mut client = client::plain(&server);
    put(&server, "Q", "first");
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "concurrency": 4, "retry": quick() }));
    receiver.await_posts(1);
    await_shown(&mut client, "orders", |shown| shown["state"] == "failing");
    for number in 0..3 {
        put(&server, "Q", &format!("{number}"));
    }
    let posts = receiver.await_posts(2);
    let quiet = posts[1].came.duration_since(posts[0].came);
    assert!(quiet >= Duration::from_secs(1), "{quiet:?}");
    await_empty(&server, "Q");
}

#[test]
fn addresses_that_are_not_public_are_reached_only_where_the_configuration_allows_it() {
    let server = TestServer::start();
    let receiver = Receiver::start(|_, _| status(200));
    let port = receiver.address.port();
    let mut client = client::plain(&server);
    for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "0.0.0.0"] {
        let wish = json!({ "queue": "Q", "url": format!("http://{host}:{port}/") });
        let refused = send(&mut client, "PUT /orders", &wish.to_string());
        assert_eq!(refusal(&refused), (400, "MQWB0905E".to_owned()), "{host}");
        assert!(refused.text().contains("push.allowed_networks"), "{}", refused.text());
    }
    // What a name leads to is known when it is connected to. The last is a number for 127.0.0.1.
    for (name, host) in [("localhost", "localhost"), ("short", "127.1"), ("number", "2130706433")] {
        server.define_local(&format!("FOR.{name}"));
        put(&server, &format!("FOR.{name}"), "secret");
        let url = format!("http://{host}:{port}/");
        make(&mut client, name, &json!({ "queue": format!("FOR.{name}"), "url": url, "retry": quick() }));
        let shown = await_shown(&mut client, name, |shown| shown["statistics"]["retried"].as_u64() > Some(2));
        let problem = shown["statistics"]["lastError"]["problem"].as_str().expect("a problem");
        assert!(problem.ends_with("has no address in a network that may be reached"), "{problem}");
    }
    assert_eq!(receiver.connections(), 0);
    let mut options = server.options.clone();
    loopback(&mut options);
    server.web.reload(options).expect("reloaded");
    assert_eq!(receiver.await_posts(3).len(), 3);
}

#[test]
fn a_paused_target_takes_nothing_until_it_is_resumed_and_a_deleted_one_never() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    let wish = json!({ "queue": "Q", "url": receiver.url(), "paused": true });
    assert_eq!(make(&mut client, "orders", &wish)["state"], "paused");
    put(&server, "Q", "a");
    // Another target of the same server has had its turn meanwhile.
    server.define_local("OTHER");
    put(&server, "OTHER", "other");
    make(&mut client, "other", &json!({ "queue": "OTHER", "url": receiver.url() }));
    await_empty(&server, "OTHER");
    assert_eq!((receiver.texts(), depth(&server, "Q")), (vec!["other".to_owned()], 1));
    let resumed = send(&mut client, "POST /orders/resume", "");
    assert_eq!((resumed.status, &value(&resumed)["state"]), (200, &json!("running")));
    await_empty(&server, "Q");
    let paused = value(&send(&mut client, "POST /orders/pause", ""));
    assert_eq!((&paused["state"], &paused["paused"]), (&json!("paused"), &json!(true)));
    eventually("the queue is closed", || server.status("Q").open_input == 0);
    put(&server, "Q", "b");
    assert_eq!(send(&mut client, "DELETE /orders", "").status, 204);
    assert_eq!(refusal(&send(&mut client, "GET /orders", "")), (404, "MQWB0980E".to_owned()));
    assert_eq!(refusal(&send(&mut client, "DELETE /orders", "")), (404, "MQWB0980E".to_owned()));
    assert_eq!((depth(&server, "Q"), receiver.posts().len()), (1, 2));
}

#[test]
fn a_pause_in_the_middle_of_a_delay_gives_the_message_back() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(500));
    let mut client = client::plain(&server);
    let retry = json!({ "delay": "1h", "longestDelay": "1h" });
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "retry": retry }));
    put(&server, "Q", "a");
    await_shown(&mut client, "orders", |shown| shown["state"] == "failing");
    send(&mut client, "POST /orders/pause", "");
    eventually("it is on the queue", || server.status("Q").depth.uncommitted == 0);
    assert_eq!(server.take_all("Q")[0].0.backout_count, 1);
}

#[test]
fn definitions_outlive_the_server_in_a_file_of_their_owner_and_secrets_are_shown_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("push-targets.json");
    let receiver = Receiver::start(|_, _| status(200));
    let start = || {
        let disk = open_disk(&folder.path().join("log"));
        TestServer::start_on(Home::Disk(Arc::new(disk)), |options| {
            loopback(options);
            options.push_file = Some(file.clone());
        })
    };
    let server = start();
    let mut client = client::plain(&server);
    let made = make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url() }));
    let secret = made["secret"].as_str().expect("a secret that the server made").to_owned();
    make(&mut client, "paused", &json!({ "queue": "Q", "url": receiver.url(), "secret": SECRET, "paused": true }));
    let answers =
        ["GET /orders", "GET /paused", "GET ", "POST /paused/pause"].map(|head| send(&mut client, head, "").text());
    for answer in &answers {
        assert!(!answer.contains("whsec_") && !answer.contains(&secret[6..]), "{answer}");
    }
    let replaced = send(&mut client, "PUT /orders", &json!({ "queue": "Q", "url": receiver.url() }).to_string());
    assert_eq!((replaced.status, &value(&replaced)["secret"]), (200, &Value::Null), "{}", replaced.text());
    let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(server);
    let server = start();
    let mut client = client::plain(&server);
    let list = value(&send(&mut client, "GET ", ""));
    let names: Vec<&Value> = list["targets"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["orders", "paused"]);
    let descriptor = MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() };
    server.put("Q", descriptor, "after the restart");
    let post: Post = receiver.await_posts(1).remove(0);
    let seconds = post.header("webhook-timestamp").parse().expect("seconds");
    let secret = Secret::parse(&secret).expect("a secret");
    assert_eq!(post.header("webhook-signature"), sign(&[secret], post.header("webhook-id"), seconds, &post.body));
}

#[test]
fn both_secrets_sign_while_a_receiver_changes_from_one_to_the_other() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    let new = Secret::make();
    let wish = json!({ "queue": "Q", "url": receiver.url(), "secret": [SECRET, new.text()] });
    assert_eq!(make(&mut client, "orders", &wish)["secrets"], 2);
    put(&server, "Q", "a");
    let post = receiver.await_posts(1).remove(0);
    let seconds = post.header("webhook-timestamp").parse().expect("seconds");
    let secrets = [Secret::parse(SECRET).expect("a secret"), new];
    assert_eq!(post.header("webhook-signature"), sign(&secrets, post.header("webhook-id"), seconds, b"a"));
    assert_eq!(post.header("webhook-signature").split(' ').count(), 2);
}

#[test]
fn a_target_is_its_users_and_the_queue_manager_decides_what_that_user_may_do() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    let wish = |queue: &str| json!({ "queue": queue, "url": receiver.url() }).to_string();
    assert_eq!(refusal(&send(&mut client, "PUT /a", &wish("PRIVATE"))), (403, "MQWB0103E".to_owned()));
    assert_eq!(refusal(&send(&mut client, "PUT /a", &wish("NONE"))).0, 404);
    assert_eq!(refusal(&send(&mut client, &format!("PUT /a{OTHER}"), &wish("Q"))).0, 403);
    assert_eq!(refusal(&send(&mut client, &format!("PUT /a{ADMIN}"), &wish("Q"))), (403, "MQWB0108E".to_owned()));
    assert_eq!(value(&send(&mut client, "GET ", ""))["targets"], json!([]));
    make(&mut client, "a", &json!({ "queue": "Q", "url": receiver.url() }));
    grant(&server, AuthorityObject::Queue, "Q", Authority::GET | Authority::INQUIRE | Authority::PUT);
    for head in ["GET /a", "DELETE /a", "POST /a/pause", "POST /a/resume"] {
        assert_eq!(refusal(&send(&mut client, &format!("{head}{OTHER}"), "")), (404, "MQWB0980E".to_owned()), "{head}");
    }
    assert_eq!(value(&send(&mut client, &format!("GET {OTHER}"), ""))["targets"], json!([]));
    assert_eq!(value(&send(&mut client, &format!("GET /a{ADMIN}"), ""))["user"], "app");
    // Who loses the authority loses the messages that come later.
    grant(&server, AuthorityObject::Queue, "Q", Authority::PUT);
    send(&mut client, "POST /a/pause", "");
    send(&mut client, "POST /a/resume", "");
    put(&server, "Q", "a");
    let shown = await_shown(&mut client, "a", |shown| shown["state"] == "blocked");
    assert_eq!(shown["statistics"]["blockedBy"], "2035 (MQRC_NOT_AUTHORIZED)");
    assert_eq!((depth(&server, "Q"), receiver.posts().len()), (1, 0));
    grant(&server, AuthorityObject::Queue, "Q", Authority::GET | Authority::INQUIRE);
    await_empty(&server, "Q");
    await_shown(&mut client, "a", |shown| shown["state"] == "running");
    assert_eq!(send(&mut client, &format!("DELETE /a{ADMIN}"), "").status, 204);
}

#[test]
fn an_api_key_makes_and_sees_targets_of_its_queues_alone() {
    let server = server();
    server.define_local("ORDERS.NEW");
    let scope = Scope::parse(&["ORDERS.*".to_owned()], &[], &["get".to_owned()]).expect("a scope");
    let new = NewApiKey { name: String::new(), user: "app".to_owned(), expires: None, scope };
    let (_, key) = server.options.api_keys.create(new, Timestamp::from_millis(1)).expect("a key");
    let key = format!("\nauthorization: Bearer {key}");
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    let wish = |queue: &str| json!({ "queue": queue, "url": receiver.url() }).to_string();
    let subscription = json!({ "subscription": { "topic": "a", "name": "b" }, "url": receiver.url() }).to_string();
    for wish in [wish("Q"), subscription] {
        assert_eq!(refusal(&send(&mut client, &format!("PUT /a{key}"), &wish)), (403, "MQWB0936E".to_owned()));
    }
    assert_eq!(send(&mut client, &format!("PUT /a{key}"), &wish("ORDERS.NEW")).status, 201);
    make(&mut client, "b", &json!({ "queue": "Q", "url": receiver.url() }));
    let list = value(&send(&mut client, &format!("GET {key}"), ""));
    assert_eq!((list["targets"].as_array().map(Vec::len), &list["targets"][0]["name"]), (Some(1), &json!("a")));
    assert_eq!(refusal(&send(&mut client, &format!("DELETE /b{key}"), "")).0, 404);
    // The target goes on as the user of the key.
    put(&server, "ORDERS.NEW", "x");
    assert_eq!(receiver.await_posts(1)[0].text(), "x");
}

#[test]
fn publications_of_a_durable_subscription_are_pushed_and_wait_while_the_target_is_paused() {
    let server = server();
    grant(
        &server,
        AuthorityObject::Topic,
        "SYSTEM.BASE.TOPIC",
        Authority::PUBLISH | Authority::SUBSCRIBE | Authority::RESUME,
    );
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    let subscription = json!({ "topic": "orders/+", "name": "PUSHED" });
    make(&mut client, "orders", &json!({ "subscription": subscription, "url": receiver.url() }));
    let publish = |client: &mut Client, text: &str| {
        let head = "POST /api/v1/qmgr/QM1/topic/orders%2Fnew/messages\ncontent-type: text/plain";
        assert_eq!(client.exchange(&format!("{head}\n\n{text}")).status, 201);
    };
    publish(&mut client, "one");
    receiver.await_posts(1);
    send(&mut client, "POST /orders/pause", "");
    publish(&mut client, "two");
    assert_eq!(receiver.texts(), ["one"]);
    send(&mut client, "POST /orders/resume", "");
    receiver.await_posts(2);
    assert_eq!(receiver.texts(), ["one", "two"]);
    let replaced = json!({ "subscription": subscription, "url": receiver.url(), "concurrency": 2 });
    let replaced = send(&mut client, "PUT /orders", &replaced.to_string());
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    publish(&mut client, "three");
    receiver.await_posts(3);
    let private = json!({ "subscription": { "topic": "orders/#", "name": "OTHER" }, "url": receiver.url() });
    grant(&server, AuthorityObject::Topic, "SYSTEM.BASE.TOPIC", Authority::PUBLISH);
    assert_eq!(refusal(&send(&mut client, "PUT /private", &private.to_string())).0, 403);
}

#[test]
fn what_a_target_cannot_be_is_refused_and_leaves_nothing() {
    let server = TestServer::start_with(|options| {
        loopback(options);
        options.push.targets = 1;
    });
    let mut client = client::plain(&server);
    let good = json!({ "queue": "Q", "url": "http://127.0.0.1:1/" });
    let with = |member: &str, value: Value| {
        let mut wish = good.clone();
        wish[member] = value;
        wish
    };
    for wrong in [
        json!({}),
        json!({ "queue": "Q" }),
        json!({ "url": "http://127.0.0.1:1/" }),
        with("url", json!("ftp://127.0.0.1/")),
        with("url", json!("http://u:p@127.0.0.1/")),
        with("url", json!("http://127.0.0.1/a b")),
        with("subscription", json!({ "topic": "a", "name": "b" })),
        with("queue", json!("not a queue")),
        with("secret", json!("secret")),
        with("secret", json!([])),
        with("secret", json!([SECRET, "whsec_x"])),
        with("concurrency", json!(0)),
        with("concurrency", json!(65)),
        with("timeout", json!("0s")),
        with("timeout", json!("1500ms")),
        with("timeout", json!("6m")),
        with("retry", json!({ "delay": "1ms" })),
        with("retry", json!({ "within": "31d" })),
        with("retry", json!({ "attempts": -1 })),
        with("deadLetter", json!("yes")),
        with("deadLetter", json!({ "reason": 1, "more": 2 })),
        with("deadLetter", json!({ "reason": 1.5 })),
        with("deadLetter", json!({ "reason": 3_000_000_000_u32 })),
        with("body", json!("xml")),
        with("headers", json!({ "Host": "x" })),
        with("headers", json!({ "mq-id": "x" })),
        with("headers", json!({ "webhook-id": "x" })),
        with("headers", json!({ "a b": "x" })),
        with("headers", json!({ "a": "x\r\ny: z" })),
        with("headers", json!({ "A": "x", "a": "y" })),
        with("unknown", json!(1)),
        with("match", json!({ "id": "x" })),
    ] {
        let refused = send(&mut client, "PUT /orders", &wrong.to_string());
        assert_eq!(refused.status, 400, "{wrong} {}", refused.text());
        assert!(!refused.text().contains(SECRET), "{}", refused.text());
    }
    assert_eq!(refusal(&send(&mut client, "PUT /a%20b", &good.to_string())), (400, "MQWB0983E".to_owned()));
    assert_eq!(value(&send(&mut client, "GET ", ""))["targets"], json!([]));
    make(&mut client, "orders", &good);
    let another = send(&mut client, "PUT /another", &good.to_string());
    assert_eq!((refusal(&another), another.header("retry-after")), ((503, "MQWB0919E".to_owned()), Some("1")));
    assert_eq!(send(&mut client, "PUT /orders", &good.to_string()).status, 200);
}

#[test]
fn a_list_has_pages_and_the_metrics_have_each_target() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    for name in ["c", "a", "b"] {
        server.define_local(&format!("FOR.{name}"));
        make(&mut client, name, &json!({ "queue": format!("FOR.{name}"), "url": receiver.url() }));
    }
    let names = |list: &Value| -> Vec<String> {
        list["targets"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let first = value(&send(&mut client, "GET ?limit=2", ""));
    assert_eq!(names(&first), ["a", "b"]);
    let rest =
        value(&send(&mut client, &format!("GET ?limit=2&cursor={}", first["cursor"].as_str().expect("more")), ""));
    assert_eq!((names(&rest), &rest["cursor"]), (vec!["c".to_owned()], &Value::Null));
    assert_eq!(send(&mut client, "GET ?cursor=%20", "").status, 400);
    put(&server, "FOR.a", "x");
    await_shown(&mut client, "a", |shown| shown["statistics"]["completed"] == 1);
    let page = client::metrics(&server).exchange("GET /metrics\n-content-length\n\n").text();
    for line in [
        "quaymaster_push_posts_total{qmgr=\"QM1\",push=\"a\"} 1",
        "quaymaster_push_completed_total{qmgr=\"QM1\",push=\"a\"} 1",
        "quaymaster_push_completed_total{qmgr=\"QM1\",push=\"b\"} 0",
        "quaymaster_push_failing{qmgr=\"QM1\",push=\"a\"} 0",
        "quaymaster_push_paused{qmgr=\"QM1\",push=\"c\"} 0",
    ] {
        assert!(page.lines().any(|one| one == line), "{line} is not in\n{page}");
    }
}

#[test]
fn a_long_message_is_posted_whole_and_alone() {
    let server = TestServer::start_with(|options| {
        loopback(options);
        options.push.target_memory_bytes = 64 << 10;
    });
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    for number in 0..4_u8 {
        server.put("Q", MessageDescriptor::default(), vec![number; 300 << 10]);
    }
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url(), "concurrency": 4 }));
    await_empty(&server, "Q");
    let mut firsts: Vec<u8> = receiver.posts().iter().map(|post| post.body[0]).collect();
    firsts.sort_unstable();
    assert_eq!(firsts, [0, 1, 2, 3]);
    assert!(receiver.posts().iter().all(|post| post.body == vec![post.body[0]; 300 << 10]));
}

#[test]
fn a_queue_that_is_inhibited_or_gone_blocks_its_target_until_it_is_there_again() {
    let server = server();
    let receiver = Receiver::start(|_, _| status(200));
    let mut client = client::plain(&server);
    make(&mut client, "orders", &json!({ "queue": "Q", "url": receiver.url() }));
    server.alter("Q", |queue| queue.as_local_mut().expect("local").get_inhibited = true);
    let shown = await_shown(&mut client, "orders", |shown| shown["state"] == "blocked");
    assert_eq!(shown["statistics"]["blockedBy"], "2016 (MQRC_GET_INHIBITED)");
    server.alter("Q", |queue| queue.as_local_mut().expect("local").get_inhibited = false);
    put(&server, "Q", "a");
    await_empty(&server, "Q");
    await_shown(&mut client, "orders", |shown| shown["state"] == "running");
}
