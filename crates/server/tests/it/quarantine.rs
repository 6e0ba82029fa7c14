//! `log quarantine`: a message whose body is damaged on disk holds up nobody, and an operator keeps or removes it.

use std::io::{Read, Write};
use std::net::TcpStream;

use expect_test::expect;

use crate::program::{Folder, Server};

fn metrics(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address("metrics")).expect("it listens");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("written");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    page
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
    let log = folder.join("qmgrs/QM1/log");
    let files = std::fs::read_dir(&log).expect("the log").map(|file| file.expect("a file").path());
    let bodies: Vec<_> = files.filter(|file| file.to_string_lossy().contains("/body-")).collect();
    let [body] = bodies.as_slice() else { panic!("{bodies:?}") };
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
    let errors = server.errors_with("a message cannot be read from disk");
    let said: Vec<&str> = errors.lines().filter(|line| line.contains("ERROR")).collect();
    let [said] = said.as_slice() else { panic!("one line: {said:?}") };
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
