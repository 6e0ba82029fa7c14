//! `apikey create|list|revoke`, and what a running server makes of the keys.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::program::{Folder, Server, eventually};

/// Status of a put to a queue with a key.
fn put(server: &Server, queue: &str, key: &str) -> u16 {
    let mut stream = TcpStream::connect(server.address("http")).expect("connected");
    let path = format!("/ibmmq/rest/v3/messaging/qmgr/QM1/queue/{queue}/message");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: {key}\r\n\
         ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain\r\ncontent-length: 1\r\n\r\nx"
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

/// The key and its id.
fn create(folder: &Folder, arguments: &[&str]) -> (String, String) {
    let said = folder.run(&[&["apikey", "create", "--json"], arguments].concat());
    let answer: Value =
        serde_json::from_str(said.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{said}"))).expect("JSON");
    let text = |name: &str| answer[name].as_str().expect("a text").to_owned();
    (text("key"), text("id"))
}

fn list(folder: &Folder) -> Vec<Value> {
    let said = folder.run(&["apikey", "list", "--json"]);
    let lines = said.lines().filter_map(|line| line.strip_prefix("out: "));
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_key_that_a_running_server_makes_works_at_once_outlives_it_and_is_revoked_at_once() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, &[]);
    let (key, id) = create(&folder, &["--user", "app", "--queue", "DEV.*", "--may", "put,get", "--expires", "90d"]);
    assert_eq!(put(&server, "DEV.QUEUE.1", &key), 201);
    assert_eq!(put(&server, "SYSTEM.DEFAULT.LOCAL.QUEUE", &key), 403);
    assert_eq!(put(&server, "DEV.QUEUE.1", &key.replace('1', "2")), 401);
    let mode = std::fs::metadata(folder.join("api-keys.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(list(&folder)[0]["lastUsedAt"].is_string());
    server.signal("KILL");
    server.wait();
    let mut server = Server::start(&folder, &[]);
    assert_eq!(put(&server, "DEV.QUEUE.1", &key), 201, "made before the kill");
    assert_eq!(folder.run(&["apikey", "revoke", &id]), format!("exit 0\nout: API key {id} was revoked.\n"));
    assert_eq!(put(&server, "DEV.QUEUE.1", &key), 401);
    server.signal("KILL");
    server.wait();
    let server = Server::start(&folder, &[]);
    assert_eq!(put(&server, "DEV.QUEUE.1", &key), 401, "revoked before the kill");
    let said = folder.run(&["apikey", "revoke", &id]);
    assert!(said.starts_with("exit 1\nerr: quaymaster: there is no API key"), "{said}");
    server.terminate();
}

#[test]
fn a_key_may_be_made_without_a_server_and_its_last_use_is_kept_when_the_server_ends() {
    let folder = Folder::new();
    let (key, id) = create(&folder, &["--user", "app", "--name", "billing"]);
    let row = list(&folder).pop().expect("a key");
    assert_eq!((&row["id"], &row["name"], &row["lastUsedAt"]), (&id.clone().into(), &"billing".into(), &Value::Null));
    assert_eq!((&row["queues"], &row["topics"]), (&serde_json::json!(["*"]), &serde_json::json!(["#"])));
    let server = Server::start(&folder, &[]);
    assert_eq!(put(&server, "DEV.QUEUE.1", &key), 201);
    assert_eq!(server.terminate().0, Some(0));
    assert!(list(&folder)[0]["lastUsedAt"].is_string());
    assert_eq!(folder.run(&["apikey", "revoke", &id]), format!("exit 0\nout: API key {id} was revoked.\n"));
    assert_eq!(folder.run(&["apikey", "list"]), "exit 0\n");
}

#[test]
fn an_expired_key_is_refused() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (key, _) = create(&folder, &["--user", "app", "--expires", "1s"]);
    eventually("the key expires", || put(&server, "DEV.QUEUE.1", &key) == 401);
    assert!(server.errors_with("API key refused: it has expired").contains("id"), "the log says which");
}

#[test]
fn what_means_nothing_is_bad_usage_and_a_damaged_file_stops_the_start() {
    let folder = Folder::new();
    for (arguments, said) in [
        (&["--user", "app", "--may", "fly"][..], "'fly' is not an operation"),
        (&["--user", "app", "--queue", "A*B"], "'A*B' is not the name of a queue"),
        (&["--user", "app", "--topic", "a/#/b"], "'a/#/b' is not a topic string"),
        (&["--user", ""], "the user of an API key has 1 to 256 bytes"),
        (&["--user", "app", "--expires", "90"], "expected a time such as"),
        (&[], "--user <USER>"),
    ] {
        let all = folder.run(&[&["apikey", "create"], arguments].concat());
        assert!(all.starts_with("exit 2\n") && all.contains(said), "{arguments:?}: {all}");
    }
    folder.write("api-keys.json", "{}");
    let said = folder.run(&["serve", "--https", "off", "--http", "off", "--mq", "off", "--metrics", "off"]);
    assert!(said.starts_with("exit 1\n") && said.contains("is damaged"), "{said}");
    let absent = folder.join("absent").display().to_string();
    let said = folder.run(&["apikey", "list", "--data", &absent]);
    assert!(said.starts_with("exit 1\n") && said.contains("there is no data directory"), "{said}");
}
