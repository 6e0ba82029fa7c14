//! The message API: what a request of `/api/v1` means, beside HTTP and on top of the verbs.
//!
//! Owns: messages as JSON and as raw bodies (`content.rs`, `outgoing.rs`, `incoming.rs`), and as they are carried elsewhere
//! (`exported.rs`), records of copybooks (`copybooks.rs`); their words, times and identifiers (`words.rs`, `time_text.rs`, `random_id.rs`). What
//! clients do with messages: deliveries with locks (`deliveries/`), streams (`streams/`), push targets (`push/`), requests with their replies
//! (`requests/`), jobs (`jobs/`), keys that make a repetition safe (`keys.rs`). What operators see: history (`history/`), live events
//! (`live/`), lines of the log (`log_lines.rs`), what dead letters say (`dead_letters.rs`), why a get that waits gets nothing (`differences.rs`).
//!
//! Never here: paths, headers and status codes of HTTP, which are `web`'s; authority and durability, which are the queue
//! manager's. No request opens a way around its authorities.
//!
//! Invariants
//! - An answered key, a settled delivery and a committed transaction are durable in the log record of their messages.
//! - What waits for a client (an open delivery, a job, a stream, a message that is pushed) is bounded, and ends by itself.

use std::sync::Arc;

use model::authority::Principal;
use queue_manager::QueueManagers;

pub mod content;
pub mod copybooks;
pub mod dead_letters;
pub mod deliveries;
pub mod differences;
pub mod error;
pub mod exported;
pub mod history;
pub mod incoming;
pub mod jobs;
mod json_text;
pub mod keys;
pub mod live;
pub mod log_lines;
pub mod outgoing;
pub mod push;
mod random_id;
pub mod requests;
pub mod streams;
#[cfg(test)]
mod test_engine;
pub mod time_text;
pub mod words;

/// What the message API of a server keeps between requests.
pub struct MessageApi {
    pub deliveries: Arc<deliveries::Deliveries>,
    pub keys: keys::Keys,
    pub requests: requests::Requests,
    pub jobs: Arc<jobs::Jobs>,
    pub push: Arc<push::Push>,
    pub streams: Arc<streams::Streams>,
    pub live: Arc<live::Live>,
    pub history: Arc<history::History>,
    pub copybooks: Arc<dyn copybooks::Copybooks>,
}

impl MessageApi {
    /// `server` moves messages that were given back too often, and reads the replies of requests.
    pub fn new(
        queue_managers: QueueManagers,
        server: Principal,
        push: push::Targets,
        copybooks: Arc<dyn copybooks::Copybooks>,
        log: Arc<log_lines::LogLines>,
    ) -> Self {
        let jobs = Arc::new(jobs::Jobs::new(queue_managers.clone()));
        let live = Arc::new(live::Live::new(queue_managers.clone(), Arc::clone(&jobs), log));
        let deliveries = Arc::new(deliveries::Deliveries::new(queue_managers.clone(), server.clone()));
        let push = Arc::new(push::Push::new(queue_managers.clone(), Arc::clone(&deliveries), push));
        let streams = Arc::new(streams::Streams::new(Arc::clone(&deliveries), queue_managers.clone()));
        let history = Arc::new(history::History::new(queue_managers.clone()));
        let requests = requests::Requests::new(queue_managers, server);
        Self { deliveries, keys: keys::Keys::default(), requests, jobs, push, streams, live, history, copybooks }
    }

    /// Ends locks that have run out, looks after late replies, takes samples, and looks at what is watched. Push targets are run by
    /// themselves (`Push::run`). Runs until it is dropped.
    pub async fn run(&self) {
        tokio::join!(self.deliveries.run(), self.requests.run(), self.history.run(), self.live.run());
    }

    /// Has to be called when a queue manager has started or ended.
    pub fn queue_managers_changed(&self) {
        self.deliveries.queue_managers_changed();
        self.requests.queue_managers_changed();
        self.jobs.queue_managers_changed();
        self.push.changed();
        self.streams.queue_managers_changed();
    }
}
