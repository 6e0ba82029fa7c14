//! Connections that are kept, by thread and site.
//!
//! A connection belongs to the runtime of the thread that made it, so each thread keeps its own, without a lock. Taken is the
//! one that was used last: the others get old and are given up, so there are as many as there is use for.
//!
//! Invariants
//! - A connection is either here or with one exchange, never both.
//! - Of a site that a reload has replaced nothing is kept.

use std::cell::RefCell;
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;

use super::connection::Connection;
use super::site::Site;

/// Connections of one site kept by one thread.
const MOST: usize = 256;
/// How often connections that nobody uses any more are looked for.
const TICK: Duration = Duration::from_secs(5);

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { sites: Vec::new(), is_swept: false }) };
}

struct Pool {
    sites: Vec<Kept>,
    /// A task looks after it.
    is_swept: bool,
}

struct Kept {
    site: Weak<Site>,
    /// The one used last is the last.
    idle: Vec<Idle>,
}

struct Idle {
    connection: Box<Connection>,
    until: Instant,
}

/// A connection that can be used, if there is one.
pub(super) fn take(site: &Arc<Site>) -> Option<Box<Connection>> {
    POOL.with_borrow_mut(|pool| {
        let kept = pool.sites.iter_mut().find(|kept| std::ptr::eq(kept.site.as_ptr(), Arc::as_ptr(site)))?;
        let now = Instant::now();
        while let Some(mut idle) = kept.idle.pop() {
            if idle.until > now && idle.connection.is_usable() {
                return Some(idle.connection);
            }
        }
        None
    })
}

/// Keeps a connection whose answer has been received, unless it ends with it.
pub(super) fn give_back(site: &Arc<Site>, mut connection: Box<Connection>, headers: &HeaderMap) {
    let time = allowed(site.keep_alive, headers);
    if time.is_zero() || !connection.is_usable() {
        return;
    }
    let idle = Idle { connection, until: Instant::now() + time };
    POOL.with_borrow_mut(|pool| {
        let known = pool.sites.iter_mut().find(|kept| std::ptr::eq(kept.site.as_ptr(), Arc::as_ptr(site)));
        match known {
            Some(kept) if kept.idle.len() < MOST => kept.idle.push(idle),
            Some(_) => {}
            None => pool.sites.push(Kept { site: Arc::downgrade(site), idle: vec![idle] }),
        }
        if !std::mem::replace(&mut pool.is_swept, true) {
            tokio::spawn(sweep());
        }
    });
}

/// Gives up what is too old, until nothing is left.
async fn sweep() {
    loop {
        tokio::time::sleep(TICK).await;
        let is_empty = POOL.with_borrow_mut(|pool| {
            let now = Instant::now();
            for kept in &mut pool.sites {
                let is_current = kept.site.strong_count() > 0;
                kept.idle.retain_mut(|idle| is_current && idle.until > now && idle.connection.is_usable());
            }
            pool.sites.retain(|kept| !kept.idle.is_empty());
            if pool.sites.is_empty() {
                pool.is_swept = false;
            }
            pool.sites.is_empty()
        });
        if is_empty {
            return;
        }
    }
}

/// How long an idle connection is kept: what the configuration says, or less where the server says so.
fn allowed(keep_alive: Duration, headers: &HeaderMap) -> Duration {
    let said = headers.get("keep-alive").and_then(|value| value.to_str().ok());
    let seconds = said.and_then(|value| {
        value.split(',').find_map(|part| part.trim().strip_prefix("timeout=")?.trim().parse::<u64>().ok())
    });
    match seconds {
        // A second less than the server, so that no request meets the connection's end.
        Some(seconds) => keep_alive.min(Duration::from_secs(seconds.saturating_sub(1))),
        None => keep_alive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_want_its_connections_back_sooner() {
        let headers = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("keep-alive", http::HeaderValue::from_static(value));
            headers
        };
        let seconds = Duration::from_secs;
        assert_eq!(allowed(seconds(20), &HeaderMap::new()), seconds(20));
        assert_eq!(allowed(seconds(20), &headers("timeout=5, max=1000")), seconds(4));
        assert_eq!(allowed(seconds(20), &headers("max=1000, timeout=60")), seconds(20));
        assert_eq!(allowed(seconds(20), &headers("timeout=0")), seconds(0));
        assert_eq!(allowed(seconds(20), &headers("what")), seconds(20));
    }
}
