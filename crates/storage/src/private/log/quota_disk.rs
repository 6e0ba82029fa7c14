//! A disk with a quota: full when the files of the log, the bodies beside it and the spill files take so many bytes.
//!
//! All that holds of a full disk (`space.rs`) then holds of the quota: puts are refused before anything is written, gets go on.
//!
//! Invariants
//! - A file counts with the length that it is about to have, before the disk is asked, and no longer once it is removed.
//! - A write into an extent takes no lock here: its length was claimed when it was made.

use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::RecoveryLogError;
use crate::private::log::disk::{Disk, DiskSpace, FileName, disk_error};
use crate::private::log::extent::LogFile;

/// The quota is nearly used when less than one part in so many is left.
const LITTLE: u64 = 8;

/// How far the quota of a disk is used.
#[derive(Debug, Clone, Copy)]
pub struct DiskQuota {
    pub(crate) maximum_bytes: u64,
    /// All files.
    pub(crate) bytes: u64,
    /// Of these, bodies and spill files.
    pub(crate) apart_bytes: u64,
}

impl DiskQuota {
    pub(crate) fn left(&self) -> u64 {
        self.maximum_bytes.saturating_sub(self.bytes)
    }

    pub(crate) fn is_nearly_used(&self) -> bool {
        self.left() < self.maximum_bytes / LITTLE
    }
}

pub(crate) struct QuotaDisk {
    disk: Arc<dyn Disk>,
    maximum_bytes: u64,
    files: Mutex<Files>,
}

#[derive(Default)]
struct Files {
    lengths: HashMap<FileName, u64, foldhash::fast::RandomState>,
    bytes: u64,
    apart_bytes: u64,
}

impl QuotaDisk {
    /// Counts the files that are there, however many bytes they have.
    ///
    /// # Errors
    /// The disk does not tell them.
    pub(crate) fn open(disk: Arc<dyn Disk>, maximum: NonZeroU64) -> Result<Self, RecoveryLogError> {
        let fails = |file: &FileName, source| disk_error("ask for the length of", file, source);
        let mut files = Files::default();
        let there = disk.list().map_err(|source| fails(&FileName("the recovery log".to_owned()), source))?;
        for file in there.into_iter().filter(counts) {
            let length = disk.length(&file).map_err(|source| fails(&file, source))?;
            files.set(&file, length);
        }
        Ok(Self { disk, maximum_bytes: maximum.get(), files: Mutex::new(files) })
    }

    /// The file is about to have this length.
    fn claim(&self, file: &FileName, length: u64) -> io::Result<()> {
        let mut files = self.files.lock();
        let grows = length.saturating_sub(files.length(file));
        if grows == 0 {
            return Ok(());
        }
        if files.bytes.saturating_add(grows) > self.maximum_bytes {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        files.set(file, length);
        Ok(())
    }
}

/// The anchor and the lock are small, and must not be refused.
fn counts(file: &FileName) -> bool {
    !matches!(LogFile::parse(file), None | Some(LogFile::Anchor))
}

fn is_apart(file: &FileName) -> bool {
    matches!(LogFile::parse(file), Some(LogFile::Body(_) | LogFile::Spill(_)))
}

impl Files {
    fn length(&self, file: &FileName) -> u64 {
        self.lengths.get(file).copied().unwrap_or(0)
    }

    fn set(&mut self, file: &FileName, length: u64) {
        self.remove(file);
        self.lengths.insert(file.clone(), length);
        self.bytes += length;
        if is_apart(file) {
            self.apart_bytes += length;
        }
    }

    fn remove(&mut self, file: &FileName) -> u64 {
        let length = self.lengths.remove(file).unwrap_or(0);
        self.bytes -= length;
        if is_apart(file) {
            self.apart_bytes -= length;
        }
        length
    }
}

impl Disk for QuotaDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.disk.list()
    }

    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.disk.length(file)
    }

    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.disk.read(file, offset, buffer)
    }

    fn read_at_once(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> Option<usize> {
        self.disk.read_at_once(file, offset, buffer)
    }

    fn read_stored(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.disk.read_stored(file, offset, buffer)
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if is_apart(file) {
            self.claim(file, offset + bytes.len() as u64)?;
        }
        self.disk.write(file, offset, bytes)
    }

    fn write_zeros(&self, file: &FileName, offset: u64, length: usize) -> io::Result<()> {
        self.disk.write_zeros(file, offset, length)
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let left = self.quota().map_or(u64::MAX, |quota| quota.left());
        Ok(Some(self.disk.free_bytes()?.map_or(left, |free| free.min(left))))
    }

    fn space(&self) -> Option<DiskSpace> {
        self.disk.space()
    }

    fn quota(&self) -> Option<DiskQuota> {
        let files = self.files.lock();
        Some(DiskQuota { maximum_bytes: self.maximum_bytes, bytes: files.bytes, apart_bytes: files.apart_bytes })
    }

    fn allocate(&self, file: &FileName, length: u64) -> io::Result<()> {
        self.claim(file, length)?;
        self.disk.allocate(file, length)
    }

    fn sync(&self, file: &FileName) -> io::Result<()> {
        self.disk.sync(file)
    }

    fn create(&self, file: &FileName) -> io::Result<()> {
        self.disk.create(file)?;
        self.files.lock().remove(file);
        Ok(())
    }

    fn create_whole(&self, file: &FileName, content: &[u8]) -> io::Result<()> {
        self.claim(file, content.len() as u64)?;
        self.disk.create_whole(file, content)
    }

    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        self.disk.rename(from, to)?;
        let mut files = self.files.lock();
        let length = files.remove(from);
        if counts(to) {
            files.remove(to);
            files.set(to, length);
        }
        Ok(())
    }

    fn remove(&self, file: &FileName) -> io::Result<()> {
        let removed = self.disk.remove(file);
        let is_gone = match &removed {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_gone {
            self.files.lock().remove(file);
        }
        removed
    }
}
