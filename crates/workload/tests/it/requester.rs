//! Scenario requester with scripts in the place of COBOL programs.

use std::path::PathBuf;

use workload::plan::{Choices, Plan, Processes, Scenario, Span};
use workload::{Report, WorkloadError};

/// Answers each order as a program whose call went well.
const GOOD: &str = "while IFS= read -r -N 16 order; do \
    printf '00 000200 %010d %09d %06d Y\\n' $((10#${order:0:8} * 16)) $((10#${order:8} * 512)) $((10#${order:8} * 16)); done";
/// Always answers the first order.
const STUCK: &str = "while IFS= read -r -N 16 order; do printf '00 000200 %010d %09d %06d Y\\n' 16 1024 32; done";
const REFUSED: &str = "while IFS= read -r -N 16 order; do printf '02 000404 %010d %09d %06d N\\n' 0 0 0; done";

fn choices(script: &str) -> Choices {
    let span = |ms| Some(Span(std::time::Duration::from_millis(ms)));
    Choices {
        scenario: Some(Scenario::Requester),
        program: Some(PathBuf::from("bash")),
        program_arguments: Some(vec!["-c".to_owned(), script.to_owned()]),
        clients: Some(6),
        threads: Some(2),
        response_size: Some(1024),
        warmup: span(20),
        duration: span(200),
        ..Choices::default()
    }
}

fn run(choices: Choices) -> Result<Report, WorkloadError> {
    workload::run(&Plan::new(choices)?)
}

#[test]
fn programs_that_answer_well_are_measured_with_the_time_they_used() {
    let report = run(choices(GOOD)).unwrap();
    assert!(report.is_clean() && report.errors == 0 && report.transactions > 0, "{report}");
    assert_eq!(report.scenario, "requester");
    let programs = report.processes.iter().find(|process| process.name == "programs").unwrap();
    assert_eq!(programs.threads, 6, "one process a client");
    assert!(programs.cpu_ms > 0.0, "{report}");
}

#[test]
fn clients_can_share_fewer_processes() {
    let report = run(Choices { processes: Some(Processes::Count(3)), ..choices(GOOD) }).unwrap();
    assert!(report.is_clean() && report.errors == 0 && report.transactions > 0, "{report}");
    assert!(report.processes.iter().any(|process| process.name == "programs" && process.threads == 3), "{report}");
}

#[test]
fn clients_that_think_begin_at_different_times() {
    let think = Some(Span(std::time::Duration::from_millis(50)));
    let report = run(Choices { think_time: think, ..choices(GOOD) }).unwrap();
    assert!(report.errors == 0 && report.transactions > 0, "{report}");
    let most = 6.0 * report.seconds / 0.05 + 6.0;
    assert!((report.transactions as f64) <= most, "{report}");
}

#[test]
fn an_answer_to_another_order_is_damage() {
    let report = run(choices(STUCK)).unwrap();
    assert!(report.verdict.damaged > 0 && !report.is_clean(), "{report}");
}

#[test]
fn a_call_that_was_refused_is_an_error_with_its_codes() {
    let report = run(choices(REFUSED)).unwrap();
    assert!(report.errors > 0 && report.transactions == 0, "{report}");
    assert_eq!(report.first_error.as_deref(), Some("the call ended with return code 2 and status code 404"));
}

#[test]
fn a_call_takes_no_longer_than_the_timeout() {
    let timeout = Some(Span(std::time::Duration::from_millis(100)));
    let report = run(Choices { timeout, ..choices("sleep 60") }).unwrap();
    assert!(report.errors > 0 && report.transactions == 0, "{report}");
    assert!(report.first_error.as_deref().unwrap().contains("took longer than 0.1 s"), "{report}");
}

#[test]
fn a_program_that_is_not_there_ends_the_run_before_it_begins() {
    let error = run(Choices { program: Some(PathBuf::from("/nowhere/perclnt")), ..choices(GOOD) }).unwrap_err();
    assert!(error.to_string().contains("cannot start"), "{error}");
}

#[test]
fn what_has_no_meaning_beside_programs_is_refused_by_name() {
    let refusal = |choices: Choices| Plan::new(choices).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refusal(Choices { program: None, ..choices(GOOD) }).starts_with("program: is missing"));
    assert!(refusal(Choices { url: Some("http://127.0.0.1:1".to_owned()), ..choices(GOOD) }).starts_with("url:"));
    assert!(refusal(Choices { response_size: Some(1000), ..choices(GOOD) }).contains("a multiple of 512"));
    assert!(refusal(Choices { processes: Some(Processes::Count(7)), ..choices(GOOD) }).starts_with("processes: 7"));
    assert!(refusal(Choices { request_size: Some(100), ..choices(GOOD) }).starts_with("request_size:"));
    let elsewhere = Choices { scenario: Some(Scenario::Put), response_size: None, ..choices(GOOD) };
    assert!(refusal(elsewhere).starts_with("program: has a meaning in requester only"));
}
