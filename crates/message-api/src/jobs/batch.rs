//! One batch of a job: messages that become durable together, with the record of the job.
//!
//! Each message is a unit of work of its own until the commit makes one of all, so that one that is refused takes no other with
//! it. A batch is short enough that the log has parts of at most one of them.

use model::descriptor::Ccsid;
use model::header::dead_letter::DeadLetterHeader;
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::ObjectDescriptor;
use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::connection::Connection;
use queue_manager::detached::DetachedUnit;

use super::trail::Put;
use super::{Job, Record};
use crate::dead_letters;

/// Messages of one batch, and bytes after which it is full.
const MOST_MESSAGES: usize = 100;
const MOST_BYTES: usize = 256 << 10;

pub(super) struct Batch {
    units: Vec<DetachedUnit>,
    bytes: usize,
    put: Vec<Put>,
    /// As it is once the batch is committed.
    pub(super) record: Record,
}

impl Batch {
    pub(super) fn after(job: &Job) -> Self {
        Self { units: Vec::new(), bytes: 0, put: Vec::new(), record: job.record() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.units.len() >= MOST_MESSAGES || self.bytes >= MOST_BYTES
    }

    /// Adds the unit of work of this connection, in which a message of so many bytes was done.
    pub(super) fn add(&mut self, connection: &Connection, bytes: usize) {
        self.units.extend(connection.detach());
        self.bytes += bytes;
    }

    /// This message is put, as far as the batch is committed.
    pub(super) fn put(&mut self, put: Put) {
        self.put.push(put);
    }

    /// Makes the batch and its record durable. Refused, all of its messages are where they were.
    ///
    /// # Errors
    /// As `Connection::commit_together`.
    pub(super) async fn commit(self, connection: &Connection, job: &Job, now: Timestamp) -> Result<(), Reason> {
        let receipt = self.record.receipt(job.slot, now);
        let committed = connection.commit_together(self.units, Some(receipt)).await;
        committed.map_err(|refused| refused.reason)?;
        if let Some(trail) = &job.trail {
            trail.add(self.put);
        }
        *job.record.lock() = self.record;
        Ok(())
    }
}

/// A dead letter as it was before: without its header. `None` when it has none, or one that says nothing.
pub(super) fn revived(message: &Message, own: &QueueManagerName) -> Option<(ObjectDescriptor, Message)> {
    let header = dead_letters::header_of(message)?;
    let name = QueueName::parse(&header.destination_queue.to_text()).ok()?;
    let queue_manager = QueueManagerName::parse(&header.destination_queue_manager.to_text()).ok()?;
    let queue_manager = if queue_manager == *own { QueueManagerName::BLANK } else { queue_manager };
    let mut revived =
        Message { descriptor: message.descriptor.clone(), body: message.body.slice(DeadLetterHeader::LENGTH..) };
    revived.descriptor.format = header.format;
    revived.descriptor.encoding = header.encoding;
    if !matches!(header.ccsid, Ccsid::INHERIT | Ccsid::Q_MGR) {
        revived.descriptor.ccsid = header.ccsid;
    }
    Some((ObjectDescriptor { name, queue_manager, ..ObjectDescriptor::default() }, revived))
}
