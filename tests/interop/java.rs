//! The public MQ clients for Java, unmodified, against our server over its client channels.
//!
//! The programs beside this file are one Maven project: the classes for Java, JMS 2 (`javax`, translated from the
//! sources of `jakarta`), Jakarta Messaging and a Spring Boot application. Each prints a line for each check and "done" last.

mod build;
mod certificates;
mod jms;
mod mqi;
mod program;
mod restarts;

use std::path::Path;

use anyhow::{Context, Result};
use system_tests::server::{Server, ServerOptions};

use crate::interop::java::program::{Client, Program};
use crate::interop::packages::sources;

/// Short enough for the twelve characters that the oldest place for a password has.
const APP_PASSWORD: &str = "app-passw0rd";
const ADMIN_PASSWORD: &str = "admin-pw-007";

/// A server on `data` as a user starts it, with the definitions of `programs.mqsc`.
fn options(data: &Path) -> Result<ServerOptions> {
    let drop_ins = data.join("mqsc.d");
    std::fs::create_dir_all(&drop_ins)?;
    let definitions = std::fs::read_to_string(sources().join("java/programs.mqsc"))?;
    crate::client::write(&drop_ins.join("programs.mqsc"), &definitions)?;
    let mut options = ServerOptions::on(data).listening("127.0.0.1:0");
    for (name, value) in [("MQ_APP_PASSWORD", APP_PASSWORD), ("MQ_ADMIN_PASSWORD", ADMIN_PASSWORD)] {
        options.environment.push((name.to_owned(), value.to_owned()));
    }
    Ok(options)
}

/// Runs a program to its end against a server of its own.
fn check(client: Client, main: &'static str) -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start(&options(data.path())?)?;
    let program = Program::new(client, main, server.mq_address()?, data.path());
    told(&server, program.run())
}

/// A failure, with what the server had to say.
fn told<T>(server: &Server, result: Result<T>) -> Result<T> {
    result.with_context(|| format!("the server said:\n{}", server.errors()))
}
