//! The server that is measured: channels with and without TLS, queues, and who may use them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use system_tests::server::{Server, ServerOptions};
use tempfile::TempDir;

use super::CLIENTS;
use crate::rest::password_file;

pub(super) const PLAIN_QUEUE: &str = "DEV.BENCH.REQUEST.PLAIN";
pub(super) const TLS_QUEUE: &str = "DEV.BENCH.REQUEST.TLS";
/// What follows the names of queues whose messages are streamed.
pub(super) const STREAMED: &str = ".STREAMED";
/// Of it every client that streams has a queue of its own.
pub(super) const REPLY_MODEL: &str = "DEV.APP.MODEL.QUEUE";
pub(super) const REPLY_QUEUE: &str = "DEV.BENCH.REPLY";
pub(super) const PAIR_QUEUE: &str = "DEV.BENCH.PAIR";
/// Each Java client has a queue of its own: this and its number.
pub(super) const JAVA_REPLY_QUEUES: &str = "DEV.BENCH.JAVA.";
const DEFINITIONS: &str = "\
DEFINE CHANNEL(DEV.BENCH.PLAIN) CHLTYPE(SVRCONN) TRPTYPE(TCP) SHARECNV(10)
DEFINE CHANNEL(DEV.BENCH.TLS) CHLTYPE(SVRCONN) TRPTYPE(TCP) SHARECNV(10) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
SET CHLAUTH('DEV.BENCH.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)
DEFINE QLOCAL(DEV.BENCH.REQUEST.PLAIN) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.REQUEST.TLS) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.REQUEST.PLAIN.STREAMED) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.REQUEST.TLS.STREAMED) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.REPLY) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.PAIR) MAXDEPTH(100000)
";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Plain,
    Tls,
}

impl Transport {
    pub(super) fn channel(self) -> &'static str {
        match self {
            Self::Plain => "DEV.BENCH.PLAIN",
            Self::Tls => "DEV.BENCH.TLS",
        }
    }
}

pub(super) struct Setting {
    pub(super) server: Server,
    pub(super) mq: SocketAddr,
    /// Lines of user and password.
    pub(super) passwords: PathBuf,
    _folder: TempDir,
}

impl Setting {
    pub(super) fn start(work: &Path) -> Result<Self> {
        Self::start_with(work, "")
    }

    /// The same with further MQSC commands at its start.
    pub(super) fn start_with(work: &Path, further: &str) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let data = folder.path().join("data");
        let definitions = data.join("mqsc.d");
        std::fs::create_dir_all(&definitions).context("cannot make the folder of definitions")?;
        let mut text = DEFINITIONS.to_owned();
        for number in 0..CLIENTS {
            text += &format!("DEFINE QLOCAL({JAVA_REPLY_QUEUES}{number})\n");
        }
        super::write(&definitions.join("bench.mqsc"), &(text + further))?;
        let server = Server::start(&ServerOptions::on(&data).listening("127.0.0.1:0").with("--strict"))?;
        let mq = server.mq_address()?;
        Ok(Self { server, mq, passwords: password_file(folder.path())?, _folder: folder })
    }
}
