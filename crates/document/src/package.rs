//! The entries of an archive, whatever kind it is: a zip file in memory, read with limits and written always alike.
//!
//! What is read comes from outside: lengths are bounded before anything is unpacked, and while it is unpacked; names
//! lead nowhere. Nothing here touches a disk.
//!
//! Invariants
//! - A name has no part that is empty, `.` or `..`, no drive, no control character, and no backslash.
//! - No two entries have the same name. Directories are no entries.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Write};

use bytes::Bytes;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Longest archive, in bytes.
pub const MAXIMUM_ARCHIVE: usize = 32 << 20;
/// Most entries, directories included.
pub const MAXIMUM_ENTRIES: usize = 4096;
/// Most bytes of all entries together, unpacked.
pub const MAXIMUM_UNPACKED: u64 = 64 << 20;

/// Entries shorter than this are not compressed by a packer, in bytes.
const SMALL: usize = 1024;
/// How hard a packer compresses, of 9.
const FAST: i64 = 2;

/// How far an archive may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Length in bytes.
    pub archive: usize,
    /// Entries, directories included.
    pub entries: usize,
    /// Bytes of all entries that are read, unpacked.
    pub unpacked: u64,
}

impl Limits {
    /// Those of services and APIs.
    pub const SERVICE: Self = Self { archive: MAXIMUM_ARCHIVE, entries: MAXIMUM_ENTRIES, unpacked: MAXIMUM_UNPACKED };
}
/// Longest name of an entry, in bytes.
pub const MAXIMUM_NAME: usize = 512;

/// Why bytes are no archive that is read here, or entries make none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    #[error("the archive cannot be unpacked: {problem}")]
    Damaged { problem: String },
    #[error("the archive is longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("the archive has more than {limit} entries")]
    TooManyEntries { limit: usize },
    #[error("the archive unpacks to more than {limit} bytes")]
    TooMuch { limit: u64 },
    #[error("the archive has an entry whose name cannot be used: {name:?}")]
    Name { name: String },
    #[error("the archive has no entry {name}")]
    Missing { name: String },
    #[error("{name} is not UTF-8")]
    Encoding { name: String },
}

/// Entries by name, in the order of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    entries: BTreeMap<String, Bytes>,
}

impl Package {
    /// Unpacks an archive.
    ///
    /// # Errors
    /// It is no zip file, damaged or encrypted, goes beyond a limit, or has a name that leads out of it or twice.
    pub fn read(archive: &[u8]) -> Result<Self, PackageError> {
        Self::read_within(archive, &Limits::SERVICE, |_| true)
    }

    /// As `read`, with other limits, and only the entries that are wanted by their names.
    ///
    /// # Errors
    /// As those of `read`.
    pub fn read_within(archive: &[u8], limits: &Limits, wanted: impl Fn(&str) -> bool) -> Result<Self, PackageError> {
        if archive.len() > limits.archive {
            return Err(PackageError::TooLong { limit: limits.archive });
        }
        let mut zip = ZipArchive::new(Cursor::new(archive)).map_err(damaged)?;
        if zip.len() > limits.entries {
            return Err(PackageError::TooManyEntries { limit: limits.entries });
        }
        // The reader keeps the last of entries with one name: what another program would see is unknown then.
        if zip.has_duplicate_names() {
            return Err(PackageError::Damaged { problem: "two entries have the same name".to_owned() });
        }
        let mut package = Self::default();
        let mut room = limits.unpacked;
        for index in 0..zip.len() {
            let entry = zip.by_index(index).map_err(damaged)?;
            let raw = entry.name().map_err(damaged)?.into_owned();
            if entry.is_dir() || raw.ends_with(['/', '\\']) {
                continue;
            }
            let name = checked_name(&raw)?;
            if entry.is_symlink() {
                return Err(PackageError::Name { name: raw });
            }
            if !wanted(&name) {
                continue;
            }
            if entry.size() > room {
                return Err(PackageError::TooMuch { limit: limits.unpacked });
            }
            // What the directory says of the length is a claim: reading stops one byte behind the room that is left.
            let mut content = Vec::new();
            entry.take(room + 1).read_to_end(&mut content).map_err(|error| damaged(error.into()))?;
            let length = content.len() as u64;
            room = room.checked_sub(length).ok_or(PackageError::TooMuch { limit: limits.unpacked })?;
            if package.entries.insert(name, content.into()).is_some() {
                return Err(PackageError::Name { name: raw });
            }
        }
        Ok(package)
    }

    /// The archive with these entries. The same entries make the same bytes.
    ///
    /// # Errors
    /// It would go beyond a limit of `read`.
    pub fn write(&self) -> Result<Vec<u8>, PackageError> {
        if self.entries.len() > MAXIMUM_ENTRIES {
            return Err(PackageError::TooManyEntries { limit: MAXIMUM_ENTRIES });
        }
        if self.entries.values().map(|content| content.len() as u64).sum::<u64>() > MAXIMUM_UNPACKED {
            return Err(PackageError::TooMuch { limit: MAXIMUM_UNPACKED });
        }
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in &self.entries {
            zip.start_file(name.as_str(), options()).map_err(damaged)?;
            zip.write_all(content).map_err(|error| damaged(error.into()))?;
        }
        let archive = zip.finish().map_err(damaged)?.into_inner();
        if archive.len() > MAXIMUM_ARCHIVE {
            Err(PackageError::TooLong { limit: MAXIMUM_ARCHIVE })
        } else {
            Ok(archive)
        }
    }

    /// The content of an entry.
    pub fn get(&self, name: &str) -> Option<&Bytes> {
        self.entries.get(name)
    }

    /// The content of an entry as text.
    ///
    /// # Errors
    /// There is no such entry, or it is not UTF-8.
    pub fn text(&self, name: &str) -> Result<&str, PackageError> {
        let content = self.get(name).ok_or_else(|| PackageError::Missing { name: name.to_owned() })?;
        std::str::from_utf8(content).map_err(|_| PackageError::Encoding { name: name.to_owned() })
    }

    /// Adds an entry, or replaces it.
    ///
    /// # Errors
    /// The name is none.
    pub fn insert(&mut self, name: &str, content: impl Into<Bytes>) -> Result<(), PackageError> {
        self.entries.insert(checked_name(name)?, content.into());
        Ok(())
    }

    /// Names below a folder, which is given with its slash; all for an empty one.
    pub fn names_below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries.keys().map(String::as_str).filter(move |name| name.starts_with(folder))
    }
}

/// An archive that is packed entry by entry, so that its entries need not be in memory together. Unlike `Package::write` it
/// writes an entry for every directory, as the tools do that are written in Java.
pub struct Packer {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    limits: Limits,
    names: BTreeSet<String>,
    unpacked: u64,
}

impl Packer {
    pub fn new(limits: Limits) -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())), limits, names: BTreeSet::new(), unpacked: 0 }
    }

    /// Packs an entry, and the directories it is the first in.
    ///
    /// # Errors
    /// The name is none or was there, or the archive goes beyond a limit.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Result<(), PackageError> {
        let name = checked_name(name)?;
        for (end, _) in name.match_indices('/') {
            let directory = &name[..=end];
            if self.names.insert(directory.to_owned()) {
                self.zip.add_directory(directory, options()).map_err(damaged)?;
            }
        }
        if !self.names.insert(name.clone()) {
            return Err(PackageError::Name { name });
        }
        if self.names.len() > self.limits.entries {
            return Err(PackageError::TooManyEntries { limit: self.limits.entries });
        }
        self.unpacked += content.len() as u64;
        if self.unpacked > self.limits.unpacked {
            return Err(PackageError::TooMuch { limit: self.limits.unpacked });
        }
        // Making the tables of the compressor costs more than these would save.
        let options = match content.len() {
            0..SMALL => options().compression_method(CompressionMethod::Stored),
            // Thousands of entries are packed while somebody waits.
            _ => options().compression_level(Some(FAST)),
        };
        self.zip.start_file(name.as_str(), options).map_err(damaged)?;
        self.zip.write_all(content).map_err(|error| damaged(error.into()))
    }

    /// The archive.
    ///
    /// # Errors
    /// It is longer than its limit.
    pub fn finish(self) -> Result<Vec<u8>, PackageError> {
        let archive = self.zip.finish().map_err(damaged)?.into_inner();
        if archive.len() > self.limits.archive {
            Err(PackageError::TooLong { limit: self.limits.archive })
        } else {
            Ok(archive)
        }
    }
}

/// The same entries make the same bytes.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644)
}

/// The name in one spelling: archives made on Windows have backslashes.
fn checked_name(raw: &str) -> Result<String, PackageError> {
    let refused = || PackageError::Name { name: raw.chars().take(MAXIMUM_NAME).collect() };
    let name = raw.replace('\\', "/");
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    if name.len() > MAXIMUM_NAME
        || name.chars().any(|character| character.is_control() || character == ':')
        || !name.split('/').all(is_part)
    {
        return Err(refused());
    }
    Ok(name)
}

fn damaged(error: zip::result::ZipError) -> PackageError {
    PackageError::Damaged { problem: error.to_string() }
}

#[cfg(test)]
mod tests;
