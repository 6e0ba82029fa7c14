//! `workload responder --program`: what reaches the program, what becomes of its reply, and of a request it dies of.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

use crate::program::{Folder, Server, command, eventually};

const QUEUES: &str = "\
DEFINE QLOCAL(DEV.REQUEST) BOTHRESH(2) BOQNAME(DEV.PUT.ASIDE)
DEFINE QLOCAL(DEV.NO.ASIDE) BOTHRESH(1)
DEFINE QLOCAL(DEV.PUT.ASIDE)
DEFINE QLOCAL(DEV.REPLY)
DEFINE QLOCAL(DEV.DURABLE) DEFPSIST(YES) BOTHRESH(2) BOQNAME(DEV.PUT.ASIDE)
DEFINE QLOCAL(DEV.SHUT) PUT(DISABLED)
DEFINE QLOCAL(DEV.FOR.EVER) BOTHRESH(0)
";
/// Answers `echo NAME` with the name and its own process; dies of the rest.
const SCRIPT: &str = "while read -r verb name; do [ $verb = echo ] || kill -9 $$; echo \"$name $$\"; done";

/// Killed with the value.
struct Responder {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Responder {
    fn start(folder: &Folder, server: &Server, arguments: &[&str]) -> Self {
        let mut command = command();
        command.args(["workload", "responder", "--mq", &server.address("mq"), "--channel", "DEV.APP.SVRCONN"]);
        command.arg("--password-file").arg(folder.join("initial-passwords")).args(arguments);
        let mut process = command.spawn().expect("it starts");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut responder = Self { process, output };
        assert_eq!(responder.line(), "{\"event\":\"ready\",\"connections\":1}\n");
        responder
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("its output can be read");
        line
    }

    /// Tells it to end; its last line.
    fn end(mut self) -> String {
        let told = std::process::Command::new("sh").arg("-c").arg(format!("kill -TERM {}", self.process.id())).status();
        assert!(told.expect("a shell").success());
        let last = self.line();
        assert!(self.process.wait().expect("it ends").success());
        last
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn put(folder: &Folder, queue: &str, body: &str) -> String {
    let put = folder.run(&["put", queue, body, "--reply-to", "DEV.REPLY"]);
    put.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{put}")).trim_end().to_owned()
}

/// The message that answers the one with this identifier.
fn reply(folder: &Folder, id: &str) -> String {
    let got = folder.run(&["get", "DEV.REPLY", "--correlation-id", id, "--wait", "60s"]);
    got.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{got}")).trim_end().to_owned()
}

fn message(folder: &Folder, queue: &str) -> serde_json::Value {
    let got = folder.run(&["get", queue, "--wait", "60s", "--json"]);
    serde_json::from_str(got.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{got}"))).expect("JSON")
}

#[test]
fn a_program_answers_requests_and_one_that_kills_it_is_put_aside() {
    let folder = Folder::new();
    folder.write("mqsc.d/queues.mqsc", QUEUES);
    let server = Server::start(&folder, &[]);
    let program = ["--program", "/bin/sh", "--program-argument", "-c", "--program-argument", SCRIPT];
    let form = ["--records", "line", "--queue", "DEV.REQUEST"];
    let responder = Responder::start(&folder, &server, &[&program[..], &form].concat());
    let (ada, bob) = (put(&folder, "DEV.REQUEST", "echo ada"), put(&folder, "DEV.REQUEST", "echo bob"));
    let (bob, ada) = (reply(&folder, &bob), reply(&folder, &ada));
    let process = ada.strip_prefix("ada ").unwrap_or_else(|| panic!("{ada}"));
    assert_eq!(bob, format!("bob {process}"), "one process answers both");

    let deadly = put(&folder, "DEV.REQUEST", "die");
    let after = put(&folder, "DEV.REQUEST", "echo carl");
    let aside = message(&folder, "DEV.PUT.ASIDE");
    assert_eq!((aside["messageId"].as_str(), aside["body"].as_str()), (Some(&*deadly), Some("die")), "{aside}");
    let carl = reply(&folder, &after);
    assert!(carl.starts_with("carl ") && !carl.ends_with(process), "a fresh program goes on: {carl}");
    assert_eq!(responder.end(), "{\"event\":\"end\",\"replies\":3,\"errors\":2}\n");
}

#[test]
fn without_a_backout_queue_a_deadly_request_goes_to_the_dead_letter_queue() {
    let folder = Folder::new();
    folder.write("mqsc.d/queues.mqsc", QUEUES);
    let server = Server::start(&folder, &[]);
    let program = ["--program", "/bin/false", "--start", "request", "--reply-length", "4"];
    let _responder = Responder::start(&folder, &server, &[&program[..], &["--queue", "DEV.NO.ASIDE"]].concat());
    let deadly = put(&folder, "DEV.NO.ASIDE", "die");
    let dead = message(&folder, "DEV.DEAD.LETTER.QUEUE");
    assert_eq!(dead["messageId"].as_str(), Some(&*deadly), "{dead}");
}

#[test]
fn a_persistent_request_whose_reply_cannot_be_put_is_backed_out_and_put_aside() {
    let folder = Folder::new();
    folder.write("mqsc.d/queues.mqsc", QUEUES);
    let server = Server::start(&folder, &[]);
    let responder = Responder::start(&folder, &server, &["--queue", "DEV.DURABLE", "--response-size", "100"]);
    let put = folder.run(&["put", "DEV.DURABLE", "ask", "--reply-to", "DEV.SHUT"]);
    let asked = put.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{put}")).trim_end();
    let aside = message(&folder, "DEV.PUT.ASIDE");
    assert_eq!((aside["messageId"].as_str(), aside["body"].as_str()), (Some(asked), Some("ask")), "{aside}");
    assert_eq!(responder.end(), "{\"event\":\"end\",\"replies\":0,\"errors\":2}\n");
}

#[test]
fn what_was_put_aside_does_not_expire() {
    let folder = Folder::new();
    folder.write("mqsc.d/queues.mqsc", QUEUES);
    let server = Server::start(&folder, &[]);
    let _responder = Responder::start(&folder, &server, &["--queue", "DEV.DURABLE", "--response-size", "100"]);
    let put = folder.run(&["put", "DEV.DURABLE", "ask", "--reply-to", "DEV.SHUT", "--expiry", "600s"]);
    assert!(put.starts_with("exit 0"), "{put}");
    let aside = message(&folder, "DEV.PUT.ASIDE");
    assert_eq!((aside["body"].as_str(), &aside["expiry"]), (Some("ask"), &serde_json::json!(-1)), "{aside}");
}

#[test]
fn a_responder_without_authority_names_the_queue_and_the_user() {
    let folder = Folder::new();
    folder.write("mqsc.d/queues.mqsc", "DEFINE QLOCAL(PRIVATE)\n");
    let server = Server::start(&folder, &[]);
    let passwords = folder.join("initial-passwords").to_string_lossy().into_owned();
    let told = folder.run(&[
        "workload",
        "responder",
        "--mq",
        &server.address("mq"),
        "--channel",
        "DEV.APP.SVRCONN",
        "--password-file",
        &passwords,
        "--queue",
        "PRIVATE",
    ]);
    assert!(told.contains("the user 'app' is not authorized to get from PRIVATE"), "{told}");
    assert!(told.contains("2035"), "{told}");
}

#[test]
fn a_request_that_comes_again_and_again_comes_after_pauses() {
    let folder = Folder::new();
    folder.write("mqsc.d/queues.mqsc", QUEUES);
    let server = Server::start(&folder, &[]);
    let seen = folder.join("seen");
    let script = format!("while read -r verb name; do echo $name >> '{}'; echo $name; done", seen.display());
    let program = ["--program", "/bin/sh", "--program-argument", "-c", "--program-argument", &script];
    let form = ["--records", "line", "--queue", "DEV.FOR.EVER"];
    let responder = Responder::start(&folder, &server, &[&program[..], &form].concat());
    let begun = tokio::time::Instant::now();
    let put = folder.run(&["put", "DEV.FOR.EVER", "echo ada", "--reply-to", "DEV.SHUT"]);
    assert!(put.starts_with("exit 0"), "{put}");
    let times = || std::fs::read_to_string(&seen).map_or(0, |seen| seen.lines().count());
    eventually("it has come three times", || times() >= 3);
    let end: serde_json::Value = serde_json::from_str(&responder.end()).expect("JSON");
    // After 0, 0.2, 0.6, 1.4, 3 s and so on.
    let first = std::time::Duration::from_millis(200);
    let most = (0..20).take_while(|pauses| first * (2_u32.pow(*pauses) - 1) <= begun.elapsed()).count();
    let errors = end["errors"].as_u64().and_then(|errors| usize::try_from(errors).ok()).expect("a number");
    assert!((2..=most).contains(&errors) && end["replies"] == 0, "{end} after {:?}", begun.elapsed());
}

#[test]
fn what_a_program_needs_is_said_before_anything_is_started() {
    let folder = Folder::new();
    for (arguments, expected) in [
        (&["--program", "x"][..], "exit 1\nerr: quaymaster: reply-length: "),
        (
            &["--program", "x", "--records", "line", "--request-length", "3"],
            "exit 1\nerr: quaymaster: request-length: ",
        ),
        (&["--program", "x", "--reply-length", "0"], "exit 1\nerr: quaymaster: reply-length: "),
        (&["--reply-length", "4"], "exit 2\n"),
        (&["--program", "x", "--response-size", "4"], "exit 2\n"),
    ] {
        let said = folder.run(&[&["workload", "responder", "--no-user"], arguments].concat());
        assert!(said.starts_with(expected), "{arguments:?}: {said}");
    }
}
