//! The recovery log and its file system, between two readings.

use storage::private::StoreStatistics;
use storage::private::log::disk::DiskSpace;

use crate::engine::Engine;

/// Counters since the start.
pub(super) struct Reading(StoreStatistics);

/// What was written since the reading before, and how the disk is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DiskUse {
    pub(super) space: DiskSpace,
    pub(super) log_bytes: u64,
    pub(super) written_bytes: u64,
    /// Of one sync, on average.
    pub(super) write_us: u64,
    /// Of one batch, on average.
    pub(super) write_bytes: u64,
}

impl DiskUse {
    pub(super) fn used_bytes(&self) -> u64 {
        self.space.total.saturating_sub(self.space.free)
    }

    pub(super) fn used_mebibytes(&self) -> u64 {
        self.used_bytes() >> 20
    }

    /// In hundredths of a percent.
    pub(super) fn free_share(&self) -> u64 {
        share(self.space.free, self.space.total)
    }
}

/// A part of a whole in hundredths of a percent.
pub(super) fn share(part: u64, whole: u64) -> u64 {
    let share = u128::from(part) * 10_000 / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

impl Reading {
    pub(super) fn take(engine: &Engine) -> Self {
        Self(engine.store.statistics())
    }

    /// `None`: nothing is on disk.
    pub(super) fn since(&self, before: &Self, engine: &Engine) -> Option<DiskUse> {
        let (now, before) = (&self.0, &before.0);
        let written = now.log_bytes_written.saturating_sub(before.log_bytes_written);
        let syncs = now.log_syncs.saturating_sub(before.log_syncs);
        let batches = now.log_batches.saturating_sub(before.log_batches);
        let syncing = std::time::Duration::try_from_secs_f64(now.sync_seconds_total - before.sync_seconds_total);
        let syncing_us = u64::try_from(syncing.unwrap_or_default().as_micros()).unwrap_or(u64::MAX);
        Some(DiskUse {
            space: engine.store.disk_space()?,
            log_bytes: now.log_bytes_in_use,
            written_bytes: written,
            write_us: syncing_us.checked_div(syncs).unwrap_or(0),
            write_bytes: written.checked_div(batches).unwrap_or(0),
        })
    }
}
