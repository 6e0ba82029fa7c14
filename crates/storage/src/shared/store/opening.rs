//! Shared queues as handles see them: opening, and deletion of a queue that no member has open.

use super::SharedStore;
use crate::shared::handles::{OpenLevel, QueueHandle};
use crate::shared::operation::{Answer, Operation, Raised};
use crate::shared::row::queue_number;
use crate::{QueueId, StoreError};

/// What became of the deletion of a shared queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// With the group's new version.
    Done(i64),
    /// Another member has changed or deleted its definition.
    Changed,
    /// Another member has it open so.
    Open(OpenLevel),
    /// A unit of work of any member holds a message of it.
    Uncommitted,
    NotEmpty,
}

impl SharedStore {
    /// Opens a queue in the whole group. Costs nothing when this member has it open so already.
    ///
    /// # Errors
    /// `InUse`: another handle for input in the group is in the way. `UnknownQueue`: it is deleted. `Unreachable`, `Database`,
    /// `Closed`.
    pub async fn open_queue(&self, queue: QueueId, level: OpenLevel) -> Result<QueueHandle, StoreError> {
        let figures = self.figures(queue)?;
        let handle = QueueHandle::count(&self.running.driver, &figures, level)?;
        self.raise(&figures, level).await?;
        Ok(handle)
    }

    /// The highest level at which another member has the queue open.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn opened_elsewhere(&self, queue: QueueId) -> Result<OpenLevel, StoreError> {
        let row = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query_one(&s.opened_elsewhere, &[&queue_number(queue), &session.member]).await
            })
            .await?;
        Ok(OpenLevel::of_number(row.get(0)))
    }

    /// Deletes the definition `key`, which has this version, of a queue that no other member has open and that is empty, or may be
    /// purged. From then on no member can open it or put to it. Its messages remain until `drop_queue`.
    ///
    /// # Errors
    /// `Unreachable`: open. `Database`, `Closed`.
    pub async fn delete_queue(
        &self,
        queue: QueueId,
        key: &str,
        version: i64,
        purge: bool,
    ) -> Result<Deletion, StoreError> {
        match self.submit(Operation::DeleteQueue { queue, key: key.to_owned(), version, purge }).await? {
            Answer::Deleted(deletion) => Ok(deletion),
            _ => Ok(Deletion::Changed),
        }
    }

    /// From now on no member can open the queue, if none has it open, nothing of it is held, and it is empty or messages may be there. Its
    /// messages remain. `with_own`: what this member has open counts too. `Done` has no version.
    ///
    /// # Errors
    /// `Unreachable`: open. `Database`, `Closed`.
    pub(crate) async fn seal_queue(
        &self,
        queue: QueueId,
        with_own: bool,
        with_messages: bool,
    ) -> Result<Deletion, StoreError> {
        match self.submit(Operation::SealQueue { queue, with_own, with_messages }).await? {
            Answer::Deleted(deletion) => Ok(deletion),
            _ => Ok(Deletion::Changed),
        }
    }

    pub(super) async fn raise(
        &self,
        figures: &crate::shared::depth::Figures,
        level: OpenLevel,
    ) -> Result<(), StoreError> {
        let Some(told) = figures.handles.raise(&self.running.driver, figures, level) else { return Ok(()) };
        match told.await.unwrap_or(Err(StoreError::Closed))? {
            Answer::Raised(Raised::InUse) => Err(StoreError::InUse),
            Answer::Raised(Raised::Gone) => Err(StoreError::UnknownQueue),
            _ => Ok(()),
        }
    }
}
