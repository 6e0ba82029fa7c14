//! Threads of a store: one for each lane, and those of the connections.
//!
//! Never: waits for a thread on a thread that may not wait.

use std::time::Duration;

use tokio::runtime::Runtime;
use tracing::error;

/// Ends them when it is dropped.
pub(in crate::shared) struct Threads {
    pub(super) runtime: Option<Runtime>,
    pub(super) lanes: Vec<std::thread::JoinHandle<()>>,
}

impl Threads {
    pub(in crate::shared) fn join(&mut self) {
        for lane in self.lanes.drain(..) {
            if lane.join().is_err() {
                error!("a lane of the shared store has panicked");
            }
        }
        if let Some(runtime) = self.runtime.take() {
            // On a thread of its own: the caller may be a task of another runtime, where tokio lets nobody wait for one.
            let ended = std::thread::spawn(move || runtime.shutdown_timeout(Duration::from_secs(1))).join();
            if ended.is_err() {
                error!("the connections of the shared store have ended with a panic");
            }
        }
    }
}
