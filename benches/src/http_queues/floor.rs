//! nginx beside the queues: a no-op `POST`, and a `GET` of a file as long as a message.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};

use super::queue::{Connection, HttpQueue, Persistence, Role, SIZE, TEXT, Taking, UNCHECKED, body, holds};
use crate::nginx::{GET_PATH, Nginx, POST_PATH};

pub(super) struct Floor {
    nginx: Nginx,
    address: SocketAddr,
}

impl Floor {
    /// # Errors
    /// It is not installed: the message says so.
    pub(super) fn start(work: &Path) -> Result<Self> {
        let nginx = Nginx::start(work, SIZE)?;
        let address = nginx.plain.parse().context("an address and a port")?;
        Ok(Self { nginx, address })
    }
}

impl HttpQueue for Floor {
    fn name(&self) -> &'static str {
        "nginx without a queue"
    }

    fn persistence(&self) -> Persistence {
        Persistence::Nonpersistent
    }

    fn taking(&self) -> Taking {
        Taking::AtOnce
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn credentials(&self) -> &'static str {
        UNCHECKED
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(self.nginx.workers.clone())
    }

    fn role(&self) -> Role {
        Role::Floor
    }

    fn send(&self, connection: &mut Connection, _queue: usize, together: usize) -> Result<()> {
        (0..together).try_for_each(|_| connection.ask("POST", POST_PATH, TEXT, body().as_bytes()).map(drop))
    }

    fn take(&self, connection: &mut Connection, _queue: usize, together: usize) -> Result<()> {
        (0..together).try_for_each(|_| holds(&connection.ask("GET", GET_PATH, "", b"")?, 1))
    }
}
