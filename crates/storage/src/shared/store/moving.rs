//! Moving a queue's messages to another database of the group.
//!
//! ```text
//! suspend   each member gives out no work on the queue any more, and tells its database when none is left
//! seal      nothing of the queue is open or held at any member: from then on no member can open it where it was
//! copy      its messages enter the other database as they are, in order, a part in each transaction
//! switch    the definition says where the queue is now (not here: the queue manager changes it)
//! drop      what is left where it was goes
//! ```
//! A copy goes on behind the last message that has arrived, so it can be interrupted at any moment. Only the member that moves the
//! queue, in its present epoch, adds messages to the copy.

use bytes::Bytes;
use tokio_postgres::Row;

use super::SharedStore;
use crate::shared::batch::read_parts;
use crate::shared::driver::{Session, connected};
use crate::shared::operation::Operation;
use crate::shared::row::{Identifiers, MessageRow, MovedRow, delivery_key, position, queue_number, rank, timestamp};
use crate::shared::store::Deletion;
use crate::shared::structure;
use crate::{DeliveryKey, QueueId, StoreError};

/// Messages and bytes of one transaction of a copy; a longer message goes alone.
const PART_MESSAGES: i64 = 500;
const PART_BYTES: i64 = 4 << 20;
/// Receipts of one statement.
const RECEIPTS: i64 = 1000;

type Receipts = Vec<(Vec<u8>, i64, Vec<u8>)>;

impl SharedStore {
    /// This member gives out no work on the queue any more, or does it again.
    pub fn suspend_queue(&self, queue: QueueId, suspends: bool) {
        let figures = self.running.driver.figures.know(queue);
        if suspends {
            figures.handles.suspend(&self.running.driver, &figures);
        } else {
            figures.handles.resume(&self.running.driver, &figures);
        }
    }

    /// Whether no member can open the queue here any more: none has it open, and nothing of it is held.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub(crate) async fn is_sealed(&self, queue: QueueId) -> Result<bool, StoreError> {
        Ok(matches!(self.seal_queue(queue, true, true).await?, Deletion::Done(_)))
    }

    /// Adds what is on the sealed queue `from` of another database to the queue `to` of this one, behind what is there already.
    ///
    /// # Errors
    /// `Unreachable`: go on later. `BackedOut`: this member's epoch is over. `Database`, `Closed`.
    pub(crate) async fn copy_queue(&self, source: &Self, from: QueueId, to: QueueId) -> Result<u64, StoreError> {
        let epoch = self.session().await?.epoch;
        let mut copied = 0;
        let mut after = self.last_place(to).await?;
        loop {
            let part = source.part_of_queue(from, to, after).await?;
            let Some(last) = part.last() else {
                self.follow_positions(&[to]).await?;
                return Ok(copied);
            };
            after = Some(last.message.key);
            copied += part.len() as u64;
            self.submit(Operation::Import { epoch, rows: part }).await?;
        }
    }

    async fn last_place(&self, queue: QueueId) -> Result<Option<DeliveryKey>, StoreError> {
        let number = queue_number(queue);
        let row = self
            .look(|session| async move {
                session.reader.client.query_opt(&session.reader.statements.last_place, &[&number]).await
            })
            .await?;
        Ok(row.map(|row| delivery_key(row.get(0), row.get(1))))
    }

    /// The next messages behind a place, as rows of the queue `to`.
    async fn part_of_queue(
        &self,
        from: QueueId,
        to: QueueId,
        after: Option<DeliveryKey>,
    ) -> Result<Vec<MovedRow>, StoreError> {
        self.look(|session| async move { read_part(&session, from, to, after).await }).await
    }

    /// The epochs of a dead member are over here too, so that nothing of its move goes on.
    ///
    /// # Errors
    /// `Unreachable`.
    pub(crate) async fn end_epochs(&self, member: &str) -> Result<(), StoreError> {
        let members = self.running.driver.in_common.members();
        let Some(dead) = members.into_iter().find(|known| known.name == member) else { return Ok(()) };
        let session = self.session().await?;
        if dead.number == session.member {
            return Ok(());
        }
        let (helper, _) = connected(&session.primary, true, &self.running.driver.options.schema)
            .await
            .map_err(|_| StoreError::Unreachable)?;
        let driver = &self.running.driver;
        driver.gave_back(self.ask(structure::end_epochs(&helper, &dead, &driver.options.member).await)?);
        Ok(())
    }

    /// Takes over what the other database has answered to requests that carry a key: one for the moved queue may come again.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub(crate) async fn copy_receipts(&self, source: &Self) -> Result<(), StoreError> {
        let mut after = Vec::new();
        loop {
            let receipts = source.receipts_after(&after).await?;
            let Some((last, ..)) = receipts.last() else { return Ok(()) };
            after.clone_from(last);
            let receipts = &receipts;
            self.look(|session| async move {
                let keys: Vec<&[u8]> = receipts.iter().map(|(key, ..)| &key[..]).collect();
                let expires: Vec<i64> = receipts.iter().map(|(_, expires, _)| *expires).collect();
                let values: Vec<&[u8]> = receipts.iter().map(|(.., value)| &value[..]).collect();
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.execute(&s.import_receipts, &[&keys, &expires, &values]).await
            })
            .await?;
        }
    }

    async fn receipts_after(&self, after: &[u8]) -> Result<Receipts, StoreError> {
        let rows = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query(&s.receipts_after, &[&after, &RECEIPTS]).await
            })
            .await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect())
    }
}

async fn read_part(
    session: &Session,
    from: QueueId,
    to: QueueId,
    after: Option<DeliveryKey>,
) -> Result<Vec<MovedRow>, tokio_postgres::Error> {
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let number = queue_number(from);
    let (after_rank, after_position) = after.map_or((-1, 0), |key| (rank(key), position(key)));
    let places = client.query(&s.places_after, &[&number, &after_rank, &after_position, &PART_MESSAGES]).await?;
    let mut bytes = 0;
    let fits = places.iter().take_while(|row| {
        let is_first = bytes == 0;
        bytes += i64::from(row.get::<_, i32>(2)) + 1;
        is_first || bytes <= PART_BYTES
    });
    let Some(last) = fits.last() else { return Ok(Vec::new()) };
    let (last_rank, last_position): (i16, i64) = (last.get(0), last.get(1));
    let range: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
        [&number, &after_rank, &after_position, &last_rank, &last_position];
    let rows = client.query(&s.rows_between, &range).await?;
    let in_parts: Vec<(QueueId, i64)> =
        rows.iter().filter(|row| row.get::<_, i32>(5) > 0).map(|row| (from, row.get(1))).collect();
    let mut bodies =
        if in_parts.is_empty() { Default::default() } else { read_parts(&session.reader, &in_parts).await? };
    Ok(rows.iter().map(|row| moved_row(row, to, bodies.remove(&(from, row.get(1))))).collect())
}

/// Its descriptor stays as it is, also one that this version does not know.
fn moved_row(row: &Row, queue: QueueId, in_parts: Option<Bytes>) -> MovedRow {
    let identifier = |column| row.get::<_, &[u8]>(column).try_into().unwrap_or([0; 24]);
    let message = MessageRow {
        queue,
        key: delivery_key(row.get(0), row.get(1)),
        persistent: row.get(2),
        expires: row.get::<_, Option<i64>>(3).map(timestamp),
        arrived: timestamp(row.get(4)),
        keys: Identifiers {
            message: identifier(6),
            correlation: identifier(7),
            group: identifier(8),
            sequence: row.get::<_, i32>(9).cast_unsigned(),
            offset: row.get::<_, i32>(10).cast_unsigned(),
            flags: row.get::<_, i32>(11).cast_unsigned(),
        },
        head: Bytes::from(row.get::<_, Vec<u8>>(12)),
        body: in_parts.unwrap_or_else(|| Bytes::from(row.get::<_, Vec<u8>>(13))),
    };
    MovedRow { message, backouts: row.get(14) }
}
