use workload::Report;
use workload::ledger::Verdict;
use workload::measure::ResponseTimeSummary;
use workload::report::{Judgement, ProcessReport, WarmUpReport};

use super::*;
use crate::outcome::State;
use crate::repeat::Effort;
use crate::setting::Setting;

/// A compiler that can be started.
const SOME_COMPILER: &str = "true";

/// A program that fails whatever it is to do, with or without a stub beside it.
fn failing(folder: &Path, with_stub: bool) -> Session {
    let program = folder.join("quaymaster");
    std::os::unix::fs::symlink("/bin/false", &program).unwrap();
    if with_stub {
        std::fs::File::create(folder.join("BAQCSTUB.so")).unwrap();
    }
    let effort = Effort { quick: true, budget: Duration::ZERO, repetitions: Some(1) };
    Session::new(Setting::new(program, folder).unwrap(), effort)
}

fn is_not_measured(found: &Findings) -> bool {
    let mut cells = found.tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    found.tables.len() == 2 && found.notes.len() == 1 && cells.all(|cell| cell.state == State::NotMeasured)
}

#[test]
fn a_chain_that_does_not_start_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Findings::default();
    let failure = run_compiled_by(SOME_COMPILER, &mut failing(folder.path(), true), &mut found).unwrap_err();
    assert!(matches!(&failure, TablesError::NotReady { process, .. } if process == "provider"), "{failure}");
}

#[test]
fn without_a_stub_or_a_compiler_nothing_is_measured_and_the_tables_say_why() {
    for (with_stub, compiler, reason) in
        [(false, SOME_COMPILER, "make stub"), (true, "/no/such/compiler", "cannot start /no/such/compiler")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut found = Findings::default();
        run_compiled_by(compiler, &mut failing(folder.path(), with_stub), &mut found).unwrap();
        assert!(is_not_measured(&found) && found.notes[0].contains(reason), "{:?}", found.notes);
    }
}

#[test]
fn programs_that_do_not_call_are_judged_by_their_own_time_beside_an_idle_server() {
    let run = run_of(&[(SERVER, 3.0), (PROGRAMS, 400.0)]);
    assert_eq!(Program::NotCalling.main_figure()(&run), Some(4.0));
    assert_eq!(Program::Calling.main_figure()(&run), Some(0.03));
}

/// A run of 100 transactions and processes of so many milliseconds of user time.
fn run_of(processes: &[(&str, f64)]) -> Run {
    let process = |&(name, ms): &(&str, f64)| ProcessReport {
        name: name.to_owned(),
        pid: 1,
        counts: String::new(),
        threads: 1,
        cpu_ms: ms,
        user_ms: ms,
        cpu_percent: 1.0,
        cpu_ms_per_transaction: Some(ms / 100.0),
        ended: false,
    };
    let report = Report {
        scenario: "requester",
        clients: 1,
        request_size: 16,
        seconds: 1.0,
        transactions: 100,
        transactions_per_second: 100.0,
        response_time: ResponseTimeSummary::default(),
        percentiles: Vec::new(),
        errors: 0,
        first_error: None,
        empty: 0,
        received_bytes: 0,
        received_bytes_per_transaction: 0.0,
        rate: None,
        not_begun: None,
        warm_up: WarmUpReport::default(),
        processes: processes.iter().map(process).collect(),
        machine_busy_percent: None,
        client_limit: None,
        verdict: Verdict::default(),
        judgement: Judgement::Clean,
    };
    Run { report, command_ms: None }
}
