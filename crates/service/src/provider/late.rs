//! Replies that nobody waits for any more: discarded, or moved to a named queue, whichever the service says.
//!
//! A reply that expires by itself needs none of this; it is for those whose sender ignored the request's expiry. Which
//! replies are missing is remembered in memory only, for a time, and looked for again and again, more and more seldom: a
//! queue manager has nothing like "tell me when this message comes" that costs nothing while it does not.
//!
//! Invariants
//! - At most `MOST` replies are remembered; the oldest make room.
//! - A reply is moved under syncpoint, and discarded only by a get that names its CorrelId.
//! - A CorrelId that a caller chose may come again, as when a client repeats its request. While a request waits with it, nothing
//!   with it is late: what was remembered is forgotten, and what was just got goes back to its queue.
//! - A queue manager that does not answer keeps replies on others waiting for `LONGEST_LOOK` at most.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::Duration;

use connection::error::ConnectionError;
use connection::target::{Target, User};
use model::identifier::CorrelationId;
use model::options::{GetFlags, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::definition::QueueAddress;

use super::backout::move_to;
use super::environment::Environment;
use super::object_of;
use super::one_way::Selection;

/// Replies remembered at once.
const MOST: usize = 10_000;
/// How long a reply is looked for.
const REMEMBERED_FOR: Duration = Duration::from_secs(600);
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// What one look may take; a remote queue manager may be slow, or not there.
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// What becomes of a late reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Of one whose wait was over; one whose client went away stays on its queue.
    Discard,
    Move(QueueAddress),
    Stay,
}

/// A reply that is awaited. Dropped before anything else is said of it, its client has gone away.
pub(super) struct Awaited<'a> {
    environment: &'a Environment,
    target: &'a Target,
    user: &'a User<'a>,
    address: &'a QueueAddress,
    correlation_id: CorrelationId,
    fate: Fate,
    is_settled: bool,
    is_claimed: bool,
}

impl<'a> Awaited<'a> {
    pub(super) fn new(
        environment: &'a Environment,
        target: &'a Target,
        user: &'a User<'a>,
        address: &'a QueueAddress,
        correlation_id: CorrelationId,
        fate: Fate,
    ) -> Self {
        Self { environment, target, user, address, correlation_id, fate, is_settled: false, is_claimed: false }
    }

    /// For a CorrelId that may have been used before; to be called before the request is put.
    pub(super) fn claimed(mut self) -> Self {
        self.environment.late.claim(self.key());
        self.is_claimed = true;
        self
    }

    fn key(&self) -> Key {
        Key { target: self.target.clone(), address: *self.address, correlation_id: self.correlation_id }
    }

    pub(super) fn has_come(mut self) {
        self.is_settled = true;
    }

    /// The wait is over.
    pub(super) fn given_up(mut self) {
        self.is_settled = true;
        if self.fate != Fate::Stay {
            self.remember();
        }
    }

    fn remember(&self) {
        let now = Instant::now();
        self.environment.late.remember(Late {
            key: self.key(),
            user: self.user.clone().into_owned(),
            fate: self.fate,
            next: now + FIRST_LOOK,
            pause: FIRST_LOOK,
            until: now + REMEMBERED_FOR,
        });
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        if self.is_claimed {
            self.environment.late.give_up_claim(&self.key());
        }
        if !self.is_settled && matches!(self.fate, Fate::Move(_)) {
            self.remember();
        }
    }
}

/// Which reply.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    target: Target,
    address: QueueAddress,
    correlation_id: CorrelationId,
}

#[derive(Clone)]
struct Late {
    key: Key,
    user: User<'static>,
    fate: Fate,
    next: Instant,
    pause: Duration,
    until: Instant,
}

/// The replies that are missing.
#[derive(Default)]
pub(super) struct LateReplies {
    missing: Mutex<VecDeque<Late>>,
    /// Awaited just now with a CorrelId that may be among the missing: as often as it is awaited.
    claimed: Mutex<Vec<Key>>,
    added: Notify,
}

impl LateReplies {
    fn remember(&self, late: Late) {
        let mut missing = self.missing.lock();
        if missing.len() >= MOST {
            missing.pop_front();
        }
        missing.push_back(late);
        drop(missing);
        self.added.notify_one();
    }

    /// Locks `claimed` before `missing`, as everything here does.
    fn claim(&self, key: Key) {
        let mut claimed = self.claimed.lock();
        self.missing.lock().retain(|late| late.key != key);
        claimed.push(key);
    }

    fn give_up_claim(&self, key: &Key) {
        let mut claimed = self.claimed.lock();
        if let Some(place) = claimed.iter().position(|each| each == key) {
            claimed.swap_remove(place);
        }
    }

    fn is_claimed(&self, key: &Key) -> bool {
        self.claimed.lock().contains(key)
    }

    /// To be looked for again, unless somebody waits for it by now.
    fn put_back(&self, late: Late) {
        let claimed = self.claimed.lock();
        if !claimed.contains(&late.key) {
            self.missing.lock().push_back(late);
        }
    }

    /// Those whose turn it is, taken out, and when the next one's turn is.
    fn due(&self, now: Instant) -> (Vec<Late>, Option<Instant>) {
        let mut missing = self.missing.lock();
        let mut due = Vec::new();
        for _ in 0..missing.len() {
            match missing.pop_front() {
                Some(late) if late.next <= now => due.push(late),
                Some(late) => missing.push_back(late),
                None => break,
            }
        }
        let next = missing.iter().map(|late| late.next).min();
        (due, next)
    }
}

/// What a look for a late reply came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// It has come, or is awaited again: nothing remains to be done.
    Settled,
    Nothing,
    /// The queue manager did not answer in time.
    Silence,
}

impl Environment {
    /// Looks after late replies until the server stops. Whoever makes the environment runs this once.
    pub async fn run(&self) {
        let mut stopping = self.stopping.subscribe();
        tokio::select! {
            () = self.look_after_late_replies() => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }

    async fn look_after_late_replies(&self) {
        loop {
            let (due, next) = self.late.due(Instant::now());
            let was_busy = !due.is_empty();
            let mut silent: Vec<Target> = Vec::new();
            for mut late in due {
                let seen = if silent.contains(&late.key.target) { Seen::Nothing } else { self.look_for(&late).await };
                if seen == Seen::Silence {
                    silent.push(late.key.target.clone());
                }
                if seen != Seen::Settled && late.next < late.until {
                    late.pause = (late.pause * 2).min(LONGEST_PAUSE);
                    late.next = Instant::now() + late.pause;
                    self.late.put_back(late);
                }
            }
            if was_busy {
                continue;
            }
            match next {
                None => self.late.added.notified().await,
                Some(next) => {
                    tokio::select! {
                        () = self.late.added.notified() => {}
                        () = tokio::time::sleep_until(next) => {}
                    }
                }
            }
        }
    }

    async fn look_for(&self, late: &Late) -> Seen {
        let queue = late.key.address.queue;
        // Given up in its middle, a look leaves nothing behind: its connection is closed, and what it got is backed out.
        match tokio::time::timeout(LONGEST_LOOK, self.settle(late)).await {
            Ok(Ok(true)) => Seen::Settled,
            Ok(Ok(false)) => Seen::Nothing,
            Ok(Err(error)) => {
                tracing::debug!(queue = queue.as_str(), %error, "a late reply could not be looked for");
                Seen::Nothing
            }
            Err(_) => {
                tracing::debug!(
                    queue = queue.as_str(),
                    "a queue manager did not say in time whether a late reply has come"
                );
                Seen::Silence
            }
        }
    }

    /// True when nothing remains to be done.
    async fn settle(&self, late: &Late) -> Result<bool, ConnectionError> {
        let user = match &late.key.target {
            Target::Local(_) => User::Server(Cow::Borrowed(&self.server)),
            Target::Remote(_) => late.user.clone(),
        };
        let mut lent = self.connections.lend(&late.key.target, &user).await?;
        let connection = lent.connection();
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::SAVE_ALL_CONTEXT | OpenOptions::FAIL_IF_QUIESCING;
        let opened = connection.open(user.acting(), &object_of(&late.key.address, ""), options).await?;
        let selection = Selection { correlation_id: Some(late.key.correlation_id), ..Selection::default() };
        let flags = GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2;
        let got = match connection.get(opened.handle, &selection.options(flags)).await {
            Ok(got) => Some(got),
            Err(error) if error.reason() == Reason::NoMsgAvailable => None,
            Err(error) => return Err(error),
        };
        if got.is_some() && self.late.is_claimed(&late.key) {
            // The CorrelId is awaited again: this is the reply of whoever waits.
            lent.connection().back_out().await?;
        } else if let Some(got) = &got {
            match late.fate {
                Fate::Move(to) => move_to(&mut lent, &user, opened.handle, got, &to).await?,
                Fate::Discard | Fate::Stay => lent.connection().commit().await?,
            }
            tracing::info!(
                queue = late.key.address.queue.as_str(),
                correlation_id = %late.key.correlation_id,
                fate = ?late.fate,
                "a late reply was handled: its request had ended"
            );
        }
        lent.connection().close(opened.handle).await?;
        lent.give_back();
        Ok(got.is_some())
    }
}

#[cfg(test)]
mod tests;
