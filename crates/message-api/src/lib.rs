//! The message API: what a request of `/api/v1` means, beside HTTP and on top of the verbs.
//!
//! Owns: messages as JSON and as raw bodies (`content.rs`, `outgoing.rs`, `incoming.rs`), and as they are carried elsewhere
//! (`exported.rs`), records of copybooks (`copybooks.rs`); their words, times and identifiers (`words.rs`, `time_text.rs`, `random_id.rs`), deliveries with locks
//! (`deliveries/`), jobs (`jobs/`), keys that make a repetition safe (`keys.rs`), requests with their replies (`requests/`). What dead letters say is in
//! `dead_letters.rs`, and why a get that waits gets nothing in `differences.rs`.
//!
//! Never here: paths, headers and status codes of HTTP, which are `web`'s; authority and durability, which are the queue
//! manager's. No request opens a way around its authorities.
//!
//! Invariants
//! - An answered key, a settled delivery and a committed transaction are durable in the log record of their messages.
//! - What waits for a client (an open delivery, a job, a stream) is bounded, and ends by itself.

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
pub mod incoming;
pub mod jobs;
pub mod keys;
pub mod outgoing;
mod random_id;
pub mod requests;
pub mod time_text;
pub mod words;

/// What the message API of a server keeps between requests.
pub struct MessageApi {
    pub deliveries: Arc<deliveries::Deliveries>,
    pub keys: keys::Keys,
    pub requests: requests::Requests,
    pub jobs: jobs::Jobs,
    pub copybooks: Arc<dyn copybooks::Copybooks>,
}

impl MessageApi {
    /// `server` moves messages that were given back too often, and reads the replies of requests.
    pub fn new(queue_managers: QueueManagers, server: Principal, copybooks: Arc<dyn copybooks::Copybooks>) -> Self {
        let jobs = jobs::Jobs::new(queue_managers.clone());
        let deliveries = Arc::new(deliveries::Deliveries::new(queue_managers.clone(), server.clone()));
        let requests = requests::Requests::new(queue_managers, server);
        Self { deliveries, keys: keys::Keys::default(), requests, jobs, copybooks }
    }

    /// Ends locks that have run out, and looks after late replies. Runs until it is dropped.
    pub async fn run(&self) {
        tokio::join!(self.deliveries.run(), self.requests.run());
    }

    /// Has to be called when a queue manager has started or ended.
    pub fn queue_managers_changed(&self) {
        self.deliveries.queue_managers_changed();
        self.requests.queue_managers_changed();
        self.jobs.queue_managers_changed();
    }
}
