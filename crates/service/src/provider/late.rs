//! Replies that nobody waits for any more: discarded, or moved to a named queue, whichever the service says.
//!
//! A reply that expires by itself needs none of this; it is for those whose sender ignored the request's expiry. Which
//! replies are missing, and when each is looked for, `connection::late` remembers.
//!
//! Invariants
//! - A reply is moved under syncpoint, and discarded only by a get that names its CorrelId.
//! - A CorrelId that a caller chose may come again, as when a client repeats its request. While a request waits with it, nothing
//!   with it is late: what was remembered is forgotten, and what was just got goes back to its queue.
//! - A queue manager that does not answer keeps replies on others waiting for `LONGEST_LOOK` at most.

use std::borrow::Cow;

use connection::error::ConnectionError;
use connection::late::{LONGEST_LOOK, Look, Missing};
use connection::target::{Target, User};
use model::identifier::CorrelationId;
use model::options::{GetFlags, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;

use crate::definition::QueueAddress;

use super::backout::move_to;
use super::environment::Environment;
use super::object_of;
use super::one_way::Selection;

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
        let late = Late { key: self.key(), user: self.user.clone().into_owned(), fate: self.fate };
        self.environment.late.missing.remember(late, None);
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

struct Late {
    key: Key,
    user: User<'static>,
    fate: Fate,
}

/// The replies that are missing.
#[derive(Default)]
pub(super) struct LateReplies {
    missing: Missing<Late>,
    /// Awaited just now with a CorrelId that may be among the missing: as often as it is awaited.
    claimed: Mutex<Vec<Key>>,
}

impl LateReplies {
    /// Locks `claimed` before what is missing, as everything here does.
    fn claim(&self, key: Key) {
        let mut claimed = self.claimed.lock();
        self.missing.forget(|late| late.key == key);
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
    fn put_back(&self, look: Look<Late>) {
        let claimed = self.claimed.lock();
        if !claimed.contains(&look.what.key) {
            self.missing.again(look);
        }
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
            let mut silent: Vec<Target> = Vec::new();
            for look in self.late.missing.due().await {
                let target = &look.what.key.target;
                let seen = if silent.contains(target) { Seen::Nothing } else { self.look_for(&look.what).await };
                if seen == Seen::Silence {
                    silent.push(target.clone());
                }
                if seen != Seen::Settled {
                    self.late.put_back(look);
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
