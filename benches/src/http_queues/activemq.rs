//! ActiveMQ Classic with its REST interface, from Maven Central. The distribution is not there; `ActiveMq.java` puts broker,
//! store and the interface's servlet together on Jetty, as the distribution does.
//!
//! A message is sent by a request of its own, and received by one that also acknowledges it. Persistent: KahaDB, which syncs its
//! journal before the answer to a message that is sent; the acknowledgement is not waited for.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::queue::{Connection, HttpQueue, Persistence, TEXT, Taking, body, holds};
use crate::distribution::Libraries;
use crate::nginx::free_port;

const LIBRARIES: Libraries<'_> = Libraries {
    folder: "activemq-6.1.6",
    artifacts: &[
        "org.apache.activemq:activemq-broker:6.1.6",
        "org.apache.activemq:activemq-kahadb-store:6.1.6",
        "org.apache.activemq:activemq-web:6.1.6",
        "org.eclipse.jetty:jetty-servlet:11.0.24",
        "org.slf4j:slf4j-nop:2.0.16",
    ],
};
const SOURCE: &str = include_str!("ActiveMq.java");
/// `admin:admin`.
const CREDENTIALS: &str = "YWRtaW46YWRtaW4=";

pub(super) struct ActiveMq {
    server: Child,
    port: u16,
    _folder: TempDir,
}

pub(super) struct Queues<'a> {
    server: &'a ActiveMq,
    persistence: Persistence,
}

impl ActiveMq {
    /// # Errors
    /// No Java, no Maven, or the download failed: the message says which.
    #[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
    pub(super) fn start(work: &Path) -> Result<Self> {
        let libraries = LIBRARIES.copied(work)?;
        let folder = tempfile::Builder::new().prefix("activemq").tempdir_in(work)?;
        let source = folder.path().join("ActiveMq.java");
        std::fs::write(&source, SOURCE)?;
        let port = free_port()?;
        let server = Command::new("java")
            .args(["-Xmx1g", "-cp"])
            .arg(libraries.join("*"))
            .arg(&source)
            .arg(folder.path().join("store"))
            .arg(port.to_string())
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("java is not installed")?;
        let mut running = Self { server, port, _folder: folder };
        running.await_ready()?;
        Ok(running)
    }

    fn await_ready(&mut self) -> Result<()> {
        for _ in 0..600 {
            let mut connection = Connection::new(self.address(), CREDENTIALS);
            if connection.ask("POST", "/api/message/ready?type=queue&clientId=ready", TEXT, b"ready").is_ok() {
                return Ok(());
            }
            if let Some(status) = self.server.try_wait()? {
                bail!("ActiveMQ ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("ActiveMQ is not ready")
    }

    fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    pub(super) fn queues(&self, persistence: Persistence) -> Queues<'_> {
        Queues { server: self, persistence }
    }
}

impl Drop for ActiveMq {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl HttpQueue for Queues<'_> {
    fn name(&self) -> &'static str {
        "ActiveMQ"
    }

    fn persistence(&self) -> Persistence {
        self.persistence
    }

    fn taking(&self) -> Taking {
        Taking::AtOnce
    }

    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    fn credentials(&self) -> &'static str {
        CREDENTIALS
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.server.server.id()])
    }

    fn is_java(&self) -> bool {
        true
    }

    fn send(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let mode = match self.persistence {
            Persistence::Nonpersistent => "non_persistent",
            Persistence::Persistent => "persistent",
        };
        let path = format!("{}&JMSDeliveryMode={mode}", self.path(queue));
        (0..together).try_for_each(|_| connection.ask("POST", &path, TEXT, body().as_bytes()).map(drop))
    }

    fn take(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let path = format!("{}&readTimeout=10000", self.path(queue));
        (0..together).try_for_each(|_| holds(&connection.ask("DELETE", &path, "", b"")?, 1))
    }
}

impl Queues<'_> {
    /// The client's identifier makes the servlet keep its session and its consumer.
    fn path(&self, queue: usize) -> String {
        let kept = self.persistence.word();
        format!("/api/message/bench.{kept}.{queue}?type=queue&clientId={kept}{queue}")
    }
}
