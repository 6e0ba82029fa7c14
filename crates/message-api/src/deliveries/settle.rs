//! Settling: a client says what became of its message.

use std::time::Duration;

use model::message::Message;
use model::reason::Reason;
use queue_manager::QueueManager;
use queue_manager::detached::NotCommitted;
use tokio::time::Instant;

use super::table::{Absent, Token};
use super::{Deliveries, Delivery};

/// What a client says of its delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// Done: the message is gone for good.
    Complete,
    /// Not done: it is on its queue again, its backout count raised.
    Abandon,
    /// Cannot be done: it is on the dead-letter queue, with this reason.
    DeadLetter { reason: i32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotSettled {
    #[error("there is no such delivery, or it is another user's")]
    Unknown,
    #[error("another request settles the delivery at this moment")]
    InProgress,
    #[error("the lock of the delivery has run out, or its queue manager has ended: the message is on its queue again")]
    LockLost,
    #[error("the delivery was settled otherwise before")]
    Otherwise(Settlement),
    /// The delivery is as it was.
    #[error("the queue manager refused: {0}")]
    Refused(Reason),
}

impl Deliveries {
    /// Settles one delivery. A settlement that was made before is made again without effect.
    ///
    /// # Errors
    /// As `NotSettled` says.
    pub async fn settle(&self, token: Token, user: &str, how: Settlement) -> Result<(), NotSettled> {
        let Some(mut settling) = self.begin(token, user, how)? else { return Ok(()) };
        let delivery = settling.take();
        let outcome = match how {
            Settlement::Complete => delivery.complete().await,
            Settlement::Abandon => {
                self.give_up(delivery, 1).await;
                Ok(())
            }
            Settlement::DeadLetter { reason } => self.dead_letter(delivery, reason).await,
        };
        settling.end(how, outcome)
    }

    /// Locks the message for the time again that it was locked for, or for another one. Returns that time.
    ///
    /// # Errors
    /// `Unknown`, `InProgress`, `LockLost`, or `Otherwise` when it was settled.
    pub fn renew(&self, token: Token, user: &str, lock: Option<Duration>) -> Result<Duration, NotSettled> {
        let mut table = self.table.lock();
        let (mut delivery, _) = table.take(token, user).map_err(not_settled)?;
        delivery.of.lock = lock.unwrap_or(delivery.of.lock);
        let lock = delivery.of.lock;
        table.put_back(token, delivery, self.queue_managers.clock().instant() + lock);
        drop(table);
        self.earlier.notify_one();
        Ok(lock)
    }

    /// `None` when it was settled so before.
    pub(crate) fn begin(&self, token: Token, user: &str, how: Settlement) -> Result<Option<Settling<'_>>, NotSettled> {
        match self.table.lock().take(token, user) {
            Ok((delivery, until)) => Ok(Some(Settling { deliveries: self, token, delivery: Some(delivery), until })),
            Err(Absent::Settled(Some(before))) if before == how => Ok(None),
            Err(absent) => Err(not_settled(absent)),
        }
    }
}

fn not_settled(absent: Absent) -> NotSettled {
    match absent {
        Absent::Unknown => NotSettled::Unknown,
        Absent::InProgress => NotSettled::InProgress,
        Absent::Settled(None) => NotSettled::LockLost,
        Absent::Settled(Some(before)) => NotSettled::Otherwise(before),
    }
}

impl Delivery {
    /// The message is gone for good, durably.
    ///
    /// # Errors
    /// Those of a commit. The delivery is as it was, unless it is gone.
    pub(crate) async fn complete(self) -> Result<(), (Reason, Option<Self>)> {
        let Self { unit, of } = self;
        unit.commit()
            .await
            .map_err(|NotCommitted { reason, mut units }| (reason, units.pop().map(|unit| Self { unit, of })))
    }

    /// The message, which is not kept in memory meanwhile; `None` when the delivery is gone.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) async fn message(&self) -> Result<Option<Box<Message>>, Reason> {
        self.unit.message().await
    }
}

/// A delivery that is being settled. Dropped with the delivery in it, it is as it was; dropped without, its unit of work was
/// handed on and nobody knows how it ends: the token is forgotten.
pub(crate) struct Settling<'a> {
    deliveries: &'a Deliveries,
    token: Token,
    delivery: Option<Delivery>,
    until: Instant,
}

impl Settling<'_> {
    pub(crate) fn token(&self) -> Token {
        self.token
    }

    pub(super) fn take(&mut self) -> Delivery {
        self.delivery.take().expect("taken once")
    }

    pub(super) fn is_of(&self, queue_manager: &QueueManager) -> bool {
        self.delivery.as_ref().is_some_and(|delivery| delivery.of.queue_manager.is_same(queue_manager))
    }

    pub(super) fn completed(self) {
        self.deliveries.table.lock().settled(self.token, Some(Settlement::Complete));
    }

    pub(super) fn give_back(mut self, delivery: Delivery) {
        self.delivery = Some(delivery);
    }

    pub(super) fn end(
        mut self,
        how: Settlement,
        outcome: Result<(), (Reason, Option<Delivery>)>,
    ) -> Result<(), NotSettled> {
        match outcome {
            Ok(()) => {
                self.deliveries.table.lock().settled(self.token, Some(how));
                Ok(())
            }
            Err((reason, Some(delivery))) => {
                self.delivery = Some(delivery);
                Err(NotSettled::Refused(reason))
            }
            Err((Reason::BackedOut, None)) => Err(NotSettled::LockLost),
            Err((reason, None)) => Err(NotSettled::Refused(reason)),
        }
    }
}

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        let mut table = self.deliveries.table.lock();
        match self.delivery.take() {
            Some(delivery) => table.put_back(self.token, delivery, self.until),
            None if table.is_settled(self.token) => {}
            None => table.settled(self.token, None),
        }
    }
}
