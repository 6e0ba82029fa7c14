//! The server that is measured, with a service, its queues, and the responder that answers on them.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::{Server, ServerOptions};
use tempfile::TempDir;

use super::{CLIENTS, REPLY_BYTES};
use crate::responder::{Habit, Order, Responder};
use crate::rest::password_file;

pub(crate) const REQUEST_QUEUE: &str = "DEV.BENCH.REQUEST";
pub(crate) const REPLY_QUEUE: &str = "DEV.BENCH.REPLY";
/// Requests that are there before a responder comes, and its replies.
pub(crate) const FILLED_QUEUE: &str = "DEV.BENCH.FILLED";
pub(crate) const FILLED_REPLY_QUEUE: &str = "DEV.BENCH.FILLED.REPLY";
/// Messages that are put and got by the same client, which knows nothing of properties.
pub(crate) const PAIR_QUEUE: &str = "DEV.BENCH.PAIR";
pub(crate) const CHANNEL: &str = "DEV.APP.SVRCONN";
/// The same over TLS.
pub(crate) const TLS_CHANNEL: &str = "DEV.BENCH.TLS";
const DEFINITIONS: &str = "\
DEFINE CHANNEL(DEV.BENCH.TLS) CHLTYPE(SVRCONN) TRPTYPE(TCP) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
SET CHLAUTH('DEV.BENCH.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)
DEFINE QLOCAL(DEV.BENCH.REQUEST) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.REPLY) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.PAIR) MAXDEPTH(100000) PROPCTL(NONE)
DEFINE QLOCAL(DEV.BENCH.FILLED) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.FILLED.REPLY) MAXDEPTH(100000)
SET AUTHREC PROFILE('QUAYMASTER.REPLY.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)
";

pub(crate) const SERVICE_PATH: &str = "/zosConnect/services/benchService?action=invoke";
/// A record of 50 bytes: 48 that name the request, and two more.
pub(crate) const SERVICE_REQUEST: &str = r#"{"name":"{id}","kind":"AB"}"#;
/// Latin-1, as the responder's filler is letters of ASCII.
const SERVICE: &str = "\
name: benchService
version: 1.0
description: Two-way service of the benchmarks
destination: DEV.BENCH.REQUEST
replyDestination: DEV.BENCH.REPLY
waitInterval: 5000
requestStructure: REQUEST.cpy
responseStructure: REPLY.cpy
ccsid: 819
byteOrder: big
";
const REQUEST_COPYBOOK: &str = "\
       01  REQUEST.
           05 NAME PIC X(48).
           05 KIND PIC XX.
";
/// 1024 bytes: the name of the request and 61 items of 16.
const REPLY_COPYBOOK: &str = "\
       01  REPLY.
           05 NAME PIC X(48).
           05 ITEM PIC X(16) OCCURS 61 TIMES.
";

pub(crate) struct Setting {
    pub(crate) server: Server,
    pub(crate) url: String,
    pub(crate) mq: SocketAddr,
    /// Lines of user and password.
    pub(crate) passwords: PathBuf,
    folder: TempDir,
}

impl Setting {
    pub(crate) fn start(work: &Path) -> Result<Self> {
        Self::start_of(None, work)
    }

    /// The same with another program; `None` is the one under test.
    pub(crate) fn start_of(program: Option<&Path>, work: &Path) -> Result<Self> {
        Self::start_as(work, |options| options.of(program))
    }

    /// The same with variables of its environment, and arguments.
    pub(crate) fn start_in(work: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Result<Self> {
        Self::start_as(work, |mut options| {
            options.environment.extend(environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
            options.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
            options
        })
    }

    fn start_as(work: &Path, change: impl FnOnce(ServerOptions) -> ServerOptions) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let data = folder.path().join("data");
        write(&data.join("mqsc.d/bench.mqsc"), DEFINITIONS)?;
        deploy(&folder.path().join("source"), &data)?;
        let options = change(ServerOptions::on(&data).listening("127.0.0.1:0").with("--strict"));
        let server = Server::start(&options)?;
        let (url, mq) = (server.https_url()?, server.mq_address()?);
        Ok(Self { server, url, mq, passwords: password_file(folder.path())?, folder })
    }

    /// The batch server of the service and of the messaging REST API.
    pub(crate) fn responder(&self, habit: Habit) -> Result<Responder> {
        responder(self, REQUEST_QUEUE, habit)
    }
}

/// Builds the service where a start finds it.
fn deploy(source: &Path, data: &Path) -> Result<()> {
    for (name, text) in [("service.yaml", SERVICE), ("REQUEST.cpy", REQUEST_COPYBOOK), ("REPLY.cpy", REPLY_COPYBOOK)] {
        write(&source.join(name), text)?;
    }
    let services = data.join("zosconnect/services");
    std::fs::create_dir_all(&services)?;
    let built = Command::new(quaymaster()?)
        .args(["service", "build"])
        .arg(source)
        .arg("-o")
        .arg(services.join("benchService.sar"))
        .output()?;
    ensure!(built.status.success(), "service build: {}", String::from_utf8_lossy(&built.stderr));
    Ok(())
}

/// How the names of queues begin that are there to be listed.
pub(crate) const LISTED: &str = "DEV.LISTED.";

/// Defines queues that are listed.
pub(crate) fn define_queues(setting: &Setting, count: usize) -> Result<()> {
    let script: String = (0..count).map(|number| format!("DEFINE QLOCAL({LISTED}{number:05})\n")).collect();
    let mut runmqsc = Command::new(quaymaster()?)
        .args(["runmqsc", "--data"])
        .arg(setting.folder.path().join("data"))
        .arg("QM1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    runmqsc.stdin.take().context("standard input is a pipe")?.write_all(script.as_bytes())?;
    let status = runmqsc.wait()?;
    ensure!(status.success(), "runmqsc: {status}");
    Ok(())
}

/// The batch server of one of the queues.
pub(crate) fn responder(setting: &Setting, queue: &str, habit: Habit) -> Result<Responder> {
    Responder::start(&Order {
        mq: setting.mq,
        channel: CHANNEL,
        queue,
        connections: CLIENTS,
        response_size: REPLY_BYTES,
        passwords: &setting.passwords,
        ca_file: None,
        habit,
    })
}

#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
