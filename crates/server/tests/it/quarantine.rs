//! `log quarantine`: a message whose body is damaged on disk, or whose queue has lost its definition, does not hold up others,
//! and an operator keeps or removes it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use expect_test::expect;
use storage::private::log::disk::DirectoryDisk;
use storage::{DefinitionChange, PrivateStore, StoreOptions, block_on};

use crate::program::{Folder, Server};

fn metrics(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address("metrics")).expect("it listens");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("written");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    page
}

const LOG: &str = "qmgrs/QM1/log";

/// The only body that has a file of its own.
fn body_file(folder: &Folder) -> PathBuf {
    let files = std::fs::read_dir(folder.join(LOG)).expect("the log").map(|file| file.expect("a file").path());
    let bodies: Vec<_> = files.filter(|file| file.to_string_lossy().contains("/body-")).collect();
    let [body] = bodies.as_slice() else { panic!("{bodies:?}") };
    body.clone()
}

/// The only ERROR line with this text.
fn error_line(server: &Server, text: &str) -> String {
    let errors = server.errors_with(text);
    let said: Vec<&str> = errors.lines().filter(|line| line.contains("ERROR") && line.contains(text)).collect();
    let [said] = said.as_slice() else { panic!("one line: {said:?}") };
    (*said).to_owned()
}

#[test]
fn a_start_without_a_body_file_names_the_message_and_a_restored_file_heals_it() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let large = folder.write("large", &"L".repeat(1 << 20)).display().to_string();
    assert!(folder.run(&["put", "DEV.QUEUE.1", "--persistent", "--file", &large]).starts_with("exit 0"));
    assert!(folder.run(&["put", "DEV.QUEUE.1", "--persistent", "behind it"]).starts_with("exit 0"));
    assert_eq!(server.terminate().0, Some(0));
    let (body, aside) = (body_file(&folder), folder.join("aside"));
    std::fs::rename(&body, &aside).expect("moved away");

    let server = Server::start(&folder, &[]);
    let said = error_line(&server, "a message cannot be read from disk");
    let name = body.file_name().expect("it has one").to_string_lossy().into_owned();
    let listed = folder.run(&["log", "quarantine", "list"]);
    let words: Vec<&str> = listed.trim_end().split(' ').collect();
    let ["exit", "0\nout:", key, "DEV.QUEUE.1", id, "1048576", "bytes", file] = words[..] else { panic!("{listed}") };
    assert_eq!(file, name);
    for part in ["DEV.QUEUE.1", key, id, &name] {
        assert!(said.contains(part), "{part} is missing: {said}");
    }
    assert_eq!(folder.run(&["depth", "DEV.QUEUE.1"]), "exit 0\nout: 1\n");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "--all"]), "exit 0\nout: behind it\n");
    assert_eq!(server.terminate().0, Some(0));

    std::fs::rename(&aside, &body).expect("moved back");
    let _server = Server::start(&folder, &[]);
    assert_eq!(folder.run(&["log", "quarantine", "list"]), "exit 0\n");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), format!("exit 0\nout: {}\n", "L".repeat(1 << 20)));
}

#[test]
fn messages_whose_queue_has_lost_its_definition_are_named_listed_exported_and_removed() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    assert!(folder.run_with(&["runmqsc", "QM1"], "DEFINE QLOCAL(LOST)\n").starts_with("exit 0"));
    assert!(folder.run(&["put", "LOST", "--persistent", "still there"]).starts_with("exit 0"));
    assert_eq!(server.terminate().0, Some(0));
    let disk = DirectoryDisk::open(folder.join(LOG)).expect("opens");
    let (store, _) = PrivateStore::open(Arc::new(disk), StoreOptions::default()).expect("opens");
    let change = DefinitionChange::Delete { key: "queue/LOST".to_owned() };
    block_on(store.change_definitions(vec![change])).expect("deleted");
    store.close();
    drop(store);

    let server = Server::start(&folder, &[]);
    let said = error_line(&server, "no definition is left of queues");
    let listed = folder.run(&["log", "quarantine", "list"]);
    let words: Vec<&str> = listed.trim_end().split(' ').collect();
    let ["exit", "0\nout:", key, queue, _, "11", "bytes", _] = words[..] else { panic!("{listed}") };
    let number = queue.strip_prefix('#').expect("a number");
    assert!(said.contains(&format!("{number}: 1")), "{said}");
    assert_eq!(folder.run(&["log", "quarantine", "export", key]), "exit 0\nout: still there\n");
    assert_eq!(folder.run(&["log", "quarantine", "remove", key]), "exit 0\n");
    assert_eq!(folder.run(&["log", "quarantine", "list"]), "exit 0\n");
    assert_eq!(server.terminate().0, Some(0));
    let server = Server::start(&folder, &[]);
    let (_, errors) = server.terminate();
    assert!(!errors.contains("no definition is left"), "{errors}");
}

#[test]
fn a_damaged_message_is_passed_over_listed_exported_and_removed() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    expect![[r#"
        exit 0
    "#]]
    .assert_eq(&folder.run(&["log", "quarantine", "list"]));
    let large = folder.write("large", &"L".repeat(1 << 20)).display().to_string();
    assert!(folder.run(&["put", "DEV.QUEUE.1", "--persistent", "--file", &large]).starts_with("exit 0"));
    assert!(folder.run(&["put", "DEV.QUEUE.1", "--persistent", "behind it"]).starts_with("exit 0"));
    let body = &body_file(&folder);
    std::fs::OpenOptions::new().write(true).open(body).and_then(|file| file.set_len(5)).expect("truncated");

    assert_eq!(folder.run(&["browse", "DEV.QUEUE.1"]), "exit 0\nout: behind it\n");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "--all"]), "exit 0\nout: behind it\n");
    assert_eq!(folder.run(&["depth", "DEV.QUEUE.1"]), "exit 0\nout: 0\n");
    let listed = folder.run(&["log", "quarantine", "list", "--json"]);
    let line = listed.strip_prefix("exit 0\nout: ").expect("one message");
    let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let name = body.file_name().expect("it has one").to_string_lossy();
    assert_eq!((message["queue"].as_str(), message["file"].as_str()), (Some("DEV.QUEUE.1"), Some(&*name)));
    assert_eq!(message["length"], 1 << 20);
    let key = message["key"].to_string();
    let id = message["messageId"].as_str().expect("text");
    let plain = folder.run(&["log", "quarantine", "list"]);
    assert_eq!(plain, format!("exit 0\nout: {key} DEV.QUEUE.1 {id} 1048576 bytes {name}\n"));
    let said = error_line(&server, "a message cannot be read from disk");
    for part in ["DEV.QUEUE.1", &key, id, &name, "quaymaster log quarantine list"] {
        assert!(said.contains(part), "{part} is missing: {said}");
    }

    assert!(metrics(&server).contains("quaymaster_queue_quarantined{qmgr=\"QM1\",queue=\"DEV.QUEUE.1\"} 1\n"));

    let refused = folder.run_with(&["runmqsc", "QM1"], "DELETE QLOCAL(DEV.QUEUE.1)\n");
    assert!(refused.contains("AMQ8143E"), "{refused}");
    assert_eq!(folder.run(&["log", "quarantine", "export", &key]), "exit 0\nout: LLLLL\n");
    expect![[r#"
        exit 1
        err: quaymaster: QM1 has no message 1 in quarantine
    "#]]
    .assert_eq(&folder.run(&["log", "quarantine", "remove", "1"]));
    assert_eq!(folder.run(&["log", "quarantine", "remove", &key]), "exit 0\n");
    assert_eq!(folder.run(&["log", "quarantine", "list"]), "exit 0\n");
    let deleted = folder.run_with(&["runmqsc", "QM1"], "DELETE QLOCAL(DEV.QUEUE.1)\n");
    assert!(deleted.starts_with("exit 0"), "{deleted}");
}
