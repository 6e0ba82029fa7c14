//! GET of channels: which there are, what each attribute is called and holds, instances that run.

use model::authority::{Authority, AuthorityObject};
use model::definition::AdministeredObject;
use model::definition::attribute::{self, JsonWord, Kind, ValueType};
use model::name::ObjectName;
use queue_manager::channel_status::{ChannelInstance, ChannelState};
use serde_json::{Value, json};

use super::admin::{get, json as body, member, refusal, send};
use super::server::{TestServer, server_user};

const CHANNELS: &str = "/ibmmq/rest/v1/admin/qmgr/QM1/channel";

const TYPES: [(Kind, &str); 6] = [
    (Kind::SenderChannel, "sender"),
    (Kind::ReceiverChannel, "receiver"),
    (Kind::ServerChannel, "server"),
    (Kind::RequesterChannel, "requester"),
    (Kind::ClusterSender, "clusterSender"),
    (Kind::ClusterReceiver, "clusterReceiver"),
];

/// One channel of each type that is shown, named after it, and one for clients.
fn with_channels() -> TestServer {
    let server = TestServer::start();
    for (kind, word) in TYPES {
        define(&server, kind, &format!("THE.{word}"));
    }
    define(&server, Kind::ServerConnection, "THE.client");
    server
}

fn define(server: &TestServer, kind: Kind, name: &str) {
    let mut object = AdministeredObject::blank(kind).expect("a channel");
    object.set_name(ObjectName::literal(name));
    if let AdministeredObject::Channel(channel) = &mut object {
        channel.connection_name = "there(1415),elsewhere".to_owned();
        channel.transmission_queue = ObjectName::literal("Q");
    }
    server.block_on(server.queue_manager.define_object(&server_user(), object, true)).expect("defined");
}

fn names(server: &TestServer, query: &str) -> Vec<String> {
    let all = get(server, &format!("{CHANNELS}{query}"));
    let all = all["channel"].as_array().expect("an array").iter();
    let names = all.map(|channel| channel["name"].as_str().expect("a name").to_owned());
    names.filter(|name| name.starts_with("THE.")).collect()
}

#[test]
fn without_parameters_a_channel_shows_what_leads_to_its_partner() {
    let server = with_channels();
    let connection = json!([{"host": "there", "port": 1415}, {"host": "elsewhere", "port": 1414}]);
    for (_, word) in TYPES {
        let mut expected = json!({"name": format!("THE.{word}"), "type": word});
        match word {
            "sender" | "server" => expected[word] = json!({"connection": connection, "transmissionQueueName": "Q"}),
            "requester" => expected[word] = json!({"connection": connection}),
            "receiver" => {}
            _ => expected[word] = json!({"connection": connection, "clusterName": "", "clusterNamelist": ""}),
        }
        assert_eq!(get(&server, &format!("{CHANNELS}/THE.{word}")), json!({"channel": [expected]}));
    }
    // The published answer for a channel without a partner.
    let shown = get(&server, &format!("{CHANNELS}/SYSTEM.DEF.SENDER"));
    assert_eq!(
        shown,
        json!({"channel": [{
            "sender": {"transmissionQueueName": "", "connection": []}, "name": "SYSTEM.DEF.SENDER", "type": "sender"
        }]})
    );
}

#[test]
fn every_attribute_of_the_table_has_its_path_its_type_and_its_words() {
    let server = with_channels();
    for (kind, word) in TYPES {
        let shown = get(&server, &format!("{CHANNELS}/THE.{word}?attributes=*"))["channel"][0].clone();
        for row in attribute::of(kind) {
            let Some(path) = row.json else { continue };
            let found = member(&shown, path);
            let good = match row.value {
                _ if path.ends_with(".connection") => found.is_array(),
                ValueType::Choice(words) => words.iter().any(|word| match word.json {
                    JsonWord::Text(text) => found == text,
                    JsonWord::Bool(truth) => found == truth,
                    JsonWord::Member(_) | JsonWord::None => false,
                }),
                ValueType::Integer { words: [], .. } => found.is_i64(),
                ValueType::Integer { .. } => found.is_i64() || found.is_string() || found.is_boolean(),
                ValueType::Names { .. } | ValueType::Texts { .. } | ValueType::Words { .. } => found.is_array(),
                _ => found.is_string(),
            };
            assert!(good, "{kind:?} {path}: {found}");
            let alone = get(&server, &format!("{CHANNELS}/THE.{word}?attributes={path}"))["channel"][0].clone();
            assert_eq!(member(&alone, path), found, "{kind:?} {path}");
        }
    }
}

#[test]
fn lists_leave_out_channels_of_clients_and_are_chosen_by_type_name_and_filter() {
    let server = with_channels();
    let all = names(&server, "");
    assert_eq!(
        all,
        ["THE.clusterReceiver", "THE.clusterSender", "THE.receiver", "THE.requester", "THE.sender", "THE.server"]
    );
    assert_eq!(names(&server, "?type=all"), all);
    for (_, word) in TYPES {
        assert_eq!(names(&server, &format!("?type={word}")), [format!("THE.{word}")]);
    }
    assert_eq!(names(&server, "?name=THE.se*"), ["THE.sender", "THE.server"]);
    assert_eq!(names(&server, "?filter=sender.transmissionQueueName:equalTo:Q"), ["THE.sender"]);
    assert_eq!(names(&server, "?name=THE*&sort=-name&offset=1&limit=1"), ["THE.sender"]);
    assert_eq!(get(&server, &format!("{CHANNELS}?name=NONE*")), json!({"channel": []}));
}

#[test]
fn instances_that_run_are_arrays_of_the_channel() {
    let server = with_channels();
    let of = |query: &str| get(&server, &format!("{CHANNELS}/THE.sender{query}"))["channel"][0].clone();
    let idle = of("?status=*");
    assert_eq!((&idle["currentStatus"], &idle["savedStatus"]), (&json!([]), &json!([])));
    let handle = server.queue_manager.register_channel(ChannelInstance {
        channel: "THE.sender".to_owned(),
        channel_type: "SDR",
        connection_name: "there(1415)".to_owned(),
        state: ChannelState::Running,
        ..ChannelInstance::default()
    });
    let handle = handle.expect("the channel is not stopped");
    let general = &of("?status=currentStatus")["currentStatus"][0]["general"];
    assert_eq!(general["state"], "running");
    assert_eq!(general["connection"], json!([{"host": "there", "port": 1415}]));
    assert_eq!(of("?status=currentStatus.general.state")["currentStatus"], json!([{"general": {"state": "running"}}]));
    assert_eq!(of("?status=savedStatus")["currentStatus"], Value::Null);
    drop(handle);
    assert_eq!(of("?status=*")["currentStatus"], json!([]));
}

#[test]
fn what_does_not_exist_is_named_in_the_refusal() {
    let server = with_channels();
    let rows = [
        (format!("{CHANNELS}/NONE"), 404, "MQWB0037E", 2085),
        (format!("{CHANNELS}/THE.client"), 404, "MQWB0037E", 2085),
        (format!("{CHANNELS}/THE.sender?type=server"), 404, "MQWB0037E", 2085),
        (format!("{CHANNELS}/A.NAME.OF.21.LETTERS.X"), 400, "MQWB0912E", 0),
        (format!("{CHANNELS}?type=serverConnection"), 400, "MQWB0904E", 0),
        (format!("{CHANNELS}?attributes=nonsense"), 400, "MQWB0120E", 0),
        (format!("{CHANNELS}?status=nonsense"), 400, "MQWB0120E", 0),
        (format!("{CHANNELS}?filter=sender.connection:equalTo:x"), 400, "MQWB0904E", 0),
        (format!("{CHANNELS}/THE.sender?name=T*"), 400, "MQWB0903E", 0),
        ("/ibmmq/rest/v2/admin/qmgr/QM1/channel".to_owned(), 404, "MQWB0901E", 0),
    ];
    for (path, status, id, reason) in rows {
        let refused = refusal(&server, "admin", &format!("GET {path}"), None);
        assert_eq!(refused, (status, id.to_owned(), reason), "{path}");
    }
}

#[test]
fn a_user_sees_what_its_authority_lets_it_see() {
    let server = with_channels();
    let list = |user: &str| body(&send(&server, user, &format!("GET {CHANNELS}?name=THE*"), None));
    assert_eq!(list("other"), json!({"channel": []}));
    let request = format!("GET {CHANNELS}/THE.receiver");
    assert_eq!(refusal(&server, "other", &request, None), (403, "MQWB0103E".to_owned(), 2035));
    server.grant("THE.receiver", AuthorityObject::Channel, Authority::DISPLAY);
    assert_eq!(list("other"), json!({"channel": [{"name": "THE.receiver", "type": "receiver"}]}));
    assert_eq!(send(&server, "other", &request, None).status, 200);
    assert_eq!(send(&server, "reader", &request, None).status, 200);
}
