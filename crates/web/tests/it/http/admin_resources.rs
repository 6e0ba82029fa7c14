//! Installation, queue managers, subscriptions, gateways, and the paths of 9.0.1 to 9.0.3.

use expect_test::expect;
use model::definition::SubscriptionDefinition;
use model::definition::attribute::{self, JsonWord, Kind, ValueType};
use model::name::QueueName;
use serde_json::{Value, json};

use super::admin::{get, json as body, member, refusal, send};
use super::client;
use super::server::{TestServer, server_user};

const REST: &str = "/ibmmq/rest";

#[test]
fn the_installation_is_shown_by_every_version() {
    let server = TestServer::start();
    for version in ["v1", "v2", "v3"] {
        let path = format!("{REST}/{version}/admin/installation");
        let shown = json!({"installation": [{"name": "Installation1", "platform": "unix", "version": "9.4.2.0"}]});
        assert_eq!(get(&server, &path), shown);
        assert_eq!(get(&server, &format!("{path}/Installation1")), shown);
        let all = get(&server, &format!("{path}?attributes=*"));
        assert_eq!(all, get(&server, &format!("{path}?attributes=extended")));
        assert_eq!(
            all["installation"][0]["extended"],
            json!({
                "level": "test", "operatingSystem": "Linux 6", "description": "", "installationPath": "/opt/q",
                "dataPath": "/var/q", "maximumCommandLevel": 942, "primary": true
            })
        );
        let two = get(&server, &format!("{path}?attributes=extended.level,extended.primary"));
        assert_eq!(two["installation"][0]["extended"], json!({"level": "test", "primary": true}));
        let refused = |path: String| refusal(&server, "admin", &format!("GET {path}"), None);
        assert_eq!(refused(format!("{path}/Other")), (404, "MQWB0917E".to_owned(), 0));
        assert_eq!(refused(format!("{path}?attributes=level")), (400, "MQWB0120E".to_owned(), 0));
        assert_eq!(refused(format!("{path}?status=*")), (400, "MQWB0903E".to_owned(), 0));
    }
}

#[test]
fn definitions_are_written_as_mqsc_for_administrators_alone() {
    let server = TestServer::start();
    let path = format!("{REST}/v3/admin/qmgr/QM1/definitions");
    let written = |user: &str, query: &str| {
        let answer = send(&server, user, &format!("GET {path}{query}"), None);
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        answer.text()
    };
    let all = written("admin", "");
    assert!(all.contains("DEFINE QLOCAL('SMALL') +\n   MAXMSGL(10) +\n   REPLACE\n"), "{all}");
    assert_eq!(written("reader", ""), all);
    let lines = written("reader", "?type=queue&name=Q*&oneLine");
    let commands: Vec<_> = lines.lines().filter(|line| !line.starts_with('*') && !line.is_empty()).collect();
    assert!(!commands.is_empty() && commands.iter().all(|line| line.starts_with("DEFINE Q")), "{lines}");
    assert!(written("admin", "?allAttributes=true&includeDefaults=true").len() > all.len());
    let refused = |user: &str, path: String| refusal(&server, user, &format!("GET {path}"), None);
    assert_eq!(refused("app", path.clone()).0, 403);
    assert_eq!(refused("admin", format!("{path}?oneLine=perhaps")).0, 400);
    assert_eq!(refused("admin", format!("{path}?form=mqsc")), (400, "MQWB0903E".to_owned(), 0));
    assert_eq!(refused("admin", format!("{REST}/v3/admin/qmgr/QM9/definitions")).0, 404);
    assert_eq!(refused("admin", format!("{REST}/v1/admin/qmgr/QM1/definitions")).0, 404);
}

#[test]
fn queue_managers_are_listed_with_their_states() {
    let server = TestServer::start();
    for version in ["v1", "v2", "v3"] {
        let path = format!("{REST}/{version}/admin/qmgr");
        let answer = send(&server, "admin", &format!("GET {path}"), None);
        expect![[r#"
            {"qmgr": [{
              "name": "QM1",
              "state": "running"
            }]}"#]]
        .assert_eq(&answer.text());
        for same in [format!("{path}/"), format!("{path}/QM1"), format!("{path}?state=running")] {
            assert_eq!(get(&server, &same), body(&answer), "{same}");
        }
        assert_eq!(get(&server, &format!("{path}?state=ended")), json!({"qmgr": []}));
        let extended =
            json!({"installationName": "Installation1", "isDefaultQmgr": true, "permitStandby": "notPermitted"});
        for query in ["?attributes=*", "?attributes=extended"] {
            assert_eq!(get(&server, &format!("{path}/QM1{query}"))["qmgr"][0]["extended"], extended);
        }
        let one = get(&server, &format!("{path}?attributes=extended.isDefaultQmgr"));
        assert_eq!(one["qmgr"][0], json!({"name": "QM1", "state": "running", "extended": {"isDefaultQmgr": true}}));
        let status = get(&server, &format!("{path}/QM1?status=*"))["qmgr"][0]["status"].clone();
        assert_eq!(status["ldapConnectionState"], "disconnected");
        assert_eq!(status["publishSubscribeState"], "running");
        assert!(["running", "stopped"].contains(&status["channelInitiatorState"].as_str().expect("a text")));
        assert!(
            status["connectionCount"].is_u64() && status["started"].as_str().is_some_and(|at| at.ends_with(".000Z"))
        );
        assert_eq!(status.as_object().map(serde_json::Map::len), Some(5));
        let one = get(&server, &format!("{path}?status=status.publishSubscribeState"));
        assert_eq!(one["qmgr"][0]["status"], json!({"publishSubscribeState": "running"}));
    }
}

#[test]
fn what_is_wrong_with_a_request_for_queue_managers_is_named() {
    let server = TestServer::start();
    let rows = [
        ("/NONE", 404, "MQWB0009E", 2058),
        ("/qm1", 404, "MQWB0009E", 2058),
        ("/QM1?state=running", 400, "MQWB0903E", 0),
        ("?state=asleep", 400, "MQWB0904E", 0),
        ("?status=nonsense", 400, "MQWB0120E", 0),
        ("?attributes=status", 400, "MQWB0120E", 0),
        ("?nonsense", 400, "MQWB0903E", 0),
    ];
    for (tail, status, id, reason) in rows {
        let request = format!("GET {REST}/v2/admin/qmgr{tail}");
        assert_eq!(refusal(&server, "admin", &request, None), (status, id.to_owned(), reason), "{tail}");
    }
    // Anybody with a role may see that it runs; its status is for those who may display it.
    let path = format!("{REST}/v1/admin/qmgr");
    assert_eq!(send(&server, "app", &format!("GET {path}"), None).status, 200);
    let refused = refusal(&server, "app", &format!("GET {path}/QM1?status=*"), None);
    assert_eq!(refused, (403, "MQWB0103E".to_owned(), 2035));
    assert_eq!(body(&send(&server, "app", &format!("GET {path}?status=*"), None))["qmgr"][0]["status"], Value::Null);
    assert_eq!(refusal(&server, "nobody", &format!("GET {path}"), None).1, "MQWB0108E");
}

#[test]
fn a_gateway_is_a_queue_manager_of_this_server() {
    let server = TestServer::start();
    let ask = |path: &str, gateway: &str| {
        send(
            &server,
            "admin",
            &format!("GET {REST}/v1/admin/qmgr/QM1{path}\nibm-mq-rest-gateway-qmgr: {gateway}"),
            None,
        )
    };
    for path in ["", "/queue/Q", "/subscription"] {
        let answer = ask(path, "QM1");
        assert_eq!((answer.status, answer.header("ibm-mq-rest-gateway-qmgr")), (200, Some("QM1")), "{path}");
        let unknown = ask(path, "GATE");
        assert_eq!((unknown.status, unknown.error_id()), (404, "MQWB0009E".to_owned()));
        assert!(unknown.text().contains("'GATE'"), "{}", unknown.text());
    }
    // Through a gateway neither state nor extended attributes are known.
    assert_eq!(body(&ask("", "QM1")), json!({"qmgr": [{"name": "QM1"}]}));
    assert_eq!(ask("?attributes=*", "QM1").status, 400);
}

#[test]
fn the_paths_of_9_0_lead_to_the_same_resources() {
    let server = TestServer::start();
    for path in
        ["installation", "installation/Installation1", "qmgr", "qmgr/QM1?status=*", "qmgr/QM1/queue?attributes=*"]
    {
        let old = get(&server, &format!("{REST}/v1/{path}"));
        let new = get(&server, &format!("{REST}/v1/admin/{path}"));
        assert_eq!(old, new, "{path}");
    }
    assert_eq!(refusal(&server, "admin", &format!("GET {REST}/v2/qmgr"), None).0, 404);
}

#[test]
fn changes_by_the_paths_of_9_0_need_the_token_of_the_cookie() {
    let server = TestServer::start();
    let login = client::plain(&server).exchange(&format!("GET {REST}/v1/login\n{}", client::basic("admin", "adminpw")));
    let cookie = login.headers.iter().find_map(|(name, value)| {
        let pair = value.split(';').next()?;
        (name == "set-cookie" && pair.starts_with("csrfToken=")).then(|| pair.to_owned())
    });
    let cookie = cookie.expect("a cookie");
    let token = cookie.trim_start_matches("csrfToken=").to_owned();
    let new = json!({"name": "OLD.NEW"});
    let post = |header: &str| {
        let request = format!("POST {REST}/v1/qmgr/QM1/queue\ncookie: {cookie}\nibm-mq-rest-csrf-token: {header}");
        send(&server, "admin", &request, Some(&new))
    };
    let refused = post("x");
    assert_eq!((refused.status, refused.error_id()), (403, "MQWB0101E".to_owned()));
    let answer = post(&token);
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(answer.header("location"), Some("http://localhost/ibmmq/rest/v1/qmgr/QM1/queue/OLD.NEW"));
}

#[test]
fn subscriptions_are_listed_and_found_by_name_and_identifier() {
    let server = TestServer::start();
    let path = format!("{REST}/v1/admin/qmgr/QM1/subscription");
    let of = |query: &str| get(&server, &format!("{path}{query}"))["subscription"].clone();
    let sport = of("/SPORT")[0].clone();
    assert_eq!((&sport["name"], &sport["resolvedTopicString"]), (&json!("SPORT"), &json!("sport/#")));
    assert_eq!(sport.as_object().map(serde_json::Map::len), Some(3));
    let id = sport["id"].as_str().expect("an identifier");
    assert_eq!(id.len(), 48);
    assert_eq!(of(&format!("?id={id}")), json!([sport]));
    assert_eq!(of("?name=SP*"), json!([sport]));
    assert_eq!(of("?filter=destination.name:equalTo:SUBSCRIBED"), json!([sport]));
    assert_eq!(of("?name=NONE*"), json!([]));
    let all = of("/SPORT?attributes=*")[0].clone();
    assert_eq!(all["topic"], json!({"name": "", "definedString": "sport/#"}));
    assert_eq!(all["destination"]["name"], "SUBSCRIBED");
    assert_eq!(all["destination"]["isManaged"], false);
    assert_eq!(all["selector"], json!({"value": "", "type": "none"}));
    assert_eq!(of("/SPORT?attributes=topic.definedString")[0]["topic"], json!({"definedString": "sport/#"}));
    for row in attribute::of(Kind::Subscription) {
        let Some(json) = row.json else { continue };
        let found = member(&all, json);
        let good = match row.value {
            ValueType::Integer { .. } => found.is_i64() || found.is_string(),
            ValueType::Choice(words) => words.iter().any(|word| match word.json {
                JsonWord::Text(text) => found == text,
                JsonWord::Bool(truth) => found == truth,
                JsonWord::Member(_) | JsonWord::None => false,
            }),
            _ => found.is_string(),
        };
        assert!(good, "{json}: {found}");
    }
}

#[test]
fn a_subscription_with_a_topic_object_shows_its_own_part_of_the_topic_string() {
    let server = TestServer::start();
    let topic = model::definition::TopicDefinition {
        name: QueueName::literal("NEWS"),
        topic_string: "news".to_owned(),
        ..model::definition::TopicDefinition::default()
    };
    server.block_on(server.queue_manager.define_topic(&server_user(), topic, false)).expect("a topic");
    let definition = SubscriptionDefinition {
        name: "a/b c".to_owned(),
        topic_object: QueueName::literal("NEWS"),
        topic_string: "news/today".to_owned(),
        destination: QueueName::literal("Q"),
        ..SubscriptionDefinition::default()
    };
    server.block_on(server.queue_manager.define_subscription(&server_user(), definition, false)).expect("one");
    let path = format!("{REST}/v1/admin/qmgr/QM1/subscription/a%2Fb%20c?attributes=topic");
    let shown = get(&server, &path)["subscription"][0].clone();
    assert_eq!(shown["topic"], json!({"name": "NEWS", "definedString": "today"}));
    assert_eq!(shown["resolvedTopicString"], "news/today");
}

#[test]
fn what_is_wrong_with_a_request_for_subscriptions_is_named() {
    let server = TestServer::start();
    let path = format!("{REST}/v1/admin/qmgr/QM1/subscription");
    let rows = [
        (format!("{path}/NONE"), 404, "MQWB0037E", 2085),
        (format!("{path}?id={}", "0".repeat(48)), 404, "MQWB0037E", 2085),
        (format!("{path}?id=12"), 400, "MQWB0904E", 0),
        (format!("{path}?attributes=nonsense"), 400, "MQWB0120E", 0),
        (format!("{path}/SPORT?name=S*"), 400, "MQWB0903E", 0),
        (format!("{path}?status=*"), 400, "MQWB0903E", 0),
        (format!("{REST}/v2/admin/qmgr/QM1/subscription"), 404, "MQWB0901E", 0),
    ];
    for (path, status, id, reason) in rows {
        let refused = refusal(&server, "admin", &format!("GET {path}"), None);
        assert_eq!(refused, (status, id.to_owned(), reason), "{path}");
    }
    assert_eq!(refusal(&server, "app", &format!("GET {path}"), None), (403, "MQWB0103E".to_owned(), 2035));
}
