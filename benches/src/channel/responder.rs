//! The batch server of these loads.

use std::process::Command;

use anyhow::Result;
use system_tests::program::quaymaster;

use super::setting::{Setting, Transport};
use crate::responder::Responder;

pub(super) fn start(
    setting: &Setting,
    transport: Transport,
    connections: u32,
    response_size: usize,
    streams: bool,
) -> Result<Responder> {
    let mut command = Command::new(quaymaster()?);
    command
        .args(["workload", "responder", "--channel", transport.channel()])
        .args(["--mq", &setting.mq.to_string()])
        .args(["--queue", &super::request_queue(transport, streams)])
        .args(["--connections", &connections.to_string()])
        .args(["--response-size", &response_size.to_string()])
        .arg("--password-file")
        .arg(&setting.passwords);
    if streams {
        command.arg("--streaming");
    }
    if transport == Transport::Tls {
        command.arg("--cacert").arg(setting.server.ca_file());
    }
    Responder::start(&mut command)
}
