//! Compiled C and COBOL programs that call the shared and the static library.

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier, OnceLock};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::mock::{Action, Mock, Request, answer};

/// What the static library needs of the system.
const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];
/// How many connections a process keeps.
const SLOTS: usize = 64;

/// What a program said.
pub(crate) struct Spoken {
    pub(crate) output: String,
    pub(crate) errors: String,
    pub(crate) status: std::process::ExitStatus,
}

/// A run of the C program with an environment that has no BAQ variable but those it is given.
pub(crate) struct Caller(Command);

impl Caller {
    pub(crate) fn new(arguments: &[&str]) -> Self {
        let mut command = clean(&built().path().join("caller"));
        command.args(arguments).env("LD_LIBRARY_PATH", folder());
        Self(command)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn to(self, mock: &Mock) -> Self {
        self.with("BAQPORT", &mock.address.port().to_string())
    }

    pub(crate) fn run(mut self) -> Spoken {
        run(&mut self.0)
    }
}

fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BAQ")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Spoken {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Spoken {
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status,
    }
}

fn compiled(command: &mut Command) {
    let spoken = run(command);
    assert!(spoken.status.success(), "{command:?}: {}{}", spoken.output, spoken.errors);
}

/// Where cargo put the libraries: beside this test.
fn folder() -> PathBuf {
    std::env::current_exe().expect("this test").parent().expect("a folder").to_owned()
}

pub(crate) fn library(name: &str) -> PathBuf {
    let path = folder().join(name);
    assert!(path.exists(), "{} is not built", path.display());
    path
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The compiled programs: `caller`, `caller-static`, `CALLER`, `CALLER-static`, and the links of the library.
fn built() -> &'static TempDir {
    static BUILT: OnceLock<TempDir> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let shared = library("libbaqcstub.so");
        let archive = library("libbaqcstub.a");
        let caller = source("tests/programs/caller.c");
        let cc = || {
            let mut command = Command::new("cc");
            command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(source("include")).arg(&caller);
            command
        };
        compiled(cc().arg("-o").arg(folder.path().join("caller")).arg(&shared).arg("-lpthread"));
        compiled(cc().arg("-o").arg(folder.path().join("caller-static")).arg(&archive).args(SYSTEM));
        let cobc = || {
            let mut command = Command::new("cobc");
            command.args(["-x", "-I"]).arg(source("copybooks"));
            command
        };
        let program = source("tests/programs/CALLER.cbl");
        compiled(cobc().arg("-o").arg(folder.path().join("CALLER")).arg(&program));
        compiled(
            cobc()
                .arg("-static")
                .arg("-o")
                .arg(folder.path().join("CALLER-static"))
                .arg(literal(&folder))
                .arg(&archive)
                .args(SYSTEM),
        );
        compiled(cobc().arg("-o").arg(folder.path().join("HOST")).arg(source("tests/programs/HOST.cbl")));
        for function in ["CSTUB", "CTERM", "INIT", "PUTN", "EXEC", "GETN", "FREE", "TERM"] {
            let name = format!("BAQ{function}.so");
            symlink(&shared, folder.path().join(name)).expect("a link");
        }
        folder
    })
}

/// The COBOL program with the name of the stub as a literal, which alone can be linked statically.
#[expect(clippy::disallowed_methods, reason = "files of a test need not last")]
fn literal(folder: &TempDir) -> PathBuf {
    let text = std::fs::read_to_string(source("tests/programs/CALLER.cbl")).expect("the program");
    assert!(text.contains("CALL COMM-STUB-PGM-NAME USING"));
    let path = folder.path().join("LITERAL.cbl");
    let text = text
        .replace("CALL COMM-STUB-PGM-NAME", "CALL 'BAQCSTUB'")
        .replace("CANCEL COMM-STUB-PGM-NAME", "CANCEL 'BAQCSTUB'");
    std::fs::write(&path, text).expect("written");
    path
}

fn echo() -> Mock {
    Mock::start(|request| vec![Action::Send(answer(0, 200, &request.body))])
}

/// Runs the COBOL program against a server.
fn cobol(mock: &Mock) -> Command {
    let mut command = clean(&built().path().join("CALLER"));
    command.env("COB_LIBRARY_PATH", built().path()).env("BAQPORT", mock.address.port().to_string());
    command
}

/// Runs the program that calls the host API against a server.
pub(crate) fn host(mock: &Mock) -> Spoken {
    let mut command = clean(&built().path().join("HOST"));
    command.env("COB_LIBRARY_PATH", built().path()).env("MOCK_PORT", mock.address.port().to_string());
    run(&mut command)
}

const LENGTHS: &str = "BAQ-REQUEST-INFO 1832\nBAQ-RESPONSE-INFO 1048\nAPI-INFO 780\n";
const GOOD: &str = "SUCCESS 305419896 FROM COBOL  \n";
const END: &str = "BAQCTERM BAQCSTUB\nRETURN-CODE 0\n";

#[test]
fn a_cobol_program_finds_the_library_by_its_link() {
    let mock = echo();
    let spoken = run(&mut cobol(&mock));
    assert_eq!(spoken.output, format!("{LENGTHS}{GOOD}{GOOD}{END}"), "{}", spoken.errors);
    assert!(spoken.status.success());
    let requests = mock.requests();
    let first = &requests[0];
    assert_eq!(first.line, "POST /zosConnect/apiRequesters/echo_1.0?apiPath=%2Fecho%2F%7Bid%7D&apiMethod=PUT HTTP/1.1");
    assert_eq!(first.header("Baq-Oauth-Username"), Some("ann"));
    assert_eq!(first.header("Baq-Oauth-Scope"), Some("read%20write"));
    assert_eq!(first.header("Baq-Token-Username"), Some("token%20user"));
    // INITIALIZE sets the comp level to 0, which promises nothing behind it.
    assert_eq!(requests[1].header("Baq-Oauth-Username"), None);
    assert_eq!(mock.connections(), 1);
}

#[test]
fn a_library_that_is_cancelled_keeps_its_connections() {
    let mock = echo();
    let spoken = run(cobol(&mock).env("COB_PHYSICAL_CANCEL", "true"));
    assert_eq!(spoken.output, format!("{LENGTHS}{GOOD}{GOOD}{END}"), "{}", spoken.errors);
    assert_eq!(mock.connections(), 1);
}

#[test]
fn a_cobol_program_may_have_the_library_inside() {
    let mock = echo();
    let spoken = run(clean(&built().path().join("CALLER-static")).env("BAQPORT", mock.address.port().to_string()));
    assert_eq!(spoken.output, format!("{LENGTHS}{GOOD}{GOOD}{END}"), "{}", spoken.errors);
}

#[test]
fn a_cobol_program_reads_each_class_of_failure() {
    let cases: [(&[u8], &str); 4] = [
        (&answer(1, 404, b"no such book"), "API 404 no such book\n"),
        (&answer(2, 503, b"stopped"), "ZCEE 503 stopped\n"),
        (
            &answer(0, 200, b"much longer than it may be"),
            "STUB 44 the response record is longer than the 16 bytes of BAQ-RESPONSE-LEN: 26\n",
        ),
        (
            b"nonsense\r\n\r\n",
            "NO RESPONSE 43 the answer cannot be understood: it does not begin with HTTP/1.1 and a status\n",
        ),
    ];
    for (bytes, expected) in cases {
        let bytes = bytes.to_vec();
        let mock = Mock::start(move |_| vec![Action::Send(bytes.clone())]);
        let spoken = run(&mut cobol(&mock));
        assert_eq!(spoken.output, format!("{LENGTHS}{expected}{expected}{END}"));
    }
}

#[test]
fn the_form_of_records_is_what_the_environment_says() {
    for (form, header) in [("big,hexadecimal,37", Some("big,hexadecimal,37")), ("archive", None)] {
        let mock = echo();
        run(cobol(&mock).env("BAQFORM", form));
        assert_eq!(mock.requests()[0].header("Baq-Record-Form"), header);
    }
}

#[test]
fn user_and_password_are_sent_as_basic_authentication() {
    let mock = echo();
    let spoken = Caller::new(&["echo", "1", "3"])
        .to(&mock)
        .with("BAQUSERNAME", "Aladdin")
        .with("BAQPASSWORD", "open sesame")
        .with("BAQVERBOSE", "ALL")
        .run();
    assert_eq!(spoken.output, "0 200 echoed\n");
    assert_eq!(mock.requests()[0].header("Authorization"), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    assert!(!spoken.errors.contains("sesame") && !spoken.errors.contains("QWxh"), "{}", spoken.errors);
}

#[test]
fn a_c_program_may_have_the_library_inside() {
    let mock = echo();
    let spoken = run(clean(&built().path().join("caller-static"))
        .args(["echo", "2", "9000"])
        .env("BAQPORT", mock.address.port().to_string()));
    assert_eq!(spoken.output, "0 200 echoed\n0 200 echoed\n", "{}", spoken.errors);
    assert_eq!(mock.connections(), 1);
}

#[test]
fn a_c_program_calls_from_many_threads() {
    let mock = echo();
    let spoken = Caller::new(&["threads"]).to(&mock).run();
    assert_eq!(spoken.output, "0 wrong\n");
    assert_eq!(mock.requests().len(), 8 * 40);
    assert!(mock.connections() <= 8);
}

#[test]
fn a_child_process_never_uses_a_connection_of_its_parent() {
    let mock = echo();
    let spoken = Caller::new(&["fork"]).to(&mock).run();
    assert_eq!(spoken.output, "before 0 200 echoed\nfine, 0 wrong\n", "{}", spoken.errors);
    let by_child = |request: &Request| request.body.first() == Some(&b'C');
    let requests = mock.requests();
    for request in requests.iter().filter(|request| by_child(request)) {
        let mixed = requests.iter().any(|other| other.connection == request.connection && !by_child(other));
        assert!(!mixed, "connection {} carried both", request.connection);
    }
    assert_eq!(requests.iter().filter(|request| by_child(request)).count(), 5 * 3);
}

#[test]
fn signals_of_the_program_neither_end_nor_disturb_a_call() {
    let mock = Mock::start(|request| {
        let mut bytes = answer(0, 200, &request.body);
        // Every other connection is for one call: the next call makes a new one.
        if request.connection % 2 == 0 {
            let head = bytes.iter().position(|&byte| byte == b'\n').expect("a first line") + 1;
            bytes.splice(head..head, *b"Connection: close\r\n");
        }
        // Slowly, so that the timer of the program strikes within the call.
        let (head, rest) = bytes.split_at(40);
        vec![Action::Trickle(head.to_vec()), Action::Send(rest.to_vec())]
    });
    let spoken = Caller::new(&["interrupted"]).to(&mock).run();
    assert_eq!(spoken.output, "0 200 echoed\n".repeat(20), "{}", spoken.errors);
    assert!(spoken.status.success());
}

#[test]
fn a_server_that_goes_away_while_a_request_is_sent_ends_the_call_and_not_the_program() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        stream.read_exact(&mut [0; 64]).expect("the beginning");
    });
    let spoken = Caller::new(&["echo", "1", "30000000"]).with("BAQPORT", &port).run();
    server.join().expect("served");
    assert!(spoken.output.starts_with("3 40 the connection to 127.0.0.1:"), "{}", spoken.output);
    assert_eq!(spoken.status.code(), Some(1), "no signal ended it");
}

#[test]
fn settings_may_change_between_calls_and_baqcterm_closes() {
    let (one, other) = (echo(), echo());
    let port = other.address.port().to_string();
    let spoken = Caller::new(&["settings", &port]).to(&one).run();
    assert_eq!(spoken.output, "0 200 echoed\n0 200 echoed\n0 200 echoed\n");
    assert!(spoken.status.success());
    assert_eq!((one.connections(), other.connections()), (1, 2));
}

#[test]
fn a_setting_that_cannot_be_used_fails_the_call_by_name() {
    for (name, value) in [("BAQPORT", "http"), ("BAQTIMEOUT", "soon"), ("BAQFORM", "x"), ("BAQCERTFILE", "c.pem")] {
        let spoken = Caller::new(&["echo", "1", "3"]).with(name, value).run();
        assert!(spoken.output.starts_with("3 20 the environment variable BAQ"), "{}", spoken.output);
    }
}

/// How long a program waits for an answer unless BAQTIMEOUT says otherwise.
const AS_USUAL: Duration = Duration::from_secs(120);

#[test]
fn a_server_that_stays_silent_is_given_up_after_baqtimeout() {
    let silent: fn(&Request) -> Vec<Action> = |_| vec![Action::Hang];
    let slow: fn(&Request) -> Vec<Action> = |_| vec![Action::Send(answer(0, 200, b"abc")[..70].to_vec()), Action::Hang];
    for script in [silent, slow] {
        let mock = Mock::start(script);
        let started = now();
        let spoken = Caller::new(&["echo", "1", "3"]).to(&mock).with("BAQTIMEOUT", "1").run();
        assert!(spoken.output.starts_with("4 41 no complete answer"), "{}", spoken.output);
        let taken = started.elapsed();
        assert!(taken >= Duration::from_millis(700) && taken < AS_USUAL, "{taken:?}");
        assert_eq!(mock.requests().len(), 1);
    }
}

#[expect(clippy::disallowed_methods, reason = "a test that measures a time limit")]
fn now() -> Instant {
    Instant::now()
}

/// Runs a program whose threads fill the store with connections to a server that ends each after its answer, or none, and how
/// many connections that server and another one saw.
fn filled(ends: bool) -> (usize, usize) {
    let all_there = Barrier::new(SLOTS);
    let one = Arc::new(Mock::start(move |request| {
        if request.connection < SLOTS && request.number == 0 {
            all_there.wait();
        }
        let mut actions = vec![Action::Send(answer(0, 200, &request.body))];
        actions.extend(ends.then_some(Action::Close));
        actions
    }));
    let watched = Arc::clone(&one);
    let other = Mock::start(move |request| {
        if ends {
            watched.await_ended(SLOTS);
        }
        vec![Action::Send(answer(0, 200, &request.body))]
    });
    let spoken = Caller::new(&["full", &other.address.port().to_string()]).to(&one).run();
    assert_eq!(spoken.output, "0 200 echoed\n".repeat(4), "{}", spoken.errors);
    assert!(spoken.status.success());
    (one.connections(), other.connections())
}

#[test]
fn connections_that_have_ended_make_room_for_others_and_those_that_have_not_stay() {
    assert_eq!(filled(true), (SLOTS + 1, 1));
    assert_eq!(filled(false), (SLOTS, 3));
}

#[test]
fn lines_that_nobody_reads_do_not_end_the_program() {
    let mock = echo();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut caller = Caller::new(&["held"]).to(&mock).with("BAQVERBOSE", "ALL");
    caller.0.stderr(writer);
    let spoken = caller.run();
    assert_eq!(spoken.output, "0 200 echoed\n".repeat(3), "{}", spoken.status);
    assert!(spoken.status.success(), "{}", spoken.status);
}

#[test]
fn what_the_library_does_is_told_when_asked() {
    let mock = Mock::start(|request| vec![Action::Send(answer(i32::from(request.number > 0), 200, b"eee"))]);
    let told = |verbose: &str| Caller::new(&["echo", "2", "3"]).to(&mock).with("BAQVERBOSE", verbose).run().errors;
    assert_eq!(told("OFF"), "");
    assert_eq!(told("ERROR").lines().count(), 1);
    let audit = told("AUDIT");
    assert_eq!(audit.lines().count(), 2);
    assert!(
        audit.contains("return code 0, status 200, ") && audit.contains("POST /zosConnect/apiRequesters/echo_1.0?"),
        "{audit}"
    );
    let all = told("ON");
    assert!(all.contains("new connection to 127.0.0.1:") && all.contains("kept connection to 127.0.0.1:"), "{all}");
}
