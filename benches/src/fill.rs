//! Many messages onto one queue of a running server, by some clients over plain HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use http::HeaderValue;
use system_tests::server::{APP_PASSWORD, Server};
use workload::client::rest::{Credentials, RestClient, RestOptions};
use workload::client::target::{Target, Trust};
use workload::payload::{Payload, PutId};

pub const QUEUE: &str = "DEV.QUEUE.1";
const CLIENTS: u32 = 32;

/// Removes the limit of depth: pass it to a server as a drop-in.
pub const UNLIMITED_DEPTH: &str = "ALTER QLOCAL(DEV.QUEUE.1) MAXDEPTH(999999999)\n";

pub fn client(server: &Server, persistent: bool) -> Result<RestClient> {
    let target = Target::parse(&server.http_url()?, &Trust::None).map_err(|error| anyhow!(error.chain()))?;
    Ok(RestClient::new(RestOptions {
        target,
        credentials: Credentials::Basic { user: "app".to_owned(), password: APP_PASSWORD.to_owned() },
        queue_manager: "QM1".to_owned(),
        queue: QUEUE.to_owned(),
        reply_queue: None,
        persistent,
        answer_limit: Duration::from_secs(60),
    })?)
}

/// Identifier number n of `fill`.
pub fn id(number: u64) -> PutId {
    PutId { run: 1, client: 0, sequence: number }
}

/// Puts messages 0 to `count` of `size` bytes, each with its identifier as correlation identifier.
pub fn fill(server: &Server, count: u64, size: usize, persistent: bool) -> Result<()> {
    let next = Arc::new(AtomicU64::new(0));
    let payload = Payload::new(size);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..CLIENTS {
            let (mut rest, next, payload) = (client(server, persistent)?, Arc::clone(&next), payload.clone());
            tasks.push(tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return anyhow::Ok(());
                    }
                    put(&mut rest, &payload, number).await?;
                }
            }));
        }
        for task in tasks {
            task.await.context("a filling client panicked")??;
        }
        Ok(())
    })
}

pub async fn put(rest: &mut RestClient, payload: &Payload, number: u64) -> Result<()> {
    let hex = id(number).to_hex();
    rest.put(payload.body(&hex), Some(HeaderValue::from_str(&hex)?)).await?;
    Ok(())
}
