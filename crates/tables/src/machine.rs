//! The machine that measured, as the load driver sees it, and where the servers' data lay.

use std::path::Path;

use serde::Serialize;
use workload::machine::Versions;

#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    #[serde(flatten)]
    pub seen: workload::machine::Machine,
    /// Type of the file system of the folder that the servers' data lay in.
    pub file_system: String,
    /// `optimized` or `debug`.
    pub build: &'static str,
}

impl Machine {
    /// What cannot be read stays empty.
    pub fn of(data: &Path) -> Self {
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        Self {
            seen: workload::machine::Machine::read(),
            file_system: file_system(&mounts, data),
            build: Versions::read().build,
        }
    }

    /// `2 × AMD EPYC`.
    pub fn processors(&self) -> String {
        format!("{} × {}", self.seen.processors, self.seen.cpu)
    }

    /// `Debian GNU/Linux 12, Linux 6.18, x86_64`.
    pub fn system(&self) -> String {
        format!("{}, Linux {}, {}", self.seen.system, self.seen.kernel, self.seen.architecture)
    }
}

/// Type of the file system whose mount point is the longest start of `data`.
fn file_system(mounts: &str, data: &Path) -> String {
    let of = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (at, kind) = (words.next()?.to_owned(), words.next()?.to_owned());
        data.starts_with(&at).then_some((at.len(), kind))
    };
    // Of mounts on one point the last counts.
    mounts.lines().filter_map(of).max_by_key(|(length, _)| *length).map(|(_, kind)| kind).unwrap_or_default()
}

#[cfg(test)]
mod tests;
