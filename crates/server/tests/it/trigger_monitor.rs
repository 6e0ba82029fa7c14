//! `trigger-monitor`: programs that trigger messages start, with their argument, and what happens to those that cannot start.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

use expect_test::expect;

use crate::program::{Folder, Server, command, eventually, shown};

const TRIGGER: &str = "TRIGGER PROCESS(PROC) INITQ(SYSTEM.DEFAULT.INITIATION.QUEUE)";

/// A monitor that is killed with the value.
struct Monitor(Child);

impl Monitor {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut process = command();
        process.arg("trigger-monitor").args(arguments).env("QUAYMASTER_DATA", folder.path());
        Self::spawn(process)
    }

    fn spawn(mut process: Command) -> Self {
        Self(process.spawn().expect("starts"))
    }

    /// Exit code and both outputs, once it has ended by itself.
    fn ended(mut self, folder: &Folder) -> String {
        eventually("the end of the monitor", || self.0.try_wait().expect("it can be asked").is_some());
        let status = self.0.wait().expect("it has ended");
        let read = |stream: Option<&mut dyn std::io::Read>| {
            let mut bytes = Vec::new();
            stream.expect("a pipe").read_to_end(&mut bytes).expect("readable");
            bytes
        };
        let stdout = read(self.0.stdout.as_mut().map(|pipe| pipe as _));
        let stderr = read(self.0.stderr.as_mut().map(|pipe| pipe as _));
        folder.filtered(&shown(&std::process::Output { status, stdout, stderr }))
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn mqsc(folder: &Folder, text: &str) {
    let done = folder.run(&["mqsc", text]);
    assert!(done.starts_with("exit 0\n"), "{text}: {done}");
}

fn put(folder: &Folder, queue: &str, count: usize) {
    for _ in 0..count {
        let done = folder.run(&["put", queue, "work"]);
        assert!(done.starts_with("exit 0\n"), "{done}");
    }
}

fn depth(folder: &Folder, queue: &str) -> String {
    folder.run(&["depth", queue]).trim_start_matches("exit 0\nout: ").trim_end().to_owned()
}

/// A program of this text, in the folder.
fn program(folder: &Folder, text: &str) -> String {
    let file = folder.write("program", &format!("#!/bin/sh\ncd {}\n{text}\n", folder.path().display()));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("set");
    file.display().to_string()
}

fn lines(folder: &Folder, name: &str) -> usize {
    std::fs::read_to_string(folder.join(name)).unwrap_or_default().lines().count()
}

/// The queue APPL triggers a program that writes a line into the file `started`, and then does more.
fn triggered(folder: &Folder, kind: &str, more: &str) {
    let applicid = program(folder, &format!("echo one >> started\n{more}"));
    mqsc(folder, &format!("DEFINE PROCESS(PROC) APPLICID('{applicid}')"));
    mqsc(folder, &format!("DEFINE QLOCAL(APPL) {TRIGGER} {kind}"));
}

fn is_monitored(folder: &Folder) -> bool {
    folder.run(&["mqsc", "DISPLAY QSTATUS(SYSTEM.DEFAULT.INITIATION.QUEUE) IPPROCS"]).contains("IPPROCS(1)")
}

#[test]
fn a_program_is_handed_the_message_in_characters_as_one_argument_and_then_its_environment_data() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let applicid =
        program(&folder, "printf '%s' \"$1\" > argument\nprintf '%s,' $# \"$2\" \"$3\" > others\nmv others rest");
    mqsc(
        &folder,
        &format!(
            "DEFINE PROCESS(PROC) APPLICID('{applicid}') USERDATA('a \"user\" $(touch injected) `touch injected`') ENVRDATA('two $((1+2))')"
        ),
    );
    mqsc(&folder, &format!("DEFINE QLOCAL(APPL) {TRIGGER} TRIGTYPE(EVERY) TRIGDATA('trigger data')"));
    let _monitor = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 1);
    eventually("the program", || folder.join("rest").exists());
    let argument = folder.read("argument");
    let field = |from: usize, length: usize| argument[from..from + length].trim_end().to_owned();
    assert_eq!(argument.len(), 732);
    assert_eq!(&argument[..8], "TMC    2");
    assert_eq!((field(8, 48), field(56, 48), field(104, 64)), ("APPL".into(), "PROC".into(), "trigger data".into()));
    assert_eq!(&argument[168..172], "    ");
    assert_eq!((field(172, 256), field(428, 128)), (applicid, "two $((1+2))".into()));
    assert_eq!(field(556, 128), "a \"user\" $(touch injected) `touch injected`");
    assert_eq!(field(684, 48), "QM1");
    // The shell reads the environment data, as it reads the program's name.
    assert_eq!(folder.read("rest"), "3,two,3,");
    assert!(!folder.join("injected").exists(), "user data is no command");
}

#[test]
fn trigger_type_first_starts_a_program_when_the_queue_was_empty() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let take = format!("{} get APPL --count 2 >> taken", crate::program::BINARY);
    triggered(&folder, "TRIGTYPE(FIRST)", &format!("while [ ! -e go ]; do sleep 0.05; done\n{take}\nrm go"));
    let _monitor = Monitor::start(&folder, &["-m", "QM1", "-q", "SYSTEM.DEFAULT.INITIATION.QUEUE"]);
    eventually("a monitor", || is_monitored(&folder));
    for round in 1..=2 {
        put(&folder, "APPL", 2);
        eventually("a start", || lines(&folder, "started") == round);
        folder.write("go", "");
        eventually("an empty queue", || lines(&folder, "taken") == 2 * round && !folder.join("go").exists());
    }
    eventually("no trigger message", || depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE") == "0");
    assert_eq!(lines(&folder, "started"), 2);
}

#[test]
fn trigger_type_every_starts_a_program_for_each_message() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(EVERY)", "");
    let _monitor = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 3);
    eventually("three starts", || lines(&folder, "started") == 3);
    eventually("no trigger message", || depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE") == "0");
    assert_eq!(lines(&folder, "started"), 3);
}

#[test]
fn trigger_type_depth_starts_one_program_and_switches_triggering_off() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(DEPTH) TRIGDPTH(3)", "");
    let _monitor = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 2);
    assert_eq!(depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE"), "0");
    assert_eq!(lines(&folder, "started"), 0);
    put(&folder, "APPL", 2);
    eventually("a start", || lines(&folder, "started") == 1);
    let shown = folder.run(&["mqsc", "DISPLAY QLOCAL(APPL) TRIGGER"]);
    assert!(shown.contains("NOTRIGGER"), "{shown}");
    eventually("no trigger message", || depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE") == "0");
    assert_eq!(lines(&folder, "started"), 1);
}

#[test]
fn a_program_in_the_background_does_not_hold_up_the_next_one() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let wait = "for try in $(seq 600); do [ $(wc -l < started) -ge 2 ] && break; sleep 0.05; done\necho two >> both";
    let applicid = program(&folder, &format!("echo one >> started\n{wait}"));
    mqsc(&folder, &format!("DEFINE PROCESS(PROC) APPLICID('{applicid}') ENVRDATA('&')"));
    mqsc(&folder, &format!("DEFINE QLOCAL(APPL) {TRIGGER} TRIGTYPE(EVERY)"));
    let _monitor = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 2);
    eventually("both programs", || lines(&folder, "both") == 2);
}

#[test]
fn what_cannot_be_started_goes_to_the_dead_letter_queue_with_its_reason_and_the_monitor_goes_on() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(EVERY)", "");
    mqsc(&folder, "DEFINE PROCESS(MISSING) APPLICID('/no/such/program')");
    mqsc(&folder, "DEFINE PROCESS(OTHER) APPLICID('TRAN') APPLTYPE(CICS)");
    for (queue, process) in [("TO.MISSING", "MISSING"), ("TO.OTHER", "OTHER"), ("TO.NONE", "NO.SUCH.PROCESS")] {
        let trigger = TRIGGER.replace("PROC)", &format!("{process})"));
        mqsc(&folder, &format!("DEFINE QLOCAL({queue}) {trigger} TRIGTYPE(EVERY)"));
    }
    let _monitor = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    for queue in ["TO.MISSING", "TO.OTHER", "TO.NONE", "SYSTEM.DEFAULT.INITIATION.QUEUE", "APPL"] {
        put(&folder, queue, 1);
    }
    eventually("the program behind them", || lines(&folder, "started") == 1);
    let dead = folder.run(&["browse", "DEV.DEAD.LETTER.QUEUE", "--json"]);
    let reasons: Vec<i32> = dead
        .lines()
        .filter_map(|line| line.strip_prefix("out: "))
        .map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let body = message["bodyBase64"].as_str().or(message["body"].as_str()).unwrap_or_default().to_owned();
            reason(&body)
        })
        .collect();
    assert_eq!(reasons, [265, 267, 266, 266], "{dead}");
}

/// The reason of an MQDLH in base64.
fn reason(body: &str) -> i32 {
    use base64::Engine as _;

    let bytes = base64::engine::general_purpose::STANDARD.decode(body).expect("base64");
    assert_eq!(&bytes[..4], b"DLH ");
    i32::from_ne_bytes(bytes[8..12].try_into().expect("four bytes"))
}

#[test]
fn without_a_dead_letter_queue_the_trigger_message_stays_and_the_monitor_ends_with_10() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    mqsc(&folder, "ALTER QMGR DEADQ(' ')");
    put(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE", 1);
    let said = Monitor::start(&folder, &[]).ended(&folder);
    assert!(said.starts_with("exit 10\n"), "{said}");
    assert!(said.contains("queue manager QM1 has no dead-letter queue; the trigger message stays on"), "{said}");
    eventually("the message", || depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE") == "1");
}

#[test]
fn a_monitor_that_is_killed_while_its_program_runs_leaves_the_trigger_message_to_the_next_one() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(EVERY)", "while [ ! -e go ]; do sleep 0.05; done");
    let monitor = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 1);
    eventually("a start", || lines(&folder, "started") == 1);
    drop(monitor);
    folder.write("go", "");
    let _next = Monitor::start(&folder, &[]);
    eventually("a second start", || lines(&folder, "started") == 2);
    eventually("no trigger message", || depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE") == "0");
}

#[test]
fn a_monitor_ends_with_its_queue_manager_or_with_r_waits_for_it() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(EVERY)", "");
    let ends = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    drop(server);
    let said = ends.ended(&folder);
    assert!(said.starts_with("exit 10\n"), "the server was killed: {said}");

    let server = Server::start(&folder, &[]);
    let ends = Monitor::start(&folder, &[]);
    eventually("a monitor", || is_monitored(&folder));
    server.terminate();
    let said = ends.ended(&folder);
    assert!(said.starts_with("exit 0\n"), "{said}");

    let server = Server::start(&folder, &[]);
    let _stays = Monitor::start(&folder, &["-r"]);
    eventually("a monitor", || is_monitored(&folder));
    server.terminate();
    let _server = Server::start(&folder, &[]);
    eventually("the monitor again", || is_monitored(&folder));
    put(&folder, "APPL", 1);
    eventually("a start", || lines(&folder, "started") == 1);
}

#[test]
fn runmqtmc_is_a_client_and_mistakes_end_with_20() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(EVERY)", "");
    let mq = server.address("mq");
    let (host, port) = mq.rsplit_once(':').expect("an address");
    let password = folder.password("admin");
    let client = |channel: &str| {
        let mut process = command();
        process.args(["runmqtmc", "-m", "QM1", "-u", "admin"]).env("QUAYMASTER_PASSWORD", &password);
        process.env("MQSERVER", format!("{channel}/TCP/{host}({port})"));
        Monitor::spawn(process)
    };
    let monitor = client("DEV.ADMIN.SVRCONN");
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 1);
    eventually("a start", || lines(&folder, "started") == 1);
    drop(monitor);

    let said = client("NO.SUCH.CHANNEL").ended(&folder);
    assert!(said.starts_with("exit 20\n"), "{said}");
    expect![[r#"
        exit 20
        err: quaymaster: -c needs --channel, --ccdt or the variable MQSERVER
    "#]]
    .assert_eq(&folder.run(&["runmqtmc"]));
    assert!(folder.run(&["runmqtrm", "-x"]).starts_with("exit 20\n"));
    assert!(folder.run(&["runmqtrm", "-q", "NO.SUCH.QUEUE"]).starts_with("exit 20\n"));
}

/// The heartbeat interval is a second on both ends; a client that is silent for a few of them is given up.
#[test]
fn a_program_may_run_for_longer_than_the_heartbeats_of_the_channel() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    triggered(&folder, "TRIGTYPE(EVERY)", "sleep 6\necho done >> ended");
    mqsc(&folder, "DEFINE CHANNEL(BEATING) CHLTYPE(SVRCONN) TRPTYPE(TCP) MCAUSER('admin') HBINT(1)");
    mqsc(&folder, "SET CHLAUTH(BEATING) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(CHANNEL) CHCKCLNT(ASQMGR)");
    mqsc(&folder, "SET CHLAUTH(BEATING) TYPE(BLOCKUSER) USERLIST('nobody')");
    let mq = server.address("mq");
    let (host, port) = mq.rsplit_once(':').expect("an address");
    let table = format!(
        r#"{{"channel":[{{"name":"BEATING","type":"clientConnection","connectionManagement":{{"heartbeatInterval":1}},
            "clientConnection":{{"connection":[{{"host":"{host}","port":{port}}}],"queueManager":"QM1"}}}}]}}"#
    );
    let table = folder.write("table.json", &table).display().to_string();
    let mut process = command();
    process.args(["trigger-monitor", "-m", "QM1", "--ccdt", &table, "-u", "admin"]);
    let _monitor = Monitor::spawn({
        process.env("QUAYMASTER_PASSWORD", folder.password("admin"));
        process
    });
    eventually("a monitor", || is_monitored(&folder));
    put(&folder, "APPL", 1);
    eventually("the end of the program", || lines(&folder, "ended") == 1);
    eventually("no trigger message", || depth(&folder, "SYSTEM.DEFAULT.INITIATION.QUEUE") == "0");
    put(&folder, "APPL", 1);
    eventually("the next program", || lines(&folder, "started") == 2);
}
