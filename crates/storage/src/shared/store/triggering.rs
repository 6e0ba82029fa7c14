//! What members decide together about the triggers of a shared queue.
//!
//! Time on a queue is cut into episodes: one begins when a member opens the queue for input, and when the queue has become empty otherwise.
//! In each episode there is one trigger message of the group, or one of each member: that depends on where trigger messages go, which the
//! caller knows.

use std::time::Duration;

use model::timestamp::Timestamp;

use super::SharedStore;
use crate::shared::row::{moment, queue_number};
use crate::{QueueId, StoreError};

/// A queue as its triggers see it. Only committed messages count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerState {
    pub episode: i64,
    /// The group has made its trigger message of this episode.
    pub is_triggered: bool,
    /// Since any member made one.
    pub since_trigger: Duration,
    /// A program of any member has the queue open for input.
    pub is_served: bool,
    /// There is a message that a get would find.
    pub has_messages: bool,
    pub depth: u64,
}

/// For whom a trigger message is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerScope {
    /// One member makes it for all.
    Group,
    /// Each member makes its own.
    Member,
}

impl SharedStore {
    /// `None`: the queue is deleted.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn trigger_state(&self, queue: QueueId, now: Timestamp) -> Result<Option<TriggerState>, StoreError> {
        let row = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query_opt(&s.trigger_state, &[&queue_number(queue), &moment(now)]).await
            })
            .await?;
        Ok(row.map(|row| TriggerState {
            episode: row.get(0),
            is_triggered: row.get::<_, i64>(1) >= row.get(0),
            since_trigger: Duration::from_millis(u64::try_from(row.get::<_, i64>(2)).unwrap_or(0)),
            is_served: row.get(3),
            has_messages: row.get(4),
            depth: u64::try_from(row.get::<_, i64>(5)).unwrap_or(0),
        }))
    }

    /// This member is about to make a trigger message. False: the episode is over, a program serves the queue, or another member was
    /// faster. A member that ends before `trigger_made` leaves it to others.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn begin_trigger(&self, queue: QueueId, episode: i64, scope: TriggerScope) -> Result<bool, StoreError> {
        let is_whole = scope == TriggerScope::Group;
        let row = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
                    [&queue_number(queue), &episode, &is_whole, &session.member, &session.epoch];
                client.query_opt(&s.begin_trigger, &parameters).await
            })
            .await?;
        Ok(row.is_some())
    }

    /// The group's trigger message is there, or could not be made: then the next look makes it.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn end_trigger(&self, queue: QueueId, is_made: bool) -> Result<(), StoreError> {
        self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.execute(&s.end_trigger, &[&queue_number(queue), &session.member, &is_made]).await
        })
        .await
        .map(|_| ())
    }

    /// Ends an episode, if it is still the present one.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn begin_episode(&self, queue: QueueId, after: i64) -> Result<(), StoreError> {
        self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.execute(&s.begin_episode, &[&queue_number(queue), &after]).await
        })
        .await
        .map(|_| ())
    }

    /// This member looks for expired messages, for all.
    pub fn has_expiry_duty(&self) -> bool {
        self.running.driver.has_expiry_duty()
    }
}
