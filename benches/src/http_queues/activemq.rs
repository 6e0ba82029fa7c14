//! ActiveMQ Classic with its REST interface, from Maven Central. The distribution is not there; `ActiveMq.java` puts broker,
//! store and the interface's servlet together on Jetty, as the distribution does.
//!
//! A message is sent by a request of its own, and received by one that also acknowledges it. Persistent: KahaDB, which syncs its
//! journal before the answer to a message that is sent; the acknowledgement is not waited for.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::process::Process;
use super::queue::{Connection, HttpQueue, Persistence, TEXT, Taking, body, holds};
use crate::distribution::Libraries;

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

pub(super) struct ActiveMq(Process);

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
        let command = |folder: &Path, port: u16| {
            let source = folder.join("ActiveMq.java");
            std::fs::write(&source, SOURCE)?;
            let mut java = Command::new("java");
            java.args(["-Xmx1g", "-cp"]).arg(libraries.join("*")).arg(source);
            java.arg(folder.join("store")).arg(port.to_string());
            Ok(java)
        };
        let is_ready = |address| {
            let path = "/api/message/ready?type=queue&clientId=ready";
            Connection::new(address, CREDENTIALS).ask("POST", path, TEXT, b"ready").is_ok()
        };
        Process::start("activemq", work, command, is_ready).map(Self)
    }

    pub(super) fn queues(&self, persistence: Persistence) -> Queues<'_> {
        Queues { server: self, persistence }
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
        self.server.0.address()
    }

    fn credentials(&self) -> &'static str {
        CREDENTIALS
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.server.0.id()])
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
