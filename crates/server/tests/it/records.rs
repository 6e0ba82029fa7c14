//! Records of accounting and statistics: as lines in the data directory, and told by `get --json`.

use serde_json::Value;

use crate::program::{Folder, Server, eventually};

fn lines(folder: &Folder, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("accounting").join(name)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// Waits for records of one kind by one application; housekeeping writes them when the connection is gone.
fn wait_for(folder: &Folder, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let mut found = None;
    eventually(&format!("a record {kind}"), || {
        found = lines(folder, "QM1.jsonl").into_iter().find(|line| line["recordType"] == kind && wanted(line));
        found.is_some()
    });
    found.expect("eventually found it")
}

#[test]
fn what_commands_did_stands_in_the_file_and_on_the_queue() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    assert!(!folder.join("accounting").exists(), "nothing is collected, so there is no file");
    folder.run(&["mqsc", "ALTER QMGR ACCTMQI(ON) ACCTQ(ON) STATMQI(ON) STATQ(ON)"]);
    folder.run(&["put", "DEV.QUEUE.1", "hello", "--persistent"]);
    let put = wait_for(&folder, "accountingMqi", |line| line["putBytes"]["persistent"] == 5);
    assert_eq!(put["queueManager"], "QM1");
    assert_eq!(
        put["putCount"]["persistent"].as_i64().zip(put["put1Count"]["persistent"].as_i64()).map(|(a, b)| a + b),
        Some(1)
    );
    assert!(put["cpuMicroseconds"].as_i64() > Some(0), "{put}");
    let queue = wait_for(&folder, "accountingQueue", |line| line["connectionId"] == put["connectionId"]);
    assert_eq!(queue["queues"][0]["queueName"], "DEV.QUEUE.1");

    let id = put["connectionId"].as_str().expect("hexadecimal").to_ascii_lowercase();
    let said = folder.run(&["get", "SYSTEM.ADMIN.ACCOUNTING.QUEUE", "--all", "--json", "--correlation-id", &id]);
    let told: Vec<Value> = said
        .lines()
        .filter_map(|line| line.strip_prefix("out: "))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(told.len(), 2, "{said}");
    assert_eq!(told[0]["record"], put, "the queue and the file say the same");
    assert_eq!(told[1]["record"], queue);
    assert!(told[0]["body"].is_null() && told[0]["bodyBase64"].is_null());

    folder.run(&["mqsc", "RESET QMGR TYPE(STATISTICS)"]);
    let statistics = wait_for(&folder, "statisticsQueue", |_| true);
    let queues = statistics["queues"].as_array().expect("groups");
    assert!(queues.iter().any(|queue| queue["queueName"] == "DEV.QUEUE.1" && queue["queueMaxDepth"] == 1));
    server.terminate();
    let last = lines(&folder, "QM1.jsonl").pop().expect("there are records");
    assert!(
        last["recordType"].as_str().is_some_and(|kind| kind.starts_with("statistics")),
        "the end is told of: {last}"
    );
}

#[test]
fn the_lines_go_where_the_configuration_says_or_nowhere() {
    let folder = Folder::new();
    let elsewhere = folder.join("elsewhere");
    folder.write("quaymaster.toml", &format!("[accounting]\nfolder = {:?}\n", elsewhere.display().to_string()));
    let server = Server::start(&folder, &[]);
    folder.run(&["mqsc", "ALTER QMGR STATMQI(ON)"]);
    folder.run(&["mqsc", "RESET QMGR TYPE(STATISTICS)"]);
    assert!(elsewhere.join("QM1.jsonl").is_file());
    assert!(!folder.join("accounting").exists());
    server.terminate();
    folder.write("quaymaster.toml", "[accounting]\njson_lines = false\n");
    std::fs::remove_dir_all(&elsewhere).expect("removed");
    let server = Server::start(&folder, &[]);
    folder.run(&["mqsc", "RESET QMGR TYPE(STATISTICS)"]);
    assert!(!elsewhere.exists() && !folder.join("accounting").exists());
    server.terminate();
}
