//! A queue manager in memory under a clock of its own, and runmqsc's session over it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use command::{Counts, Outcome, run, session_footer, session_header, split, verify};
use model::authority::Principal;
use model::group::GroupName;
use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use queue_manager::{Clock, ConnectOptions, Connection, GroupOptions, Home, QueueManager, StartOptions};
use storage::StoreOptions;

/// Starts at 2026-01-02 03:04:05 UTC and is a second later each time it is asked.
#[derive(Default)]
struct TickingClock(AtomicU64);

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_767_323_045_000 + 1000 * self.0.fetch_add(1, Ordering::Relaxed))
    }
}

pub(crate) fn start() -> QueueManager {
    start_with(Home::Ephemeral)
}

pub(crate) fn start_with(home: Home) -> QueueManager {
    start_as("server", home)
}

/// A member of the queue-sharing group QSG1, with shared queues in memory.
pub(crate) fn start_member() -> QueueManager {
    let group = GroupOptions { name: GroupName::parse("QSG1").unwrap(), database: None };
    QueueManager::start_member(options("server", Home::Ephemeral), group).unwrap()
}

/// With a server that runs as `server_user`.
pub(crate) fn start_as(server_user: &str, home: Home) -> QueueManager {
    QueueManager::start(options(server_user, home)).unwrap()
}

fn options(server_user: &str, home: Home) -> StartOptions {
    StartOptions {
        name: QueueManagerName::literal("QM1"),
        home,
        store: StoreOptions::default(),
        clock: Arc::new(TickingClock::default()),
        server_user: server_user.to_owned(),
    }
}

pub(crate) fn administrator() -> Principal {
    Principal::administrator("server")
}

/// A program of this machine connects.
pub(crate) fn connect(queue_manager: &QueueManager, principal: Principal, application: &str) -> Connection {
    let options = ConnectOptions {
        principal,
        application_name: application.to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    queue_manager.connect(options).unwrap()
}

/// Runs every command of `script`; what was printed, and how the commands ended.
pub(crate) fn try_script(
    queue_manager: &QueueManager,
    caller: &Principal,
    script: &str,
) -> (Vec<String>, Vec<Outcome>) {
    wait_for(async {
        let mut lines = Vec::new();
        let mut outcomes = Vec::new();
        for source in split(script) {
            let answer = run(queue_manager, caller, &source.text).await;
            lines.extend(answer.lines);
            outcomes.push(answer.outcome);
        }
        (lines, outcomes)
    })
}

/// Runs a script that must succeed.
pub(crate) fn run_script(queue_manager: &QueueManager, script: &str) -> Vec<String> {
    let (lines, outcomes) = try_script(queue_manager, &administrator(), script);
    assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Succeeded), "{script}\n{}", lines.join("\n"));
    lines
}

/// A whole runmqsc session on a fresh queue manager, as it looks on a terminal.
pub(crate) fn session(script: &str) -> String {
    wait_for(session_on(&start(), script))
}

pub(crate) fn wait_for<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// The same on a queue manager that has something to show.
pub(crate) async fn session_on(queue_manager: &QueueManager, script: &str) -> String {
    let mut lines = session_header("QM1");
    let mut counts = Counts::default();
    for source in split(script) {
        lines.extend(command::echo(&source, counts.read + 1));
        let answer = run(queue_manager, &administrator(), &source.text).await;
        counts.count(answer.outcome);
        lines.extend(answer.lines);
    }
    lines.extend(session_footer(&counts));
    finish(&lines)
}

/// What `runmqsc -v` prints about each command.
pub(crate) fn verified(script: &str) -> String {
    finish(&split(script).iter().flat_map(|source| verify(&source.text).lines).collect::<Vec<_>>())
}

/// One text, with what differs from run to run made equal.
fn finish(lines: &[String]) -> String {
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let unstable = [
        "SUBID(",
        "ACTCONN(",
        "LPUBDATE(",
        "LPUBTIME(",
        "LMSGDATE(",
        "CHSTADA(",
        "CHSTATI(",
        "LSTMSGDA(",
        "LSTMSGTI(",
        "JOBNAME(",
        "LMSGTIME(",
        "RESMDATE(",
        "RESMTIME(",
        "RESETINT(",
        "DESTCORL(",
        "CONN(",
        "EXTCONN(",
        "QMID(",
        "PID(",
        "ALTDATE(",
        "ALTTIME(",
        "CRDATE(",
        "CRTIME(",
        "STARTDA(",
        "STARTTI(",
        "HOSTNAME(",
        "LOGFSUSE(",
        "LPUTDATE(",
        "LPUTTIME(",
        "MSGAGE(",
    ];
    for keyword in unstable {
        text = mask(&text, keyword);
    }
    text
}

/// `keyword`'s value becomes `*`, wherever `keyword` begins a word.
pub(crate) fn mask(text: &str, keyword: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(keyword) {
        let start = at + keyword.len();
        masked.push_str(&rest[..start]);
        let end = start + rest[start..].find(')').unwrap_or(0);
        if rest[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            masked.push_str(&rest[start..end]);
        } else {
            masked.push('*');
        }
        rest = &rest[end..];
    }
    masked + rest
}

/// Each command of `script`, and what was printed about it; for tests that need neither banner nor counts.
pub(crate) fn transcript_on(queue_manager: &QueueManager, caller: &Principal, script: &str) -> String {
    wait_for(async {
        let mut lines = Vec::new();
        for source in split(script) {
            lines.push(format!("> {}", source.text));
            lines.extend(run(queue_manager, caller, &source.text).await.lines);
        }
        finish(&lines)
    })
}

/// The same by an administrator, on a fresh queue manager.
pub(crate) fn transcript(script: &str) -> String {
    transcript_on(&start(), &administrator(), script)
}
