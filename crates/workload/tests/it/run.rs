//! Whole runs against servers that behave and servers that do not: the ledger tells them apart.

use std::sync::atomic::Ordering;

use workload::Report;
use workload::plan::{Choices, Plan};
use workload::report::Judgement;

use crate::queue_server::{Faults, QueueServer};

/// Runs a short load with `lines` added to the plan.
pub(crate) fn run(server: &QueueServer, lines: &str) -> Report {
    workload::run(&plan(server, lines)).unwrap()
}

pub(crate) fn plan(server: &QueueServer, lines: &str) -> Plan {
    let folder = tempfile::tempdir().unwrap();
    let passwords = folder.path().join("passwords");
    std::io::Write::write_all(&mut std::fs::File::create(&passwords).unwrap(), b"app secret\n").unwrap();
    let text = format!("url = 'http://{}'\npassword_file = '{}'", server.address, passwords.display());
    let usual = toml::from_str("clients = 4\nwarmup = '20ms'\nduration = '150ms'").unwrap();
    let choices: Choices = toml::from_str::<Choices>(&format!("{text}\n{lines}")).unwrap();
    Plan::new(choices.or(usual)).unwrap()
}

#[test]
fn a_server_that_behaves_gets_a_clean_report() {
    let server = QueueServer::start(Faults::default(), None);
    let me = std::process::id();
    let report = run(&server, &format!("scenario = 'put-get'\n[pid]\nserver = {me}"));
    assert!(report.is_clean(), "{report}");
    assert_eq!((report.errors, report.verdict.lost, report.verdict.foreign), (0, Some(0), 0), "{report}");
    assert!(report.transactions > 0 && report.transactions <= report.verdict.got, "{report}");
    assert_eq!(report.processes.len(), 2, "the server and the driver");
    assert_eq!(server.state.logins.load(Ordering::Relaxed), 4, "one login a client");
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["verdict"]["lost"], 0);
    assert!(json["response_time"]["p99_us"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_put_that_was_answered_and_forgotten_is_lost() {
    let server = QueueServer::start(Faults { forget_put: 37, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put'\ndrain = true\nlogin = 'basic'");
    assert!(report.verdict.lost.unwrap() > 0, "{report}");
    assert!(!report.is_clean());
    assert!(server.state.basic_requests.load(Ordering::Relaxed) > 0);
    assert_eq!(server.state.logins.load(Ordering::Relaxed), 0);
}

#[test]
fn a_message_that_was_got_and_stayed_is_seen_twice() {
    let server = QueueServer::start(Faults { keep_got: 51, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put-get'\ndrain = true");
    assert!(report.verdict.duplicated > 0, "{report}");
}

#[test]
fn a_changed_body_is_damaged() {
    let server = QueueServer::start(Faults { damage: 40, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put-get'");
    assert!(report.verdict.damaged > 0, "{report}");
    assert_eq!(report.verdict.lost, Some(0), "{report}");
}

#[test]
fn a_message_that_another_asked_for_is_an_error_and_a_breach() {
    let server = QueueServer::start(Faults { ignore_selector: true, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put-get'\nlogin = 'basic'\nclients = 4");
    assert!(report.errors > 0 && report.verdict.misdelivered > 0, "{report}");
    assert_eq!(report.first_error.as_deref(), Some("the reply belongs to another request"));
    assert_eq!((report.verdict.damaged, report.judgement), (0, Judgement::Broken), "{report}");
    assert!(report.to_string().contains(&format!("misdelivered {}", report.verdict.misdelivered)), "{report}");
}

#[test]
fn a_service_that_gives_everybody_the_same_reply_is_a_breach() {
    let lines = "scenario = 'service'\nlogin = 'basic'\npost_path = '/echo'\nbody = '{\"id\":\"{id}\"}'\n\
        requests = 20\nwarmup = '0s'\nduration = '1m'";
    let server = QueueServer::start(Faults::default(), None);
    let report = run(&server, lines);
    assert_eq!((report.transactions, report.verdict.got, report.judgement), (20, 20, Judgement::Clean), "{report}");
    let stuck = QueueServer::start(Faults { first_reply: true, ..Faults::default() }, None);
    let report = run(&stuck, lines);
    assert_eq!((report.transactions, report.errors, report.verdict.misdelivered), (1, 19, 19), "{report}");
    assert_eq!((report.verdict.foreign, report.judgement), (0, Judgement::Broken), "{report}");
}

#[test]
fn lost_answers_are_errors_but_no_breach() {
    let server = QueueServer::start(Faults { hang_up: 31, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put-get'");
    assert!(report.verdict.unknown_puts + report.verdict.unknown_gets > 0, "{report}");
    assert!(report.first_error.is_some());
    assert!(report.verdict.duplicated == 0 && report.verdict.damaged == 0, "{report}");
    assert_eq!(report.verdict.lost, Some(0), "{report}");
}

#[test]
fn requests_that_nobody_answers_are_left_and_not_lost() {
    let server = QueueServer::start(Faults::default(), None);
    let report = run(&server, "scenario = 'request-reply'\nrequests = 12\nwarmup = '0s'\nduration = '1m'");
    assert_eq!((report.transactions, report.empty, report.errors), (0, 12, 0), "{report}");
    assert_eq!((report.verdict.left, report.verdict.lost), (12, Some(0)), "{report}");
    assert!(report.is_clean() && server.depth() == 0, "{report}");
    let forgetful = QueueServer::start(Faults { forget_put: 3, ..Faults::default() }, None);
    let report =
        run(&forgetful, "scenario = 'request-reply'\nclients = 1\nrequests = 12\nwarmup = '0s'\nduration = '1m'");
    assert!(report.verdict.lost > Some(0) && !report.is_clean(), "{report}");
}

#[test]
fn replies_that_come_too_late_are_found_after_the_load() {
    let server = QueueServer::start(Faults { late_replies: true, ..Faults::default() }, None);
    let sizes = "request_size = 48\nresponse_size = 48";
    let report =
        run(&server, &format!("scenario = 'request-reply'\nclients = 1\nrequests = 10\nwarmup = '0s'\n{sizes}"));
    assert_eq!((report.transactions, report.empty), (0, 10), "{report}");
    let verdict = &report.verdict;
    assert!(verdict.got > 0 && verdict.got + verdict.left == 10, "{report}");
    assert_eq!((verdict.lost, verdict.foreign, server.depth()), (Some(0), 0, 0), "{report}");
}

#[test]
fn get_and_browse_count_what_they_find_apart_from_nothing() {
    let server = QueueServer::start(Faults::default(), None);
    let empty = run(&server, "scenario = 'browse'");
    assert_eq!(empty.transactions, 0);
    assert!(empty.empty > 0);
    let put = run(&server, "scenario = 'put'");
    assert_eq!(put.verdict.lost, None, "nobody emptied the queue");
    let browsed = run(&server, "scenario = 'browse'");
    assert!(browsed.transactions > 0);
    let before = server.depth();
    let got = run(&server, "scenario = 'get'\nthink_time = '1ms'");
    assert_eq!(usize::try_from(got.verdict.foreign).unwrap(), before - server.depth(), "{got}");
    assert_eq!(got.verdict.duplicated, 0);
}

#[test]
fn a_server_that_is_not_there_is_one_error_and_not_a_report() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let text = format!("scenario = 'put'\nurl = 'http://{free}'\nlogin = 'none'\nclients = 3");
    let plan = Plan::new(toml::from_str(&text).unwrap()).unwrap();
    let error = workload::run(&plan).unwrap_err();
    assert!(error.to_string().contains("cannot start"), "{error}");
}
