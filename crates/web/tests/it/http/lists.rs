//! Lists of `/api/v1`: who sees which objects, what is shown of them, and what is refused.

use std::sync::atomic::Ordering;

use model::authority::{Authority, AuthorityObject};
use model::definition::QueueDefinition;
use model::definition::queue::{LocalQueue, QueueKind, RemoteQueue};
use model::descriptor::MessageDescriptor;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use queue_manager::channel_status::{ChannelInstance, ChannelState, StopChannel, StopMode};
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
fn rates_are_not_known_without_a_history() {
    let server = TestServer::start_with(|options| options.console.history_bytes = 0);
    assert_eq!(rows(&server, "queues?where=name=Q&columns=in,out"), json!([[null, null]]));
}

#[test]
fn a_user_sees_the_queues_that_it_may_inquire_or_display() {
    let server = TestServer::start();
    let page = |who: &str| {
        let page = value(&get(&server, "queues?columns=name&limit=1000", who));
        let rows = page["rows"].as_array().expect("a list").len();
        assert_eq!((&page["total"], &page["known"]), (&json!(rows), &json!(rows)));
        page["rows"].clone()
    };
    assert!(page("").as_array().expect("a list").contains(&json!(["Q"])), "app may inquire it and not display it");
    assert_eq!(page(OTHER), json!([]));
    assert_eq!(page(ADMIN), page(READER));
    assert!(page(ADMIN).as_array().expect("a list").len() > 10);
    let found = value(&get(&server, "queues?search=PRIVATE&columns=name", OTHER));
    assert_eq!((&found["total"], &found["known"]), (&json!(0), &json!(0)), "whether it exists is not told");
    assert_eq!(get(&server, "queues", NOBODY).status, 403);
    assert_eq!(get(&server, "queues", "\n-authorization").status, 401);
    for authority in [Authority::DISPLAY, Authority::INQUIRE] {
        server.grant("Q", AuthorityObject::Queue, authority);
        assert_eq!(page(OTHER), json!([["Q"]]));
    }
}

#[test]
fn a_connection_shows_its_calls_handles_and_open_unit_of_work() {
    let server = TestServer::start();
    let connection = server.connect();
    let queue = ObjectDescriptor { name: QueueName::literal("Q"), ..ObjectDescriptor::default() };
    let both = OpenOptions::OUTPUT | OpenOptions::INPUT_SHARED;
    let shown = "connections?where=application=test&columns=user,channel,puts,gets,open,uncommitted";
    let id = rows(&server, "connections?where=application=test&columns=id")[0][0].clone();
    assert!(id.as_str().is_some_and(|id| id.len() == 16 && id.bytes().all(|digit| digit.is_ascii_hexdigit())), "{id}");
    assert_eq!(rows(&server, shown), json!([["server", null, 0, 0, 0, 0]]));
    server.block_on(async {
        let handle = connection.open(&server_user(), &queue, both).await.expect("opened").handle;
        let options = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
        for _ in 0..3 {
            connection.put(handle, MessageDescriptor::default(), &options, "one".into()).await.expect("put");
        }
        connection.commit().await.expect("committed");
        let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
        connection.get(handle, &options).await.expect("got");
        connection.get(handle, &options).await.expect("got");
    });
    assert_eq!(rows(&server, shown), json!([["server", null, 3, 2, 1, 2]]));
    let found = rows(&server, "connections?where=unitSince%3C1h&where=uncommitted%3E0&columns=id");
    assert_eq!(found, json!([[id]]));
    assert_eq!(rows(&server, "connections?where=unitSince%3E1h"), json!([]));
    server.block_on(connection.back_out()).expect("backed out");
    assert_eq!(rows(&server, "connections?where=application=test&columns=uncommitted,unitSince"), json!([[0, null]]));
}

#[test]
fn a_channel_shows_its_state_and_what_went_through_its_instances() {
    let server = TestServer::start();
    let shown = "columns=type,state,instances,max,full,messages,bytesIn,bytesOut,conversations,system";
    let name = "SYSTEM.DEF.SVRCONN";
    let row = || rows(&server, &format!("channels?where=name={name}&{shown}"))[0].clone();
    let idle = json!(["serverConnection", "inactive", 0, 999_999_999, 0.0, 0, 0, 0, 0, true]);
    assert_eq!(row(), idle);
    let instance = ChannelInstance {
        channel: name.to_owned(),
        connection_name: "10.0.0.1".to_owned(),
        state: ChannelState::Running,
        user: "app".to_owned(),
        remote_application: "orders".to_owned(),
        remote_product: "MQMC".to_owned(),
        remote_version: "09040000".to_owned(),
        cipher: "TLS_AES_128_GCM_SHA256".to_owned(),
        ..ChannelInstance::default()
    };
    let handle = server.queue_manager.register_channel(instance).expect("not stopped");
    handle.counters().count_message(server.queue_manager.now());
    handle.counters().bytes_received.fetch_add(100, Ordering::Relaxed);
    handle.counters().bytes_sent.fetch_add(50, Ordering::Relaxed);
    handle.counters().sharing_conversations.fetch_add(2, Ordering::Relaxed);
    assert_eq!(row(), json!(["serverConnection", "running", 1, 999_999_999, 0.0, 1, 100, 50, 2, true]));
    let of_instance = "channel,state,address,user,application,conversations,messages,bytesIn,bytesOut,cipher,protocol,client,stopping";
    assert_eq!(
        rows(&server, &format!("channel-instances?search=orders&columns={of_instance}")),
        json!([[
            name,
            "running",
            "10.0.0.1",
            "app",
            "orders",
            2,
            1,
            100,
            50,
            "TLS_AES_128_GCM_SHA256",
            null,
            "MQMC 09040000",
            false
        ]])
    );
    let stop = StopChannel { disable: true, ..StopChannel::of(name, StopMode::Quiesce) };
    server.queue_manager.stop_channel(&stop);
    assert_eq!(row()[1], "stopping");
    drop(handle);
    assert_eq!(row(), json!(["serverConnection", "stopped", 0, 999_999_999, 0.0, 1, 100, 50, 0, true]));
    assert_eq!(rows(&server, "channel-instances"), json!([]));
}

#[test]
fn topics_and_subscriptions_show_who_is_there() {
    let server = TestServer::start();
    server.subscribe("sport/football", "Q");
    let topics = rows(&server, "topics?search=SPORT&sort=topicString");
    let expected =
        json!([[null, "sport", 0, 0, false], [null, "sport/#", 0, 1, false], [null, "sport/football", 0, 1, false]]);
    assert_eq!(topics, expected);
    let publication =
        "POST /api/v1/qmgr/QM1/topic/sport/football/messages?retain=true\ncontent-type: text/plain\n\ngoal";
    assert_eq!(client::plain(&server).exchange(publication).status, 201);
    assert_eq!(rows(&server, "topics?where=retained=true&columns=topicString"), json!([["sport/football"]]));
    let columns = "name,topicString,destination,user,durable,messages,type";
    assert_eq!(
        rows(&server, &format!("subscriptions?search=sport+football&columns={columns}"))[0][1],
        json!("sport/football")
    );
    assert_eq!(
        rows(&server, &format!("subscriptions?where=name=SPORT&columns={columns}")),
        json!([["SPORT", "sport/#", "SUBSCRIBED", "server", true, 1, "admin"]])
    );
    let id = rows(&server, "subscriptions?where=name=SPORT&columns=id")[0][0].clone();
    assert!(id.as_str().is_some_and(|id| id.len() == 48), "{id}");
}

#[test]
fn what_has_no_authority_of_its_own_is_for_those_who_may_display_the_queue_manager() {
    let server = TestServer::start();
    let _connection = server.connect();
    let lists = ["connections", "topics", "subscriptions"];
    for list in lists {
        assert_eq!(refusal(&get(&server, list, OTHER)).0, 403, "{list}");
        assert_eq!(get(&server, list, READER).status, 200, "{list}");
    }
    server.grant("QM1", AuthorityObject::QueueManager, Authority::DISPLAY);
    for list in lists {
        let page = value(&get(&server, list, OTHER));
        assert!(page["known"].as_u64().is_some_and(|known| known > 0), "{list}: {page}");
    }
}

#[test]
fn a_user_sees_the_channels_that_it_may_display_and_their_instances() {
    let server = TestServer::start();
    let instance = ChannelInstance { channel: "SYSTEM.DEF.SVRCONN".to_owned(), ..ChannelInstance::default() };
    let _handle = server.queue_manager.register_channel(instance).expect("not stopped");
    let known = |list: &str| value(&get(&server, list, OTHER))["known"].clone();
    assert_eq!((known("channels"), known("channel-instances")), (json!(0), json!(0)));
    server.grant("SYSTEM.DEF.SVRCONN", AuthorityObject::Channel, Authority::DISPLAY);
    assert_eq!((known("channels"), known("channel-instances")), (json!(1), json!(1)));
}

/// Every column of every list is sorted by, and asked for, without a fault.
#[test]
fn every_column_of_every_list_may_be_shown_and_sorted_by() {
    let server = TestServer::start();
    let document = value(&client::plain(&server).exchange("GET /openapi.json\n\n"));
    let schemas = &document["components"]["schemas"];
    for (list, schema) in [
        ("queues", "QueueColumns"),
        ("channels", "ChannelColumns"),
        ("channel-instances", "ChannelInstanceColumns"),
        ("connections", "ConnectionColumns"),
        ("topics", "TopicColumns"),
        ("subscriptions", "SubscriptionColumns"),
    ] {
        let columns: Vec<_> = schemas[schema]["properties"].as_object().expect("members").keys().collect();
        for column in &columns {
            let page = value(&get(&server, &format!("{list}?columns={column}&sort=-{column}&limit=1000"), ADMIN));
            let values: Vec<_> = page["rows"].as_array().expect("rows").iter().map(|row| &row[0]).collect();
            let kinds = schemas[schema]["properties"][column.as_str()]["type"].to_string();
            for value in &values {
                let is_of_kind = match value {
                    Value::Null => true,
                    Value::Bool(_) => kinds.contains("boolean"),
                    Value::Number(number) => kinds.contains("number") || (kinds.contains("integer") && number.is_u64()),
                    Value::String(_) => kinds.contains("string"),
                    _ => false,
                };
                assert!(is_of_kind, "{list} {column}: {value}");
            }
            let known: Vec<_> = values.iter().take_while(|value| !value.is_null()).collect();
            assert!(values[known.len()..].iter().all(|value| value.is_null()), "{list} {column}: null comes last");
            let falls = known.windows(2).all(|pair| match (pair[0], pair[1]) {
                (Value::String(one), Value::String(other)) => one >= other,
                (Value::Bool(one), Value::Bool(other)) => one >= other,
                (one, other) => one.as_f64() >= other.as_f64(),
            });
            assert!(falls, "{list} {column}: {known:?}");
        }
    }
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
