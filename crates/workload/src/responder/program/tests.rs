use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;

use super::{Program, ProgramError, ProgramPlan, Start};
use crate::responder::records::Records;

fn shell(script: &str, start: Start, records: Records) -> Program {
    let plan = ProgramPlan {
        path: PathBuf::from("/bin/sh"),
        arguments: vec!["-c".into(), script.into()],
        start,
        records,
        time_limit: Duration::from_secs(30),
    };
    Program::start(plan).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn text(program: &mut Program, request: &str) -> Result<String, String> {
    let reply = program.answer(request.as_bytes()).await;
    reply.map(|reply| String::from_utf8(reply.to_vec()).unwrap()).map_err(|error| error.to_string())
}

fn fixed(reply_length: usize) -> Records {
    Records::Fixed { request_length: None, reply_length }
}

#[test]
fn one_process_answers_request_after_request() {
    block_on(async {
        let script = "while read -r line; do echo \"$$ $line\"; done";
        let mut program = shell(script, Start::Once, Records::Line);
        let (one, two) = (text(&mut program, "one").await.unwrap(), text(&mut program, "two").await.unwrap());
        let (process, rest) = one.split_once(' ').unwrap();
        assert_eq!((rest, &*two), ("one", &*format!("{process} two")));
        program.finish().await;
    });
}

#[test]
fn a_program_that_ends_well_between_two_requests_is_started_again() {
    block_on(async {
        let mut program = shell("read -r line; echo \"$$ $line\"", Start::Once, Records::Line);
        let mut processes = Vec::new();
        for request in ["one", "two", "three"] {
            let reply = text(&mut program, request).await.unwrap();
            let (process, rest) = reply.split_once(' ').unwrap();
            assert_eq!(rest, request);
            processes.push(process.to_owned());
        }
        processes.dedup();
        assert_eq!(processes.len(), 3);
    });
}

#[test]
fn a_program_for_one_request_sees_the_end_of_file_and_must_end_well() {
    block_on(async {
        let mut program = shell("tr a-z A-Z", Start::Request, fixed(3));
        assert_eq!(text(&mut program, "abc").await.unwrap(), "ABC");
        assert_eq!(text(&mut program, "xyz").await.unwrap(), "XYZ");
        let mut program = shell("cat; exit 3", Start::Request, fixed(3));
        let error = text(&mut program, "abc").await.unwrap_err();
        assert_eq!(error, "/bin/sh replied, but ended with exit status: 3");
        let mut program = shell("cat; echo", Start::Request, fixed(3));
        assert_eq!(text(&mut program, "abc").await.unwrap_err(), "/bin/sh wrote 1 bytes more than one reply");
    });
}

#[test]
fn a_program_that_dies_gives_no_reply_and_the_next_request_has_a_fresh_one() {
    block_on(async {
        let script = "read -r line; case $line in die) kill -9 $$;; part) printf ab; exit 0;; *) printf abc;; esac";
        let mut program = shell(script, Start::Once, fixed(3));
        assert_eq!(text(&mut program, "well\n").await.unwrap(), "abc");
        let error = text(&mut program, "die\n").await.unwrap_err();
        assert!(error.contains("signal: 9"), "{error}");
        let error = text(&mut program, "part\n").await.unwrap_err();
        assert!(error.contains("after 2 bytes"), "{error}");
        assert_eq!(text(&mut program, "well\n").await.unwrap(), "abc");
    });
}

#[test]
fn a_program_that_ends_without_answering_is_not_started_over_and_over() {
    block_on(async {
        let mut program = shell("read -r line", Start::Once, Records::Line);
        assert!(text(&mut program, "one").await.unwrap_err().contains("ended with exit status: 0 after 0 bytes"));
    });
}

#[test]
fn what_a_program_wrote_too_much_is_no_reply_to_the_next_request() {
    block_on(async {
        let script = "while read -r line; do printf \"$line-more\"; done";
        let mut program = shell(script, Start::Once, fixed(3));
        assert_eq!(text(&mut program, "one\n").await.unwrap(), "one");
        let error = text(&mut program, "two\n").await.unwrap_err();
        assert_eq!(error, "/bin/sh wrote 5 bytes more than one reply");
        assert_eq!(text(&mut program, "six\n").await.unwrap(), "six");
    });
}

#[test]
fn a_program_that_takes_too_long_is_given_up() {
    block_on(async {
        let mut program = shell("read -r line; exec sleep 600", Start::Once, Records::Line);
        program.plan.time_limit = Duration::from_millis(50);
        let error = program.answer(b"one").await.unwrap_err();
        assert!(matches!(error, ProgramError::TimedOut { .. }), "{error}");
    });
}

#[test]
fn a_long_record_reaches_the_program_in_one_piece() {
    block_on(async {
        let long = Bytes::from(vec![b'x'; 300_000]);
        // One read a record, as runtimes of COBOL do.
        let script = "while dd bs=300000 count=1 2>/dev/null; do :; done";
        let mut program = shell(script, Start::Once, fixed(long.len()));
        for _ in 0..3 {
            assert_eq!(program.answer(&long).await.unwrap(), long);
        }
    });
}

#[test]
fn a_program_that_is_not_there_is_known_at_once() {
    let plan = ProgramPlan {
        path: PathBuf::from("/no/such/program"),
        arguments: Vec::new(),
        start: Start::Once,
        records: Records::Line,
        time_limit: Duration::from_secs(1),
    };
    let error = block_on(async { Program::start(plan).err().unwrap() });
    assert!(error.to_string().starts_with("cannot start /no/such/program: "), "{error}");
}
