//! Small files that are read whole and replaced whole: keys, targets, archives.
//!
//! Never here: what stands in them, and files that other processes write at the same time.
//!
//! Invariants
//! - After a crash a file has its old or its new content, and the new one once `replace` has returned.
//! - Only the owner may open a file that was made here.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What a file that may be absent holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    Absent,
    /// Longer than it may be; it was not read.
    TooLong,
    Whole(Vec<u8>),
}

/// # Errors
/// It is there and cannot be read.
pub fn read(path: &Path, maximum_bytes: u64) -> io::Result<Content> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > maximum_bytes => Ok(Content::TooLong),
        Ok(_) => fs::read(path).map(Content::Whole),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content::Absent),
        Err(error) => Err(error),
    }
}

/// Writes a hidden file beside it, syncs that, renames it over the old one, and syncs the folder.
///
/// # Errors
/// The disk's. The old content is there then, or, when the folder cannot be synced, perhaps the new one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut hidden = OsString::from(".");
    hidden.push(path.file_name().unwrap_or_default());
    hidden.push(".new");
    let beside = folder.join(hidden);
    // One that a crash has left may be open to others.
    let _ = fs::remove_file(&beside);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a file of a test need not last")]
    fn a_file_is_replaced_whole_for_its_owner_alone_whatever_a_crash_has_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys.json");
        assert_eq!(read(&path, 3).expect("read"), Content::Absent);
        fs::write(folder.path().join(".keys.json.new"), "half").expect("written");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).expect("replaced");
            assert_eq!(read(&path, 3).expect("read"), Content::Whole(text.into()));
        }
        assert_eq!(read(&path, 2).expect("read"), Content::TooLong);
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing is left beside it");
    }
}
