//! The public MQ clients for Java, unmodified, against our server over its client channels.
//!
//! The programs beside this file are one Maven project: the classes for Java, JMS 2 (`javax`, translated from the
//! sources of `jakarta`), Jakarta Messaging and a Spring Boot application. Each prints a line for each check and "done" last.
//!
//! With `QUAYMASTER_PROGRAM_QUEUES=shared` the server is a member of a queue-sharing group, and the queues of the programs are shared
//! queues (`java/shared.rs`).

pub(crate) mod build;
pub(crate) mod certificates;
mod group;
mod jms;
mod mqi;
mod program;
mod restarts;
mod shared;
mod traced;

use std::path::Path;

use anyhow::{Context, Result};
use group_harness::postgres::Database;
use system_tests::server::{Server, ServerOptions};

use crate::interop::java::program::{Client, Program};
use crate::interop::packages::sources;

/// Short enough for the twelve characters that the oldest place for a password has.
const APP_PASSWORD: &str = "app-passw0rd";
const ADMIN_PASSWORD: &str = "admin-pw-007";

/// Of a server whose users the programs know.
fn options(data: &Path) -> ServerOptions {
    let mut options = ServerOptions::on(data).listening("127.0.0.1:0");
    for (name, value) in [("MQ_APP_PASSWORD", APP_PASSWORD), ("MQ_ADMIN_PASSWORD", ADMIN_PASSWORD)] {
        options.environment.push((name.to_owned(), value.to_owned()));
    }
    options
}

/// How a server for programs is started.
struct Site {
    options: ServerOptions,
    /// Of shared queues.
    database: Option<Database>,
}

impl Site {
    /// On `data` as a user starts it, with the definitions of `programs.mqsc`.
    fn on(data: &Path) -> Result<Self> {
        let definitions = std::fs::read_to_string(sources().join("java/programs.mqsc"))?;
        let (mut site, mut definitions) = (Self { options: options(data), database: None }, definitions);
        if shared::is_wanted()? {
            let database = Database::of_group("QSG1");
            site.options = site.options.in_group("QSG1", &database.url);
            site.database = Some(database);
            definitions = shared::shared(&definitions);
        }
        crate::client::write(&data.join("mqsc.d/programs.mqsc"), &definitions)?;
        Ok(site)
    }

    fn start(&self) -> Result<Server> {
        Server::start(&self.options)
    }

    /// What is on shared queues, for the text of a failure.
    fn left(&self) -> String {
        let sql = "SELECT queue, position, owner, hold, unit, backout, encode(body, 'escape') FROM message ORDER BY 1, 2 LIMIT 50";
        self.database.as_ref().map_or_else(String::new, |database| format!("{:?}", database.run(sql)))
    }
}

/// Runs a program to its end against a server of its own.
fn check(client: Client, main: &'static str) -> Result<()> {
    let data = tempfile::tempdir()?;
    let site = Site::on(data.path())?;
    let server = site.start()?;
    let program = Program::new(client, main, server.mq_address()?, data.path());
    told(&server, program.run())
}

/// A failure, with what the server had to say.
fn told<T>(server: &Server, result: Result<T>) -> Result<T> {
    result.with_context(|| format!("the server said:\n{}", server.errors()))
}
