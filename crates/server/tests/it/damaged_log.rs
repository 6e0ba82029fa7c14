//! `log verify` and `log salvage`: a damaged log is told from a whole one, and what can be read of it becomes a queue manager.

use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::program::{Folder, Server};

/// Changes one byte of the record with this text in the first extent.
fn damage(log: &Path, text: &str) {
    let extent = log.join("extent-0000000001");
    let content = std::fs::read(&extent).expect("readable");
    let at = content.windows(text.len()).position(|bytes| bytes == text.as_bytes()).expect("it is in the log");
    let file = std::fs::OpenOptions::new().write(true).open(extent).expect("opens");
    file.write_all_at(&[content[at] ^ 0x20], at as u64).expect("written");
}

fn put(folder: &Folder, queue: &str, text: &str) {
    assert!(folder.run(&["put", queue, text, "--persistent"]).starts_with("exit 0\n"), "{text}");
}

#[test]
fn a_whole_log_is_verified_beside_its_server_and_at_rest() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let put = folder.run_with(&["put", "DEV.QUEUE.1", "--persistent"], &"long ".repeat(400_000));
    assert!(put.starts_with("exit 0\n"), "{put}");
    let said = folder.run(&["log", "verify", "QM1"]);
    assert!(said.starts_with("exit 0\nout: The recovery log of QM1 is whole: "), "{said}");
    assert!(said.contains(" 1 messages, "), "{said}");
    let refused = folder.run(&["log", "salvage", "QM1", "--to", "nowhere"]);
    assert!(refused.starts_with("exit 1\nerr: quaymaster: queue manager QM1 runs"), "{refused}");
    assert_eq!(server.terminate().0, Some(0));
    let said = folder.run(&["log", "verify", "--json"]);
    let answer: serde_json::Value =
        serde_json::from_str(said.strip_prefix("exit 0\nout: ").expect("well")).expect("JSON");
    assert_eq!((&answer["whole"], &answer["messages"]), (&true.into(), &1.into()));
}

#[test]
fn what_can_be_read_of_a_damaged_log_becomes_a_queue_manager_and_the_rest_is_named() {
    // The value of the definition, and its key, which has no checksum of its own.
    for (lost, unusable) in [("{\"name\":\"LOSTDEFINITION\"", 0), ("queue/LOSTDEFINITION{", 1)] {
        check(lost, unusable);
    }
}

fn check(lost: &str, unusable: usize) {
    let (folder, salvaged) = (Folder::new(), Folder::new());
    let server = Server::start(&folder, &[]);
    for text in ["the first message", "the second message", "the third message"] {
        put(&folder, "DEV.QUEUE.1", text);
    }
    assert!(folder.run(&["mqsc", "QM1", "DEFINE QLOCAL(LOSTDEFINITION)"]).starts_with("exit 0\n"));
    put(&folder, "LOSTDEFINITION", "of a lost queue");
    assert_eq!(server.terminate().0, Some(0));
    let log = folder.join("qmgrs/QM1/log");
    damage(&log, "the second message");
    damage(&log, lost);

    let verified = folder.run(&["log", "verify", "QM1"]);
    assert!(verified.starts_with("exit 1\nout: extent 1 offset "), "{verified}");
    assert_eq!(verified.matches("a batch is damaged").count(), 2, "{verified}");
    assert_eq!(
        verified.matches(" has 1 messages and no definition: a start keeps them in quarantine").count(),
        1,
        "{verified}"
    );
    assert!(verified.contains("The recovery log of QM1 is damaged: "), "{verified}");
    assert!(folder.run(&["strmqm", "QM1"]).contains("is damaged at offset"), "a start refuses it");

    let before = std::fs::read(log.join("extent-0000000001")).expect("readable");
    let to = salvaged.join("QM1").display().to_string();
    let said = folder.run(&["log", "salvage", "QM1", "--to", &to]);
    assert!(said.starts_with("exit 4\n"), "{said}");
    assert_eq!(said.matches("a batch is damaged").count(), 2, "{said}");
    assert_eq!(said.matches("is not that of its value").count(), unusable, "{said}");
    for part in ["queue DEV.QUEUE.1: 2 messages", "1 messages found; its definition is lost", "may be there again"] {
        assert!(said.contains(part), "{part} is missing: {said}");
    }
    assert_eq!(std::fs::read(log.join("extent-0000000001")).expect("readable"), before);

    assert!(folder.run(&["restore", "QM2", "--from", &to]).starts_with("exit 0\n"));
    let _server = Server::start(&folder, &["--qmgr", "QM2"]);
    let got = folder.run(&["get", "DEV.QUEUE.1", "-m", "QM2", "--all"]);
    assert_eq!(got, "exit 0\nout: the first message\nout: the third message\n");
    let shown = folder.run(&["mqsc", "QM2", "DISPLAY QLOCAL(SALVAGED.QUEUE.*)"]);
    let queue = shown.split("QUEUE(").nth(1).and_then(|rest| rest.split(')').next()).expect("one queue").to_owned();
    assert_eq!(folder.run(&["get", &queue, "-m", "QM2"]), "exit 0\nout: of a lost queue\n");
    assert!(folder.run(&["log", "verify", "QM2"]).starts_with("exit 0\n"));
}

/// Writes zeros over the log from the batch with this text on.
fn cut(log: &Path, text: &str) {
    let extent = log.join("extent-0000000001");
    let content = std::fs::read(&extent).expect("readable");
    let at = content.windows(text.len()).position(|bytes| bytes == text.as_bytes()).expect("it is in the log");
    let batch = content[..at].windows(4).rposition(|bytes| bytes == b"QMB1").expect("it is in a batch");
    let file = std::fs::OpenOptions::new().write(true).open(extent).expect("opens");
    file.write_all_at(&vec![0; content.len() - batch], batch as u64).expect("written");
}

#[test]
fn an_end_that_is_gone_is_found_by_the_anchor_and_the_rest_becomes_a_queue_manager_with_an_anchor_of_its_own() {
    let (folder, salvaged) = (Folder::new(), Folder::new());
    let server = Server::start(&folder, &[]);
    put(&folder, "DEV.QUEUE.1", "the first message");
    put(&folder, "DEV.QUEUE.1", "the last message");
    assert_eq!(server.terminate().0, Some(0));
    let log = folder.join("qmgrs/QM1/log");
    cut(&log, "the last message");

    let verified = folder.run(&["log", "verify", "QM1"]);
    assert!(verified.starts_with("exit 1\nout: extent 1 offset "), "{verified}");
    assert_eq!(verified.matches("the log ends here; it was durable up to extent 1 offset ").count(), 1, "{verified}");
    assert!(folder.run(&["strmqm", "QM1"]).contains("but the log was durable up to offset "), "a start refuses it");

    let to = salvaged.join("QM1").display().to_string();
    let said = folder.run(&["log", "salvage", "QM1", "--to", &to]);
    assert!(said.starts_with("exit 4\n") && said.contains("queue DEV.QUEUE.1: 1 messages found"), "{said}");
    assert!(!Path::new(&to).join("anchor").exists());
    assert!(folder.run(&["restore", "QM2", "--from", &to]).starts_with("exit 0\n"));
    let restored = folder.join("qmgrs/QM2/log");
    assert!(restored.join("anchor").exists());
    assert!(folder.run(&["log", "verify", "QM2"]).starts_with("exit 0\n"));
    {
        let _server = Server::start(&folder, &["--qmgr", "QM2"]);
        assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "-m", "QM2", "--all"]), "exit 0\nout: the first message\n");
    }
}
