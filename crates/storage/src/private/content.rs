//! Descriptor and body of a message between the application, memory and disk: coming in, read back, and let go.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::{Buf, Bytes};
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::timestamp::Timestamp;

use crate::private::log::append::{Appender, unit_maximum};
use crate::private::log::cursor::{Cursor, length_field};
use crate::private::log::descriptor::{Keys, decode, decode_content, encode_content};
use crate::private::log::disk::{disk_error, read_bytes, read_exact, refused};
use crate::private::log::extent::{LogFile, Place};
use crate::private::log::prepare::remove;
use crate::private::log::record::{NEVER, Operation, PUT_HEAD_BYTES, PutRecord, next_operation};
use crate::private::log::writer::Log;
use crate::private::pool;
use crate::private::queue::{Entry, Holder, Home, Key};
use crate::private::store::Core;
use crate::{Placement, QueueId, RecoveryLogError, StoreError, StoredMessage};

/// A message on its way in, with the memory or disk it already takes. Dropped before `enter`, it gives that back.
pub(crate) struct Incoming<'a> {
    core: &'a Core,
    keys: Keys,
    /// Descriptor, and the body unless it has a file.
    content: Bytes,
    /// Of a message that goes to the log, as is the next.
    content_crc: u32,
    descriptor_length: u32,
    body_length: u32,
    body_crc: u32,
    body_file: Option<BodyFile>,
    /// Counted in the buffer pool.
    pooled: bool,
    home: Home,
    pub(crate) rank: u8,
    /// Goes to the log.
    pub(crate) logged: bool,
    persistent: bool,
    arrived: u64,
    expires: u64,
    entered: bool,
}

impl<'a> Incoming<'a> {
    /// Finds a home for the content: buffer pool, body file or spill file.
    ///
    /// # Errors
    /// `NoSpace` when there is none; `File` when a spill file cannot be written.
    /// As `Core::set_apart` says, for a body that gets a file of its own.
    pub(crate) fn new(
        core: &'a Core,
        message: &Message,
        placement: &Placement,
        apart: Option<Apart>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let keys = Keys::of(&message.descriptor);
        let logged = placement.persistent && core.log.is_some();
        let body_here: &[u8] = if apart.is_some() { &[] } else { &message.body };
        let descriptor = &message.descriptor;
        let settled = if apart.is_some() {
            Settled { content: encode_content(descriptor, body_here).into(), pooled: false, home: Home::Memory }
        } else if logged || body_here.len() < pool::LONG {
            Settled::new(core, encode_content(descriptor, body_here).into(), logged)?
        } else {
            Settled::long(core, descriptor, body_here)?
        };
        let Settled { content, pooled, home } = settled;
        let mut incoming = Self {
            core,
            rank: if placement.by_priority { 9 - keys.priority } else { 0 },
            keys,
            content_crc: if logged { crc32c::crc32c(&content) } else { 0 },
            descriptor_length: if logged { length_field(content.len() - body_here.len()) } else { 0 },
            body_length: length_field(message.body.len()),
            body_crc: 0,
            body_file: None,
            content,
            pooled,
            home,
            logged,
            persistent: placement.persistent,
            arrived: now.0,
            expires: placement.expires.map_or(NEVER, |expires| expires.0),
            entered: false,
        };
        if let Some(Apart { file, crc }) = apart {
            (incoming.body_file, incoming.body_crc) = (Some(file), crc);
        }
        Ok(incoming)
    }

    /// The put record under this key; written as its head and its content.
    pub(crate) fn record(&self, queue: QueueId, key: Key) -> PutRecord<'_> {
        PutRecord {
            queue,
            key,
            expires: self.expires,
            arrived: self.arrived,
            body_file: self.body_file.as_ref().map_or(0, |file| file.number.get()),
            backout_count: 0,
            body_length: self.body_length,
            content_crc: self.content_crc,
            body_crc: self.body_crc,
            descriptor_length: self.descriptor_length,
            content: &self.content,
        }
    }

    /// The message as its queue keeps it. `home` says where its record is, when it has one already.
    pub(crate) fn enter(&mut self, key: Key, home: Option<Home>, holder: Holder) -> Entry {
        self.entered = true;
        Entry {
            key,
            arrived: self.arrived,
            expires: self.expires,
            message_id: self.keys.message_id,
            correlation_id: self.keys.correlation_id,
            group: self.keys.group_part(),
            cached: self.pooled.then(|| std::mem::take(&mut self.content)),
            home: home.unwrap_or(self.home),
            body_file: self.body_file.take().map(BodyFile::keep),
            body_bytes: self.body_length,
            backout_count: 0,
            priority: self.keys.priority,
            persistent: self.persistent,
            holder,
        }
    }
}

/// Content that has a home, or will have one in the log.
struct Settled {
    content: Bytes,
    pooled: bool,
    home: Home,
}

impl Settled {
    fn new(core: &Core, content: Bytes, logged: bool) -> Result<Self, StoreError> {
        let pooled = core.pool.admit(content.len());
        let home = if pooled || logged { Home::Memory } else { core.spill([&content, &[]])? };
        Ok(Self { content, pooled, home })
    }

    /// A long body that goes to a spill file is not copied before.
    fn long(core: &Core, descriptor: &MessageDescriptor, body: &[u8]) -> Result<Self, StoreError> {
        let head = encode_content(descriptor, &[]);
        if core.pool.admit(head.len() + body.len()) {
            let content = encode_content(descriptor, body).into();
            return Ok(Self { content, pooled: true, home: Home::Memory });
        }
        Ok(Self { home: core.spill([&head, body])?, content: head.into(), pooled: false })
    }
}

impl Drop for Incoming<'_> {
    fn drop(&mut self) {
        if self.entered {
            return;
        }
        if self.pooled {
            self.core.pool.release(self.content.len());
        }
        if let (Home::Spill { file, bytes, .. }, Some(spill)) = (self.home, &self.core.spill) {
            spill.release(file, bytes);
        }
    }
}

/// A body that has gone to disk before its record.
pub(crate) struct Apart {
    file: BodyFile,
    crc: u32,
}

/// A body on disk to which no record refers yet; removed when it is dropped.
struct BodyFile {
    number: NonZeroU64,
    log: Arc<Log>,
    is_kept: bool,
}

impl BodyFile {
    /// Writes and syncs it; the record that refers to it may be appended afterwards. Takes as long as the disk does.
    /// An error is one of this file, to which no record refers: the log goes on.
    fn write(log: Arc<Log>, number: NonZeroU64, body: &[u8]) -> Result<Self, StoreError> {
        if let Some(error) = log.closed_error() {
            return Err(error);
        }
        let file = LogFile::Body(number.get()).name();
        let disk = log.disk.as_ref();
        if let Err(error) = disk.create_whole(&file, body) {
            remove(disk, &file);
            let error = refused("write", &file, error);
            if matches!(error, StoreError::NoSpace) {
                let mut appender = log.lock();
                appender.state.end_holds();
                appender.wake_keeper();
            }
            return Err(error);
        }
        Ok(Self { number, log, is_kept: false })
    }

    /// From now on a message owns it.
    fn keep(mut self) -> NonZeroU64 {
        self.is_kept = true;
        self.number
    }
}

impl Drop for BodyFile {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(self.log.disk.as_ref(), &LogFile::Body(self.number.get()).name());
        }
    }
}

/// What is needed to read a message back without holding its queue's lock.
pub(crate) struct Whereabouts {
    pub(crate) queue: QueueId,
    pub(crate) key: Key,
    pub(crate) cached: Option<Bytes>,
    pub(crate) home: Home,
    expires: u64,
    arrived: u64,
    backout_count: u32,
}

impl Whereabouts {
    pub(crate) fn of(queue: QueueId, entry: &Entry) -> Self {
        Self {
            queue,
            key: entry.key,
            cached: entry.cached.clone(),
            home: entry.home,
            expires: entry.expires,
            arrived: entry.arrived,
            backout_count: entry.backout_count,
        }
    }

    /// As `of`, for a message that has left its queue: nothing is copied.
    pub(crate) fn from_removed(queue: QueueId, entry: Entry) -> Self {
        Self {
            queue,
            key: entry.key,
            home: entry.home,
            expires: entry.expires,
            arrived: entry.arrived,
            backout_count: entry.backout_count,
            cached: entry.cached,
        }
    }

    /// The place that must be durable before anybody is shown the message.
    pub(crate) fn place(&self) -> Option<Place> {
        match self.home {
            Home::Log { place, .. } => Some(place),
            Home::Memory | Home::Spill { .. } => None,
        }
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

fn unreadable(file: LogFile) -> RecoveryLogError {
    disk_error("make sense of", &file.name(), std::io::ErrorKind::InvalidData.into())
}

impl Core {
    /// # Errors
    /// As `Spill::append`; `NoSpace` without a disk.
    fn spill(&self, content: [&[u8]; 2]) -> Result<Home, StoreError> {
        self.spill.as_ref().ok_or(StoreError::NoSpace)?.append(content)
    }

    /// Bodies from this length on, in bytes, get a file of their own; a put must fit into one unit of the log.
    fn large_body_bytes(&self) -> u64 {
        let unit = u64::try_from(unit_maximum(&self.options)).unwrap_or(u64::MAX) / 2;
        self.options.large_body_bytes.min(unit).max(1)
    }

    /// Writes a body that is long enough into a file of its own, on another thread: the caller's may have others to
    /// serve meanwhile. Dropped, it leaves no file.
    ///
    /// # Errors
    /// `NoSpace`; `File` when the disk fails or no descriptor is left; `LogFailed`, `Closed`.
    pub(crate) async fn set_apart(&self, body: &Bytes, placement: &Placement) -> Result<Option<Apart>, StoreError> {
        let Some(log) = self.log.as_ref().filter(|_| placement.persistent) else { return Ok(None) };
        if (body.len() as u64) < self.large_body_bytes() {
            return Ok(None);
        }
        let number = NonZeroU64::new(self.next_position.fetch_add(1, Ordering::Relaxed)).expect("numbers start at 1");
        let (log, body) = (Arc::clone(log), body.clone());
        let work = blocking::unblock(move || {
            let file = BodyFile::write(log, number, &body)?;
            Ok(Some(Apart { file, crc: crc32c::crc32c(&body) }))
        });
        work.await
    }

    /// Descriptor and body of a message, from memory or from disk.
    ///
    /// # Errors
    /// What the disk said. When the message has moved or gone meanwhile, the error means nothing.
    pub(crate) fn read(&self, whereabouts: &Whereabouts) -> Result<Box<Message>, RecoveryLogError> {
        if let Some(content) = &whereabouts.cached {
            return Ok(decode_content(content.clone()).expect("memory holds what was encoded"));
        }
        match whereabouts.home {
            Home::Memory => unreachable!("what is on no disk is in memory"),
            Home::Spill { file, offset, bytes } => {
                let spill = self.spill.as_ref().expect("only a store with a disk spills");
                let name = LogFile::Spill(file);
                let content =
                    spill.read(file, offset, bytes).map_err(|source| disk_error("read", &name.name(), source))?;
                decode_content(content).ok_or_else(|| unreadable(name))
            }
            Home::Log { place, bytes } => {
                let log = self.log.as_ref().expect("only a store with a log has records");
                read_record(log, whereabouts, place, bytes, usize::MAX).map(|(message, _)| message)
            }
        }
    }

    /// As `read`, but of a body in a file of its own at most the first `maximum` bytes, whose checksum is not known.
    /// With whether the body is whole.
    pub(crate) fn read_beginning(
        &self,
        whereabouts: &Whereabouts,
        maximum: usize,
    ) -> Result<(Box<Message>, bool), RecoveryLogError> {
        match (whereabouts.home, &whereabouts.cached, &self.log) {
            (Home::Log { place, bytes }, None, Some(log)) => read_record(log, whereabouts, place, bytes, maximum),
            _ => Ok((self.read(whereabouts)?, true)),
        }
    }

    /// Gives back what a removed message took. `gone_at` is where the log says that it is gone.
    pub(crate) fn forget(&self, entry: &Entry, appender: Option<&mut Appender<'_>>, gone_at: Place) {
        if let Some(content) = &entry.cached {
            self.pool.release(content.len());
        }
        match (entry.home, appender) {
            (Home::Spill { file, bytes, .. }, _) => {
                if let Some(spill) = &self.spill {
                    spill.release(file, bytes);
                }
            }
            (home, Some(appender)) => {
                if let Home::Log { place, bytes } = home {
                    appender.state.died(place, bytes);
                }
                if let Some(number) = entry.body_file {
                    appender.state.dead_files.push_back((gone_at, number.get()));
                    appender.wake_keeper();
                }
            }
            (_, None) => {}
        }
    }
}

/// Of a body in a file of its own at most `maximum` bytes; with whether that is all.
fn read_record(
    log: &Arc<Log>,
    whereabouts: &Whereabouts,
    place: Place,
    bytes: u32,
    maximum: usize,
) -> Result<(Box<Message>, bool), RecoveryLogError> {
    let extent = LogFile::Extent(place.extent());
    let mut record = vec![0; bytes as usize];
    read_exact(log.disk.as_ref(), &extent.name(), place.offset(), &mut record)
        .map_err(|source| disk_error("read", &extent.name(), source))?;
    let damaged = || RecoveryLogError::Damaged { extent: u64::from(place.extent()), offset: place.offset() };
    let put = match next_operation(&mut Cursor::new(&record)) {
        Some(Operation::Put(put) | Operation::Moved(put)) => put,
        _ => return Err(damaged()),
    };
    if put.queue != whereabouts.queue || put.key != whereabouts.key || crc32c::crc32c(put.content) != put.content_crc {
        return Err(damaged());
    }
    if put.body_file == 0 {
        let mut content = Bytes::from(record);
        content.advance(PUT_HEAD_BYTES);
        return decode_content(content).map(|message| (message, true)).ok_or_else(damaged);
    }
    let descriptor = decode(&mut Cursor::new(put.content)).ok_or_else(damaged)?;
    let file = LogFile::Body(put.body_file);
    let length = put.body_length as usize;
    let body = read_bytes(log.disk.as_ref(), &file.name(), 0, length.min(maximum))
        .map_err(|source| disk_error("read", &file.name(), source))?;
    let is_whole = body.len() == length;
    if is_whole && crc32c::crc32c(&body) != put.body_crc {
        return Err(unreadable(file));
    }
    Ok((Box::new(Message { descriptor, body }), is_whole))
}
