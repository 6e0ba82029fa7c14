//! Ports for programs that have to be told one. Whoever can listens on port 0 instead.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use anyhow::{Context, Result};

/// Ports below those that Linux gives to connections and to port 0: no other program is given one of them in between.
const FIRST: u16 = 12_000;
const COUNT: u16 = 20_000;
/// Processes that run at once begin far from each other.
const STEP: u32 = 617;

/// A port of the loopback interface that is free, and that this process has not been given before.
///
/// # Errors
/// All are taken.
pub fn free() -> Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = std::process::id().wrapping_mul(STEP);
    (0..COUNT)
        .map(|_| begin.wrapping_add(NEXT.fetch_add(1, Relaxed).into()) % u32::from(COUNT))
        .filter_map(|offset| Some(FIRST + u16::try_from(offset).ok()?))
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .context("no port is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_port_is_given_once_and_can_be_listened_on() {
        let ports = [0; 100].map(|_| free().expect("a port"));
        let listening = ports.map(|port| TcpListener::bind(("127.0.0.1", port)).expect("free"));
        assert!(listening.iter().all(|one| one.local_addr().expect("bound").port() < 32_768));
    }
}
