//! The ready line: one JSON object on standard output, and the same in the ready file.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::data_directory::write_file;
use crate::error::ServerError;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadyLine {
    pub event: &'static str,
    pub https: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    pub mq: Option<SocketAddr>,
    pub metrics: Option<SocketAddr>,
    pub queue_managers: Vec<String>,
    /// Only with `--ephemeral`: the folder that is gone at exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_directory: Option<PathBuf>,
}

impl ReadyLine {
    /// # Errors
    /// The ready file cannot be written. A closed standard output is not an error.
    pub(crate) fn announce(&self, file: Option<&Path>) -> Result<(), ServerError> {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        if let Some(file) = file {
            write_file(file, line.as_bytes(), 0o644)?;
        }
        let mut out = io::stdout().lock();
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        Ok(())
    }
}

/// An address that a client on this machine can use: 0.0.0.0 as 127.0.0.1.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
