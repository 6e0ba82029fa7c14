//! The file of push targets: JSON. Only its owner may open it, because it has the secrets that messages are signed with.
//!
//! ```text
//! {"version": 1, "targets": [DEFINITION …]}
//! ```

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use whole_file::Content;

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
    let bytes = match whole_file::read(path, MAXIMUM_BYTES).map_err(unread)? {
        Content::Absent => return Ok(Vec::new()),
        Content::TooLong => return Err(damaged(format!("it has more than {MAXIMUM_BYTES} bytes"))),
        Content::Whole(bytes) => bytes,
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
    whole_file::replace(path, &bytes).map_err(|source| PushFileError::Write { path: path.to_owned(), source })
}
