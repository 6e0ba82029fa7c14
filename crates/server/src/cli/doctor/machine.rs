//! What the machine and its quotas give the server: room on the disk of the data directory, memory, and descriptors.

use std::path::Path;

use rustix::fs::statvfs;
use storage::shared::administration::Check;

use crate::administration::QuotaStatus;

/// Below it there is a warning.
const ROOM_BYTES: u64 = 1 << 30;
/// Below both, too.
const SHARE_PERCENT: u64 = 10;
const SHARE_BYTES: u64 = 10 << 30;
/// Below it, puts may be refused at any moment.
const NO_ROOM_BYTES: u64 = 64 << 20;
/// Of a quota: what needs attention, and what does not wait.
const QUOTA_PERCENT: u64 = 80;
const NEARLY_ALL_PERCENT: u64 = 90;
/// Of the descriptors that the process may have.
const DESCRIPTORS_PERCENT: u64 = 80;

/// Room on the file system of a folder, or of the folder above it that exists.
pub(super) fn disk(folder: &Path) -> Check {
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    match statvfs(there) {
        Ok(said) => room(said.f_bavail * said.f_frsize, said.f_blocks * said.f_frsize),
        Err(error) => Check::warning("space", format!("{} cannot be looked at: {error}", there.display())),
    }
}

fn room(free: u64, all: u64) -> Check {
    let percent = free * 100 / all.max(1);
    let text = format!("{} MiB free, {percent} %", free >> 20);
    if free < NO_ROOM_BYTES {
        Check::failure(
            "space",
            format!("{text}: persistent puts are refused when it is full; free space, or get messages"),
        )
    } else if free < ROOM_BYTES || (percent < SHARE_PERCENT && free < SHARE_BYTES) {
        Check::warning("space", format!("{text}: free space before persistent puts are refused"))
    } else {
        Check::fine("space", text)
    }
}

/// A quota of disk or memory.
pub(super) fn quota(queue_manager: &str, quota: &QuotaStatus) -> Check {
    let (of, percent) = (&quota.of, quota.percent);
    let (used, most) = (quota.used_bytes >> 20, quota.maximum_bytes >> 20);
    let text = format!("{queue_manager} uses {percent} % of its quota of {of}: {used} of {most} MiB");
    let remedy = format!("get messages, or raise limits.{of}_quota, before puts are refused");
    match percent {
        0..QUOTA_PERCENT => Check::fine("quota", text),
        QUOTA_PERCENT..NEARLY_ALL_PERCENT => Check::warning("quota", format!("{text}: {remedy}")),
        NEARLY_ALL_PERCENT.. => Check::failure("quota", format!("{text}: {remedy}")),
    }
}

/// Open descriptors of the server. `None`: the process belongs to another user.
pub(super) fn descriptors(process: u32) -> Option<Check> {
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64;
    let limits = std::fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next())?;
    Some(used_descriptors(open, limit.parse().unwrap_or(u64::MAX)))
}

fn used_descriptors(open: u64, limit: u64) -> Check {
    let are = if open == 1 { "is" } else { "are" };
    let text = format!("{open} of {limit} descriptors {are} open");
    if open >= limit / 100 * DESCRIPTORS_PERCENT {
        let remedy = "raise LimitNOFILE of the unit or `ulimit -n`, or end connections that are not needed";
        Check::warning("descriptors", format!("{text}: {remedy}"))
    } else {
        Check::fine("descriptors", text)
    }
}

#[cfg(test)]
mod tests {
    use storage::shared::administration::Verdict;

    use super::{quota, room, used_descriptors};
    use crate::administration::QuotaStatus;

    #[test]
    fn little_room_and_many_descriptors_need_attention() {
        let of_room = |free: u64, all: u64| room(free << 20, all << 20).verdict;
        assert_eq!(of_room(20_000, 100_000), Verdict::Fine);
        assert_eq!(of_room(11_000, 1_000_000), Verdict::Fine);
        assert_eq!(of_room(9_000, 100_000), Verdict::Warning);
        assert_eq!(of_room(900, 2_000), Verdict::Warning);
        assert_eq!(of_room(63, 100), Verdict::Failure);
        assert_eq!(of_room(0, 0), Verdict::Failure);
        let of_quota = |percent: u64| {
            let status =
                QuotaStatus { of: "disk".to_owned(), used_bytes: percent << 20, maximum_bytes: 100 << 20, percent };
            quota("QM1", &status)
        };
        let verdicts = [79, 80, 89, 90].map(|percent| of_quota(percent).verdict);
        assert_eq!(verdicts, [Verdict::Fine, Verdict::Warning, Verdict::Warning, Verdict::Failure]);
        assert_eq!(
            of_quota(80).text,
            "QM1 uses 80 % of its quota of disk: 80 of 100 MiB: get messages, or raise limits.disk_quota, before puts are refused"
        );
        assert_eq!(used_descriptors(1, 1000).text, "1 of 1000 descriptors is open");
        assert_eq!(used_descriptors(799, 1000).verdict, Verdict::Fine);
        assert_eq!(used_descriptors(800, 1000).verdict, Verdict::Warning);
    }
}
