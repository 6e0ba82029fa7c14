//! A turn: tasks do something one at a time, and wait for the disk while they have it.
//!
//! The only lock of this crate that is held across an `.await`. A task that waits for its turn gives its thread back.
//! A put or get takes none, unless it is one of several consumers' in one unit of work (`Terms::turn`), or publishes a retained message, or makes or deletes a dynamic queue, or toggles the
//! switches of a queue that raised a performance event.
//!
//! Invariant: a task that takes both turns takes `PublishSubscribe::retaining` before `Engine::changes`, and never takes
//! one twice.

/// Held by one task at a time, in the order in which they asked.
#[derive(Default)]
#[expect(clippy::disallowed_types, reason = "held across an await: see above")]
pub struct Turn(tokio::sync::Mutex<()>);

/// The turn ends when it is dropped.
pub(crate) struct Taken<'a> {
    _guard: tokio::sync::MutexGuard<'a, ()>,
}

impl Turn {
    pub(crate) async fn take(&self) -> Taken<'_> {
        Taken { _guard: self.0.lock().await }
    }
}
