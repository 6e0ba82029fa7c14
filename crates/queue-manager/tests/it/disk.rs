//! A directory whose syncs a test holds up or lets fail, and whose reads it holds up.

use std::io;
use std::path::Path;
use std::sync::{Arc, RwLock};

use storage::private::log::disk::{DirectoryDisk, Disk, FileName};

type Sync = Box<dyn Fn(&DirectoryDisk, &FileName) -> io::Result<()> + Send + std::marker::Sync>;

pub(crate) struct SyncedBy {
    directory: DirectoryDisk,
    sync: Sync,
    /// Reads wait while a test has it for writing.
    pub(crate) reads: RwLock<()>,
}

impl SyncedBy {
    pub(crate) fn new(
        directory: &Path,
        sync: impl Fn(&DirectoryDisk, &FileName) -> io::Result<()> + Send + std::marker::Sync + 'static,
    ) -> Arc<Self> {
        let directory = DirectoryDisk::open(directory.to_owned()).unwrap();
        Arc::new(Self { directory, sync: Box::new(sync), reads: RwLock::new(()) })
    }
}

impl Disk for SyncedBy {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.directory.list()
    }
    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.directory.length(file)
    }
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let _open = self.reads.read().unwrap();
        self.directory.read(file, offset, buffer)
    }
    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.directory.write(file, offset, bytes)
    }
    fn sync(&self, file: &FileName) -> io::Result<()> {
        (self.sync)(&self.directory, file)
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
