//! A recovery log that cannot be written any more: what each door of a whole server says, and the way back.

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::program::{Folder, Server, command, eventually, finish, serve_after, shown};

/// In bytes. Writes beyond it fail while the disk is broken: those of QM1, whose log is longer, and not those of QM2.
const LIMIT: u64 = 1 << 20;

struct House {
    folder: Folder,
    server: Server,
}

impl House {
    /// QM1 and QM2, and the log of QM1 is longer than `LIMIT`.
    fn new() -> Self {
        Self::with(&["QM1", "QM2"], &[])
    }

    fn with(names: &[&str], options: &[&str]) -> Self {
        Self::restarting_after("0", names, options)
    }

    /// The server starts it again, after so many seconds at first.
    fn restarting_after(seconds: &str, names: &[&str], options: &[&str]) -> Self {
        let folder = Folder::new();
        let joined = names.join(",");
        // A process that ignores the signal gets the error.
        let mut command = serve_after("trap '' XFSZ", &folder, &[&["--qmgr", &joined], options].concat());
        command.env("MQ_APP_PASSWORD", "of-app");
        command.env("QUAYMASTER_RESTART_FAILED_SECONDS", seconds);
        let house = Self { server: Server::spawn(command), folder };
        let long = house.folder.write("long", &"x".repeat(900 << 10));
        for _ in 0..2 {
            house.put("QM1", "DEV.QUEUE.2", &["--file", &long.display().to_string()]);
        }
        // What is prepared in advance is there before the disk breaks.
        for name in names {
            let next = house.folder.join(&format!("qmgrs/{name}/log/extent-0000000002"));
            eventually("the next extent", || next.exists());
        }
        house
    }

    fn put(&self, queue_manager: &str, queue: &str, what: &[&str]) {
        let put = self.folder.run(&[&["put", "-m", queue_manager, queue, "--persistent"], what].concat());
        assert!(put.starts_with("exit 0"), "{put}");
    }

    fn limit_files(&self, bytes: Option<u64>) {
        let process = i32::try_from(self.server.process()).ok().and_then(Pid::from_raw);
        let maximum = getrlimit(Resource::Fsize).maximum;
        let limit = Rlimit { current: bytes.or(maximum), maximum };
        prlimit(process, Resource::Fsize, limit).expect("a limit of one's own process");
    }

    /// A put that the log cannot take, until `bytes` are allowed again.
    fn fail(&self, bytes: u64) {
        self.limit_files(Some(bytes));
        let put = self.folder.run(&["put", "DEV.QUEUE.1", "lost", "--persistent"]);
        assert!(!put.starts_with("exit 0"), "{put}");
        eventually("the state", || self.status().contains("STATUS(Ended unexpectedly)"));
    }

    /// What is known of QM1, which does not run.
    fn problem(&self) -> String {
        self.folder.run(&["chkmqhealthy", "-m", "QM1"])
    }

    fn metric(&self, name: &str, queue_manager: &str) -> String {
        let page = self.server.answer("metrics", "/metrics", "");
        let sample = format!("{name}{{qmgr=\"{queue_manager}\"}} ");
        page.lines().find_map(|line| line.strip_prefix(&sample)).unwrap_or("none").to_owned()
    }

    /// A command that goes through the channel of `app`.
    fn by_channel(&self, arguments: &[&str]) -> Command {
        let mut by = command();
        by.args(arguments).args(["--channel", "DEV.APP.SVRCONN", "--user", "app"]);
        by.args(["--mq", &self.server.address("mq")]).env("QUAYMASTER_PASSWORD", "of-app");
        by
    }

    /// A command that goes over HTTP, as `app`.
    fn by_rest(&self, arguments: &[&str]) -> Command {
        let mut by = command();
        by.args(arguments).args(["--url", &format!("http://{}", self.server.address("http")), "--user", "app"]);
        by.env("QUAYMASTER_PASSWORD", "of-app");
        by
    }

    fn status(&self) -> String {
        self.folder.run(&["dspmq"])
    }
}

#[test]
fn a_log_that_fails_ends_its_queue_manager_visibly_and_strmqm_brings_it_back() {
    let house = House::new();
    let folder = &house.folder;
    house.put("QM1", "DEV.QUEUE.1", &["kept"]);
    assert_eq!(house.metric("quaymaster_log_failed", "QM1"), "0");
    let wait = ["get", "DEV.QUEUE.3", "--wait", "100s"];
    let by_channel = house.by_channel(&wait).spawn().expect("the binary starts");
    let by_rest = house.by_rest(&wait).spawn().expect("the binary starts");
    let open_for_input = || folder.run(&["mqsc", "QM1", "DISPLAY QSTATUS(DEV.QUEUE.3) IPPROCS"]).contains("IPPROCS(2)");
    eventually("gets that wait", open_for_input);

    house.limit_files(Some(LIMIT));
    let put = folder.run(&["put", "DEV.QUEUE.1", "lost", "--persistent"]);
    assert!(!put.starts_with("exit 0") && put.contains("2009"), "{put}");
    eventually("the state", || house.status().contains("STATUS(Ended unexpectedly)"));
    for waiting in [by_channel, by_rest] {
        let ended = shown(&waiting.wait_with_output().expect("it ends"));
        assert!(ended.starts_with("exit 20") && ended.contains("2009"), "{ended}");
    }

    // Commands say so, with the cause.
    let cause = "(ended unexpectedly): the recovery log has failed: cannot write to extent-0000000001: File too large";
    for arguments in [&["chkmqready", "-m", "QM1"][..], &["chkmqhealthy"], &["chkmqhealthy", "-m", "QM1"]] {
        let said = folder.run(arguments);
        assert!(said.starts_with("exit 1") && said.contains(cause), "{said}");
    }
    let table = folder.run(&["dspmq", "--json"]);
    assert!(table.contains("the recovery log has failed: cannot write"), "{table}");
    let refused = folder.run_with(&["runmqsc", "QM1"], "DISPLAY QMSTATUS ALL\n");
    assert!(
        refused.starts_with("exit 20") && refused.contains("AMQ8146E") && refused.contains("log has failed"),
        "{refused}"
    );

    // So do HTTP, metrics and channels.
    assert_eq!(house.server.get("/livez", ""), 200);
    let ready = house.server.answer("http", "/readyz?qmgr=QM1", "");
    assert!(ready.starts_with("HTTP/1.1 503") && ready.ends_with("not ready: ended unexpectedly\n"), "{ready}");
    let app = format!("Authorization: Basic {}\r\n", STANDARD.encode("app:of-app"));
    let browsed = house.server.answer("http", "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message", &app);
    assert!(browsed.starts_with("HTTP/1.1 503") && browsed.contains("2059"), "{browsed}");
    assert_eq!(house.metric("quaymaster_queue_manager_running", "QM1"), "0");
    assert_eq!(house.metric("quaymaster_log_failed", "QM1"), "1");
    let late = shown(&finish(house.by_channel(&["put", "DEV.QUEUE.1", "late"]), ""));
    assert!(late.starts_with("exit 20") && late.contains("2059"), "{late}");

    // The other queue manager goes on, and so the server is ready.
    house.put("QM2", "DEV.QUEUE.1", &["of the other"]);
    assert_eq!(folder.run(&["get", "-m", "QM2", "DEV.QUEUE.1"]), "exit 0\nout: of the other\n");
    assert_eq!(house.server.get("/readyz", ""), 200);
    assert_eq!(folder.run(&["chkmqready"]), "exit 0\n");
    assert_eq!(house.metric("quaymaster_queue_manager_running", "QM2"), "1");
    assert_eq!(house.metric("quaymaster_log_failed", "QM2"), "0");

    // Once the disk is well, a start reads what was answered.
    house.limit_files(None);
    let started = folder.run(&["strmqm", "QM1"]);
    assert!(started.starts_with("exit 0"), "{started}");
    assert_eq!(folder.run(&["chkmqhealthy"]), "exit 0\n");
    assert_eq!(house.server.get("/readyz?qmgr=QM1", ""), 200);
    assert_eq!(house.metric("quaymaster_log_failed", "QM1"), "0");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: kept\n");
    house.put("QM1", "DEV.QUEUE.1", &["after"]);
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: after\n");

    let (code, log) = house.server.terminate();
    assert_eq!(code, Some(0), "{log}");
    let errors: Vec<_> = log.lines().filter(|line| line.contains("ERROR")).collect();
    assert_eq!(errors.len(), 1, "{log}");
    assert!(errors[0].contains("strmqm QM1") && errors[0].contains("File too large"), "{log}");
}

#[test]
fn strmqm_waits_until_what_failed_is_closed() {
    let house = House::new();
    for round in 0..3 {
        house.fail(LIMIT);
        house.limit_files(None);
        let started = house.folder.run(&["strmqm", "QM1"]);
        assert!(started.starts_with("exit 0"), "round {round}: {started}");
        house.put("QM1", "DEV.QUEUE.3", &["kept"]);
    }
    assert_eq!(house.folder.run(&["depth", "DEV.QUEUE.3"]), "exit 0\nout: 3\n");
    assert_eq!(house.server.terminate().0, Some(0));
}

#[test]
fn a_server_that_ends_with_its_last_queue_manager_fails_with_it() {
    let mut house = House::with(&["QM1"], &["--end-with-last"]);
    house.limit_files(Some(LIMIT));
    let put = house.folder.run(&["put", "DEV.QUEUE.1", "lost", "--persistent"]);
    assert!(!put.starts_with("exit 0"), "{put}");
    let (code, log) = house.server.wait();
    assert_eq!(code, Some(1), "{log}");
    let last = log.lines().last().unwrap_or_default();
    assert!(last.contains("QM1 has ended unexpectedly: the recovery log has failed"), "{log}");
}

#[test]
fn a_queue_manager_whose_log_failed_is_started_again_when_its_disk_is_well() {
    let house = House::restarting_after("1", &["QM1"], &[]);
    house.put("QM1", "DEV.QUEUE.1", &["kept"]);
    // A small file can be written, and the log, which is longer than the limit, cannot.
    house.fail(LIMIT);
    let first = house.problem();
    assert!(first.contains("cannot write to extent-") && first.contains("attempt 1 within 1 s"), "{first}");
    let table = house.folder.run(&["dspmq", "--json"]);
    assert!(table.contains("the server starts it again when its disk is well"), "{table}");
    eventually("the second attempt", || house.problem().contains("attempt 2 within 2 s"));
    assert_eq!(house.metric("quaymaster_log_failed", "QM1"), "1", "a start that fails changes nothing about that");
    // No file can be written at all.
    house.limit_files(Some(0));
    eventually("the third attempt", || house.problem().contains("attempt 3 within 4 s"));
    let third = house.problem();
    assert!(third.contains("cannot write probe: File too large"), "{third}");

    house.limit_files(None);
    eventually("the start", || house.folder.run(&["chkmqhealthy"]) == "exit 0\n");
    assert_eq!(house.metric("quaymaster_log_failed", "QM1"), "0");
    assert_eq!(house.folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: kept\n");
    // A disk that was well for a moment is not trusted more than before.
    house.fail(0);
    eventually("the next attempt", || house.problem().contains("attempt 1 within 8 s"));

    // It waits, and the end of the server does not.
    let (code, log) = house.server.terminate();
    assert_eq!(code, Some(0), "{log}");
    let lines = |what: &str| log.lines().filter(|line| line.contains(what)).count();
    assert_eq!(lines("INFO queue manager QM1 is started again when its disk is well: attempt 1 in"), 2, "{log}");
    assert_eq!(lines("WARN queue manager QM1 cannot be started again yet"), 2, "{log}");
    assert_eq!(lines("was started again after its recovery log had failed"), 1, "{log}");
    assert_eq!(lines("ERROR"), 2, "one for each failure: {log}");
    assert!(!house.folder.join("qmgrs/QM1/log/probe").exists());
}

#[test]
fn endmqm_and_strmqm_take_the_place_of_a_start_that_waits() {
    let house = House::restarting_after("3600", &["QM1"], &[]);
    let folder = &house.folder;
    house.fail(LIMIT);
    assert!(house.problem().contains("attempt 1 within 3600 s"), "{}", house.problem());
    assert_eq!(folder.run(&["endmqm", "-i", "QM1"]).lines().next(), Some("exit 0"));
    let problem = house.problem();
    assert!(problem.contains("ended unexpectedly") && !problem.contains("attempt"), "{problem}");
    assert!(folder.run(&["endmqm", "-i", "QM1"]).starts_with("exit 40"), "it has ended");

    // A start by command that fails leaves the next one to come.
    house.limit_files(None);
    assert!(folder.run(&["strmqm", "QM1"]).starts_with("exit 0"));
    house.fail(LIMIT);
    let refused = folder.run(&["strmqm", "QM1"]);
    assert!(refused.starts_with("exit 71"), "{refused}");
    assert!(house.problem().contains("File too large"), "{}", house.problem());
    house.limit_files(None);
    assert!(folder.run(&["strmqm", "QM1"]).starts_with("exit 0"));
    assert_eq!(folder.run(&["chkmqhealthy"]), "exit 0\n");
    let (code, log) = house.server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(log.matches("is not started again: it was ended by command").count(), 1, "{log}");
}
