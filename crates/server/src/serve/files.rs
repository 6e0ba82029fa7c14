//! How many files and sockets the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what the system allows: each socket of a client is an open file. Where that fails the limit stays,
/// and connections beyond it wait.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        Ok(()) => tracing::debug!("up to {:?} files may be open", limit.maximum),
        Err(error) => tracing::warn!(%error, "the limit of open files stays at {:?}", limit.current),
    }
}
