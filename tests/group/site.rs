//! The members of a group as processes: a server each on a folder of its own, a proxy between each and the database, a relay between
//! them.
//!
//! A member that is killed comes back on other ports: clients ask for its address whenever they connect.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use group_harness::postgres::{Asked, Database, Keeps};
use group_harness::proxy::Proxy;
use group_harness::relay::Relay;
use system_tests::program::quaymaster;
use system_tests::server::{Server, ServerOptions};

use super::history::QUEUES;

/// Longest wait for what a group does by itself: recovery of a member, locks of deliveries that run out.
const PATIENCE: Duration = Duration::from_secs(300);

/// A database that members are told of.
pub(crate) trait Place: Asked + Send + Sync {
    fn url(&self) -> &str;
}

impl Place for Database {
    fn url(&self) -> &str {
        &self.url
    }
}

pub(crate) struct Site {
    members: Vec<Member>,
    relay: Option<Relay>,
    database: Box<dyn Place>,
}

pub(crate) struct Member {
    pub(crate) name: String,
    options: ServerOptions,
    _folder: tempfile::TempDir,
    /// Between it and the database.
    pub(crate) proxy: Option<Proxy>,
    server: Mutex<Option<Server>>,
}

/// Where clients come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Doors {
    pub(crate) http: SocketAddr,
    pub(crate) mq: SocketAddr,
}

impl Site {
    /// So many members on a PostgreSQL of their own, with the queues of a history.
    pub(crate) fn start(members: usize) -> Result<Self> {
        let database = Database::of_group_on("QSG1", Keeps::WhatItHasAnswered);
        let relay = Relay::between_members_of(&database, members);
        let port = database.server.port();
        let proxies = (0..members).map(|_| Some(Proxy::start(port))).collect();
        Self::on(Box::new(database), Some(relay), proxies)
    }

    /// A member for each proxy, or for none.
    pub(crate) fn on(database: Box<dyn Place>, relay: Option<Relay>, proxies: Vec<Option<Proxy>>) -> Result<Self> {
        let members: Result<Vec<Member>> = (1..)
            .zip(proxies)
            .map(|(number, proxy)| {
                let url = proxy.as_ref().map_or(database.url().to_owned(), |proxy| proxy.url(database.url()));
                Member::new(format!("QM{number}"), &url, proxy)
            })
            .collect();
        let site = Self { members: members?, relay, database };
        site.members.iter().try_for_each(Member::start)?;
        site.define().with_context(|| site.said())?;
        Ok(site)
    }

    fn define(&self) -> Result<()> {
        let queues = QUEUES.map(|queue| {
            format!("DEFINE QLOCAL({queue}) QSGDISP(SHARED) CFSTRUCT(APP1) DEFPSIST(YES) MAXDEPTH(10000000)\n")
        });
        let script = format!("DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)\n{}", queues.concat());
        script.lines().try_for_each(|command| self.members[0].command(&["mqsc", command]).map(drop))?;
        for (member, queue) in self.members.iter().flat_map(|member| QUEUES.map(|queue| (member, queue))) {
            let display = format!("DISPLAY QLOCAL({queue}) QSGDISP");
            eventually(&format!("{} knows {queue}", member.name), || member.command(&["mqsc", &display]).is_ok())?;
        }
        Ok(())
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether the members hear each other.
    pub(crate) fn hear(&self, hear: bool) {
        if let Some(relay) = &self.relay {
            relay.pass(hear);
        }
    }

    /// One number from the database.
    pub(crate) fn count(&self, sql: &str) -> Result<i64> {
        let rows = self.database.run(sql);
        rows[0][0].as_deref().and_then(|value| value.parse().ok()).with_context(|| format!("{sql}: {rows:?}"))
    }

    /// No message belongs to a unit of work, alive or dead.
    pub(crate) fn wait_until_nothing_is_held(&self) -> Result<()> {
        let held = "SELECT count(*) FROM message WHERE owner IS NOT NULL";
        eventually("every message is free", || self.count(held).is_ok_and(|count| count == 0))
            .with_context(|| self.said())
    }

    /// Of empty queues.
    pub(crate) fn check_tables(&self) -> Result<()> {
        for table in ["message", "message_part"] {
            let left = self.count(&format!("SELECT count(*) FROM {table}"))?;
            ensure!(left == 0, "{left} rows are left in {table}");
        }
        let wrong = "SELECT count(*) FROM (SELECT queue FROM queue_depth GROUP BY queue \
                     HAVING sum(messages) <> 0 OR sum(bytes) <> 0) AS wrong";
        let wrong = self.count(wrong)?;
        ensure!(wrong == 0, "{wrong} depths are wrong");
        eventually("decisions over units of work are forgotten", || {
            self.count("SELECT count(*) FROM unit").is_ok_and(|count| count == 0)
        })
    }

    /// The last lines of each member's standard error.
    pub(crate) fn said(&self) -> String {
        let said = self.members.iter().map(|member| {
            let errors = member.server().as_ref().map_or_else(String::new, Server::errors);
            let lines: Vec<&str> = errors.lines().collect();
            format!("{}:\n{}\n", member.name, lines[lines.len().saturating_sub(30)..].join("\n"))
        });
        said.collect()
    }

    /// Ends all members in good order.
    pub(crate) fn end(&self) -> Result<()> {
        for member in &self.members {
            let server = member.server().take().context("it runs")?;
            let (status, said) = server.terminate()?;
            ensure!(status.success() && !said.contains("panicked"), "{} ended with {status}: {said}", member.name);
        }
        Ok(())
    }
}

impl Member {
    fn new(name: String, url: &str, proxy: Option<Proxy>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let options = ServerOptions::on(folder.path()).listening("127.0.0.1:0").with("--qmgr").with(&name);
        let options = options.in_group("QSG1", url);
        Ok(Self { name, options, _folder: folder, proxy, server: Mutex::default() })
    }

    pub(crate) fn start(&self) -> Result<()> {
        let server = Server::start(&self.options).with_context(|| format!("start of {}", self.name))?;
        *self.server() = Some(server);
        Ok(())
    }

    /// With SIGKILL.
    pub(crate) fn kill(&self) -> Result<()> {
        let server = self.server().take().context("it runs")?;
        let said = server.kill();
        ensure!(!said.contains("panicked"), "{} panicked: {said}", self.name);
        Ok(())
    }

    pub(crate) fn signal(&self, signal: &str) -> Result<()> {
        self.server().as_ref().context("it runs")?.signal(signal)
    }

    pub(crate) fn process(&self) -> Option<u32> {
        self.server().as_ref().map(Server::pid)
    }

    /// `None`: it does not run.
    pub(crate) fn doors(&self) -> Option<Doors> {
        let server = self.server();
        let ready = &server.as_ref()?.ready;
        Some(Doors { http: ready.http?, mq: ready.mq? })
    }

    fn server(&self) -> MutexGuard<'_, Option<Server>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program's own command on its folder; what it prints.
    fn command(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(quaymaster()?).args(arguments).env("QUAYMASTER_DATA", &self.options.data).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() { Ok(text) } else { Err(anyhow!("{arguments:?}: {output:?}")) }
    }
}

/// Waits, with a bound, until `condition` holds.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) -> Result<()> {
    let begun = workload::measure::now();
    while !condition() {
        ensure!(begun.elapsed() < PATIENCE, "{what}: not after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
