//! The key file on disk: read at start, made when absent, so that tokens outlive a restart.
//!
//! A file we make is complete or absent, and only its owner may open it (`whole_file`).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::keys::{DEFAULT_PASSWORD, KeysError, LtpaKeys, OWN_COMMENT};

/// Longest key file that is read, in bytes; a usual one has 900.
const MAXIMUM_BYTES: u64 = 64 << 10;

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("cannot read the LTPA key file {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot make the LTPA key file {path}: {source}")]
    Make { path: PathBuf, source: io::Error },
    #[error("the LTPA key file {path} is longer than {MAXIMUM_BYTES} bytes")]
    TooLong { path: PathBuf },
    #[error("the LTPA key file {path} cannot be used: {source}")]
    Keys { path: PathBuf, source: KeysError },
}

/// Keys of the file at `path`, which is made when absent. Without `password`, Liberty's default opens and protects it.
///
/// `date` is written into a new file.
///
/// # Errors
/// The file cannot be read, made or used.
pub fn load_or_make(path: &Path, password: Option<&str>, date: &str) -> Result<LtpaKeys, KeyFileError> {
    let password = password.unwrap_or(DEFAULT_PASSWORD);
    match read(path) {
        Ok(contents) => {
            let keys = LtpaKeys::parse(&contents, password)
                .map_err(|source| KeyFileError::Keys { path: path.to_owned(), source })?;
            warn_of_known_password(path, password, &contents);
            Ok(keys)
        }
        Err(KeyFileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            let keys = LtpaKeys::generate().map_err(|source| KeyFileError::Keys { path: path.to_owned(), source })?;
            make(path, &keys.to_file(password, date))
                .map_err(|source| KeyFileError::Make { path: path.to_owned(), source })?;
            Ok(keys)
        }
        Err(error) => Err(error),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, KeyFileError> {
    let error = |source| KeyFileError::Read { path: path.to_owned(), source };
    if fs::metadata(path).map_err(error)?.len() > MAXIMUM_BYTES {
        return Err(KeyFileError::TooLong { path: path.to_owned() });
    }
    fs::read(path).map_err(error)
}

/// Whoever gets hold of such a file can mint tokens for any user.
fn warn_of_known_password(path: &Path, password: &str, contents: &[u8]) {
    let others_may_read = fs::metadata(path).is_ok_and(|metadata| metadata.mode() & 0o077 != 0);
    let foreign = !contents.starts_with(OWN_COMMENT.as_bytes());
    if password == DEFAULT_PASSWORD && (foreign || others_may_read) {
        tracing::warn!(
            file = %path.display(),
            "the LTPA key file has the published default password: set ltpa.keys_password and make a new file"
        );
    }
}

fn make(path: &Path, contents: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    whole_file::replace(path, contents.as_bytes())
}
