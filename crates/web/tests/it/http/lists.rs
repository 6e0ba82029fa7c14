//! Lists of `/api/v1`: who sees which objects, what is shown of them, and what is refused.

use model::authority::{Authority, AuthorityObject};
use model::definition::QueueDefinition;
use model::definition::queue::{LocalQueue, QueueKind, RemoteQueue};
use model::descriptor::MessageDescriptor;
use model::name::QueueName;
use model::options::{ObjectDescriptor, OpenOptions};
use serde_json::{Value, json};

use super::client::{self, Answer};
use super::server::{PATIENCE, TestServer, server_user};

const OTHER: &str = "\nauthorization: Basic b3RoZXI6b3RoZXJwdw==";
const ADMIN: &str = "\nauthorization: Basic YWRtaW46YWRtaW5wdw==";
const READER: &str = "\nauthorization: Basic cmVhZGVyOnJlYWRlcnB3";
const NOBODY: &str = "\nauthorization: Basic bm9ib2R5Om5vYm9keXB3";

fn get(server: &TestServer, query: &str, headers: &str) -> Answer {
    client::plain(server).exchange(&format!("GET /api/v1/qmgr/QM1/{query}{headers}\n\n"))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

/// Status and identifier of a refusal.
fn refusal(answer: &Answer) -> (u16, String) {
    let problem = value(answer);
    (answer.status, problem["type"].as_str().expect("a type").rsplit('/').next().expect("an id").to_owned())
}

/// The rows that an administrator gets.
fn rows(server: &TestServer, query: &str) -> Value {
    let answer = get(server, query, ADMIN);
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    value(&answer)["rows"].clone()
}

fn define(server: &TestServer, name: &str, kind: QueueKind) {
    let definition = QueueDefinition::new(QueueName::literal(name), kind);
    server.block_on(server.queue_manager.define_queue(&server_user(), definition, true)).expect("defined");
}

fn define_local(server: &TestServer, name: &str, change: impl FnOnce(&mut LocalQueue)) {
    let mut local = LocalQueue::default();
    change(&mut local);
    define(server, name, QueueKind::Local(Box::new(local)));
}

#[test]
fn a_page_of_queues_has_totals_columns_and_rows() {
    let server = TestServer::start();
    for number in 0..7 {
        define_local(&server, &format!("PAY.REQ.{number}"), |local| local.maximum_depth = 10);
        for _ in 0..number {
            server.put(&format!("PAY.REQ.{number}"), MessageDescriptor::default(), "12345");
        }
    }
    let query = "queues?search=pay+req&where=depth%3E0&where=type%3Dlocal&columns=name,depth,max,full,bytes&sort=-full&offset=1&limit=2";
    let answer = get(&server, query, ADMIN);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let mut page = value(&answer);
    let known = rows(&server, "queues?limit=1000").as_array().expect("a list").len();
    assert!(page["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{page}");
    page["at"].take();
    assert_eq!(
        page,
        json!({
            "at": null, "total": 6, "known": known, "offset": 1, "columns": ["name", "depth", "max", "full", "bytes"],
            "rows": [["PAY.REQ.5", 5, 10, 50.0, 25], ["PAY.REQ.4", 4, 10, 40.0, 20]]
        })
    );
    let none = value(&get(&server, "queues?search=pay&limit=0", ADMIN));
    assert_eq!((&none["total"], &none["rows"]), (&json!(7), &json!([])));
    let beyond = value(&get(&server, "queues?search=pay&offset=100", ADMIN));
    assert_eq!((&beyond["total"], &beyond["offset"], &beyond["rows"]), (&json!(7), &json!(100), &json!([])));
}

#[test]
fn a_queue_shows_its_messages_and_handles_without_monitoring() {
    let server = TestServer::start();
    let shown = "columns=depth,uncommitted,readers,writers,waiting,oldest,lastPut,lastGet";
    let row = |server: &TestServer| rows(server, &format!("queues?where=name=Q&{shown}"))[0].clone();
    assert_eq!(row(&server), json!([0, 0, 0, 0, 0, null, null, null]));
    server.put("Q", MessageDescriptor::default(), "one");
    server.put("Q", MessageDescriptor::default(), "two");
    let after = row(&server);
    assert_eq!(after[0], 2);
    let (oldest, last_put) = (after[5].as_u64().expect("a moment"), after[6].as_u64().expect("a moment"));
    assert!(oldest > 1_700_000_000 && (oldest..oldest + PATIENCE.as_secs()).contains(&last_put), "{after}");
    assert_eq!(after[7], Value::Null);
    assert_eq!(rows(&server, "queues?where=oldest%3C1h&where=system=false&columns=name"), json!([["Q"]]));
    assert_eq!(rows(&server, "queues?where=oldest%3E1h&columns=name"), json!([]));
}

#[test]
fn each_type_of_queue_has_the_values_that_apply_to_it() {
    let server = TestServer::start();
    let connection = server.connect();
    let model = ObjectDescriptor {
        name: QueueName::literal("SYSTEM.DEFAULT.MODEL.QUEUE"),
        dynamic_queue: "DYN".to_owned(),
        ..ObjectDescriptor::default()
    };
    server.block_on(connection.open(&server_user(), &model, OpenOptions::INPUT_SHARED)).expect("a dynamic queue");
    define(
        &server,
        "THERE",
        QueueKind::Remote(RemoteQueue {
            remote_queue: QueueName::literal("ORDERS"),
            remote_queue_manager: QueueName::literal("QM2"),
            ..RemoteQueue::default()
        }),
    );
    let shown = "columns=type,depth,max,putEnabled,getEnabled,usage,target,targetQmgr,dynamic,system";
    let row = |name: &str| rows(&server, &format!("queues?where=name={name}&{shown}"))[0].clone();
    assert_eq!(row("DYN"), json!(["local", 0, 5000, true, true, "normal", null, null, true, false]));
    assert_eq!(row("NOPUT"), json!(["local", 0, 5000, false, true, "normal", null, null, false, false]));
    assert_eq!(row("ALIAS"), json!(["alias", null, null, true, true, null, "Q", null, false, false]));
    assert_eq!(row("THERE"), json!(["remote", null, null, true, null, null, "ORDERS", "QM2", false, false]));
    let model = row("SYSTEM.DEFAULT.MODEL.QUEUE");
    assert_eq!(model, json!(["model", null, null, true, true, null, null, null, false, true]));
    assert_eq!(rows(&server, "queues?where=readers=1&where=system=false&columns=name,writers"), json!([["DYN", 0]]));
    let own = rows(&server, "queues?where=system=false&where=type=remote&columns=name");
    assert_eq!(own, json!([["THERE"]]));
}

#[test]
fn rates_are_those_of_the_history() {
    let server = TestServer::start();
    server.put("Q", MessageDescriptor::default(), "one");
    let begun = tokio::time::Instant::now();
    let rate = || rows(&server, "queues?where=name=Q&columns=in,out")[0].clone();
    // The second look may be 20 seconds away.
    while rate()[0].is_null() {
        assert!(begun.elapsed() < 3 * PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    while rate() != json!([0.0, 0.0]) {
        assert!(begun.elapsed() < 5 * PATIENCE, "{}", rate());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    for _ in 0..40 {
        server.put("Q", MessageDescriptor::default(), "one");
    }
    while rate()[0].as_f64().is_none_or(|rate| rate < 0.1) {
        assert!(begun.elapsed() < 8 * PATIENCE, "{}", rate());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let sorted = rows(&server, "queues?sort=-in&limit=1&columns=name");
    assert_eq!(sorted, json!([["Q"]]));
    let server = TestServer::start_with(|options| options.console.history_bytes = 0);
    assert_eq!(rows(&server, "queues?where=name=Q&columns=in,out"), json!([[null, null]]), "no history is kept");
}

#[test]
fn a_user_sees_the_queues_that_it_may_display() {
    let server = TestServer::start();
    let page = |who: &str| {
        let page = value(&get(&server, "queues?columns=name&limit=1000", who));
        let rows = page["rows"].as_array().expect("a list").len();
        assert_eq!((&page["total"], &page["known"]), (&json!(rows), &json!(rows)));
        page["rows"].clone()
    };
    assert_eq!(page(""), json!([["PRIVATE"]]), "app may display this one only");
    assert_eq!(page(OTHER), json!([]));
    assert_eq!(page(ADMIN), page(READER));
    assert!(page(ADMIN).as_array().expect("a list").len() > 10);
    let found = value(&get(&server, "queues?search=PRIVATE&columns=name", OTHER));
    assert_eq!((&found["total"], &found["known"]), (&json!(0), &json!(0)), "whether it exists is not told");
    assert_eq!(get(&server, "queues", NOBODY).status, 403);
    assert_eq!(get(&server, "queues", "\n-authorization").status, 401);
    server.grant("Q", AuthorityObject::Queue, Authority::DISPLAY);
    assert_eq!(page(OTHER), json!([["Q"]]));
}

#[test]
fn a_request_that_no_list_can_answer_is_refused() {
    let server = TestServer::start();
    for wrong in ["where=colour=red", "where=depth", "columns=name,colour", "sort=-colour", "limit=1001", "offset=-1"] {
        let (status, id) = refusal(&get(&server, &format!("queues?{wrong}"), ADMIN));
        assert_eq!((status, id.as_str()), (400, "MQWB0904E"), "{wrong}");
    }
    assert_eq!(refusal(&get(&server, "queues?filter=x", ADMIN)).0, 400);
    assert_eq!(refusal(&get(&server, "queues?limit=1&limit=2", ADMIN)).0, 400);
    let detail = value(&get(&server, "queues?where=type=lokal", ADMIN))["detail"].clone();
    assert!(detail.as_str().is_some_and(|detail| detail.contains("local, alias, remote, model")), "{detail}");
    let unknown = client::plain(&server).exchange(&format!("GET /api/v1/qmgr/QM9/queues{ADMIN}\n\n"));
    assert_eq!(refusal(&unknown).0, 404);
}
