//! A directory whose writes to the log wait while a test holds it. Syncs of other files pass and are not counted: extents
//! are made ready in the background at any time, and nobody who puts or gets waits for that.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{RwLock, RwLockWriteGuard};
use storage::private::log::disk::{DirectoryDisk, Disk, FileName};
use tempfile::TempDir;

pub(crate) struct HeldDisk {
    directory: DirectoryDisk,
    gate: RwLock<()>,
    syncs: AtomicUsize,
    _folder: TempDir,
}

impl HeldDisk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let directory = DirectoryDisk::open(folder.path().to_owned()).expect("a directory");
        Self { directory, gate: RwLock::new(()), syncs: AtomicUsize::new(0), _folder: folder }
    }

    /// No write to the log ends until what it returns is dropped.
    pub(crate) fn hold(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write()
    }

    /// Is a write to the log under way?
    pub(crate) fn is_syncing(&self) -> bool {
        self.syncs.load(Ordering::SeqCst) > 0
    }
}

impl Disk for HeldDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.directory.list()
    }
    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.directory.length(file)
    }
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.directory.read(file, offset, buffer)
    }
    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.directory.write(file, offset, bytes)
    }
    fn sync(&self, file: &FileName) -> io::Result<()> {
        if !file.0.starts_with("extent-") {
            return self.directory.sync(file);
        }
        self.syncs.fetch_add(1, Ordering::SeqCst);
        let open = self.gate.read();
        let synced = self.directory.sync(file);
        drop(open);
        self.syncs.fetch_sub(1, Ordering::SeqCst);
        synced
    }
    fn create(&self, file: &FileName) -> io::Result<()> {
        self.directory.create(file)
    }
    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        self.directory.rename(from, to)
    }
    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.directory.remove(file)
    }
}
