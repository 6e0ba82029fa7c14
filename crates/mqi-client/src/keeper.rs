//! Connections that no thread uses answer the heartbeats of their queue manager.
//!
//! A call drives its connection's socket; between calls nothing does. One thread of the process looks after idle connections a
//! few times in each interval. It begins with the first connection and ends itself after the last.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{handles, per_process};

/// The generation whose keeper runs, plus one; 0: none.
static RUNNING: AtomicU32 = AtomicU32::new(0);
/// Looks in each heartbeat interval.
const LOOKS: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const SHORTEST_PAUSE: Duration = Duration::from_millis(300);
/// How long a connection's input is served at a time.
const SERVED: Duration = Duration::from_millis(1);

/// Sees to it that the keeper runs in this process. Without a thread connections still work until their queue manager gives a
/// silent client up.
pub(crate) fn begin() {
    let own = per_process::generation() + 1;
    if RUNNING.swap(own, Ordering::AcqRel) != own {
        let started =
            std::thread::Builder::new().name("mqi-keeper".to_owned()).stack_size(128 << 10).spawn(move || keep(own));
        if started.is_err() {
            RUNNING.store(0, Ordering::Release);
        }
    }
}

fn keep(own: u32) {
    loop {
        std::thread::sleep(pause());
        let handles = handles::all();
        let has_none = handles.is_empty();
        for handle in handles {
            handle.while_idle(|runtime, session| {
                if !session.connection.heartbeat_interval().is_zero() {
                    runtime.block_on(tokio::time::sleep(SERVED));
                }
            });
        }
        if has_none && RUNNING.compare_exchange(own, 0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            // A connection that was made just before relied on this keeper.
            if !handles::all().is_empty() {
                begin();
            }
            return;
        }
    }
}

/// A part of the shortest interval of those that are idle.
fn pause() -> Duration {
    let mut pause = LONGEST_PAUSE;
    for handle in handles::all() {
        handle.while_idle(|_, session| {
            let interval = session.connection.heartbeat_interval();
            if !interval.is_zero() {
                pause = pause.min(interval / LOOKS);
            }
        });
    }
    pause.max(SHORTEST_PAUSE)
}
