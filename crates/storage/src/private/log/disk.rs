//! All that the recovery log asks of a disk, and the real one: a directory of the file system.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, IoSliceMut};
use std::num::NonZeroU64;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use memmap2::MmapMut;
use parking_lot::RwLock;
use rustix::fs::{Advice, FallocateFlags, fadvise, fallocate, statvfs};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use crate::private::log::extent::{LogFile, PAGE_BYTES};
use crate::private::log::quota_disk::DiskQuota;
use crate::{RecoveryLogError, StoreError};

/// A file in the log directory, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(pub String);

/// Bytes of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    pub total: u64,
    /// What new files can take.
    pub free: u64,
}

/// Tests use one that tears, forgets and refuses writes.
pub trait Disk: Send + Sync {
    fn list(&self) -> io::Result<Vec<FileName>>;
    fn length(&self, file: &FileName) -> io::Result<u64>;
    /// May read fewer bytes than asked; 0 at the end of the file.
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// As `read`, of what the system has in memory: never waits for a device. `None` when it has nothing there, or does not
    /// say; `read` tells then.
    fn read_at_once(&self, _file: &FileName, _offset: u64, _buffer: &mut [u8]) -> Option<usize> {
        None
    }
    /// As `read`, but of what is on the disk, where the system can tell it from what memory has of the file. Offset, length and
    /// address of `buffer` are multiples of 4096.
    fn read_stored(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.read(file, offset, buffer)
    }
    /// Writes all of `bytes`, past the end if need be.
    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Writes zeros, in such a way that they do not gather in memory to hold up the next sync.
    fn write_zeros(&self, file: &FileName, offset: u64, length: usize) -> io::Result<()> {
        write_zeros_buffered(self, file, offset, length)
    }
    /// Bytes that new files can take; `None` when the file system does not say.
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
    /// Bytes of the file system, and those that new files can take; `None` when it does not say.
    fn space(&self) -> Option<DiskSpace> {
        None
    }
    /// How far the quota of this disk is used; `None`: it has none.
    fn quota(&self) -> Option<DiskQuota> {
        None
    }
    /// Claims space for so many bytes of a file without writing them, where the file system can. A full disk or quota
    /// is an error.
    fn allocate(&self, _file: &FileName, _length: u64) -> io::Result<()> {
        Ok(())
    }
    /// Data of the file is durable when it returns.
    fn sync(&self, file: &FileName) -> io::Result<()>;
    /// Creates an empty file, emptying one that is there; also syncs the directory.
    fn create(&self, file: &FileName) -> io::Result<()>;
    /// Creates a file with this content. Both are durable when it returns; refused, it may have left a part.
    fn create_whole(&self, file: &FileName, content: &[u8]) -> io::Result<()> {
        self.create(file)?;
        self.write(file, 0, content)?;
        self.sync(file)
    }
    /// Renames within the directory, replacing a file that is there; also syncs the directory.
    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()>;
    /// The directory need not be synced: a file that comes back is recognised as useless.
    fn remove(&self, file: &FileName) -> io::Result<()>;
}

/// Most bytes of zeros written at once: few enough that a commit's sync never waits long behind them. With 8 MiB, puts
/// during the first fill were a quarter slower.
const ZEROS_BYTES: usize = 1 << 18;
/// Pages of memory, which direct writes accept. They are never written: none of them takes memory, nor room in the program.
static ZEROS: LazyLock<MmapMut> = LazyLock::new(|| MmapMut::map_anon(ZEROS_BYTES).expect("room for 256 KiB of zeros"));

fn write_zeros_buffered<D: Disk + ?Sized>(disk: &D, file: &FileName, offset: u64, length: usize) -> io::Result<()> {
    pieces(offset, length).try_for_each(|(at, zeros)| {
        disk.write(file, at, zeros)?;
        disk.sync(file)
    })
}

fn pieces(offset: u64, length: usize) -> impl Iterator<Item = (u64, &'static [u8])> {
    (0..length).step_by(ZEROS_BYTES).map(move |done| (offset + done as u64, &ZEROS[..ZEROS_BYTES.min(length - done)]))
}

/// Reads exactly `buffer.len()` bytes.
pub(crate) fn read_exact(disk: &dyn Disk, file: &FileName, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        let count = disk.read(file, offset, buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += count as u64;
        buffer = &mut buffer[count..];
    }
    Ok(())
}

/// True when an error says that the disk or its quota is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

/// A call that a file other than the log refused. The log goes on.
pub(crate) fn refused(action: &'static str, file: &FileName, error: io::Error) -> StoreError {
    if is_full(&error) { StoreError::NoSpace } else { StoreError::File(Arc::new(disk_error(action, file, error))) }
}

pub(crate) fn disk_error(action: &'static str, file: &FileName, source: io::Error) -> RecoveryLogError {
    RecoveryLogError::Disk { action, file: file.0.clone(), source }
}

const LOCK_FILE: &str = "lock";
const PROBE_FILE: &str = "probe";
const FILE_MODE: u32 = 0o600;

/// A directory of the file system. Keeps the files of the log and spill files open, so that the log never needs a descriptor to
/// go on in an extent that is ready. Bodies, of which there may be any number, are opened for one call each.
pub struct DirectoryDisk {
    directory: PathBuf,
    /// `None` for a reader.
    locked: Option<Locked>,
    released: AtomicBool,
    open: RwLock<HashMap<FileName, Arc<File>, foldhash::fast::RandomState>>,
}

struct Locked {
    /// Holds the directory's lock as long as it is open.
    lock: File,
    /// The directory itself: a rename needs no descriptor.
    entries: File,
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing would not do: a child process that was forked and has not reached its exec yet has a descriptor of the same lock.
        let _ = self.lock.unlock();
    }
}

impl DirectoryDisk {
    /// Opens (making it if absent) and locks the directory against a second server.
    ///
    /// # Errors
    /// `InUse` when another process holds the lock; `Disk` when the directory cannot be made or opened.
    pub fn open(directory: PathBuf) -> Result<Self, RecoveryLogError> {
        let fails = |action| {
            let file = directory.display().to_string();
            move |source| RecoveryLogError::Disk { action, file, source }
        };
        std::fs::create_dir_all(&directory).map_err(fails("create"))?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(FILE_MODE)
            .open(directory.join(LOCK_FILE))
            .map_err(fails("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RecoveryLogError::InUse { directory: directory.display().to_string() });
            }
            Err(TryLockError::Error(source)) => return Err(fails("lock")(source)),
        }
        let entries = File::open(&directory).map_err(fails("open"))?;
        entries.sync_all().map_err(fails("sync"))?;
        Ok(Self {
            directory,
            locked: Some(Locked { lock, entries }),
            released: AtomicBool::new(false),
            open: RwLock::default(),
        })
    }

    /// For inspection, also beside a running server: takes no lock, opens for reading only and refuses every change.
    pub fn read_only(directory: PathBuf) -> Self {
        Self { directory, locked: None, released: AtomicBool::new(false), open: RwLock::default() }
    }

    /// Makes, writes, syncs and removes a small file beside the log: whether the disk is well enough to try. Takes no lock.
    ///
    /// # Errors
    /// What the disk refused.
    pub fn probe(directory: &Path) -> Result<(), RecoveryLogError> {
        let path = directory.join(PROBE_FILE);
        let fails = |action| move |source| RecoveryLogError::Disk { action, file: PROBE_FILE.to_owned(), source };
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(FILE_MODE).open(&path);
        let file = file.map_err(fails("create"))?;
        let written = file.write_all_at(&ZEROS[..PAGE_BYTES], 0).map_err(fails("write"));
        let synced = written.and_then(|()| file.sync_all().map_err(fails("sync")));
        let removed = std::fs::remove_file(&path).map_err(fails("remove"));
        synced.and(removed)?;
        File::open(directory).and_then(|entries| entries.sync_all()).map_err(fails("sync"))
    }

    /// Gives up the lock, so that the directory can be opened again while this value still exists: for a store that
    /// has been closed. Everything asked of it afterwards is refused.
    ///
    /// # Errors
    /// The lock cannot be given up; it goes when the value is dropped.
    pub fn release(&self) -> io::Result<()> {
        self.released.store(true, Ordering::Release);
        self.locked.as_ref().map_or(Ok(()), |locked| locked.lock.unlock())
    }

    fn path(&self, file: &FileName) -> PathBuf {
        self.directory.join(&file.0)
    }

    fn changeable(&self) -> io::Result<&Locked> {
        self.usable()?;
        self.locked.as_ref().ok_or_else(|| io::ErrorKind::PermissionDenied.into())
    }

    fn make(&self, file: &FileName) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true).mode(FILE_MODE).open(self.path(file))
    }

    fn usable(&self) -> io::Result<()> {
        if self.released.load(Ordering::Acquire) { Err(io::ErrorKind::NotConnected.into()) } else { Ok(()) }
    }

    fn file(&self, file: &FileName) -> io::Result<Arc<File>> {
        if let Some(open) = self.open.read().get(file) {
            return Ok(Arc::clone(open));
        }
        let opened = Arc::new(OpenOptions::new().read(true).write(self.locked.is_some()).open(self.path(file))?);
        if matches!(LogFile::parse(file), Some(LogFile::Body(_))) {
            return Ok(opened);
        }
        Ok(Arc::clone(self.open.write().entry(file.clone()).or_insert(opened)))
    }
}

fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

impl Disk for DirectoryDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.usable()?;
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.directory)? {
            // A name that is not UTF-8 is not one of ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(FileName(name));
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.usable()?;
        if matches!(LogFile::parse(file), Some(LogFile::Body(_))) {
            return Ok(std::fs::metadata(self.path(file))?.len());
        }
        Ok(self.file(file)?.metadata()?.len())
    }

    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.usable()?;
        read_at(self.file(file)?.as_ref(), offset, buffer)
    }

    /// Past the page cache: that reads what is on the disk, and leaves the cache to those who need it. A file system that
    /// cannot do that is asked to forget the pages before and after.
    fn read_stored(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.usable()?;
        let direct = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(self.path(file));
        match direct.and_then(|file| read_at(&file, offset, buffer)) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                let file = File::open(self.path(file))?;
                let length = NonZeroU64::new(buffer.len() as u64);
                // Advice that is not taken costs the check nothing but some of its worth.
                let _ = fadvise(&file, offset, length, Advice::DontNeed);
                let read = read_at(&file, offset, buffer);
                let _ = fadvise(&file, offset, length, Advice::DontNeed);
                read
            }
            other => other,
        }
    }

    /// Only of files that are open: to open one may wait for the device too.
    fn read_at_once(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> Option<usize> {
        self.usable().ok()?;
        let open = self.open.read().get(file).map(Arc::clone)?;
        preadv2(&open, &mut [IoSliceMut::new(buffer)], offset, ReadWriteFlags::NOWAIT).ok()
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.changeable()?;
        self.file(file)?.write_all_at(bytes, offset)
    }

    /// Past the page cache where the file system allows it: a copy and a write-back less for every extent.
    fn write_zeros(&self, file: &FileName, offset: u64, length: usize) -> io::Result<()> {
        self.changeable()?;
        let direct = OpenOptions::new().write(true).custom_flags(libc::O_DIRECT).open(self.path(file));
        let written =
            direct.and_then(|file| pieces(offset, length).try_for_each(|(at, zeros)| file.write_all_at(zeros, at)));
        match written {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                write_zeros_buffered(self, file, offset, length)
            }
            other => other,
        }
    }

    fn space(&self) -> Option<DiskSpace> {
        let said = statvfs(&self.directory).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(said.f_frsize);
        Some(DiskSpace { total: bytes(said.f_blocks), free: bytes(said.f_bavail) })
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        self.usable()?;
        Ok(statvfs(&self.directory).ok().map(|said| said.f_bavail.saturating_mul(said.f_frsize)))
    }

    fn allocate(&self, file: &FileName, length: u64) -> io::Result<()> {
        self.changeable()?;
        match fallocate(self.file(file)?.as_ref(), FallocateFlags::empty(), 0, length) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn sync(&self, file: &FileName) -> io::Result<()> {
        self.changeable()?;
        self.file(file)?.sync_data()
    }

    fn create(&self, file: &FileName) -> io::Result<()> {
        self.changeable()?;
        let created = self.make(file)?;
        self.open.write().insert(file.clone(), Arc::new(created));
        sync_directory(&self.directory)
    }

    /// By one descriptor, which hears of every error of the write, and is closed again.
    fn create_whole(&self, file: &FileName, content: &[u8]) -> io::Result<()> {
        self.changeable()?;
        let created = self.make(file)?;
        created.write_all_at(content, 0)?;
        created.sync_data()?;
        sync_directory(&self.directory)
    }

    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        let locked = self.changeable()?;
        std::fs::rename(self.path(from), self.path(to))?;
        let mut open = self.open.write();
        open.remove(to);
        if let Some(handle) = open.remove(from) {
            open.insert(to.clone(), handle);
        }
        drop(open);
        locked.entries.sync_all()
    }

    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.changeable()?;
        self.open.write().remove(file);
        std::fs::remove_file(self.path(file))
    }
}
