//! What is wrong, as `/api/v1` tells it: who sees which problems, muting, and the events of live streams.

use model::descriptor::MessageDescriptor;
use serde_json::{Value, json};

use super::client::{self, Answer, Client};
use super::live::Events;
use super::server::TestServer;

const LIST: &str = "/api/v1/qmgr/QM1/problems";
const APP: &str = "authorization: Basic YXBwOnNlY3JldA==";
const OTHER: &str = "authorization: Basic b3RoZXI6b3RoZXJwdw==";
const ADMIN: &str = "authorization: Basic YWRtaW46YWRtaW5wdw==";
const READER: &str = "authorization: Basic cmVhZGVyOnJlYWRlcnB3";
const NOBODY: &str = "authorization: Basic bm9ib2R5Om5vYm9keXB3";

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

fn list(client: &mut Client, who: &str) -> Vec<Value> {
    let answer = client.exchange(&format!("GET {LIST}\n{who}\n\n"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    value(&answer)["problems"].as_array().expect("a list").clone()
}

fn ids(problems: &[Value]) -> Vec<&str> {
    problems.iter().map(|problem| problem["id"].as_str().expect("an id")).collect()
}

fn mute(client: &mut Client, who: &str, id: &str, body: &str) -> Answer {
    let length = body.len();
    client.exchange(&format!(
        "PUT {LIST}/{id}/mute\n{who}\ncontent-type: application/json\ncontent-length: {length}\n\n{body}"
    ))
}

fn unmute(client: &mut Client, who: &str, id: &str) -> Answer {
    client.exchange(&format!("DELETE {LIST}/{id}/mute\n{who}\n\n"))
}

fn fill(server: &TestServer) {
    // Nothing else is wrong: the command server runs.
    std::mem::forget(server.queue_manager.command_server().serving());
    server.put("FULL", MessageDescriptor::default(), "x");
}

#[test]
fn each_user_gets_the_problems_of_what_it_may_see() {
    let server = TestServer::start();
    fill(&server);
    let mut client = client::plain(&server);
    for who in [ADMIN, READER, APP] {
        let problems = list(&mut client, who);
        assert_eq!(ids(&problems), ["queue-full:FULL"], "{who}");
        assert_eq!(problems[0]["object"], json!({ "type": "queue", "name": "FULL" }));
        let counted = |name: &str| problems[0]["values"][name].clone();
        assert_eq!((counted("depth"), counted("max"), counted("readers")), (json!(1), json!(1), json!(0)));
        assert_eq!(problems[0]["next"][0]["action"], "messages");
    }
    assert!(list(&mut client, OTHER).is_empty(), "it may neither inquire nor display the queue");
    assert_eq!(client.exchange(&format!("GET {LIST}\n{NOBODY}\n\n")).status, 403);
    assert_eq!(client.exchange(&format!("GET /api/v1/qmgr/QM9/problems\n{ADMIN}\n\n")).status, 404);
    assert_eq!(client.exchange(&format!("GET {LIST}?a=b\n{ADMIN}\n\n")).status, 400);
}

#[test]
fn a_muted_problem_says_until_when_and_a_user_who_does_not_see_it_cannot_mute_it() {
    let server = TestServer::start();
    fill(&server);
    let mut client = client::plain(&server);
    let id = "queue-full%3AFULL";
    assert_eq!(mute(&mut client, OTHER, id, r#"{"for":"1h"}"#).status, 404);
    for wrong in [r#"{"for":"ever"}"#, r#"{"for":"0s"}"#, r#"{"for":"31d"}"#, "{}", r#"{"for":"1h","to":1}"#] {
        assert_eq!(mute(&mut client, APP, id, wrong).status, 400, "{wrong}");
    }
    let muted = value(&mute(&mut client, APP, id, r#"{"for":"1h"}"#));
    assert!(muted["mutedUntil"].as_str().is_some_and(|until| until.ends_with('Z')), "{muted}");
    assert_eq!(list(&mut client, ADMIN)[0]["mutedUntil"], muted["mutedUntil"], "for everybody");
    assert_eq!(value(&mute(&mut client, READER, id, r#"{"for":"change"}"#))["mutedUntil"], "change");
    assert_eq!(unmute(&mut client, OTHER, id).status, 404);
    assert_eq!(value(&unmute(&mut client, ADMIN, id))["mutedUntil"], Value::Null);
    assert_eq!(unmute(&mut client, ADMIN, "queue-full%3AQ").status, 404);
}

#[test]
fn a_stream_that_watches_problems_is_told_when_one_begins_is_muted_and_ends() {
    let server = TestServer::start();
    let (mut events, mut other) = (Events::open(&server, APP), Events::open(&server, OTHER));
    assert_eq!(events.watch(&server, APP, &json!({ "problems": true })).status, 200);
    assert_eq!(other.watch(&server, OTHER, &json!({ "problems": true })).status, 200);
    fill(&server);
    let (name, begun) = events.next();
    assert_eq!((&*name, &begun["id"], &begun["qmgr"]), ("problem", &json!("queue-full:FULL"), &json!("QM1")));
    assert_eq!((&begun["severity"], &begun["mutedUntil"]), (&json!("error"), &Value::Null));
    mute(&mut client::plain(&server), APP, "queue-full%3AFULL", r#"{"for":"change"}"#);
    assert_eq!(events.next().1["mutedUntil"], "change");
    server.take_all("FULL");
    let (name, ended) = events.next();
    assert_eq!((&*name, ended), ("problem", json!({ "qmgr": "QM1", "id": "queue-full:FULL", "gone": true })));
    // News are sent before rows: the one who does not see the queue was told none.
    assert_eq!(other.watch(&server, OTHER, &json!({ "problems": true, "qmgrs": true })).status, 200);
    assert_eq!(other.next().0, "row");
}

/// One MQSC command by the administrative API.
fn mqsc(client: &mut Client, who: &str, command: &str) {
    let body = json!({ "type": "runCommand", "parameters": { "command": command } }).to_string();
    let length = body.len();
    let answer = client.exchange(&format!(
        "POST /ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc\n{who}\nibm-mq-rest-csrf-token: any\ncontent-type: application/json\ncontent-length: {length}\n\n{body}"
    ));
    assert_eq!(value(&answer)["overallCompletionCode"], 0, "{command}: {}", answer.text());
}

fn changes(client: &mut Client, who: &str, query: &str) -> Value {
    let answer = client.exchange(&format!("GET /api/v1/qmgr/QM1/changes{query}\n{who}\n\n"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    value(&answer)
}

#[test]
fn changes_tell_who_changed_what_and_how_it_was_before() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(
        changes(&mut client, ADMIN, ""),
        json!({ "changes": [], "isComplete": true }),
        "the server makes its own"
    );
    for command in [
        "DEFINE QLOCAL(NEW) DESCR('first')",
        "ALTER QLOCAL(NEW) MAXDEPTH(7)",
        "ALTER QLOCAL(NEW) MAXDEPTH(7)",
        "ALTER QMGR DESCR('changed')",
        "SET AUTHREC PROFILE(NEW) OBJTYPE(QUEUE) PRINCIPAL('other') AUTHADD(DSP)",
        "SET CHLAUTH(APP.*) TYPE(ADDRESSMAP) ADDRESS('192.0.2.*') USERSRC(NOACCESS)",
        "DEFINE AUTHINFO(LDAP) AUTHTYPE(IDPWLDAP) CONNAME('ldap') LDAPUSER('cn=x') LDAPPWD('secret word') SHORTUSR('uid')",
        "DELETE AUTHINFO(LDAP)",
        "DELETE QLOCAL(NEW)",
    ] {
        mqsc(&mut client, ADMIN, command);
    }
    let list = changes(&mut client, READER, "?limit=1000");
    let what = |change: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text(&change["what"]), text(&change["object"]["type"]), text(&change["object"]["name"]))
    };
    let all: Vec<String> = list["changes"].as_array().expect("a list").iter().map(what).collect();
    assert_eq!(
        all,
        [
            "delete queue NEW",
            "delete authinfo LDAP",
            "create authinfo LDAP",
            "create chlauth APP.*",
            "create authrec NEW",
            "change qmgr QM1",
            "change queue NEW",
            "create queue NEW",
        ],
        "a command that changes nothing is no change"
    );
    let change = &list["changes"][6];
    assert_eq!((&change["user"], &change["by"]), (&json!("admin"), &json!("REST")));
    assert_eq!((&change["before"]["MAXDEPTH"], &change["after"]), (&json!("5000"), &json!({ "MAXDEPTH": "7" })));
    assert_eq!(change["mqsc"], "ALTER QLOCAL(NEW) MAXDEPTH(7)");
    assert_eq!(list["changes"][7]["after"]["DESCR"], "first");
    assert_eq!(list["changes"][4]["after"]["AUTHLIST"], "DSP");
    assert!(
        list["changes"][3]["after"]["CHLAUTH"].as_str().is_some_and(|line| line.starts_with("SET CHLAUTH('APP.*')"))
    );
    assert!(!list.to_string().contains("secret word"), "{list}");
    // A user sees the changes of what it may see.
    let own: Vec<String> =
        changes(&mut client, APP, "")["changes"].as_array().expect("a list").iter().map(what).collect();
    assert_eq!(own, ["delete queue NEW", "change queue NEW", "create queue NEW"]);
    let page = changes(&mut client, ADMIN, "?limit=2");
    assert_eq!((page["changes"].as_array().map(Vec::len), &page["isComplete"]), (Some(2), &json!(false)));
    assert_eq!(changes(&mut client, ADMIN, "?since=2099-01-01T00:00:00Z")["changes"], json!([]));
}

#[test]
fn a_service_without_a_responder_is_a_problem_and_its_activity_shows_what_callers_got() {
    let server = TestServer::start();
    std::mem::forget(server.queue_manager.command_server().serving());
    server.deploy_loan("waitInterval=20");
    let mut client = client::plain(&server);
    let body = include_str!("../vectors/loan/request.json");
    for _ in 0..3 {
        let length = body.len();
        let answer = client.exchange(&format!(
            "POST /zosConnect/services/loanService?action=invoke\n{APP}\ncontent-type: application/json\ncontent-length: {length}\n\n{body}"
        ));
        assert_eq!(answer.status, 204, "{}", answer.text());
    }
    let answer = client.exchange(&format!("GET /api/v1/activity\n{READER}\n\n"));
    let activity = value(&answer);
    let service = &activity["services"][0];
    assert_eq!((&service["name"], &service["state"]), (&json!("loanService"), &json!("started")));
    assert_eq!(
        (&service["requests"], &service["unanswered"], &service["recent"]["unanswered"]),
        (&json!(3), &json!(3), &json!(3))
    );
    assert_eq!((service["errors"].as_array().map(Vec::len), &service["errors"][0]["status"]), (Some(3), &json!(204)));
    assert!(service["recent"]["p50"].as_f64().is_some_and(|milliseconds| milliseconds >= 20.0), "{service}");
    assert_eq!(client.exchange(&format!("GET /api/v1/activity\n{APP}\n\n")).status, 403);
    let problems = list(&mut client, ADMIN);
    let problem = problems.iter().find(|problem| problem["rule"] == "service-failing").expect("told");
    assert_eq!((&problem["values"]["queue"], &problem["values"]["responders"]), (&json!("Q"), &json!(0)));
    // It is the server's, and not for users.
    assert!(list(&mut client, APP).iter().all(|problem| problem["rule"] != "service-failing"));
}
