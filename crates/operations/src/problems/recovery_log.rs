//! Rules about the recovery log and the queue manager as a whole.

use std::time::Duration;

use message_api::live::Concern;
use model::authority::AuthorityObject;
use model::definition::queue_manager::Control;
use queue_manager::status::QuotaUse;
use serde_json::json;

use super::facts::Facts;
use super::finding::{Finding, Severity, command};
use super::words::age;

/// Syncs that take longer are slow, and fewer say nothing.
const SLOW_SYNC: Duration = Duration::from_millis(50);
const FEWEST_SYNCS: u32 = 3;
/// Percent of a disk.
const LEAST_FREE: u64 = 10;
/// So many bytes are enough, however large the disk is.
const ENOUGH_FREE: u64 = 10 << 30;

/// Percent of a quota: what needs attention, and what does not wait.
const QUOTA_USED: u64 = 80;
const QUOTA_NEARLY_USED: u64 = 90;

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    let found = [failed, full, damaged, slow, disk, disk_quota, memory_quota, records_dropped, command_server];
    found.into_iter().filter_map(|rule| rule(facts)).collect()
}

fn of_manager(facts: &Facts, rule: &'static str, severity: Severity) -> Finding {
    let concern = Concern::Object(AuthorityObject::QueueManager, facts.name);
    Finding::new(rule, severity, ("qmgr", facts.name.as_str()), concern)
}

fn failed(facts: &Facts) -> Option<Finding> {
    facts.status.store.log_failed.then(|| {
        of_manager(facts, "log-failed", Severity::Error)
            .text(format!("The recovery log of {} has failed: nothing is written, and the queue manager ends. Mend the disk, then start it again.", facts.name))
            .next(json!({ "action": "server", "text": "See the log of the server" }))
    })
}

fn full(facts: &Facts) -> Option<Finding> {
    let store = &facts.status.store;
    store.log_full.then(|| {
        of_manager(facts, "log-full", Severity::Error)
            .text(format!(
                "The recovery log of {} has no space: persistent puts fail with 2056 (MQRC_Q_SPACE_NOT_AVAILABLE). Free space on its disk, or take messages off its queues.",
                facts.name
            ))
            .value("logBytes", store.log_bytes_in_use)
            .value("extents", store.log_extents)
            .next(json!({ "action": "server", "text": "See the recovery log" }))
    })
}

fn damaged(facts: &Facts) -> Option<Finding> {
    let found = facts.status.store.log_damage_found;
    (found > 0).then(|| {
        of_manager(facts, "log-damaged", Severity::Error)
            .mark(found)
            .text(format!(
                "The recovery log of {} is damaged at {found} places that were written well before. Take a backup, then check the disk.",
                facts.name
            ))
            .value("places", found)
            .next(json!({ "action": "server", "text": "See the recovery log" }))
    })
}

/// A sync is what a persistent put waits for.
fn slow(facts: &Facts) -> Option<Finding> {
    let lately = &facts.lately;
    let mean = lately.sync_time / u32::try_from(lately.syncs).ok().filter(|syncs| *syncs >= FEWEST_SYNCS)?;
    (mean >= SLOW_SYNC).then(|| {
        of_manager(facts, "log-slow", Severity::Warning)
            .text(format!(
                "Syncs of the recovery log of {} take {} ms each: a persistent put waits for that. See what else uses the disk.",
                facts.name,
                mean.as_millis()
            ))
            .value("milliseconds", u64::try_from(mean.as_millis()).unwrap_or(u64::MAX))
            .value("syncs", lately.syncs)
            .next(json!({ "action": "server", "text": "See the recovery log" }))
    })
}

fn disk(facts: &Facts) -> Option<Finding> {
    let disk = facts.disk.filter(|disk| disk.total > 0)?;
    let percent = disk.free.saturating_mul(100) / disk.total;
    (percent < LEAST_FREE && disk.free < ENOUGH_FREE).then(|| {
        let severity = if percent < LEAST_FREE / 5 { Severity::Error } else { Severity::Warning };
        of_manager(facts, "disk-low", severity)
            .mark(percent)
            .text(format!(
                "The disk of the recovery log of {} has {percent} % free: {} MiB. Free space before persistent puts fail.",
                facts.name,
                disk.free >> 20
            ))
            .value("percent", percent)
            .value("freeBytes", disk.free)
            .value("totalBytes", disk.total)
            .next(json!({ "action": "server", "text": "See the disk of the server" }))
    })
}

fn disk_quota(facts: &Facts) -> Option<Finding> {
    quota(facts, facts.status.store.quotas.disk?, "quota-disk", "disk", "2056 (MQRC_Q_SPACE_NOT_AVAILABLE)")
}

fn memory_quota(facts: &Facts) -> Option<Finding> {
    quota(facts, facts.status.store.quotas.memory?, "quota-memory", "memory", "2071 (MQRC_STORAGE_NOT_AVAILABLE)")
}

fn quota(facts: &Facts, quota: QuotaUse, rule: &'static str, of: &str, reason: &str) -> Option<Finding> {
    let percent = quota.percent();
    (percent >= QUOTA_USED).then(|| {
        let severity = if percent < QUOTA_NEARLY_USED { Severity::Warning } else { Severity::Error };
        of_manager(facts, rule, severity)
            .mark(percent)
            .text(format!(
                "{percent} % of the quota of {of} of {} is used. Take messages off its queues, or raise limits.{of}_quota, before puts fail with {reason}.",
                facts.name
            ))
            .value("percent", percent)
            .value("usedBytes", quota.used_bytes)
            .value("quotaBytes", quota.maximum_bytes)
            .next(json!({ "action": "server", "text": "See the settings of the server" }))
    })
}

/// Of accounting and statistics.
fn records_dropped(facts: &Facts) -> Option<Finding> {
    let dropped = facts.lately.dropped_records;
    (dropped > 0).then(|| {
        of_manager(facts, "records-dropped", Severity::Warning)
            .text(format!(
                "{dropped} records of accounting or statistics were dropped in {}: their queue is full or takes no puts. Read SYSTEM.ADMIN.ACCOUNTING.QUEUE and SYSTEM.ADMIN.STATISTICS.QUEUE, or switch the records off.",
                age(facts.lately.time)
            ))
            .value("records", dropped)
            .next(json!({ "action": "messages", "queue": "SYSTEM.ADMIN.ACCOUNTING.QUEUE", "text": "Look at the records of accounting" }))
    })
}

fn command_server(facts: &Facts) -> Option<Finding> {
    let is_to_run = facts.definition.command_server_control == Control::QueueManager;
    (is_to_run && !facts.status.command_server).then(|| {
        of_manager(facts, "command-server-stopped", Severity::Warning)
            .text(format!(
                "The command server of {} is stopped: programs that send PCF commands get no answer. Start it.",
                facts.name
            ))
            .next(command(&["START CMDSERV".to_owned()], "Start the command server"))
    })
}
