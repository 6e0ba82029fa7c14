//! What members decide about shared queues: which exist and where, who has them open, what triggers.

use model::timestamp::Timestamp;

use super::{Store, boxed};
use crate::shared::{Deletion, OpenLevel, QueueHandle, TriggerScope, TriggerState};
use crate::{ClusterNumber, QueueId, StoreError};

impl Store {
    /// A shared queue of a structure, with a number that no queue of the group ever had.
    ///
    /// # Errors
    /// Those of `SharedStore::create_queue`. `Unreachable`: there is no database, and what is here lasts; or this member does not know that
    /// of the structure.
    pub async fn create_shared_queue(&self, structure: &str) -> Result<QueueId, StoreError> {
        match &self.group {
            Some(group) => boxed(async { group.of_structure(structure).await?.create_queue().await }).await,
            None => self.private.create_queue_in_memory().ok_or(StoreError::Unreachable),
        }
    }

    /// A shared queue that another member has made: its depth is kept from now on.
    ///
    /// # Errors
    /// Those of `SharedStore::know_queue`.
    pub async fn know_queue(&self, queue: QueueId) -> Result<(), StoreError> {
        match self.if_known(queue) {
            Some(shared) => boxed(shared.know_queue(queue)).await,
            None => Ok(()),
        }
    }

    /// A handle of a shared queue, as the whole group knows it: see `SharedStore::open_queue`. `None`: this queue manager alone can open
    /// the queue.
    ///
    /// # Errors
    /// Those of `SharedStore::open_queue`.
    pub async fn open_queue(&self, queue: QueueId, level: OpenLevel) -> Result<Option<QueueHandle>, StoreError> {
        match self.of_queue(queue)? {
            Some(shared) => boxed(shared.open_queue(queue, level)).await.map(Some),
            None => Ok(None),
        }
    }

    /// Deletes a shared queue and its definition, as `SharedStore::delete_queue`. One that is in a database of its structure's own is
    /// closed to all members there first; a crash behind that leaves a definition whose deletion can be repeated.
    ///
    /// # Errors
    /// Those of `SharedStore::delete_queue`.
    pub async fn delete_shared_queue(
        &self,
        queue: QueueId,
        key: &str,
        version: i64,
        purge: bool,
    ) -> Result<Deletion, StoreError> {
        let group = self.group.as_ref().ok_or(StoreError::Unreachable)?;
        let there = group.of_queue(queue)?;
        if there.is_home() {
            return boxed(there.delete_queue(queue, key, version, purge)).await;
        }
        match boxed(there.seal_queue(queue, false, purge)).await? {
            Deletion::Done(_) => {
                let deleted = boxed(group.home().delete_definition(key, version)).await?;
                Ok(deleted.map_or(Deletion::Changed, Deletion::Done))
            }
            refused => Ok(refused),
        }
    }

    /// The database where new queues of a structure go.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn cluster_of_structure(&self, structure: &str) -> Result<ClusterNumber, StoreError> {
        let group = self.group.as_ref().ok_or(StoreError::Unreachable)?;
        let there = boxed(group.of_structure(structure)).await?;
        there.cluster().ok_or(StoreError::Unreachable)
    }

    /// See `SharedStore::suspend_queue`.
    pub fn suspend_queue(&self, queue: QueueId, suspends: bool) {
        if let Some(shared) = self.if_known(queue) {
            shared.suspend_queue(queue, suspends);
        }
    }

    /// See `SharedStore::is_sealed`.
    ///
    /// # Errors
    /// Those of `SharedStore::is_sealed`.
    pub async fn is_sealed(&self, queue: QueueId) -> Result<bool, StoreError> {
        boxed(self.of_shared_queue(queue)?.is_sealed(queue)).await
    }

    /// Adds the messages of a sealed queue to one in another database, and what was answered to requests there. Answers how many messages.
    ///
    /// # Errors
    /// Those of `SharedStore::copy_queue`.
    pub async fn copy_queue(&self, from: QueueId, to: QueueId) -> Result<u64, StoreError> {
        let (source, target) = (self.of_shared_queue(from)?, self.of_shared_queue(to)?);
        let copied = boxed(target.copy_queue(source, from, to)).await?;
        boxed(target.copy_receipts(source)).await?;
        Ok(copied)
    }

    /// What is on a shared queue goes, also what units of work hold.
    ///
    /// # Errors
    /// Those of `SharedStore::drop_queue`.
    pub async fn drop_queue(&self, queue: QueueId) -> Result<(), StoreError> {
        let shared = self.of_shared_queue(queue)?;
        boxed(async {
            shared.is_sealed(queue).await?;
            shared.drop_queue(queue).await
        })
        .await
    }

    /// The epochs of a member that has the home's word to be dead are over where these queues are too.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn end_epochs(&self, member: &str, queues: [QueueId; 2]) -> Result<(), StoreError> {
        for queue in queues {
            boxed(self.of_shared_queue(queue)?.end_epochs(member)).await?;
        }
        Ok(())
    }

    /// As `SharedStore::opened_elsewhere`.
    ///
    /// # Errors
    /// Those of `SharedStore::opened_elsewhere`.
    pub async fn opened_elsewhere(&self, queue: QueueId) -> Result<OpenLevel, StoreError> {
        match self.of_queue(queue)? {
            Some(shared) => boxed(shared.opened_elsewhere(queue)).await,
            None => Ok(OpenLevel::Closed),
        }
    }

    /// As `SharedStore::trigger_state`.
    ///
    /// # Errors
    /// Those of `SharedStore::trigger_state`.
    pub async fn trigger_state(&self, queue: QueueId, now: Timestamp) -> Result<Option<TriggerState>, StoreError> {
        boxed(self.of_shared_queue(queue)?.trigger_state(queue, now)).await
    }

    /// As `SharedStore::begin_trigger`.
    ///
    /// # Errors
    /// Those of `SharedStore::begin_trigger`.
    pub async fn begin_trigger(&self, queue: QueueId, episode: i64, scope: TriggerScope) -> Result<bool, StoreError> {
        boxed(self.of_shared_queue(queue)?.begin_trigger(queue, episode, scope)).await
    }

    /// As `SharedStore::end_trigger`.
    ///
    /// # Errors
    /// Those of `SharedStore::end_trigger`.
    pub async fn end_trigger(&self, queue: QueueId, is_made: bool) -> Result<(), StoreError> {
        boxed(self.of_shared_queue(queue)?.end_trigger(queue, is_made)).await
    }

    /// As `SharedStore::begin_episode`.
    ///
    /// # Errors
    /// Those of `SharedStore::begin_episode`.
    pub async fn begin_episode(&self, queue: QueueId, after: i64) -> Result<(), StoreError> {
        boxed(self.of_shared_queue(queue)?.begin_episode(queue, after)).await
    }
}
