//! The file of push targets: JSON, written beside its place, synced and renamed; only its owner may open it, because it has the
//! secrets that messages are signed with.
//!
//! ```text
//! {"version": 1, "targets": [DEFINITION …]}
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::definition::Definition;

const VERSION: u32 = 1;
/// Longest file that is read, in bytes.
const MAXIMUM_BYTES: u64 = 64 << 20;

#[derive(Debug, thiserror::Error)]
pub enum PushFileError {
    #[error("cannot read the file of push targets {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "the file of push targets {path} is damaged: {problem}; restore it, or remove it, which removes all targets"
    )]
    Damaged { path: PathBuf, problem: String },
    #[error("cannot write the file of push targets {path}: {source}")]
    Write { path: PathBuf, source: io::Error },
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    targets: Vec<&'a Definition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u32,
    targets: Vec<Definition>,
}

/// An absent file holds no targets.
pub(super) fn read(path: &Path) -> Result<Vec<Definition>, PushFileError> {
    let unread = |source| PushFileError::Read { path: path.to_owned(), source };
    let damaged = |problem: String| PushFileError::Damaged { path: path.to_owned(), problem };
    let bytes = match fs::metadata(path) {
        Ok(metadata) if metadata.len() > MAXIMUM_BYTES => {
            return Err(damaged(format!("it has more than {MAXIMUM_BYTES} bytes")));
        }
        Ok(_) => fs::read(path).map_err(unread)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unread(error)),
    };
    // What serde says may quote a value: the place is told, and no value.
    let told = |error: serde_json::Error| format!("line {}, column {}", error.line(), error.column());
    let contents: Contents = serde_json::from_slice(&bytes).map_err(|error| damaged(told(error)))?;
    if contents.version != VERSION {
        return Err(damaged(format!("its version is {}, expected {VERSION}", contents.version)));
    }
    Ok(contents.targets)
}

pub(super) fn write<'d>(path: &Path, targets: impl Iterator<Item = &'d Definition>) -> Result<(), PushFileError> {
    let contents = Written { version: VERSION, targets: targets.collect() };
    let mut bytes = serde_json::to_vec_pretty(&contents).expect("texts and numbers");
    bytes.push(b'\n');
    replace(path, &bytes).map_err(|source| PushFileError::Write { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let _ = fs::remove_file(&beside);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    File::open(folder)?.sync_all()
}
