//! A queue manager of a queue-sharing group over REST, and one of none.

use std::sync::Arc;

use model::group::GroupName;
use model::name::QueueManagerName;
use queue_manager::registry::State;
use queue_manager::{GroupOptions, Home, QueueManager, StartOptions, SystemClock};
use serde_json::{Value, json};
use storage::StoreOptions;

use super::admin::{get, json as body, member, refusal, send};
use super::server::TestServer;

/// QM1, which is in no group, and QM2, the one member of QSG1, with structure APP1.
fn server() -> TestServer {
    let server = TestServer::start();
    let options = StartOptions {
        name: QueueManagerName::parse("QM2").expect("a name"),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "server".to_owned(),
    };
    let group = GroupOptions { name: GroupName::parse("QSG1").expect("a name"), database: None };
    let second = QueueManager::start_member(options, group).expect("a member");
    server.queue_managers.enter(second.name(), State::Starting).expect("new");
    server.queue_managers.started(second);
    server.web.queue_managers_changed();
    let made = mqsc(&server, "QM2", "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)");
    assert_eq!(made["overallCompletionCode"], 0, "{made}");
    server
}

fn mqsc(server: &TestServer, manager: &str, command: &str) -> Value {
    let asked = json!({"type": "runCommand", "parameters": {"command": command}});
    body(&send(server, "admin", &format!("POST v2/admin/action/qmgr/{manager}/mqsc"), Some(&asked)))
}

fn queues(manager: &str) -> String {
    format!("/ibmmq/rest/v1/admin/qmgr/{manager}/queue")
}

fn shared(name: &str) -> Value {
    json!({"name": name, "type": "local", "queueSharingGroup": {"disposition": "shared", "structureName": "APP1"}})
}

#[test]
fn a_shared_queue_is_made_and_shown_with_its_structure() {
    let server = server();
    let answer = send(&server, "admin", &format!("POST {}", queues("QM2")), Some(&shared("ORDERS")));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let shown = get(&server, &format!("{}/ORDERS?attributes=*", queues("QM2")));
    let queue = &shown["queue"][0];
    assert_eq!(member(queue, "queueSharingGroup.disposition"), "shared");
    assert_eq!(member(queue, "queueSharingGroup.structureName"), "APP1");
    let text = mqsc(&server, "QM2", "DISPLAY QLOCAL(ORDERS) CFSTRUCT QSGDISP").to_string();
    assert!(text.contains("QSGDISP(SHARED)") && text.contains("CFSTRUCT(APP1)"), "{text}");
}

#[test]
fn a_path_with_the_groups_name_leads_to_its_member() {
    let server = server();
    let answer = send(&server, "admin", &format!("POST {}", queues("QSG1")), Some(&shared("ORDERS")));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let shown = get(&server, &format!("{}/ORDERS", queues("QM2")));
    assert_eq!(shown["queue"][0]["name"], "ORDERS");
    let browsed = get(&server, "/api/v1/qmgr/QSG1/queue/ORDERS/messages");
    assert_eq!(browsed["messages"], json!([]));
}

#[test]
fn a_group_without_a_database_is_shown_with_its_structures_to_administrators_and_readers() {
    let server = server();
    let group = get(&server, "/api/v1/qmgr/QM2/group");
    assert_eq!(
        (&group["name"], &group["member"], &group["hasDatabase"]),
        (&json!("QSG1"), &json!("QM2"), &json!(false))
    );
    let structure = &group["structures"][0];
    assert_eq!(
        (&structure["name"], &structure["recover"], &structure["queues"]),
        (&json!("APP1"), &json!(true), &json!(0))
    );
    assert_eq!(send(&server, "reader", "GET /api/v1/qmgr/QM2/group", None).status, 200);
    assert_eq!(send(&server, "app", "GET /api/v1/qmgr/QM2/group", None).status, 403);
    assert_eq!(send(&server, "admin", "GET /api/v1/qmgr/QM1/group", None).status, 404);
    let session = get(&server, "/api/v1/session");
    let groups: Vec<&Value> = session["qmgrs"].as_array().expect("a list").iter().map(|one| &one["group"]).collect();
    assert_eq!(groups, [&json!(null), &json!("QSG1")]);
}

#[test]
fn a_list_of_queues_shows_disposition_and_structure_in_a_group_alone() {
    let server = server();
    let made = send(&server, "admin", &format!("POST {}", queues("QM2")), Some(&shared("ORDERS")));
    assert_eq!(made.status, 201, "{}", made.text());
    let list = |path: &str| get(&server, &format!("/api/v1/qmgr/{path}"))["rows"].clone();
    let columns = "columns=name,disposition,structure";
    assert_eq!(list(&format!("QM2/queues?{columns}&where=structure=APP1")), json!([["ORDERS", "shared", "APP1"]]));
    assert_eq!(list(&format!("QM2/queues?{columns}&sort=structure&limit=1")), json!([["ORDERS", "shared", "APP1"]]));
    let private = list("QM2/queues?columns=name&where=disposition=qmgr&where=name=ORDERS");
    assert_eq!(private, json!([]));
    assert_eq!(list(&format!("QM1/queues?{columns}&where=name=Q")), json!([["Q", null, null]]));
}

#[test]
fn a_queue_of_a_member_that_says_nothing_is_private() {
    let server = server();
    let answer =
        send(&server, "admin", &format!("POST {}", queues("QM2")), Some(&json!({"name": "MINE", "type": "local"})));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let shown = get(&server, &format!("{}/MINE?attributes=*", queues("QM2")));
    assert_eq!(member(&shown["queue"][0], "queueSharingGroup.disposition"), "qmgr");
}

#[test]
fn a_queue_manager_of_no_group_does_not_know_the_attributes() {
    let server = server();
    let (status, _, _) = refusal(&server, "admin", &format!("POST {}", queues("QM1")), Some(&shared("ORDERS")));
    assert_eq!(status, 400);
    let shown = get(&server, &format!("{}/Q?attributes=*", queues("QM1")));
    assert!(shown["queue"][0].get("queueSharingGroup").is_none(), "{shown}");
    let (status, _, _) =
        refusal(&server, "admin", &format!("GET {}?attributes=queueSharingGroup.disposition", queues("QM1")), None);
    assert_eq!(status, 400);
}

#[test]
fn a_command_scope_names_the_members_that_change_a_queue_and_the_answer_names_them_too() {
    let server = server();
    let queue = json!({"name": "MINE", "type": "local", "general": {"description": "one's"}});
    let made = send(&server, "admin", &format!("POST {}?commandScope=*", queues("QM2")), Some(&queue));
    assert_eq!((made.status, made.header("ibm-mq-qmgrs")), (201, Some("QM2")), "{}", made.text());
    let change = json!({"general": {"description": "two"}});
    let altered = send(&server, "admin", &format!("PATCH {}/MINE?commandScope=QM2", queues("QM2")), Some(&change));
    assert_eq!((altered.status, altered.header("ibm-mq-qmgrs")), (204, Some("QM2")), "{}", altered.text());
    let shown = get(&server, &format!("{}/MINE?attributes=general", queues("QM2")));
    assert_eq!(member(&shown["queue"][0], "general.description"), "two");
    let (status, _, reason) =
        refusal(&server, "admin", &format!("POST {}?commandScope=QM9", queues("QM2")), Some(&queue));
    assert_eq!((status, reason), (400, 3225), "not active");
    let (status, _, reason) =
        refusal(&server, "admin", &format!("POST {}?commandScope=*", queues("QM2")), Some(&shared("ORDERS")));
    assert_eq!((status, reason), (400, 3225), "the group has it once");
    let deleted = send(&server, "admin", &format!("DELETE {}/MINE?commandScope=*", queues("QM2")), None);
    assert_eq!((deleted.status, deleted.header("ibm-mq-qmgrs")), (204, Some("QM2")), "{}", deleted.text());
    let plain = send(&server, "admin", &format!("POST {}", queues("QM2")), Some(&queue));
    assert_eq!((plain.status, plain.header("ibm-mq-qmgrs")), (201, None));
    let (status, _, _) = refusal(&server, "admin", &format!("POST {}?commandScope=*", queues("QM1")), Some(&queue));
    assert_eq!(status, 400, "a queue manager in no group does not know it");
}

#[test]
fn a_list_shows_the_queues_of_a_disposition() {
    let server = server();
    for (name, disposition) in [("ORDERS", "shared"), ("MINE", "qmgr"), ("STOCK", "group")] {
        let mut queue = shared(name);
        queue["queueSharingGroup"]["disposition"] = json!(disposition);
        let made = send(&server, "admin", &format!("POST {}", queues("QM2")), Some(&queue));
        assert_eq!(made.status, 201, "{}", made.text());
    }
    let names = |disposition: &str| {
        let path = format!("{}?queueSharingGroupDisposition={disposition}", queues("QM2"));
        let shown = get(&server, &path);
        let names = shown["queue"].as_array().expect("a list").iter();
        let names = names.filter_map(|queue| queue["name"].as_str()).filter(|name| !name.starts_with("SYSTEM."));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("shared"), ["ORDERS"]);
    assert_eq!(names("copy"), ["STOCK"]);
    assert_eq!(names("qmgr"), ["MINE"]);
    assert_eq!(names("private"), ["MINE", "STOCK"]);
    assert_eq!(names("live"), ["MINE", "ORDERS", "STOCK"]);
    for path in [
        format!("{}?queueSharingGroupDisposition=group", queues("QM2")),
        format!("{}?queueSharingGroupDisposition=live", queues("QM1")),
    ] {
        assert_eq!(refusal(&server, "admin", &format!("GET {path}"), None).0, 400, "{path}");
    }
    let of_other = format!("GET {}/MINE?queueSharingGroupDisposition=shared", queues("QM2"));
    assert_eq!(refusal(&server, "admin", &of_other, None).0, 404);
}
