//! The floor of a connection: nginx's new resumed TLS connection, with one request for a byte.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, HandshakeKind, StreamOwned};
use workload::measure::processor_time;

use super::per_one;
use crate::effort::Effort;
use crate::nginx::{GET_PATH, Nginx};

/// Two threads that connect, ask once and hang up.
pub(super) fn cpu_us(nginx: &Nginx, config: &Arc<ClientConfig>, effort: &Effort) -> Result<f64> {
    let address: SocketAddr = nginx.url.trim_start_matches("https://").parse()?;
    visit(address, config)?;
    let (stop, count, full) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let work = || -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            if visit(address, config)? != HandshakeKind::Resumed {
                full.fetch_add(1, Ordering::Relaxed);
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        std::thread::sleep(effort.warmup);
        let used =
            || -> Result<Duration> { nginx.workers.iter().map(|&pid| Ok(processor_time(pid, false)?.used)).sum() };
        let (before, first) = (used()?, count.load(Ordering::Relaxed));
        std::thread::sleep(effort.rest);
        let (after, last) = (used()?, count.load(Ordering::Relaxed));
        stop.store(true, Ordering::Relaxed);
        for thread in running {
            thread.join().map_err(|_| anyhow!("a client panicked"))??;
        }
        let full = full.load(Ordering::Relaxed);
        ensure!(full * 20 <= last, "{full} of {last} handshakes were not resumed");
        per_one(after.saturating_sub(before), last - first)
    })
}

fn visit(address: SocketAddr, config: &Arc<ClientConfig>) -> Result<HandshakeKind> {
    use std::io::{Read, Write};
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from(address.ip().to_string())?;
    let mut tls = StreamOwned::new(ClientConnection::new(Arc::clone(config), name)?, stream);
    write!(tls, "GET {GET_PATH} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    // It may close without saying goodbye.
    let _ = tls.read_to_end(&mut answer);
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "nginx answered otherwise");
    tls.conn.handshake_kind().context("the handshake is over")
}
