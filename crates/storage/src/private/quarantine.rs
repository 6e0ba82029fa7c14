//! Messages that cannot be delivered: they cannot be read back, or no definition of their queue is left.
//!
//! One that cannot be read is set aside when a get or browse meets it, or by the start when its body file is missing or too
//! short, and the queue goes on with the next. They stay in the store, in no depth, and are not delivered, until an operator
//! removes them. Nothing in the log says so: after a restart such a message is found again, or is well because its file was
//! restored.

use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;

use bytes::Bytes;
use model::identifier::MessageId;
use model::timestamp::Timestamp;
use parking_lot::MutexGuard;

use crate::private::log::append::Refused;
use crate::private::log::cursor::Cursor;
use crate::private::log::disk::{Disk, FileName};
use crate::private::log::extent::{LogFile, Place};
use crate::private::log::record::{Operation, next_operation};
use crate::private::queue::{Entry, Holder, Home, Key, Queue, Slot};
use crate::private::read_back::Whereabouts;
use crate::private::store::{Core, QueueSlot};
use crate::{DeliveryKey, QueueId, RecoveryLogError, StoreError};

/// A message that cannot be read back.
#[derive(Debug, Clone)]
pub struct Quarantined {
    pub queue: QueueId,
    pub key: DeliveryKey,
    pub message_id: MessageId,
    pub arrived: Timestamp,
    /// Length of the body in bytes, as it was put.
    pub length: u32,
    /// Where the body is.
    pub file: String,
}

/// Told of each message as it is set aside, with what the read said.
pub type QuarantineListener = Box<dyn Fn(&Quarantined, &RecoveryLogError) + Send + Sync>;

impl Quarantined {
    pub(crate) fn of(queue: QueueId, entry: &Entry) -> Self {
        let file = match (entry.body_file, entry.home) {
            (Some(number), _) => LogFile::Body(number.get()).name(),
            (None, Home::Log { place, .. }) => LogFile::Extent(place.extent()).name(),
            (None, Home::Spill { file, .. }) => LogFile::Spill(file).name(),
            (None, Home::Memory) => unreachable!("what is in memory can be read"),
        };
        Self {
            queue,
            key: entry.key.delivery_key(),
            message_id: entry.message_id,
            arrived: Timestamp(entry.arrived),
            length: entry.body_bytes,
            file: file.0,
        }
    }
}

/// The message itself is damaged, missing or on a bad part of the disk. Anything else may be over in a moment, or is not
/// about this message: lack of descriptors or memory, or a directory that may not be read.
pub(crate) fn is_lasting(error: &RecoveryLogError) -> bool {
    match error.io() {
        Some(error) => is_lasting_io(error),
        None => matches!(error, RecoveryLogError::Damaged { .. }),
    }
}

pub(crate) fn is_lasting_io(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    error.raw_os_error() == Some(libc::EIO) || matches!(error.kind(), InvalidData | NotFound | UnexpectedEof)
}

impl Core {
    /// Sets aside a message that was just read without success, and gives up the queue's lock.
    pub(crate) fn set_aside(
        &self,
        slot: &QueueSlot,
        mut queue: MutexGuard<'_, Queue>,
        unreadable: Slot,
        error: &RecoveryLogError,
    ) {
        queue.set_aside(unreadable);
        let quarantined = Quarantined::of(slot.id, queue.entry(unreadable));
        drop(queue);
        if let Some(listener) = self.quarantine_listener.get() {
            listener(&quarantined, error);
        }
    }

    /// As `set_aside`, of a message that was read without being held. One that has moved, gone or is held meanwhile stays as
    /// it is, and the answer is false: the caller looks again.
    pub(crate) fn set_aside_seen(&self, slot: &QueueSlot, seen: &Whereabouts, error: &RecoveryLogError) -> bool {
        let queue = slot.queue.lock();
        let found = queue.slot(seen.key).filter(|found| {
            let entry = queue.entry(*found);
            entry.holder == Holder::Nobody && entry.home == seen.home
        });
        if let Some(found) = found {
            self.set_aside(slot, queue, found, error);
        }
        found.is_some()
    }

    pub(crate) fn quarantine(&self) -> Vec<Quarantined> {
        let queues: Vec<Arc<QueueSlot>> = self.queues.read().values().cloned().collect();
        let mut all: Vec<Quarantined> = queues
            .iter()
            .flat_map(|slot| {
                let queue = slot.queue.lock();
                let of = |found| Quarantined::of(slot.id, queue.entry(found));
                queue.quarantine().map(of).collect::<Vec<_>>()
            })
            .collect();
        all.sort_by_key(|message| (message.queue, message.key));
        all
    }

    /// The body of such a message as far as it can be read, unchecked; `None` when it is not in quarantine.
    pub(crate) async fn salvage(&self, queue: QueueId, key: Key) -> Option<Bytes> {
        let slot = self.queue(queue).ok()?;
        let remains = {
            let queue = slot.queue.lock();
            let found = queue.slot(key).filter(|found| queue.entry(*found).holder == Holder::Quarantine)?;
            let entry = queue.entry(found);
            Remains { home: entry.home, body_file: entry.body_file, length: entry.body_length() }
        };
        let disk = Arc::clone(self.disk()?);
        self.readers.run(move || remains.read(disk.as_ref())).await.ok()
    }

    /// Removes such a message for good. False when it is not in quarantine.
    pub(crate) async fn remove_quarantined(&self, queue: QueueId, key: Key) -> Result<bool, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            match self.try_remove_quarantined(&slot, key) {
                Ok(Some(gone_at)) => {
                    self.durable(gone_at).await?;
                    return Ok(true);
                }
                Ok(None) => return Ok(false),
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_remove_quarantined(&self, slot: &QueueSlot, key: Key) -> Result<Option<Option<Place>>, Refused> {
        let mut queue = slot.queue.lock();
        let found = queue.slot(key).filter(|found| queue.entry(*found).holder == Holder::Quarantine);
        let Some(found) = found else { return Ok(None) };
        let (_, gone_at) = self.take(&mut queue, slot.id, found)?;
        Ok(Some(gone_at))
    }
}

/// Where to look for what is left of a body.
struct Remains {
    home: Home,
    body_file: Option<NonZeroU64>,
    length: usize,
}

impl Remains {
    fn read(self, disk: &dyn Disk) -> Bytes {
        let Self { home, body_file, length } = self;
        let bytes = match (body_file, home) {
            (Some(number), _) => read_part(disk, &LogFile::Body(number.get()).name(), 0, length),
            (None, Home::Log { place, bytes }) => {
                let file = LogFile::Extent(place.extent()).name();
                body_of_record(read_part(disk, &file, place.offset(), bytes as usize), length)
            }
            (None, Home::Spill { file, offset, bytes }) => {
                let content = read_part(disk, &LogFile::Spill(file).name(), u64::from(offset), bytes as usize);
                last(content, length)
            }
            (None, Home::Memory) => unreachable!("what is in memory can be read"),
        };
        bytes.into()
    }
}

/// As much as can be read, up to the first error.
fn read_part(disk: &dyn Disk, file: &FileName, offset: u64, length: usize) -> Vec<u8> {
    const PIECE: usize = 4096;
    let mut bytes = vec![0; length];
    let mut done = 0;
    while done < length {
        let end = length.min(done + PIECE);
        match disk.read(file, offset + done as u64, &mut bytes[done..end]) {
            Ok(count @ 1..) => done += count,
            Ok(0) | Err(_) => break,
        }
    }
    bytes.truncate(done);
    bytes
}

/// The body is the end of a record. One that makes no sense any more is taken at its length.
fn body_of_record(record: Vec<u8>, length: usize) -> Vec<u8> {
    match next_operation(&mut Cursor::new(&record)) {
        Some(Operation::Put(put) | Operation::Moved(put)) => {
            put.content.get(put.descriptor_length as usize..).unwrap_or_default().to_vec()
        }
        _ => last(record, length),
    }
}

fn last(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.split_off(bytes.len().saturating_sub(length))
}
