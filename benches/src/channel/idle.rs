//! What the server holds for conversations that do nothing.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::connection::Connection;
use channel_client::options::{ConnectOptions, Credentials};
use channel_client::tls::{TlsOptions, Trust};
use model::name::ObjectName;
use system_tests::server::APP_PASSWORD;

use super::setting::{Setting, Transport};
use crate::effort::Effort;
use crate::machine::memory;
use crate::report::{Bar, Report};

const CONVERSATIONS: u32 = 5000;
/// KiB a conversation.
const LIMIT: f64 = 20.0;
/// The server gives buffers back some time after they were last used.
const SETTLING: Duration = Duration::from_secs(3);

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    raise_file_limit()?;
    let conversations = if effort.messages < 1_000_000 { CONVERSATIONS / 10 } else { CONVERSATIONS };
    let shared = kib_per_conversation(effort, Transport::Tls, 10, conversations)?;
    report.add(
        Bar::at_most("idle memory of a conversation, 500 TLS sockets of 10 conversations", LIMIT).value(shared, "KiB"),
    );
    let alone = kib_per_conversation(effort, Transport::Plain, 1, conversations)?;
    report.add(Bar::at_most("idle memory of a conversation, 5000 plain sockets of one", LIMIT).value(alone, "KiB"));
    Ok(())
}

/// This process has an end of every socket.
fn raise_file_limit() -> Result<()> {
    let status = Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), "--nofile=16384:"])
        .status()
        .context("prlimit is not installed (Debian: util-linux)")?;
    ensure!(status.success(), "this process may not have 16384 files open");
    Ok(())
}

fn kib_per_conversation(effort: &Effort, transport: Transport, sharing: u32, conversations: u32) -> Result<f64> {
    let setting = Setting::start(&effort.work)?;
    let names = ConnectionNames::one(setting.mq.ip().to_string(), setting.mq.port());
    let mut options = ConnectOptions::new(ObjectName::parse(transport.channel())?, names);
    options.sharing_conversations = sharing;
    options.credentials = Some(Credentials { user: "app".to_owned(), password: APP_PASSWORD.to_owned() });
    options.connect_limit = Duration::from_secs(60);
    options.tls = (transport == Transport::Tls).then(|| TlsOptions::trusting(Trust::CaFile(setting.server.ca_file())));
    let client = Client::new(options)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // What the first connections load counts for none of them.
        let first = client.connect().await?;
        first.disconnect().await?;
        let before = memory(setting.server.pid())?.proportional;
        let mut open: Vec<Connection> = Vec::new();
        for _ in 0..conversations {
            open.push(client.connect().await?);
        }
        tokio::time::sleep(SETTLING).await;
        let after = memory(setting.server.pid())?.proportional;
        ensure!(open.iter().all(|connection| !connection.is_broken()), "not all connections stand");
        #[expect(clippy::cast_precision_loss, reason = "far less than 2^53 bytes")]
        Ok(after.saturating_sub(before) as f64 / 1024.0 / f64::from(conversations))
    })
}
