//! All that the recovery log asks of a disk, and the real one.

use std::io;
use std::path::PathBuf;

/// A file in the log directory, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(pub String);

/// Tests use one that tears, forgets and refuses writes.
pub trait Disk: Send + Sync {
    fn list(&self) -> io::Result<Vec<FileName>>;
    fn length(&self, file: &FileName) -> io::Result<u64>;
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Data of the file is durable when it returns.
    fn sync(&self, file: &FileName) -> io::Result<()>;
    /// Creates an empty file; also syncs the directory.
    fn create(&self, file: &FileName) -> io::Result<()>;
    /// Renames within the directory; also syncs the directory.
    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()>;
    fn remove(&self, file: &FileName) -> io::Result<()>;
}

/// A directory of the file system.
pub struct DirectoryDisk {}

impl DirectoryDisk {
    /// Opens (making it if absent) and locks the directory against a second server.
    pub fn open(directory: PathBuf) -> Result<Self, crate::RecoveryLogError> {
        todo!()
    }
}
impl Disk for DirectoryDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        todo!()
    }
    fn length(&self, file: &FileName) -> io::Result<u64> {
        todo!()
    }
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        todo!()
    }
    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        todo!()
    }
    fn sync(&self, file: &FileName) -> io::Result<()> {
        todo!()
    }
    fn create(&self, file: &FileName) -> io::Result<()> {
        todo!()
    }
    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        todo!()
    }
    fn remove(&self, file: &FileName) -> io::Result<()> {
        todo!()
    }
}
