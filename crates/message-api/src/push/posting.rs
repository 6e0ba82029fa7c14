//! A message on its way to a receiver: posted again and again, until it is accepted or given up.
//!
//! The message stays in its unit of work meanwhile, and so comes back when the process is killed. It is in memory only while it
//! is posted.
//!
//! Invariant: a message leaves its queue only after a receiver accepted it, or for the dead-letter or backout queue.

use std::sync::Arc;
use std::time::Duration;

use model::descriptor::Expiry;
use model::message::Message;
use parking_lot::Mutex;
use queue_manager::{Clock, Position, SystemClock};
use rand::RngCore;
use rand::rngs::OsRng;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;

use super::definition::Definition;
use super::outside::{Answer, Door, Letter};
use super::statistics::{InHand, LastError, Statistics};
use crate::deliveries::{Deliveries, Delivery, GivenUp};

/// Memory is counted in units of so many bytes.
const UNIT: usize = 1024;
/// What is left of the lifetime of a message that has none left, or less than a tenth of a second.
const EXPIRED: Expiry = Expiry(1);
/// Between attempts to commit what a receiver has accepted.
const COMMIT_DELAY: Duration = Duration::from_secs(1);

/// What all messages of a running target share.
pub(super) struct Course {
    pub(super) definition: Arc<Definition>,
    pub(super) statistics: Arc<Statistics>,
    pub(super) deliveries: Arc<Deliveries>,
    pub(super) door: Arc<dyn Door>,
    /// For bodies that are being posted.
    memory: Semaphore,
    memory_units: u32,
    /// The receiver wants to be left alone until then.
    quiet_until: Mutex<Option<Instant>>,
    /// Turns true when the target stops.
    stop: watch::Receiver<bool>,
}

/// How the attempts with a message went on.
enum After {
    Accepted,
    /// Tried often or long enough.
    Over,
    /// The target stops.
    Stopped,
    /// Its queue manager has ended, or it has expired: then its queue discards it.
    Gone,
}

impl Course {
    pub(super) fn new(
        definition: Arc<Definition>,
        statistics: Arc<Statistics>,
        deliveries: Arc<Deliveries>,
        door: Arc<dyn Door>,
        memory_bytes: usize,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let memory_units = u32::try_from(memory_bytes / UNIT).unwrap_or(u32::MAX).clamp(1, 1 << 28);
        let memory = Semaphore::new(memory_units as usize);
        let quiet_until = Mutex::default();
        Self { definition, statistics, deliveries, door, memory, memory_units, quiet_until, stop }
    }

    /// Returns when the target stops.
    pub(super) async fn stopped(&self) {
        // An error says that who could stop it has gone.
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }

    /// Waits so long, or until the target stops: then `false`.
    pub(super) async fn rest(&self, time: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.stopped() => false,
            () = tokio::time::sleep(time) => true,
        }
    }

    /// Posts a message until it is settled. `length`: of its body.
    pub(super) async fn carry(&self, delivery: Delivery, position: Position, length: usize) {
        let in_hand = self.statistics.take();
        let after = self.attempt_all(&delivery, &in_hand, position, length).await;
        match after {
            After::Accepted => self.complete(delivery, &in_hand).await,
            After::Over => {
                in_hand.given_up();
                self.give_up(delivery, &in_hand).await;
            }
            After::Stopped => drop(self.deliveries.give_up(delivery, 1).await),
            After::Gone => drop(delivery),
        }
    }

    async fn attempt_all(&self, delivery: &Delivery, in_hand: &InHand<'_>, position: Position, length: usize) -> After {
        let began = Instant::now();
        let mut failed = 0;
        loop {
            if !self.await_quiet().await {
                return After::Stopped;
            }
            let Some(outcome) = self.attempt(delivery, in_hand, position, length, failed).await else {
                return After::Gone;
            };
            let asked = match outcome {
                Ok(Answer { status: 200..=299, .. }) => return After::Accepted,
                Ok(answer) => {
                    let problem = format!("it answers with status {}", answer.status);
                    let error = LastError { at: SystemClock.now(), status: Some(answer.status), problem };
                    in_hand.attempt_failed(error);
                    answer.retry_after.filter(|_| matches!(answer.status, 429 | 503))
                }
                Err(problem) => {
                    in_hand.attempt_failed(LastError { at: SystemClock.now(), status: None, problem });
                    None
                }
            };
            failed += 1;
            let random = f64::from(OsRng.next_u32()) / f64::from(u32::MAX);
            let Some(delay) = self.definition.retry.next(failed, began.elapsed(), asked, random) else {
                return After::Over;
            };
            if let Some(asked) = asked {
                self.keep_quiet(asked);
            }
            if !self.rest(delay).await {
                return After::Stopped;
            }
        }
    }

    /// `None`: the message is gone, or has expired.
    async fn attempt(
        &self,
        delivery: &Delivery,
        in_hand: &InHand<'_>,
        position: Position,
        length: usize,
        failed: u32,
    ) -> Option<Result<Answer, String>> {
        let _room = self.room(length).await;
        let message = match delivery.message().await {
            Ok(message) => message?,
            Err(reason) => return Some(Err(format!("the message cannot be read: {reason}"))),
        };
        if message.descriptor.expiry == EXPIRED {
            return None;
        }
        in_hand.attempt(failed == 0);
        let id = id_of(&message, position);
        let letter = Letter { id: &id, message: &message, position, now: SystemClock.now() };
        Some(self.door.post(letter).await)
    }

    /// A body that is longer than all there is goes alone.
    async fn room(&self, length: usize) -> SemaphorePermit<'_> {
        let units = u32::try_from(length / UNIT + 1).unwrap_or(u32::MAX).min(self.memory_units);
        self.memory.acquire_many(units).await.expect("it is never closed")
    }

    fn keep_quiet(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut quiet = self.quiet_until.lock();
        *quiet = Some(quiet.map_or(until, |before| before.max(until)));
    }

    /// `false`: the target stops.
    async fn await_quiet(&self) -> bool {
        loop {
            let left = self.quiet_until.lock().map(|until| until.saturating_duration_since(Instant::now()));
            match left.filter(|left| !left.is_zero()) {
                Some(left) => {
                    if !self.rest(left).await {
                        return false;
                    }
                }
                None => return !*self.stop.borrow(),
            }
        }
    }

    /// The receiver has the message: it is taken off its queue, however often that has to be tried.
    async fn complete(&self, mut delivery: Delivery, in_hand: &InHand<'_>) {
        loop {
            match delivery.complete().await {
                Ok(()) => return in_hand.completed(SystemClock.now()),
                Err((reason, left)) => {
                    let problem = format!("a message was accepted and cannot be taken off its queue: {reason}");
                    in_hand.attempt_failed(LastError { at: SystemClock.now(), status: None, problem });
                    let Some(left) = left else { return };
                    delivery = left;
                }
            }
            if !self.rest(COMMIT_DELAY).await {
                return;
            }
        }
    }

    async fn give_up(&self, delivery: Delivery, in_hand: &InHand<'_>) {
        let left = match self.definition.dead_letter {
            None => delivery,
            Some(reason) => match self.deliveries.dead_letter(delivery, reason).await {
                Ok(()) | Err((_, None)) => return,
                Err((reason, Some(delivery))) => {
                    let problem = format!("the dead-letter queue does not take a message: {reason}");
                    in_hand.attempt_failed(LastError { at: SystemClock.now(), status: None, problem });
                    delivery
                }
            },
        };
        if self.deliveries.give_up(left, 1).await == GivenUp::BackedOut {
            // It is the next message again: not at once.
            self.rest(self.definition.retry.longest_delay).await;
        }
    }
}

/// The same for each attempt with a message, and another for each message. Programs may give two messages one identifier; they have
/// not got one position.
fn id_of(message: &Message, position: Position) -> String {
    format!("{}-{}", message.descriptor.message_id, position.0)
}
