//! POST, PATCH and DELETE of queues.

use model::authority::{Authority, AuthorityObject};
use model::definition::attribute::{self, Access, JsonWord, Kind, ValueType};
use model::descriptor::MessageDescriptor;
use model::pcf::{self, Parameter, ParameterValue};
use serde_json::{Value, json};

use super::admin::{QUEUES, member, names, queue, refusal, send};
use super::client;
use super::server::TestServer;

fn create(server: &TestServer, query: &str, body: Value) -> client::Answer {
    send(server, "admin", &format!("POST {QUEUES}{query}"), Some(&body))
}

fn created(server: &TestServer, query: &str, body: Value) {
    let answer = create(server, query, body.clone());
    assert_eq!((answer.status, answer.text()), (201, String::new()), "{body}");
}

#[test]
fn a_name_is_enough_for_a_local_queue() {
    let server = TestServer::start();
    let answer = create(&server, "", json!({"name": "NEW/1"}));
    assert_eq!((answer.status, answer.body.len()), (201, 0));
    assert_eq!(answer.header("location"), Some("http://localhost/ibmmq/rest/v1/admin/qmgr/QM1/queue/NEW%2F1"));
    let shown = queue(&server, "NEW%2F1", "?attributes=storage.maximumDepth");
    assert_eq!(shown, json!({"storage": {"maximumDepth": 5000}, "name": "NEW/1", "type": "local"}));
}

#[test]
fn every_settable_attribute_is_written_by_the_path_it_is_read_by() {
    let server = TestServer::start();
    let types = [
        (Kind::QueueLocal, "local"),
        (Kind::QueueAlias, "alias"),
        (Kind::QueueRemote, "remote"),
        (Kind::QueueModel, "model"),
    ];
    for (kind, word) in types {
        let name = format!("NEW.{}", word.to_uppercase());
        let mut base = json!({"name": name, "type": word});
        if kind == Kind::QueueRemote {
            base["remote"] = json!({"qmgrName": "QM2"});
        }
        for row in attribute::of(kind).filter(|row| row.access != Access::ReadOnly) {
            let Some(path) = row.json else { continue };
            // Members of a group alone have shared dynamic queues.
            let words = row.value.words().iter().filter(|word| word.mqsc != "SHAREDYN");
            let words = words.filter_map(|word| match word.json {
                JsonWord::Text(text) => Some((path.to_owned(), json!(text))),
                JsonWord::Bool(truth) => Some((path.to_owned(), json!(truth))),
                JsonWord::Member(name) => Some((format!("{path}.{name}"), json!(true))),
                JsonWord::None => None,
            });
            let others = match row.value {
                ValueType::Integer { minimum, maximum, .. } => vec![json!(minimum), json!(maximum)],
                ValueType::Name => vec![json!("A.NAME"), json!("")],
                ValueType::Text { .. } => vec![json!("a \"text\""), json!("")],
                _ => Vec::new(),
            };
            let values: Vec<_> = words.chain(others.into_iter().map(|value| (path.to_owned(), value))).collect();
            for (path, value) in values {
                let mut body = base.clone();
                set(&mut body, &path, value.clone());
                created(&server, "", body);
                assert_eq!(*member(&queue(&server, &name, "?attributes=*"), &path), value, "{kind:?} {path}");
                let mut change = json!({"type": word});
                set(&mut change, &path, value.clone());
                let answer = send(&server, "admin", &format!("PATCH {QUEUES}/{name}"), Some(&change));
                assert_eq!((answer.status, answer.text()), (204, String::new()), "{change}");
                assert_eq!(*member(&queue(&server, &name, "?attributes=*"), &path), value, "{kind:?} {path}");
                server
                    .block_on(server.queue_manager.delete_queue(
                        &super::server::server_user(),
                        &model::name::QueueName::literal(&name),
                        false,
                    ))
                    .expect("deleted");
            }
        }
    }
}

fn set(body: &mut Value, path: &str, value: Value) {
    let mut place = body;
    for part in path.split('.') {
        place = &mut place[part];
    }
    *place = value;
}

#[test]
fn creating_replaces_unless_told_not_to_and_keeps_messages() {
    let server = TestServer::start();
    server.put("Q", MessageDescriptor::default(), "x");
    created(&server, "", json!({"name": "Q", "general": {"description": "again"}}));
    let shown = queue(&server, "Q", "?status=status.currentDepth&attributes=general.description");
    assert_eq!((&shown["status"]["currentDepth"], &shown["general"]["description"]), (&json!(1), &json!("again")));
    let again = json!({"name": "Q"});
    let request = format!("POST {QUEUES}?noReplace");
    assert_eq!(refusal(&server, "admin", &request, Some(&again)), (400, "MQWB0916E".to_owned(), 4001));
    let alias = json!({"name": "Q", "type": "alias", "alias": {"targetName": "A/B"}});
    let request = format!("POST {QUEUES}");
    assert_eq!(refusal(&server, "admin", &request, Some(&alias)), (400, "MQWB0916E".to_owned(), 4002));
}

#[test]
fn a_queue_can_be_like_another() {
    let server = TestServer::start();
    created(&server, "?like=SMALL", json!({"name": "SMALL.2", "storage": {"maximumDepth": 7}}));
    let shown = queue(&server, "SMALL.2", "?attributes=storage");
    assert_eq!((&shown["storage"]["maximumMessageLength"], &shown["storage"]["maximumDepth"]), (&json!(10), &json!(7)));
    let request = format!("POST {QUEUES}?like=NONE");
    assert_eq!(refusal(&server, "admin", &request, Some(&json!({"name": "X"}))), (404, "MQWB0037E".to_owned(), 2085));
}

#[test]
fn altering_changes_what_is_named_and_nothing_else() {
    let server = TestServer::start();
    created(&server, "", json!({"name": "N", "storage": {"maximumDepth": 7}, "general": {"description": "d"}}));
    let change =
        |name: &str, body: Value| send(&server, "admin", &format!("PATCH {QUEUES}/{name}"), Some(&body)).status;
    assert_eq!(change("N", json!({"general": {"inhibitPut": true}})), 204);
    let shown = queue(&server, "N", "?attributes=storage.maximumDepth,general");
    assert_eq!(shown["storage"]["maximumDepth"], 7);
    assert_eq!((&shown["general"]["description"], &shown["general"]["inhibitPut"]), (&json!("d"), &json!(true)));
    // Without `type` the queue is taken as what it is.
    assert_eq!(change("ALIAS", json!({"alias": {"targetName": "N"}})), 204);
    assert_eq!(queue(&server, "ALIAS", "")["alias"]["targetName"], "N");
    assert_eq!(change("N", json!({})), 204);
}

#[test]
fn service_interval_events_are_two_switches_of_one_attribute() {
    let server = TestServer::start();
    let interval = |high: Option<bool>, ok: Option<bool>| {
        let mut body = json!({"events": {"serviceInterval": {}}});
        for (name, value) in [("highEnabled", high), ("okEnabled", ok)] {
            if let Some(value) = value {
                body["events"]["serviceInterval"][name] = json!(value);
            }
        }
        let status = send(&server, "admin", &format!("PATCH {QUEUES}/Q"), Some(&body)).status;
        let shown = queue(&server, "Q", "?attributes=events.serviceInterval")["events"]["serviceInterval"].clone();
        (status, shown["highEnabled"] == true, shown["okEnabled"] == true)
    };
    assert_eq!(interval(Some(true), None), (204, true, false));
    assert_eq!(interval(None, Some(false)), (204, true, false));
    assert_eq!(interval(None, Some(true)), (204, false, true));
    assert_eq!(interval(Some(true), Some(true)), (400, false, true));
    assert_eq!(interval(Some(false), Some(false)), (204, false, false));
}

#[test]
fn deleting_needs_an_empty_queue_or_purge() {
    let server = TestServer::start();
    server.put("Q", MessageDescriptor::default(), "x");
    let delete = |path: &str| send(&server, "admin", &format!("DELETE {QUEUES}/{path}"), None).status;
    let request = format!("DELETE {QUEUES}/Q");
    assert_eq!(refusal(&server, "admin", &request, None), (400, "MQWB0916E".to_owned(), 2055));
    assert_eq!(delete("Q?purge"), 204);
    assert_eq!(refusal(&server, "admin", &request, None), (404, "MQWB0037E".to_owned(), 2085));
    assert_eq!(delete("FULL?purge=&keepAuthorityRecords=true"), 204);
    assert_eq!(delete("ALIAS"), 204);
    assert!(!names(&server, "").iter().any(|name| matches!(&**name, "Q" | "FULL" | "ALIAS")));
}

#[test]
fn authority_records_of_a_deleted_queue_go_with_it_unless_they_are_kept() {
    let server = TestServer::start();
    let has_record = || server.queue_manager.authority_records().iter().any(|record| record.profile == "PRIVATE");
    assert_eq!(send(&server, "admin", &format!("DELETE {QUEUES}/PRIVATE?keepAuthorityRecords"), None).status, 204);
    assert!(has_record());
    created(&server, "", json!({"name": "PRIVATE"}));
    assert_eq!(send(&server, "admin", &format!("DELETE {QUEUES}/PRIVATE"), None).status, 204);
    assert!(!has_record());
}

#[test]
fn bodies_that_mean_nothing_are_refused_by_name() {
    let server = TestServer::start();
    let rows = [
        (json!({}), 400, "MQWB0905E"),
        (json!([]), 400, "MQWB0905E"),
        (json!({"name": 5}), 400, "MQWB0915E"),
        (json!({"name": "a b"}), 400, "MQWB0912E"),
        (json!({"name": ""}), 400, "MQWB0912E"),
        (json!({"name": "X", "type": "cluster"}), 400, "MQWB0915E"),
        (json!({"name": "X", "nonsense": 1}), 400, "MQWB0120E"),
        (json!({"name": "X", "general": {"nonsense": 1}}), 400, "MQWB0120E"),
        (json!({"name": "X", "general": "text"}), 400, "MQWB0120E"),
        (json!({"name": "X", "timestamps": {"created": "now"}}), 400, "MQWB0120E"),
        (json!({"name": "X", "remote": {"qmgrName": "Q2"}}), 400, "MQWB0120E"),
        (json!({"name": "X", "storage": {"storageClass": "A"}}), 400, "MQWB0120E"),
        (json!({"name": "X", "type": "remote"}), 400, "MQWB0905E"),
        (json!({"name": "X", "storage": {"maximumDepth": -1}}), 400, "MQWB0915E"),
        (json!({"name": "X", "storage": {"maximumDepth": "5"}}), 400, "MQWB0915E"),
        (json!({"name": "X", "storage": {"maximumDepth": 1.5}}), 400, "MQWB0915E"),
        (json!({"name": "X", "storage": {"maximumDepth": null}}), 400, "MQWB0915E"),
        (json!({"name": "X", "general": {"inhibitPut": "true"}}), 400, "MQWB0915E"),
        (json!({"name": "X", "general": {"description": "x".repeat(65)}}), 400, "MQWB0915E"),
        (json!({"name": "X", "trigger": {"type": "FIRST"}}), 400, "MQWB0915E"),
    ];
    for (body, status, id) in rows {
        let refused = refusal(&server, "admin", &format!("POST {QUEUES}"), Some(&body));
        assert_eq!(refused, (status, id.to_owned(), 0), "{body}");
    }
    let request = format!("PATCH {QUEUES}/Q");
    let renamed = json!({"name": "X"});
    assert_eq!(refusal(&server, "admin", &request, Some(&renamed)), (400, "MQWB0120E".to_owned(), 0));
    let other = json!({"type": "alias", "alias": {"targetName": "X"}});
    assert_eq!(refusal(&server, "admin", &request, Some(&other)), (400, "MQWB0916E".to_owned(), 4002));
    let request = format!("PATCH {QUEUES}/NONE");
    assert_eq!(refusal(&server, "admin", &request, Some(&json!({}))), (404, "MQWB0037E".to_owned(), 2085));
    let broken = client::plain(&server).exchange(&format!(
        "POST {QUEUES}\n{}\ncontent-type: application/json\ncontent-length: 1\n\n{{",
        client::basic("admin", "adminpw")
    ));
    assert_eq!((broken.status, broken.error_id()), (400, "MQWB0905E".to_owned()));
    let text = format!("POST {QUEUES}\ncontent-type: text/plain");
    assert_eq!(refusal(&server, "admin", &text, Some(&json!({"name": "X"}))), (415, "MQWB0306E".to_owned(), 0));
    for parameter in ["?nonsense", "?noReplace=no", "?noReplace&noReplace", "?replace"] {
        let request = format!("POST {QUEUES}{parameter}");
        assert_eq!(refusal(&server, "admin", &request, Some(&json!({"name": "X"}))).0, 400, "{parameter}");
    }
    assert!(!names(&server, "").contains(&"X".to_owned()));
}

#[test]
fn changes_need_the_role_the_authority_and_the_csrf_header() {
    let server = TestServer::start();
    let new = json!({"name": "NEW"});
    let rows = [
        (format!("POST {QUEUES}"), Some(&new)),
        (format!("PATCH {QUEUES}/PRIVATE"), Some(&new)),
        (format!("DELETE {QUEUES}/PRIVATE"), None),
    ];
    for (request, body) in &rows {
        assert_eq!(refusal(&server, "reader", request, *body), (403, "MQWB0108E".to_owned(), 0), "{request}");
        assert_eq!(refusal(&server, "nobody", request, *body), (403, "MQWB0108E".to_owned(), 0), "{request}");
        let without = format!("{request}\n-ibm-mq-rest-csrf-token");
        assert_eq!(refusal(&server, "admin", &without, *body), (403, "MQWB0100E".to_owned(), 0), "{request}");
    }
    let (create, alter, delete) = (&rows[0].0, &rows[1].0, &rows[2].0);
    let describe = json!({"general": {"description": "mine"}});
    assert_eq!(refusal(&server, "app", create, Some(&new)), (403, "MQWB0103E".to_owned(), 2035));
    assert_eq!(refusal(&server, "app", alter, Some(&describe)), (403, "MQWB0103E".to_owned(), 2035));
    assert_eq!(refusal(&server, "app", delete, None), (403, "MQWB0103E".to_owned(), 2035));
    server.grant("PRIVATE", AuthorityObject::Queue, Authority::CHANGE | Authority::DISPLAY);
    assert_eq!(send(&server, "other", alter, Some(&describe)).status, 204);
}

/// User and origin that an event names.
fn issuer_of(parameters: &[Parameter]) -> Option<(String, i32)> {
    let user = parameters.iter().find_map(|parameter| match (parameter.id, &parameter.value) {
        (3045, ParameterValue::Text(user)) => Some(user.trim_end().to_owned()),
        _ => None,
    });
    let origin = parameters.iter().find_map(|parameter| match (parameter.id, &parameter.value) {
        (1011, ParameterValue::Integer(origin)) => Some(*origin),
        _ => None,
    });
    user.zip(origin).or_else(|| {
        parameters.iter().find_map(|parameter| match &parameter.value {
            ParameterValue::Group(members) => issuer_of(members),
            _ => None,
        })
    })
}

#[test]
fn events_name_the_user_of_a_request_and_not_the_server_whose_authority_the_role_lends() {
    let server = TestServer::start();
    let mqsc = |user: &str, body: Value| {
        let answer = send(&server, user, "POST /ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc", Some(&body));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(super::admin::json(&answer)["overallReasonCode"], 0, "{}", answer.text());
    };
    let text = |command: &str| json!({"type": "runCommand", "parameters": {"command": command}});
    mqsc("admin", text("ALTER QMGR CMDEV(ENABLED) CONFIGEV(ENABLED)"));
    mqsc("admin", json!({"type": "runCommandJSON", "command": "define", "qualifier": "qlocal", "name": "BY.JSON"}));
    created(&server, "", json!({"name": "BY.RESOURCE"}));
    mqsc("reader", text("DISPLAY QLOCAL(BY.JSON)"));
    mqsc("app", text("DISPLAY QLOCAL(PRIVATE)"));
    let users = |queue: &str| -> Vec<(String, i32)> {
        let issuer = |(descriptor, body): (MessageDescriptor, bytes::Bytes)| {
            let (event, _) = pcf::decode(&body, descriptor.encoding, descriptor.ccsid).expect("PCF");
            issuer_of(&event.parameters).expect("an issuer")
        };
        server.take_all(queue).into_iter().map(issuer).collect()
    };
    // MQEVO_REST.
    let by = |user: &str| (user.to_owned(), 8);
    assert_eq!(users("SYSTEM.ADMIN.COMMAND.EVENT"), [by("admin"), by("admin"), by("admin"), by("reader"), by("app")]);
    // The queue manager before and after, and two queues that are new.
    assert_eq!(users("SYSTEM.ADMIN.CONFIG.EVENT"), [by("admin"), by("admin"), by("admin"), by("admin")]);
}
