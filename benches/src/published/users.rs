//! Five hundred users that administer, against one: processor time of `installation`, `qmgr` and `queue` with 500 queues, logged
//! in once.
//!
//! Source: "MQ REST API on z/OS, performance", 9.0.3, "Users".

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use system_tests::server::{ADMIN_PASSWORD, Server, ServerOptions};
use tempfile::TempDir;
use workload::plan::{Choices, Login, Scenario, Span};

use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::report::{Bar, Report};
use crate::rest::cpu_us_per_pair;
use crate::service::setting::write;

const QUEUES: u32 = 500;
const PATHS: [&str; 3] = [
    "/ibmmq/rest/v1/admin/installation",
    "/ibmmq/rest/v1/admin/qmgr",
    "/ibmmq/rest/v1/admin/qmgr/QM1/queue?name=BENCH.*&attributes=*",
];
const ONE: &str = "one user";
const MANY: &str = "500 users";
const MANY_USERS: u32 = 500;

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let office = Office::start(effort)?;
    // As long as ten clients are measured elsewhere: four for each of the many in a full run.
    let transactions = u64::try_from(effort.rest.as_millis() / 2)?;
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(ONE, || cpu_us_per_pair(&counted(office.choices(effort, 1, &PATHS), transactions))),
            Cell::new(MANY, || cpu_us_per_pair(&counted(office.choices(effort, MANY_USERS, &PATHS), transactions))),
        ],
    )?;
    report.add(
        Bar::at_most("CPU of installation, qmgr and queue (500 queues, all attributes), 500 users against one", 1.15)
            .ratio(&measured, MANY, ONE, "µs"),
    );
    Ok(())
}

/// An exact number, each counted from its beginning to its end: with 500 users that have begun, what is under way when a time is
/// over would be charged to the others.
fn counted(choices: Choices, transactions: u64) -> Choices {
    Choices {
        warmup: None,
        warmup_requests: choices.clients.map(u64::from),
        duration: None,
        requests: Some(transactions),
        ..choices
    }
}

/// A server with queues to look at.
pub(super) struct Office {
    pub(super) server: Server,
    folder: TempDir,
}

impl Office {
    pub(super) fn start(effort: &Effort) -> Result<Self> {
        let folder = tempfile::tempdir_in(&effort.work)?;
        let data = folder.path().join("data");
        let mut definitions = String::new();
        for number in 0..QUEUES {
            let _ = writeln!(definitions, "DEFINE QLOCAL(BENCH.{number})");
        }
        write(&data.join("mqsc.d/bench.mqsc"), &definitions)?;
        write(&folder.path().join("passwords"), &format!("admin {ADMIN_PASSWORD}\n"))?;
        Ok(Self { server: Server::start(&ServerOptions::on(&data))?, folder })
    }

    /// Users that keep their connections and log in once.
    pub(super) fn choices(&self, effort: &Effort, clients: u32, paths: &[&str]) -> Choices {
        Choices {
            scenario: Some(Scenario::Administration),
            url: self.server.https_url().ok(),
            cacert: Some(self.server.ca_file()),
            login: Some(Login::Ltpa),
            user: Some("admin".to_owned()),
            password_file: Some(self.folder.path().join("passwords")),
            paths: Some(paths.iter().map(|path| (*path).to_owned()).collect()),
            clients: Some(clients),
            threads: Some(1),
            warmup: Some(Span(effort.warmup)),
            duration: Some(Span(effort.rest)),
            pid: BTreeMap::from([("server".to_owned(), self.server.pid())]),
            ..Choices::default()
        }
    }
}
