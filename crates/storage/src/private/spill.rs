//! Nonpersistent messages beyond the buffer pool: appended to files that are never synced and mean nothing after a
//! restart. A file goes when the last of its messages is gone.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::StoreError;
use crate::private::log::cursor::length_field;
use crate::private::log::disk::{Disk, read_bytes, refused};
use crate::private::log::extent::LogFile;
use crate::private::log::prepare::remove;
use crate::private::queue::Home;

pub(crate) struct Spill {
    disk: Arc<dyn Disk>,
    file_bytes: u64,
    files: Mutex<Files>,
}

#[derive(Default)]
struct Files {
    /// The file being appended to; none before the first message.
    current: Option<u32>,
    next: u32,
    offset: u64,
    /// Messages and bytes by file.
    live: HashMap<u32, (u64, u64), foldhash::fast::RandomState>,
}

impl Spill {
    pub(crate) fn new(disk: Arc<dyn Disk>, file_bytes: u64) -> Self {
        Self { disk, file_bytes, files: Mutex::default() }
    }

    /// Writes one message's content, which is in two pieces.
    ///
    /// # Errors
    /// `NoSpace` when the disk is full, otherwise `File`.
    pub(crate) fn append(&self, content: [&[u8]; 2]) -> Result<Home, StoreError> {
        let mut files = self.files.lock();
        let lengths = content.map(|piece| piece.len() as u64);
        let length = lengths[0] + lengths[1];
        let fresh = files.current.is_none() || (files.offset > 0 && files.offset + length > self.file_bytes);
        let number = match files.current.filter(|_| !fresh) {
            Some(number) => number,
            None => self.begin_file(&mut files)?,
        };
        let name = LogFile::Spill(number).name();
        let offset = files.offset;
        let write = |offset, piece: &[u8]| {
            self.disk.write(&name, offset, piece).map_err(|error| refused("write to", &name, error))
        };
        write(offset, content[0])?;
        if !content[1].is_empty() {
            write(offset + lengths[0], content[1])?;
        }
        files.offset += length;
        let live = files.live.entry(number).or_default();
        live.0 += 1;
        live.1 += length;
        let offset = u32::try_from(offset).expect("a new file is begun long before four gibibytes");
        Ok(Home::Spill { file: number, offset, bytes: length_field(content[0].len() + content[1].len()) })
    }

    fn begin_file(&self, files: &mut Files) -> Result<u32, StoreError> {
        let number = files.next;
        let name = LogFile::Spill(number).name();
        if let Err(error) = self.disk.create(&name) {
            remove(self.disk.as_ref(), &name);
            return Err(refused("create", &name, error));
        }
        let before = files.current.replace(number);
        files.next = number.wrapping_add(1);
        files.offset = 0;
        if let Some(before) = before.filter(|before| !files.live.contains_key(before)) {
            remove(self.disk.as_ref(), &LogFile::Spill(before).name());
        }
        Ok(number)
    }

    /// The content that `append` wrote. The message must still be there when it returns, else the bytes mean nothing.
    pub(crate) fn read(&self, file: u32, offset: u32, bytes: u32) -> io::Result<Bytes> {
        read_bytes(self.disk.as_ref(), &LogFile::Spill(file).name(), u64::from(offset), bytes as usize)
    }

    /// The message is gone.
    pub(crate) fn release(&self, file: u32, bytes: u32) {
        let mut files = self.files.lock();
        let Some(live) = files.live.get_mut(&file) else { return };
        live.0 -= 1;
        live.1 -= u64::from(bytes);
        if live.0 > 0 {
            return;
        }
        files.live.remove(&file);
        if files.current == Some(file) {
            files.offset = 0;
        } else {
            remove(self.disk.as_ref(), &LogFile::Spill(file).name());
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.lock().live.values().map(|(_, bytes)| bytes).sum()
    }
}
