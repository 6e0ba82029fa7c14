//! Descriptor and body of a message between the application, memory and disk: coming in, and let go. `read_back.rs` reads
//! them.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use model::message::Message;
use model::timestamp::Timestamp;

use crate::private::log::append::{Appender, unit_maximum};
use crate::private::log::cursor::length_field;
use crate::private::log::descriptor::{Keys, encode_content};
use crate::private::log::disk::refused;
use crate::private::log::extent::{LogFile, Place};
use crate::private::log::prepare::remove;
use crate::private::log::record::{NEVER, PutRecord};
use crate::private::log::writer::Log;
use crate::private::pool;
use crate::private::queue::{Entry, Holder, Home, Key};
use crate::private::store::Core;
use crate::{Placement, QueueId, StoreError};

/// A message that the quota of memory has admitted; given back when it is dropped.
pub(crate) struct Admitted<'a> {
    core: &'a Core,
    is_entered: bool,
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if let Some(quota) = self.core.memory_quota.as_ref().filter(|_| !self.is_entered) {
            quota.release();
        }
    }
}

/// A message on its way in, with the memory or disk it already takes. Dropped before `enter`, it gives that back.
pub(crate) struct Incoming<'a> {
    core: &'a Core,
    admitted: Admitted<'a>,
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
    pub(crate) async fn new(
        admitted: Admitted<'a>,
        message: &Message,
        placement: &Placement,
        apart: Option<Apart>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let core = admitted.core;
        let keys = Keys::of(&message.descriptor);
        let logged = placement.persistent && core.log.is_some();
        let body_here: &[u8] = if apart.is_some() { &[] } else { &message.body };
        let Settled { content, pooled, home } = if apart.is_some() {
            Settled::in_log(encode_content(&message.descriptor, body_here).into())
        } else {
            Settled::of(core, message, logged).await?
        };
        let mut incoming = Self {
            core,
            admitted,
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
        self.admitted.is_entered = true;
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
    /// A long body that goes to a spill file is not copied before.
    async fn of(core: &Core, message: &Message, logged: bool) -> Result<Self, StoreError> {
        let Message { descriptor, body } = message;
        if logged || body.len() < pool::LONG {
            let content: Bytes = encode_content(descriptor, body).into();
            return match core.pool.admit(content.len()) {
                true => Ok(Self { pooled: true, ..Self::in_log(content) }),
                false if logged => Ok(Self::in_log(content)),
                false => Box::pin(Self::spilled(core, [content, Bytes::new()])).await,
            };
        }
        let head = encode_content(descriptor, &[]);
        if core.pool.admit(head.len() + body.len()) {
            let content = encode_content(descriptor, body).into();
            return Ok(Self { pooled: true, ..Self::in_log(content) });
        }
        Box::pin(Self::spilled(core, [head.into(), body.clone()])).await
    }

    /// The log will have it.
    fn in_log(content: Bytes) -> Self {
        Self { content, pooled: false, home: Home::Memory }
    }

    async fn spilled(core: &Core, content: [Bytes; 2]) -> Result<Self, StoreError> {
        let spill = core.spill.as_ref().ok_or(StoreError::NoSpace)?;
        Ok(Self { content: Bytes::new(), pooled: false, home: spill.append(content).await? })
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
        // The log may have extents to give back for the next one.
        if disk.quota().is_some_and(|quota| quota.is_nearly_used()) {
            log.lock().wake_keeper();
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
            // By the keeper: this thread may serve connections.
            let mut appender = self.log.lock();
            appender.state.dead_files.push_back((Place::START, self.number.get()));
            appender.wake_keeper();
        }
    }
}

impl Core {
    /// Room in memory for one message more.
    ///
    /// # Errors
    /// `NoMemory`: its quota is used.
    pub(crate) fn admit(&self) -> Result<Admitted<'_>, StoreError> {
        if let Some(quota) = &self.memory_quota {
            quota.admit(&self.pool)?;
        }
        Ok(Admitted { core: self, is_entered: false })
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

    /// Gives back what a removed message took. `gone_at` is where the log says that it is gone.
    pub(crate) fn forget(&self, entry: &Entry, appender: Option<&mut Appender<'_>>, gone_at: Place) {
        if let Some(quota) = &self.memory_quota {
            quota.release();
        }
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
