//! What push needs of those who know HTTP and users: how a message is posted, and who a user is now.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::authority::Principal;
use model::message::Message;
use model::timestamp::Timestamp;
use queue_manager::Position;

use super::definition::{Definition, Owner};

/// A future behind a trait.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One attempt with one message.
#[derive(Clone, Copy)]
pub struct Letter<'a> {
    /// The same at each attempt.
    pub id: &'a str,
    pub message: &'a Message,
    pub position: Position,
    pub now: Timestamp,
}

/// What a receiver said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// For how long it wants to be left alone.
    pub retry_after: Option<Duration>,
}

/// The way to the receiver of one target.
pub trait Door: Send + Sync {
    /// Ends by itself: connection and answer have time limits.
    fn post<'a>(&'a self, letter: Letter<'a>) -> Later<'a, Result<Answer, String>>;
}

/// How the world outside is reached.
pub trait Outside: Send + Sync {
    /// As whom targets of this user open queues now.
    fn principal<'a>(&'a self, owner: &'a Owner) -> Later<'a, Principal>;

    fn door(&self, definition: &Arc<Definition>) -> Arc<dyn Door>;
}
