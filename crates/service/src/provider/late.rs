//! Replies that nobody waits for any more: discarded, or moved to a named queue, whichever the service says.
//!
//! A reply that expires by itself needs none of this; it is for those whose sender ignored the request's expiry. Which
//! replies are missing is remembered in memory only, for a time, and looked for again and again, more and more seldom: a
//! queue manager has nothing like "tell me when this message comes" that costs nothing while it does not.
//!
//! Invariants
//! - At most `MOST` replies are remembered; the oldest make room.
//! - A reply is moved under syncpoint, and discarded only by a get that names its CorrelId.

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
    user: &'a User,
    address: QueueAddress,
    correlation_id: CorrelationId,
    fate: Fate,
    is_settled: bool,
}

impl<'a> Awaited<'a> {
    pub(super) fn new(
        environment: &'a Environment,
        target: &'a Target,
        user: &'a User,
        address: QueueAddress,
        correlation_id: CorrelationId,
        fate: Fate,
    ) -> Self {
        Self { environment, target, user, address, correlation_id, fate, is_settled: false }
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
            target: self.target.clone(),
            user: self.user.clone(),
            address: self.address,
            correlation_id: self.correlation_id,
            fate: self.fate,
            next: now + FIRST_LOOK,
            pause: FIRST_LOOK,
            until: now + REMEMBERED_FOR,
        });
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        if !self.is_settled && matches!(self.fate, Fate::Move(_)) {
            self.remember();
        }
    }
}

#[derive(Clone)]
struct Late {
    target: Target,
    user: User,
    address: QueueAddress,
    correlation_id: CorrelationId,
    fate: Fate,
    next: Instant,
    pause: Duration,
    until: Instant,
}

/// The replies that are missing.
#[derive(Default)]
pub(super) struct LateReplies {
    missing: Mutex<VecDeque<Late>>,
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
            for mut late in due {
                if !self.look_for(&late).await && late.next < late.until {
                    late.pause = (late.pause * 2).min(LONGEST_PAUSE);
                    late.next = Instant::now() + late.pause;
                    self.late.missing.lock().push_back(late);
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

    /// True when nothing remains to be done.
    async fn look_for(&self, late: &Late) -> bool {
        match self.settle(late).await {
            Ok(is_settled) => is_settled,
            Err(error) => {
                let queue = late.address.queue;
                tracing::debug!(queue = queue.as_str(), %error, "a late reply could not be looked for");
                false
            }
        }
    }

    async fn settle(&self, late: &Late) -> Result<bool, ConnectionError> {
        let user = match &late.target {
            Target::Local(_) => User::Server(self.server.clone()),
            Target::Remote(_) => late.user.clone(),
        };
        let mut lent = self.connections.lend(&late.target, &user).await?;
        let connection = lent.connection();
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::SAVE_ALL_CONTEXT | OpenOptions::FAIL_IF_QUIESCING;
        let opened = connection.open(&user, &object_of(&late.address, ""), options).await?;
        let selection = Selection { message_id: None, correlation_id: Some(late.correlation_id) };
        let flags = GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2;
        let got = match connection.get(opened.handle, &selection.options(flags)).await {
            Ok(got) => Some(got),
            Err(error) if error.reason() == Reason::NoMsgAvailable => None,
            Err(error) => return Err(error),
        };
        if let Some(got) = &got {
            match late.fate {
                Fate::Move(to) => move_to(&mut lent, &user, opened.handle, got, &to).await?,
                Fate::Discard | Fate::Stay => lent.connection().commit().await?,
            }
            tracing::info!(
                queue = late.address.queue.as_str(),
                correlation_id = %late.correlation_id,
                fate = ?late.fate,
                "a reply came after its request had been given up"
            );
        }
        lent.connection().close(opened.handle).await?;
        lent.give_back();
        Ok(got.is_some())
    }
}
