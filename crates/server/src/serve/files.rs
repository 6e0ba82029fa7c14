//! How many files and sockets the process may have open.

use std::sync::Once;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what the system allows: each socket of a client is an open file. Where that fails the limit stays,
/// and connections beyond it wait.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        raise(limit);
    }
    make_room();
}

fn raise(limit: Rlimit) {
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        Ok(()) => tracing::debug!("up to {:?} files may be open", limit.maximum),
        Err(error) => tracing::warn!(%error, "the limit of open files stays at {:?}", limit.current),
    }
}

/// Files that the system is told of in advance, which it keeps eight bytes for each.
const ROOM: u64 = 32_768;

/// Lets the system make its table of open files long at once. It would double the table each time that it is full, and every thread that
/// opens or accepts meanwhile would wait until no processor looks at the old one: up to 0.3 s for health while many sockets come.
/// To be called while the process has one thread, which need not wait.
fn make_room() {
    let files = getrlimit(Resource::Nofile).current.map_or(ROOM, |files| files.min(ROOM));
    let highest = i32::try_from(files.saturating_sub(1)).unwrap_or(i32::MAX);
    // The copy is closed at once; the room stays.
    if let Err(error) = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), highest) {
        tracing::debug!(%error, "no room for {files} open files was made in advance");
    }
}

/// Open files that no client's socket may take: logs, archives, administration, health checks, connections to others.
const RESERVE: u64 = 256;
/// HTTPS, HTTP and MQ clients: none of them may take what the others need.
const DOORS: u64 = 3;

/// How many sockets one door may serve of those that it is configured to serve, so that accepting one never fails for want
/// of a file.
pub(super) fn share(configured: usize, key: &str) -> usize {
    let Some(files) = getrlimit(Resource::Nofile).current else { return configured };
    let share = share_of(files);
    if share < configured {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            tracing::info!(
                "{key} is {configured}, but each of the HTTPS, HTTP and MQ listeners serves at most {share} sockets: the process may \
                 open {files} files (raise it, as by LimitNOFILE= of a systemd unit)"
            );
        });
    }
    configured.min(share)
}

fn share_of(files: u64) -> usize {
    let share = files.saturating_sub(RESERVE.min(files / 4)) / DOORS;
    usize::try_from(share).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::{ROOM, Resource, getrlimit, raise_limit, share_of};

    #[test]
    fn there_is_room_for_many_files_before_they_are_opened() {
        raise_limit();
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
        let room = status.lines().find_map(|line| line.strip_prefix("FDSize:")).expect("the table's size");
        let room: u64 = room.trim().parse().expect("a number");
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        assert!(room >= limit.min(ROOM), "{room} of {limit}");
    }

    #[test]
    fn sockets_leave_files_for_everything_else() {
        assert_eq!(share_of(1024), 256);
        assert_eq!(share_of(256), 64);
        assert_eq!(share_of(0), 1);
        assert_eq!(share_of(1 << 20), ((1 << 20) - 256) / 3);
    }
}
