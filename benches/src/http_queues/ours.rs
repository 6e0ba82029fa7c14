//! Quaymaster: the message API.
//!
//! One by one: a raw body a `POST`; a delivery, and its completion; or a `DELETE`. By ten: a batch of lines; ten deliveries, and
//! one request that settles them; or a `DELETE` of ten. A persistent message, and the completion of one, is answered after the
//! sync of the log.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};
use tempfile::TempDir;

use super::queue::{CLIENTS, Connection, HttpQueue, JSON, Persistence, Role, TEXT, Taking, body, holds};
use crate::admin::base64;

const BASE: &str = "/api/v1/qmgr/QM1";
const LINES: &str = "Content-Type: application/x-ndjson\r\n";

pub(super) struct Ours {
    server: Server,
    address: SocketAddr,
    _folder: TempDir,
}

pub(super) struct Queues<'a> {
    server: &'a Ours,
    persistence: Persistence,
    taking: Taking,
    credentials: String,
    headers: String,
    lines: String,
}

impl Ours {
    #[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
    pub(super) fn start(work: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let drop_ins = folder.path().join("mqsc");
        std::fs::create_dir_all(&drop_ins)?;
        let definitions: String = (0..CLIENTS).fold(String::new(), |mut text, queue| {
            writeln!(text, "DEFINE QLOCAL({})", name(queue)).expect("writing into a String succeeds");
            text
        });
        std::fs::write(drop_ins.join("queues.mqsc"), definitions)?;
        let drop_ins = drop_ins.to_str().context("the working folder has a UTF-8 name")?;
        let options = ServerOptions::on(&folder.path().join("data")).with("--mqsc-dir").with(drop_ins);
        let server = Server::start(&options)?;
        let address = server.ready.http.context("a plain listener")?;
        Ok(Self { server, address, _folder: folder })
    }

    pub(super) fn queues(&self, persistence: Persistence, taking: Taking) -> Queues<'_> {
        let word = match persistence {
            Persistence::Nonpersistent => "nonPersistent",
            Persistence::Persistent => "persistent",
        };
        let line = json!({ "persistence": word, "body": { "text": body() } }).to_string() + "\n";
        Queues {
            server: self,
            persistence,
            taking,
            credentials: base64(&format!("app:{APP_PASSWORD}")),
            headers: format!("{TEXT}mq-persistence: {word}\r\n"),
            lines: line.repeat(10),
        }
    }
}

impl HttpQueue for Queues<'_> {
    fn name(&self) -> &'static str {
        "Quaymaster"
    }

    fn persistence(&self) -> Persistence {
        self.persistence
    }

    fn taking(&self) -> Taking {
        self.taking
    }

    fn address(&self) -> SocketAddr {
        self.server.address
    }

    fn credentials(&self) -> &str {
        &self.credentials
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.server.server.pid()])
    }

    fn role(&self) -> Role {
        Role::Ours
    }

    fn send(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let path = format!("{BASE}/queue/{}/messages", name(queue));
        if together == 1 {
            return connection.ask("POST", &path, &self.headers, body().as_bytes()).map(drop);
        }
        let answer = connection.ask("POST", &path, LINES, self.lines.as_bytes())?;
        let put = answer.text().lines().filter(|line| line.contains("\"id\"")).count();
        ensure!(put == together, "{put} of {together} messages: {}", answer.text());
        Ok(())
    }

    fn take(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        match self.taking {
            Taking::Locked => locked(connection, queue, together),
            Taking::AtOnce => at_once(connection, queue, together),
        }
    }
}

fn locked(connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
    let wanted = json!({ "max": together, "lock": "30s" }).to_string();
    let path = format!("{BASE}/queue/{}/deliveries", name(queue));
    let received = connection.ask("POST", &path, JSON, wanted.as_bytes())?;
    holds(&received, together)?;
    let received = received.json();
    let received = received["messages"].as_array().context("a list of deliveries")?;
    if let [one] = received.as_slice() {
        let token = one["token"].as_str().context("a token")?;
        return connection.ask("POST", &format!("{BASE}/deliveries/{token}/complete"), "", b"").map(drop);
    }
    let complete = |one: &Value| json!({ "token": one["token"], "action": "complete" });
    let wishes = json!({ "settle": received.iter().map(complete).collect::<Vec<_>>() }).to_string();
    let settled = connection.ask("POST", &format!("{BASE}/deliveries/settle"), JSON, wishes.as_bytes())?;
    ensure!(!settled.text().contains("error"), "{}", settled.text());
    Ok(())
}

fn at_once(connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
    let many = if together == 1 { String::new() } else { format!("?max={together}") };
    let path = format!("{BASE}/queue/{}/messages{many}", name(queue));
    holds(&connection.ask("DELETE", &path, "", b"")?, together)
}

fn name(queue: usize) -> String {
    format!("DEV.BENCH.{queue}")
}
