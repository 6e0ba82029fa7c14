//! How a run goes on: exact counts, rates, connections and logins anew, repetitions, a network that takes its time.

use std::sync::atomic::Ordering;

use workload::report::Judgement;

use crate::queue_server::{Faults, QueueServer};
use crate::run::{plan, run};

#[test]
fn exactly_so_many_transactions_are_measured_after_exactly_so_many_others() {
    let server = QueueServer::start(Faults::default(), None);
    let report = run(
        &server,
        "scenario = 'put'\nlogin = 'basic'\nwarmup = '1m'\nwarmup_requests = 77\nrequests = 500\nduration = '1m'",
    );
    assert_eq!((report.transactions, report.errors, report.empty), (500, 0, 0), "{report}");
    assert_eq!(report.warm_up.transactions, Some(77));
    assert_eq!(report.verdict.answered_puts, 577);
    assert_eq!(server.depth(), 577);
}

#[test]
fn failed_transactions_count_towards_the_number_so_that_a_run_ends() {
    let server = QueueServer::start(Faults { hang_up: 3, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put'\nlogin = 'basic'\nrequests = 60\nwarmup = '0s'\nduration = '1m'");
    assert_eq!((report.transactions, report.errors), (40, 20), "{report}");
    assert_eq!(report.verdict.unknown_puts, 20, "{report}");
}

#[test]
fn connections_and_logins_are_made_as_often_as_wanted() {
    let counts = |lines: &str| {
        let server = QueueServer::start(Faults::default(), None);
        let report = run(&server, &format!("scenario = 'put-get'\nclients = 2\nwarmup = '0s'\nrequests = 10\n{lines}"));
        assert_eq!((report.transactions, report.errors, report.verdict.lost), (10, 0, Some(0)), "{lines}: {report}");
        (server.state.connections.load(Ordering::Relaxed), server.state.logins.load(Ordering::Relaxed))
    };
    assert_eq!(counts(""), (2, 2));
    // One to see whether it works.
    assert_eq!(counts("login = 'every'"), (2, 12));
    assert_eq!(counts("login = 'basic'\nconnection = 'transaction'"), (12, 0));
    // A put and a get each; those made to see whether the server is there are used.
    assert_eq!(counts("login = 'basic'\nconnection = 'new'"), (20, 0));
    // A login, a put and a get each, and a login at first.
    assert_eq!(counts("login = 'every'\nconnection = 'new'"), (32, 12));
}

#[test]
fn a_rate_is_kept_and_response_times_count_from_when_a_transaction_was_due() {
    let server = QueueServer::start(Faults::default(), None);
    let report = run(&server, "scenario = 'browse'\nlogin = 'basic'\nrate = 200.0\nclients = 2\nduration = '1s'");
    let all = report.transactions + report.empty + report.not_begun.unwrap();
    assert!((150..=250).contains(&all), "{report}");
    assert_eq!(report.rate, Some(200.0));
    // One client that needs 20 ms for each is to begin one every 2 ms: most are late, and ever later.
    let delayed = run(
        &server,
        "scenario = 'put'\nlogin = 'basic'\nrate = 500.0\nclients = 1\nlatency = '20ms'\nwarmup = '0s'\nduration = '600ms'",
    );
    assert!(delayed.not_begun.unwrap() > 100, "{delayed}");
    assert!(delayed.response_time.max_us > 300_000.0, "{delayed}");
}

#[test]
fn what_was_due_while_warming_up_is_no_part_of_what_is_measured() {
    let server = QueueServer::start(Faults::default(), None);
    let report = run(
        &server,
        "scenario = 'put'\nlogin = 'basic'\nrate = 500.0\nclients = 1\nlatency = '20ms'\nwarmup = '600ms'\nduration = '200ms'",
    );
    // Of 300 due before, some 270 have not begun; the last that began was late by half a second.
    let slack = 100_000.0;
    assert!(report.transactions > 0, "{report}");
    assert!(report.response_time.max_us < report.seconds * 1e6 + slack, "{report}");
    assert!((report.not_begun.unwrap() as f64) <= 500.0 * report.seconds, "{report}");
}

#[test]
fn a_network_that_takes_its_time_shows_in_the_response_time_and_has_processor_time_of_its_own() {
    let server = QueueServer::start(Faults::default(), None);
    let report =
        run(&server, "scenario = 'put-get'\nlogin = 'basic'\nlatency = '10ms'\nrequests = 20\nduration = '1m'");
    assert_eq!((report.transactions, report.errors, report.verdict.lost), (20, 0, Some(0)), "{report}");
    assert!(report.response_time.p50_us >= 20_000.0, "a put and a get: {report}");
    assert!(report.process("network").is_some() && report.process("driver").is_some(), "{report}");
}

#[test]
fn repetitions_tell_how_far_they_lie_apart() {
    let server = QueueServer::start(Faults::default(), None);
    let plan = plan(&server, "scenario = 'put'\nwarmup = '0s'\nrequests = 5\nrepetitions = 3");
    let outcome = workload::repeat(&plan).unwrap();
    assert_eq!((outcome.repetitions.len(), outcome.judgement()), (3, Judgement::Clean));
    assert_eq!(outcome.spread.transactions_per_second.repetitions, 3);
    let json: serde_json::Value = serde_json::from_str(&outcome.to_json()).unwrap();
    assert_eq!(json["scenario"], "put");
    assert_eq!(json["plan"]["requests"], 5);
    assert!(json["machine"]["processors"].as_u64() >= Some(1), "{json}");
    assert_eq!(json["repetitions"].as_array().unwrap().len(), 3);
}

#[test]
fn a_server_that_goes_away_leaves_errors_and_no_verdict_on_what_was_lost() {
    let server = QueueServer::start(Faults { hang_up_for_good: 40, ..Faults::default() }, None);
    let report = run(&server, "scenario = 'put-get'\nlogin = 'basic'\nduration = '400ms'");
    assert!(report.errors > 0 && report.first_error.is_some(), "{report}");
    assert_eq!((report.verdict.lost, report.judgement), (None, Judgement::NotExamined), "{report}");
}

#[test]
fn a_server_that_stands_still_ends_no_run_and_holds_up_none() {
    let server = QueueServer::start(Faults { stall_for_good: 30, ..Faults::default() }, None);
    let report =
        run(&server, "scenario = 'put'\nlogin = 'basic'\nwarmup = '0s'\ntimeout = '200ms'\nduration = '500ms'");
    assert!(report.errors >= 4 && report.transactions < 30, "{report}");
    assert!(report.first_error.as_deref().unwrap().contains("no answer within"), "{report}");
    assert!(report.seconds < 5.0, "{report}");
}
