//! `workload run` as a command: what it says at the end, and whether all was well.

use clap::Parser;
use serde_json::Value;
use workload::cli::{self, Arguments};

use crate::queue_server::{Faults, QueueServer};

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    run: Arguments,
}

/// Whether all was well, and the JSON that was written.
fn run(server: &QueueServer, password: &str, options: &str) -> (bool, Value) {
    let folder = tempfile::tempdir().unwrap();
    let (passwords, json) = (folder.path().join("passwords"), folder.path().join("result.json"));
    let line = format!("app {password}\n");
    std::io::Write::write_all(&mut std::fs::File::create(&passwords).unwrap(), line.as_bytes()).unwrap();
    let url = format!("http://{}", server.address);
    let usual = ["run", "--url", &url, "--clients", "4", "--warmup", "0s", "--duration", "1m"];
    let files = ["--password-file", passwords.to_str().unwrap(), "--json", json.to_str().unwrap()];
    let words = usual.into_iter().chain(files).chain(options.split_whitespace());
    let is_well = cli::run(&Program::try_parse_from(words).unwrap().run).unwrap();
    (is_well, serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap())
}

#[test]
fn a_run_in_which_every_transaction_failed_is_not_well() {
    let server = QueueServer::start(Faults::default(), None);
    let options = "--scenario put --login basic --requests 6";
    let (is_well, result) = run(&server, "wrong", options);
    assert_eq!((is_well, &result["judgement"]), (false, &Value::from("nothing-done")), "{result:#}");
    assert_eq!((&result["transactions"], &result["errors"]), (&Value::from(0), &Value::from(6)), "{result:#}");
    assert!(result["first_error"].as_str().unwrap().contains("401"), "{result:#}");
    let (is_well, result) = run(&server, "secret", options);
    assert_eq!((is_well, &result["judgement"], &result["failure"]), (true, &Value::from("clean"), &Value::Null));
}

#[test]
fn gets_that_find_nothing_are_completed() {
    let server = QueueServer::start(Faults::default(), None);
    let (is_well, result) = run(&server, "secret", "--scenario get --requests 6");
    assert_eq!((is_well, &result["empty"]), (true, &Value::from(6)), "{result:#}");
}

#[test]
fn a_repetition_that_cannot_start_keeps_what_those_before_it_found() {
    let server = QueueServer::start(Faults { hang_up: 3, most_logins: 4, ..Faults::default() }, None);
    let (is_well, result) = run(&server, "secret", "--scenario put --requests 30 --repetitions 3");
    assert!(!is_well, "{result:#}");
    assert_eq!(result["repetitions"].as_array().unwrap().len(), 1, "{result:#}");
    assert_eq!((&result["errors"], &result["judgement"]), (&Value::from(10), &Value::from("clean")), "{result:#}");
    let failure = result["failure"].as_str().unwrap();
    assert!(failure.contains("cannot start") && failure.contains("401"), "{failure}");
}
