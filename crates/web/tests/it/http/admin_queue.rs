//! GET of queues: what each attribute is called and holds, and what a list shows.

use model::definition::QueueDefinition;
use model::definition::attribute::{self, JsonWord, Kind, ValueType};
use model::definition::queue::{QueueKind, RemoteQueue};
use model::descriptor::MessageDescriptor;
use model::name::QueueName;
use serde_json::{Value, json};

use super::admin::{QUEUES, get, json as body, member, names, queue, refusal, send};
use super::server::{TestServer, server_user};

fn define(server: &TestServer, name: &str, change: impl FnOnce(&mut QueueDefinition)) {
    let mut definition = QueueDefinition::local(QueueName::literal(name));
    change(&mut definition);
    server.block_on(server.queue_manager.define_queue(&server_user(), definition, true)).expect("defined");
}

#[test]
fn without_parameters_a_queue_shows_what_names_it() {
    let server = TestServer::start();
    define(&server, "REMOTE", |definition| {
        definition.kind = QueueKind::Remote(RemoteQueue {
            remote_queue: QueueName::literal("THERE"),
            remote_queue_manager: QueueName::literal("QM2"),
            ..RemoteQueue::default()
        });
    });
    let answer = send(&server, "admin", &format!("GET {QUEUES}/Q"), None);
    assert_eq!(answer.text(), "{\"queue\": [{\n  \"name\": \"Q\",\n  \"type\": \"local\"\n}]}");
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(queue(&server, "ALIAS", ""), json!({"alias": {"targetName": "Q"}, "name": "ALIAS", "type": "alias"}));
    assert_eq!(
        queue(&server, "REMOTE", ""),
        json!({"remote": {"qmgrName": "QM2", "queueName": "THERE"}, "name": "REMOTE", "type": "remote"})
    );
    assert_eq!(
        queue(&server, "SYSTEM.DEFAULT.MODEL.QUEUE", ""),
        json!({"model": {"type": "temporaryDynamic"}, "name": "SYSTEM.DEFAULT.MODEL.QUEUE", "type": "model"})
    );
}

/// The worked example of the reference, section 4.2, member by member and in its order.
#[test]
fn all_attributes_of_a_new_local_queue_are_those_of_the_published_example() {
    let server = TestServer::start();
    let answer = send(&server, "admin", &format!("GET {QUEUES}/Q?attributes=*"), None);
    let text = answer.text();
    let shown = body(&answer)["queue"][0].clone();
    let expected = [
        ("cluster.namelist", json!("")),
        ("cluster.name", json!("")),
        ("cluster.workloadQueueUse", json!("asQmgr")),
        ("cluster.workloadPriority", json!(0)),
        ("cluster.workloadRank", json!(0)),
        ("cluster.transmissionQueueForChannelName", json!("")),
        ("timestamps.created", Value::Null),
        ("timestamps.altered", Value::Null),
        ("storage.maximumDepth", json!(5000)),
        ("storage.maximumMessageLength", json!(4_194_304)),
        ("storage.messageDeliverySequence", json!("priority")),
        ("storage.nonPersistentMessageClass", json!("normal")),
        ("trigger.initiationQueueName", json!("")),
        ("trigger.depth", json!(1)),
        ("trigger.data", json!("")),
        ("trigger.processName", json!("")),
        ("trigger.messagePriority", json!(0)),
        ("trigger.type", json!("first")),
        ("trigger.enabled", json!(false)),
        ("extended.allowSharedInput", json!(true)),
        ("extended.enableMediaImageOperations", json!("asQmgr")),
        ("extended.backoutRequeueQueueName", json!("")),
        ("extended.custom", json!("")),
        ("extended.supportDistributionLists", json!(false)),
        ("extended.backoutThreshold", json!(0)),
        ("general.inhibitPut", json!(false)),
        ("general.inhibitGet", json!(false)),
        ("general.isTransmissionQueue", json!(false)),
        ("general.description", json!("")),
        ("applicationDefaults.putResponse", json!("synchronous")),
        ("applicationDefaults.messagePriority", json!(0)),
        ("applicationDefaults.messagePersistence", json!("nonPersistent")),
        ("applicationDefaults.clusterBind", json!("onOpen")),
        ("applicationDefaults.sharedInput", json!(true)),
        ("applicationDefaults.readAhead", json!("no")),
        ("applicationDefaults.messagePropertyControl", json!("compatible")),
        ("events.serviceInterval.duration", json!(999_999_999)),
        ("events.serviceInterval.okEnabled", json!(false)),
        ("events.serviceInterval.highEnabled", json!(false)),
        ("events.depth.lowPercentage", json!(20)),
        ("events.depth.highPercentage", json!(80)),
        ("events.depth.lowEnabled", json!(false)),
        ("events.depth.fullEnabled", json!(true)),
        ("events.depth.highEnabled", json!(false)),
        ("dataCollection.accounting", json!("asQmgr")),
        ("dataCollection.monitoring", json!("asQmgr")),
        ("dataCollection.statistics", json!("asQmgr")),
        ("name", json!("Q")),
        ("type", json!("local")),
    ];
    let mut leaves = 0;
    count_leaves(&shown, &mut leaves);
    assert_eq!(leaves, expected.len(), "{text}");
    let mut place = 0;
    for (path, value) in expected {
        let found = member(&shown, path);
        if value.is_null() {
            assert!(is_timestamp(found), "{path}: {found}");
        } else {
            assert_eq!(*found, value, "{path}");
        }
        let key = format!("\"{}\":", path.rsplit('.').next().expect("a name"));
        place += text[place..].find(&key).unwrap_or_else(|| panic!("{path} is out of order"));
    }
}

fn count_leaves(value: &Value, leaves: &mut usize) {
    match value {
        Value::Object(members) => members.values().for_each(|member| count_leaves(member, leaves)),
        _ => *leaves += 1,
    }
}

/// `2021-03-04T05:30:10.000Z`.
fn is_timestamp(value: &Value) -> bool {
    let pattern = "dddd-dd-ddTdd:dd:dd.dddZ";
    value.as_str().is_some_and(|text| {
        text.len() == pattern.len()
            && text.chars().zip(pattern.chars()).all(|(c, p)| if p == 'd' { c.is_ascii_digit() } else { c == p })
    })
}

#[test]
fn every_attribute_of_the_table_has_its_path_its_type_and_its_words() {
    let server = TestServer::start();
    let samples = [
        (Kind::QueueLocal, "Q"),
        (Kind::QueueAlias, "ALIAS"),
        (Kind::QueueRemote, "SYSTEM.DEFAULT.REMOTE.QUEUE"),
        (Kind::QueueModel, "SYSTEM.DEFAULT.MODEL.QUEUE"),
    ];
    for (kind, name) in samples {
        let shown = queue(&server, name, "?attributes=*");
        for row in attribute::of(kind) {
            let Some(path) = row.json else { continue };
            let found = member(&shown, path);
            let words = row.value.words();
            let is_member = words.iter().any(|word| matches!(word.json, JsonWord::Member(_)));
            let good = match row.value {
                ValueType::Date | ValueType::Time => is_timestamp(found),
                _ if is_member => words.iter().all(|word| match word.json {
                    JsonWord::Member(name) => found[name].is_boolean(),
                    _ => true,
                }),
                // A word that REST has none for leaves the member out: a queue that was defined is not dynamic.
                ValueType::Choice(_) | ValueType::Flag(_) => words.iter().any(|word| match word.json {
                    JsonWord::Text(text) => found == text,
                    JsonWord::Bool(truth) => found == truth,
                    JsonWord::None => found.is_null(),
                    JsonWord::Member(_) => false,
                }),
                ValueType::Integer { .. } => found.is_i64(),
                ValueType::Name | ValueType::Text { .. } | ValueType::Hexadecimal { .. } | ValueType::Secret { .. } => {
                    found.is_string()
                }
                ValueType::List | ValueType::Names { .. } | ValueType::Texts { .. } | ValueType::Words { .. } => {
                    found.is_array()
                }
            };
            assert!(good, "{kind:?} {path}: {found}");
            if !found.is_null() {
                let alone = queue(&server, name, &format!("?attributes={path}"));
                assert_eq!(member(&alone, path), found, "{kind:?} {path}");
            }
        }
    }
}

#[test]
fn groups_and_attributes_are_chosen_by_their_dotted_names() {
    let server = TestServer::start();
    let shown = queue(&server, "Q", "?attributes=events.depth,general.description,storage.maximumDepth");
    assert_eq!(
        shown,
        json!({
            "storage": {"maximumDepth": 5000},
            "general": {"description": ""},
            "events": {"depth": {
                "lowPercentage": 20, "highPercentage": 80, "lowEnabled": false, "fullEnabled": true, "highEnabled": false
            }},
            "name": "Q", "type": "local"
        })
    );
    // A group that a type lacks is left out.
    assert_eq!(
        queue(&server, "ALIAS", "?attributes=storage,alias"),
        json!({"alias": {"targetName": "Q", "targetType": "queue"}, "name": "ALIAS", "type": "alias"})
    );
}

#[test]
fn status_of_local_queues_counts_messages_and_handles() {
    let server = TestServer::start();
    server.put("Q", MessageDescriptor::default(), "x");
    let shown = queue(&server, "Q", "?status=*");
    assert_eq!(
        shown["status"],
        json!({
            "currentDepth": 1, "openInputCount": 0, "openOutputCount": 0, "lastGet": "", "lastPut": "",
            "mediaRecoveryLogExtent": "", "monitoringRate": "off", "oldestMessageAge": -1,
            "onQueueTime": {"longSamplePeriod": -1, "shortSamplePeriod": -1}, "uncommittedMessages": 0
        })
    );
    assert_eq!(queue(&server, "Q", "?status=status"), shown);
    assert_eq!(
        queue(&server, "Q", "?status=status.currentDepth"),
        json!({"status": {"currentDepth": 1}, "name": "Q", "type": "local"})
    );
    assert_eq!(queue(&server, "ALIAS", "?status=*")["status"], Value::Null);
    let both = queue(&server, "Q", "?status=*&attributes=*");
    assert_eq!((&both["status"]["currentDepth"], &both["storage"]["maximumDepth"]), (&json!(1), &json!(5000)));
    server.alter("Q", |definition| {
        definition.as_local_mut().expect("local").monitoring = model::definition::Collect::High;
    });
    let monitored = queue(&server, "Q", "?status=*");
    assert_eq!(monitored["status"]["monitoringRate"], "high");
    assert!(
        is_timestamp(&monitored["status"]["lastPut"]) && monitored["status"]["oldestMessageAge"].as_i64() >= Some(0)
    );
}

#[test]
fn open_handles_are_an_array_of_the_queue() {
    use model::options::{ObjectDescriptor, OpenOptions};
    use queue_manager::ConnectOptions;

    let server = TestServer::start();
    assert_eq!(queue(&server, "Q", "?applicationHandle=*")["applicationHandle"], json!([]));
    let connection = server
        .queue_manager
        .connect(ConnectOptions {
            principal: server_user(),
            application_name: "reader".to_owned(),
            application_type: 6,
            channel: String::new(),
            connection_name: String::new(),
        })
        .expect("connected");
    let object = ObjectDescriptor { name: QueueName::literal("Q"), ..ObjectDescriptor::default() };
    let options = OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT;
    server.block_on(connection.open(&server_user(), &object, options)).expect("open");
    let shown = queue(&server, "Q", "?applicationHandle=*&status=status.openInputCount");
    assert_eq!(shown["status"]["openInputCount"], 1);
    let handle = &shown["applicationHandle"][0];
    assert_eq!(handle["tag"], "reader");
    assert_eq!(handle["userId"], "server");
    assert_eq!(handle["openOptions"], json!(["MQOO_INPUT_SHARED", "MQOO_OUTPUT"]));
    let less = queue(&server, "Q", "?applicationHandle=applicationHandle.tag");
    assert_eq!(less["applicationHandle"], json!([{"tag": "reader"}]));
    assert_eq!(queue(&server, "ALIAS", "?applicationHandle=*")["applicationHandle"], Value::Null);
}

#[test]
fn lists_are_in_order_of_names_and_chosen_by_type_and_generic_name() {
    let server = TestServer::start();
    let all = names(&server, "");
    assert_eq!(all, ["A/B", "ALIAS", "FULL", "NOPUT", "NOWHERE", "PRIVATE", "Q", "Q.EMPTY", "SMALL", "SUBSCRIBED"]);
    assert_eq!(names(&server, "?type=all"), all);
    assert_eq!(names(&server, "?type=alias"), ["ALIAS", "NOWHERE"]);
    assert_eq!(names(&server, "?name=NO*"), ["NOPUT", "NOWHERE"]);
    assert_eq!(names(&server, "?name=NO*&type=local"), ["NOPUT"]);
    assert_eq!(names(&server, "?name=Q"), ["Q"]);
    assert_eq!(names(&server, "?name=Q*"), ["Q", "Q.EMPTY"]);
    for nothing in ["?type=cluster", "?type=remote&name=Q*", "?name=q", "?name=Q.*.X"] {
        assert_eq!(get(&server, &format!("{QUEUES}{nothing}")), json!({"queue": []}), "{nothing}");
    }
    assert_eq!(get(&server, &format!("{QUEUES}/")), get(&server, QUEUES));
    assert_eq!(queue(&server, "A%2FB", "")["name"], "A/B");
    assert_eq!(queue(&server, "Q%2EEMPTY", "")["name"], "Q.EMPTY");
}

#[test]
fn filters_are_decided_before_anything_is_shown() {
    let server = TestServer::start();
    server.put("Q", MessageDescriptor::default(), "x");
    let rows: [(&str, &[&str]); 15] = [
        ("storage.maximumDepth:lessThan:5000", &["FULL"]),
        ("storage.maximumDepth:equalTo:1", &["FULL"]),
        ("storage.maximumMessageLength:lessThanOrEqualTo:10", &["SMALL"]),
        ("storage.maximumDepth:greaterThan:5000", &[]),
        ("general.inhibitPut:equalTo:true", &["NOPUT"]),
        ("alias.targetName:equalTo:NO.SUCH.QUEUE", &["NOWHERE"]),
        ("alias.targetName:equalTo:NO*", &["NOWHERE"]),
        ("alias.targetName:notEqualTo:NO*", &["ALIAS"]),
        ("alias.targetType:equalTo:queue", &["ALIAS", "NOWHERE"]),
        ("type:equalTo:alias", &["ALIAS", "NOWHERE"]),
        ("name:equalTo:Q.*", &["Q.EMPTY"]),
        ("status.currentDepth:greaterThan:0", &["Q"]),
        ("general.inhibitPut:notEqualTo:false", &["NOPUT"]),
        ("timestamps.altered:lessThan:2001-01-01T00:00:00.000Z", &[]),
        ("events.serviceInterval.highEnabled:equalTo:true", &[]),
    ];
    for (filter, expected) in rows {
        assert_eq!(names(&server, &format!("?filter={filter}&name=*")), expected, "{filter}");
    }
    let shown = get(&server, &format!("{QUEUES}?filter=general.inhibitPut:equalTo:true&name=N*"));
    assert_eq!(shown, json!({"queue": [{"name": "NOPUT", "type": "local"}]}));
}

#[test]
fn offset_limit_and_sort_page_through_a_list() {
    let server = TestServer::start();
    assert_eq!(names(&server, "?name=N*&limit=1"), ["NOPUT"]);
    assert_eq!(names(&server, "?name=N*&offset=1&limit=5"), ["NOWHERE"]);
    assert_eq!(names(&server, "?name=N*&limit=0"), [] as [&str; 0]);
    assert_eq!(names(&server, "?sort=-name&type=alias"), ["NOWHERE", "ALIAS"]);
    assert_eq!(
        names(&server, "?sort=storage.maximumMessageLength&type=local&filter=name:notEqualTo:SYSTEM*&limit=2"),
        ["SMALL", "A/B"]
    );
    server.put("Q", MessageDescriptor::default(), "x");
    assert_eq!(names(&server, "?sort=-status.currentDepth&limit=1&filter=name:notEqualTo:SYSTEM*"), ["Q"]);
}

#[test]
fn a_list_that_has_not_changed_is_not_sent_again() {
    let server = TestServer::start();
    let path = format!("GET {QUEUES}?attributes=*&type=local");
    let ask = |user, path: &str, known: &str| send(&server, user, &format!("{path}\nif-none-match: {known}"), None);
    let first = send(&server, "admin", &path, None);
    let tag = first.header("etag").expect("a tag").to_owned();
    let again = ask("admin", &path, &tag);
    assert_eq!((again.status, again.header("etag"), again.body.len()), (304, Some(&*tag), 0));
    assert_eq!(ask("admin", &format!("GET {QUEUES}?attributes=*&type=alias"), &tag).status, 200);
    assert_eq!(ask("reader", &path, &format!("\"x\", W/{tag}")).status, 304);
    define(&server, "NEW", |_| {});
    assert_eq!(ask("admin", &path, &tag).status, 200);
    // What changes without a definition changing has no tag.
    let status = send(&server, "admin", &format!("GET {QUEUES}?status=*"), None);
    assert_eq!(status.header("etag"), None);
    let own = send(&server, "app", &format!("GET {QUEUES}"), None);
    assert_eq!(own.header("etag"), None);
}

#[test]
fn a_user_sees_what_its_authority_lets_it_see() {
    let server = TestServer::start();
    let shown = body(&send(&server, "app", &format!("GET {QUEUES}"), None));
    assert_eq!(shown, json!({"queue": [{"name": "PRIVATE", "type": "local"}]}));
    assert_eq!(send(&server, "app", &format!("GET {QUEUES}/PRIVATE"), None).status, 200);
    assert_eq!(refusal(&server, "app", &format!("GET {QUEUES}/Q"), None), (403, "MQWB0103E".to_owned(), 2035));
    for user in ["admin", "reader"] {
        assert_eq!(send(&server, user, &format!("GET {QUEUES}/Q"), None).status, 200, "{user}");
    }
    assert_eq!(refusal(&server, "nobody", &format!("GET {QUEUES}"), None), (403, "MQWB0108E".to_owned(), 0));
}

#[test]
fn what_does_not_exist_is_named_in_the_refusal() {
    let server = TestServer::start();
    let rows = [
        (format!("{QUEUES}/NO.SUCH"), 404, "MQWB0037E", 2085),
        (format!("{QUEUES}/q"), 404, "MQWB0037E", 2085),
        (format!("{QUEUES}/Q?type=alias"), 404, "MQWB0037E", 2085),
        (format!("{QUEUES}/a%20b"), 400, "MQWB0912E", 0),
        (format!("{QUEUES}/%FF"), 400, "MQWB0912E", 0),
        ("/ibmmq/rest/v1/admin/qmgr/NONE/queue".to_owned(), 404, "MQWB0009E", 2058),
        ("/ibmmq/rest/v2/admin/qmgr/QM1/queue".to_owned(), 404, "MQWB0901E", 0),
        ("/ibmmq/rest/v3/admin/qmgr/QM1/queue/Q".to_owned(), 404, "MQWB0901E", 0),
        (format!("{QUEUES}?attributes=nonsense"), 400, "MQWB0120E", 0),
        (format!("{QUEUES}?attributes=general.Description"), 400, "MQWB0120E", 0),
        (format!("{QUEUES}?status=currentDepth"), 400, "MQWB0120E", 0),
        (format!("{QUEUES}?applicationHandle=tag"), 400, "MQWB0120E", 0),
        (format!("{QUEUES}?filter=nonsense:equalTo:1"), 400, "MQWB0120E", 0),
        (format!("{QUEUES}?filter=storage.maximumDepth:equalTo:x"), 400, "MQWB0904E", 0),
        (format!("{QUEUES}?filter=storage.maximumDepth:about:5"), 400, "MQWB0904E", 0),
        (format!("{QUEUES}?filter=storage.maximumDepth"), 400, "MQWB0904E", 0),
        (format!("{QUEUES}?filter=type:lessThan:local"), 400, "MQWB0904E", 0),
        (format!("{QUEUES}?type=every"), 400, "MQWB0904E", 0),
        (format!("{QUEUES}?limit=-1"), 400, "MQWB0904E", 0),
        (format!("{QUEUES}?sort=nonsense"), 400, "MQWB0120E", 0),
        (format!("{QUEUES}?nonsense=1"), 400, "MQWB0903E", 0),
        (format!("{QUEUES}?commandScope=x"), 400, "MQWB0903E", 0),
        (format!("{QUEUES}?type=local&type=alias"), 400, "MQWB0903E", 0),
        (format!("{QUEUES}/Q?name=Q"), 400, "MQWB0903E", 0),
        (format!("{QUEUES}/Q?filter=name:equalTo:Q"), 400, "MQWB0903E", 0),
    ];
    for (path, status, id, reason) in rows {
        let refused = refusal(&server, "admin", &format!("GET {path}"), None);
        assert_eq!(refused, (status, id.to_owned(), reason), "{path}");
    }
}
