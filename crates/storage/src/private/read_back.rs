//! Reading a message back that is not in memory, without its queue's lock.
//!
//! A short message is most likely in the system's page cache: the caller's thread reads it there. What the system would have
//! to fetch from the disk, and what is long to copy, is read by a thread of `background.rs`; the caller's serves others
//! meanwhile.

use std::io;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use memmap2::MmapMut;
use model::message::Message;
use model::timestamp::Timestamp;

use crate::private::background::Background;
use crate::private::log::cursor::Cursor;
use crate::private::log::descriptor::{decode, decode_content};
use crate::private::log::disk::{Disk, FileName, disk_error, read_exact};
use crate::private::log::extent::{LogFile, Place};
use crate::private::log::record::{NEVER, Operation, PUT_HEAD_BYTES, PutRecord, next_operation};
use crate::private::pool;
use crate::private::queue::{Entry, Home, Key};
use crate::private::store::Core;
use crate::{QueueId, RecoveryLogError, StoredMessage};

/// More bytes than that have memory of their own when they are read.
const MAPPED: usize = 4 << 20;

/// Memory that goes back to the system when it is dropped; the allocator would keep it for a while. To give back 100 MB takes
/// several milliseconds, so that another thread does it.
struct Mapped {
    memory: Option<MmapMut>,
    readers: Arc<Background>,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self.memory.as_deref().unwrap_or_default()
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let memory = self.memory.take();
        // Refused by a store that is closed, it is given back here.
        let _ = self.readers.post(move || drop(memory));
    }
}

/// What is needed to read a message back without holding its queue's lock.
pub(crate) struct Whereabouts {
    pub(crate) queue: QueueId,
    pub(crate) key: Key,
    pub(crate) cached: Option<Bytes>,
    pub(crate) home: Home,
    /// Long to copy, or in a file that has to be opened first.
    is_long: bool,
    expires: u64,
    arrived: u64,
    backout_count: u32,
}

/// What was read: the message, and whether its body is whole.
type Beginning = (Box<Message>, bool);

impl Whereabouts {
    pub(crate) fn of(queue: QueueId, entry: &Entry) -> Self {
        Self { cached: entry.cached.clone(), ..Self::without_content(queue, entry) }
    }

    /// As `of`, for a message that has left its queue: nothing is copied.
    pub(crate) fn from_removed(queue: QueueId, entry: Entry) -> Self {
        let whereabouts = Self::without_content(queue, &entry);
        Self { cached: entry.cached, ..whereabouts }
    }

    fn without_content(queue: QueueId, entry: &Entry) -> Self {
        Self {
            queue,
            key: entry.key,
            cached: None,
            home: entry.home,
            is_long: entry.body_file.is_some() || entry.body_length() >= pool::LONG,
            expires: entry.expires,
            arrived: entry.arrived,
            backout_count: entry.backout_count,
        }
    }

    /// The place that must be durable before anybody is shown the message.
    pub(crate) fn place(&self) -> Option<Place> {
        match self.home {
            Home::Log { place, .. } => Some(place),
            Home::Memory | Home::Spill { .. } => None,
        }
    }

    /// The content that memory has.
    pub(crate) fn message_in_memory(&self) -> Option<Box<Message>> {
        let content = self.cached.clone()?;
        Some(decode_content(content).expect("memory holds what was encoded"))
    }

    pub(crate) fn stored(&self, mut message: Box<Message>) -> StoredMessage {
        message.descriptor.backout_count = self.backout_count;
        StoredMessage {
            key: self.key.delivery_key(),
            message,
            expires: (self.expires != NEVER).then_some(Timestamp(self.expires)),
            arrived: Timestamp(self.arrived),
        }
    }
}

impl Core {
    /// Descriptor and body of a message, from memory or from disk.
    ///
    /// # Errors
    /// What the disk said. When the message has moved or gone meanwhile, the error means nothing.
    pub(crate) async fn read(&self, whereabouts: &Whereabouts) -> Result<Box<Message>, RecoveryLogError> {
        let (message, _) = self.read_beginning(whereabouts, usize::MAX).await?;
        Ok(message)
    }

    /// As `read`, but of a body in a file of its own at most the first `maximum` bytes, whose checksum is not known.
    /// With whether the body is whole.
    pub(crate) async fn read_beginning(
        &self,
        whereabouts: &Whereabouts,
        maximum: usize,
    ) -> Result<Beginning, RecoveryLogError> {
        if let Some(message) = whereabouts.message_in_memory() {
            return Ok((message, true));
        }
        let disk = self.disk().expect("what is not in memory is on a disk");
        let Whereabouts { queue, key, home, is_long, .. } = *whereabouts;
        let source = Source { queue, key, home, maximum };
        if !is_long {
            match source.read(Reader { disk: disk.as_ref(), waiting: None }) {
                Err(error) if would_block(&error) => {}
                read => return read,
            }
        }
        let (disk, readers) = (Arc::clone(disk), Arc::clone(&self.readers));
        let read = move || source.read(Reader { disk: disk.as_ref(), waiting: Some(&readers) });
        self.readers.run(read).await?
    }

    /// So many bytes of the log, which are few.
    ///
    /// # Errors
    /// As `read`.
    pub(crate) async fn read_log(&self, place: Place, length: usize) -> Result<Bytes, RecoveryLogError> {
        let disk = self.disk().expect("what is in the log is on a disk");
        let file = LogFile::Extent(place.extent());
        let at_once = Reader { disk: disk.as_ref(), waiting: None };
        match at_once.bytes(file, place.offset(), length) {
            Err(error) if would_block(&error) => {}
            read => return read,
        }
        let (disk, readers) = (Arc::clone(disk), Arc::clone(&self.readers));
        let waiting = move || {
            let reader = Reader { disk: disk.as_ref(), waiting: Some(&readers) };
            reader.bytes(file, place.offset(), length)
        };
        self.readers.run(waiting).await?
    }

    /// `None` when nothing is on disk.
    pub(crate) fn disk(&self) -> Option<&Arc<dyn Disk>> {
        self.log.as_ref().map(|log| &log.disk)
    }
}

fn would_block(error: &RecoveryLogError) -> bool {
    error.io().is_some_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    disk: &'a dyn Disk,
    /// The threads of which one reads and may wait; `None`: what would have to be waited for is a `WouldBlock`.
    waiting: Option<&'a Arc<Background>>,
}

impl Reader<'_> {
    fn exact(self, file: &FileName, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        if self.waiting.is_some() {
            return read_exact(self.disk, file, offset, buffer);
        }
        while !buffer.is_empty() {
            let Some(count @ 1..) = self.disk.read_at_once(file, offset, buffer) else {
                return Err(io::ErrorKind::WouldBlock.into());
            };
            offset += count as u64;
            buffer = &mut buffer[count..];
        }
        Ok(())
    }

    fn bytes(self, file: LogFile, offset: u64, length: usize) -> Result<Bytes, RecoveryLogError> {
        let name = file.name();
        let read = || {
            let Some(readers) = self.waiting.filter(|_| length > MAPPED) else {
                let mut bytes = vec![0; length];
                self.exact(&name, offset, &mut bytes)?;
                return Ok(bytes.into());
            };
            let mut memory = MmapMut::map_anon(length)?;
            self.exact(&name, offset, &mut memory)?;
            Ok(Bytes::from_owner(Mapped { memory: Some(memory), readers: Arc::clone(readers) }))
        };
        read().map_err(|source| disk_error("read", &name, source))
    }
}

/// Where to read which message, and how much of it.
#[derive(Clone, Copy)]
struct Source {
    queue: QueueId,
    key: Key,
    home: Home,
    maximum: usize,
}

impl Source {
    fn read(self, reader: Reader<'_>) -> Result<Beginning, RecoveryLogError> {
        match self.home {
            Home::Memory => unreachable!("what is on no disk is in memory"),
            Home::Spill { file, offset, bytes } => {
                let file = LogFile::Spill(file);
                let content = reader.bytes(file, u64::from(offset), bytes as usize)?;
                let message = decode_content(content).ok_or_else(|| unreadable(file))?;
                Ok((message, true))
            }
            Home::Log { place, bytes } => self.read_record(reader, place, bytes as usize),
        }
    }

    fn read_record(self, reader: Reader<'_>, place: Place, bytes: usize) -> Result<Beginning, RecoveryLogError> {
        let record = reader.bytes(LogFile::Extent(place.extent()), place.offset(), bytes)?;
        let damaged = || RecoveryLogError::Damaged { extent: u64::from(place.extent()), offset: place.offset() };
        let put = match next_operation(&mut Cursor::new(&record)) {
            Some(Operation::Put(put) | Operation::Moved(put)) if self.is_right(&put) => put,
            _ => return Err(damaged()),
        };
        if put.body_file == 0 {
            let mut content = record.clone();
            content.advance(PUT_HEAD_BYTES);
            return decode_content(content).map(|message| (message, true)).ok_or_else(damaged);
        }
        let descriptor = decode(&mut Cursor::new(put.content)).ok_or_else(damaged)?;
        let file = LogFile::Body(put.body_file);
        let length = put.body_length as usize;
        let body = reader.bytes(file, 0, length.min(self.maximum))?;
        let is_whole = body.len() == length;
        if is_whole && crc32c::crc32c(&body) != put.body_crc {
            return Err(unreadable(file));
        }
        Ok((Box::new(Message { descriptor, body }), is_whole))
    }

    fn is_right(&self, put: &PutRecord<'_>) -> bool {
        put.queue == self.queue && put.key == self.key && crc32c::crc32c(put.content) == put.content_crc
    }
}

fn unreadable(file: LogFile) -> RecoveryLogError {
    disk_error("make sense of", &file.name(), io::ErrorKind::InvalidData.into())
}
