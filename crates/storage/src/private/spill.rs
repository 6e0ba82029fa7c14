//! Nonpersistent messages beyond the buffer pool: appended to files that are never synced and mean nothing after a
//! restart. A file goes when the last of its messages is gone.
//!
//! One thread makes, writes and removes the files. The lock on what is known of them is never held over a call of the disk,
//! so that the end of a message waits for no disk.
//!
//! Invariants
//! - Bytes count as live before they are written: no other message gets their place, and their file stays.
//! - Only that thread begins a file and moves the end of the current one; a release may move it back to the beginning.

use std::sync::Arc;

use bytes::Bytes;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::StoreError;
use crate::private::background::Background;
use crate::private::log::cursor::length_field;
use crate::private::log::disk::{Disk, refused};
use crate::private::log::extent::LogFile;
use crate::private::log::prepare::remove;
use crate::private::queue::Home;

pub(crate) struct Spill {
    files: Arc<Files>,
    writer: Background,
}

struct Files {
    disk: Arc<dyn Disk>,
    file_bytes: u64,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The file being appended to; none before the first message.
    current: Option<u32>,
    next: u32,
    offset: u64,
    /// Messages and bytes by file.
    live: HashMap<u32, (u64, u64), foldhash::fast::RandomState>,
}

/// The place of content in a spill file; given back when it is dropped.
struct Spilled {
    files: Arc<Files>,
    file: u32,
    offset: u32,
    bytes: u32,
    is_kept: bool,
}

impl Spill {
    pub(crate) fn new(disk: Arc<dyn Disk>, file_bytes: u64) -> Self {
        let files = Arc::new(Files { disk, file_bytes, known: Mutex::default() });
        Self { files, writer: Background::new("spill-writer", 1) }
    }

    /// Writes one message's content, which is in two pieces. Dropped before it returns, it leaves nothing.
    ///
    /// # Errors
    /// `NoSpace` when the disk is full, otherwise `File`.
    pub(crate) async fn append(&self, content: [Bytes; 2]) -> Result<Home, StoreError> {
        let files = Arc::clone(&self.files);
        let written = self.writer.run(move || files.append(&content)).await;
        written.map_err(|error| StoreError::File(Arc::new(error)))?.map(Spilled::keep)
    }

    /// The message is gone.
    pub(crate) fn release(&self, file: u32, bytes: u32) {
        if self.files.is_last_of(file, bytes) {
            let files = Arc::clone(&self.files);
            // Refused by a store that is closed: the next start removes the file.
            let _ = self.writer.post(move || files.remove(file));
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.known.lock().live.values().map(|(_, bytes)| bytes).sum()
    }

    /// After what was accepted is done.
    pub(crate) fn close(&self) {
        self.writer.close();
    }
}

impl Files {
    fn append(self: Arc<Self>, content: &[Bytes; 2]) -> Result<Spilled, StoreError> {
        let [head, tail] = content;
        let bytes = length_field(head.len() + tail.len());
        let spilled = self.place(bytes)?;
        let name = LogFile::Spill(spilled.file).name();
        let offset = u64::from(spilled.offset);
        for (at, piece) in [(offset, head), (offset + head.len() as u64, tail)] {
            if !piece.is_empty() {
                self.disk.write(&name, at, piece).map_err(|error| refused("write to", &name, error))?;
            }
        }
        Ok(spilled)
    }

    /// A place for so many bytes; they count from now on.
    fn place(self: &Arc<Self>, bytes: u32) -> Result<Spilled, StoreError> {
        if !self.known.lock().has_room(u64::from(bytes), self.file_bytes) {
            self.begin_file()?;
        }
        let mut known = self.known.lock();
        let file = known.current.expect("a file was begun");
        let offset = u32::try_from(known.offset).expect("a new file is begun long before four gibibytes");
        known.offset += u64::from(bytes);
        let live = known.live.entry(file).or_default();
        live.0 += 1;
        live.1 += u64::from(bytes);
        Ok(Spilled { files: Arc::clone(self), file, offset, bytes, is_kept: false })
    }

    fn begin_file(&self) -> Result<(), StoreError> {
        let number = self.known.lock().next;
        let name = LogFile::Spill(number).name();
        if let Err(error) = self.disk.create(&name) {
            remove(self.disk.as_ref(), &name);
            return Err(refused("create", &name, error));
        }
        let mut known = self.known.lock();
        known.next = number.wrapping_add(1);
        known.offset = 0;
        let before = known.current.replace(number);
        let unused = before.filter(|before| !known.live.contains_key(before));
        drop(known);
        unused.into_iter().for_each(|before| self.remove(before));
        Ok(())
    }

    /// A message is gone; true when its file is not needed any more.
    fn is_last_of(&self, file: u32, bytes: u32) -> bool {
        let mut known = self.known.lock();
        let Some(live) = known.live.get_mut(&file) else { return false };
        live.0 -= 1;
        live.1 -= u64::from(bytes);
        if live.0 > 0 {
            return false;
        }
        known.live.remove(&file);
        let is_current = known.current == Some(file);
        if is_current {
            known.offset = 0;
        }
        !is_current
    }

    fn remove(&self, file: u32) {
        remove(self.disk.as_ref(), &LogFile::Spill(file).name());
    }
}

impl Known {
    fn has_room(&self, bytes: u64, file_bytes: u64) -> bool {
        self.current.is_some() && (self.offset == 0 || self.offset + bytes <= file_bytes)
    }

    /// The place at the end of the current file is free for the next message.
    fn take_back(&mut self, spilled: &Spilled) {
        let start = u64::from(spilled.offset);
        if self.current == Some(spilled.file) && self.offset == start + u64::from(spilled.bytes) {
            self.offset = start;
        }
    }
}

impl Spilled {
    /// From now on a message owns the place.
    fn keep(mut self) -> Home {
        self.is_kept = true;
        Home::Spill { file: self.file, offset: self.offset, bytes: self.bytes }
    }
}

impl Drop for Spilled {
    /// The write was refused, or its caller has gone.
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        self.files.known.lock().take_back(self);
        if self.files.is_last_of(self.file, self.bytes) {
            self.files.remove(self.file);
        }
    }
}
