//! What the four administrative experiments share: how clients come, which paths they ask for, queues to be asked about.

use std::fmt::Write;

use workload::plan::{Choices, Connection, Login, Scenario};

use crate::drive::{Run, SERVER};

pub(super) const INSTALLATION: &str = "/ibmmq/rest/v1/admin/installation";
pub(super) const QMGR: &str = "/ibmmq/rest/v1/admin/qmgr";
/// Of the names of an experiment's queues: others, such as `SYSTEM.*`, are not asked for.
pub(super) const PREFIX: &str = "TABLES.";
/// Which process or part of it a figure counts.
pub(super) const WHOLE: &[&str] = &["server, the whole process"];
pub(super) const COMMANDS: &[&str] = &["server: execution of administrative commands, answers written as JSON"];
pub(super) const WEB: &[&str] = &["server: TLS, HTTP, login and everything except the execution of commands"];

/// How clients show who they are, and over which connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) name: &'static str,
    login: Login,
    connection: Connection,
}

/// As the documents measured where they say it: one login, then its token over a connection that stays.
pub(super) const LTPA_KEPT: Way =
    Way { name: "LTPA, kept connection", login: Login::Ltpa, connection: Connection::Keep };
pub(super) const LTPA_NEW: Way = Way { name: "LTPA, new connections", login: Login::Ltpa, connection: Connection::New };
pub(super) const BASIC_KEPT: Way =
    Way { name: "Basic, kept connection", login: Login::Basic, connection: Connection::Keep };
pub(super) const BASIC_NEW: Way =
    Way { name: "Basic, new connections", login: Login::Basic, connection: Connection::New };
pub(super) const WAYS: [Way; 4] = [LTPA_KEPT, LTPA_NEW, BASIC_KEPT, BASIC_NEW];

impl Way {
    /// One client that comes so and asks for these paths.
    pub(super) fn choices(self, paths: &[&str]) -> Choices {
        Choices {
            scenario: Some(Scenario::Administration),
            clients: Some(1),
            paths: Some(paths.iter().map(|&path| path.to_owned()).collect()),
            login: Some(self.login),
            connection: Some(self.connection),
            // Separate calls of curl begin without a session of an earlier one.
            tls_resumption: self.is_new().then_some(false),
            ..Choices::default()
        }
    }

    pub(super) fn connection_name(self) -> &'static str {
        if self.is_new() { "new connections" } else { "kept connection" }
    }

    pub(super) fn is_new(self) -> bool {
        self.connection == Connection::New
    }
}

/// MQSC that defines so many queues, whose names begin with `PREFIX`.
pub(super) fn define_queues(count: usize) -> String {
    let mut script = String::with_capacity(count * 64);
    for number in 0..count {
        let _ = writeln!(script, "DEFINE QLOCAL({PREFIX}{number:05}) DESCR('queue {number} of the experiment')");
    }
    script
}

/// GET of these queues of a queue manager, with more of a query behind their name.
pub(super) fn queues(queue_manager: &str, query: &str) -> String {
    format!("{QMGR}/{queue_manager}/queue?name={PREFIX}*{query}")
}

/// The same as a command: name, type and depth.
pub(super) fn display_queues() -> String {
    let name = format!("{PREFIX}*");
    let body = serde_json::json!({
        "type": "runCommandJSON", "command": "display", "qualifier": "queue", "name": name, "responseParameters": ["curdepth"],
    });
    body.to_string()
}

pub(super) fn status(queue_manager: &str) -> String {
    format!("{QMGR}/{queue_manager}?status=*")
}

pub(super) fn cpu(run: &Run) -> Option<f64> {
    run.cpu_ms(SERVER)
}

/// Processor time of the server that was not for the execution of commands.
pub(super) fn web(run: &Run) -> Option<f64> {
    Some(run.cpu_ms(SERVER)? - run.command_ms?)
}
