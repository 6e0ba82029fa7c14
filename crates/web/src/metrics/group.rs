//! A member's part in its queue-sharing group, as metrics. A server without a group has none of them.
//!
//! Never: asks a database. Everything is what the member knows.

use std::time::Duration;

use queue_manager::QueueManager;
use queue_manager::group_statistics::{
    BATCH_BOUNDS_US, DatabaseStatistics, GroupStatistics, HINT_KINDS, LaneStatistics, MemberState, MemberStatus,
};

use super::{Family, Page, number};

/// Of members, with their words.
const STATES: [(MemberState, &str); 4] = [
    (MemberState::Active, "active"),
    (MemberState::Inactive, "inactive"),
    (MemberState::Recovering, "recovering"),
    (MemberState::Failed, "failed"),
];

const DATABASE_FAMILIES: [Family<DatabaseStatistics>; 7] = [
    ("quaymaster_group_database_reachable", "gauge", "1 while the member works with the database.", |d| {
        f64::from(u8::from(d.is_reached))
    }),
    (
        "quaymaster_group_database_connects_total",
        "counter",
        "Times that the member has connected to the database.",
        |d| number(d.connects),
    ),
    (
        "quaymaster_group_round_trip_seconds",
        "gauge",
        "Time of the last exchange with the database that waits for no disk, 0 before the first.",
        |d| d.round_trip.unwrap_or_default().as_secs_f64(),
    ),
    ("quaymaster_group_dead_rows", "gauge", "Dead rows of the table of messages.", |d| {
        number(d.dead_rows.unwrap_or_default().max(0).unsigned_abs())
    }),
    (
        "quaymaster_group_oldest_snapshot_seconds",
        "gauge",
        "Age of the oldest transaction that keeps dead rows from being cleaned, 0 when there is none.",
        |d| d.oldest_snapshot.unwrap_or_default().as_secs_f64(),
    ),
    ("quaymaster_group_recoveries_total", "counter", "Peers whose work the member has ended in the database.", |d| {
        number(d.recoveries)
    }),
    (
        "quaymaster_group_recovered_messages_total",
        "counter",
        "Messages that went back to their queues by these recoveries.",
        |d| number(d.recovered_messages),
    ),
];

/// Of members of groups that have a database.
pub(super) fn groups(page: &mut Page, queue_managers: &[QueueManager]) {
    let of_member = |queue_manager: &QueueManager| {
        let labels = format!("qmgr=\"{}\",group=\"{}\"", queue_manager.name(), queue_manager.group()?);
        Some((labels, queue_manager.group_statistics()?))
    };
    let all: Vec<(String, GroupStatistics)> = queue_managers.iter().filter_map(of_member).collect();
    if all.is_empty() {
        return;
    }
    members(page, &all);
    hints(page, &all);
    let databases: Vec<(String, &DatabaseStatistics)> = all
        .iter()
        .flat_map(|(labels, group)| {
            group.databases.iter().map(move |database| {
                let name = database.structure.as_deref().unwrap_or("home");
                (format!("{labels},database=\"{name}\""), database)
            })
        })
        .collect();
    for (name, kind, help, value) in DATABASE_FAMILIES {
        page.family(name, kind, help);
        for (labels, database) in &databases {
            page.sample(name, labels, value(database));
        }
    }
    let lanes: Vec<(String, &LaneStatistics)> = databases
        .iter()
        .flat_map(|(labels, database)| {
            database.lanes.iter().map(move |lane| (format!("{labels},lane=\"{}\"", lane.lane), lane))
        })
        .collect();
    batches(page, &lanes);
}

fn members(page: &mut Page, all: &[(String, GroupStatistics)]) {
    const MEMBERS: &str = "quaymaster_group_members";
    page.family(MEMBERS, "gauge", "Members of the group in each state, as the member sees them.");
    for (labels, group) in all {
        for (state, word) in STATES {
            let count = group.members.iter().filter(|member| member.state == state).count();
            page.sample(MEMBERS, &format!("{labels},state=\"{word}\""), count);
        }
    }
    const STATE: &str = "quaymaster_group_member_state";
    page.family(STATE, "gauge", "1 for the state that the member itself has in the group.");
    for (labels, group) in all {
        for (state, word) in STATES {
            let is_so = group.own.as_ref().is_some_and(|own| own.state == state);
            page.sample(STATE, &format!("{labels},state=\"{word}\""), u8::from(is_so));
        }
    }
    const EPOCH: &str = "quaymaster_group_epoch";
    page.family(EPOCH, "gauge", "Epoch of the member, which rises when it joins and when a peer recovers it.");
    for (labels, group) in all {
        page.sample(EPOCH, labels, group.own.as_ref().map_or(0, |own: &MemberStatus| own.epoch));
    }
    const UNHEARD: &str = "quaymaster_group_peers_unheard";
    page.family(UNHEARD, "gauge", "Active members whose datagrams do not arrive.");
    for (labels, group) in all {
        page.sample(UNHEARD, labels, group.unheard.len());
    }
}

fn hints(page: &mut Page, all: &[(String, GroupStatistics)]) {
    const SENT: &str = "quaymaster_group_hints_sent_total";
    page.family(SENT, "counter", "Datagrams sent to other members.");
    for (labels, group) in all {
        for (kind, count) in HINT_KINDS.iter().zip(group.hints.sent) {
            page.sample(SENT, &format!("{labels},kind=\"{kind}\""), count);
        }
    }
    const RECEIVED: &str = "quaymaster_group_hints_received_total";
    page.family(RECEIVED, "counter", "Datagrams taken from other members.");
    for (labels, group) in all {
        for (kind, count) in HINT_KINDS.iter().zip(group.hints.received) {
            page.sample(RECEIVED, &format!("{labels},kind=\"{kind}\""), count);
        }
    }
    const REFUSED: &str = "quaymaster_group_hints_refused_total";
    page.family(REFUSED, "counter", "Datagrams that are not of a member, or came twice.");
    for (labels, group) in all {
        page.sample(REFUSED, labels, group.hints.refused);
    }
}

fn batches(page: &mut Page, lanes: &[(String, &LaneStatistics)]) {
    const OPERATIONS: &str = "quaymaster_group_operations_total";
    page.family(OPERATIONS, "counter", "Operations of the batches that were committed.");
    for (labels, lane) in lanes {
        page.sample(OPERATIONS, labels, lane.operations);
    }
    const ASKED: &str = "quaymaster_group_unknown_outcomes_total";
    page.family(ASKED, "counter", "Batches without an answer, whose outcome the database was asked for.");
    for (labels, lane) in lanes {
        for (outcome, count) in ["committed", "repeated"].iter().zip(lane.asked) {
            page.sample(ASKED, &format!("{labels},outcome=\"{outcome}\""), count);
        }
    }
    const DURATION: &str = "quaymaster_group_batch_duration_seconds";
    page.family(DURATION, "histogram", "Time of a batch, from its first statement to the answer to its commit.");
    for (labels, lane) in lanes {
        let mut cumulative = 0;
        for (bound, count) in BATCH_BOUNDS_US.iter().zip(&lane.batches) {
            cumulative += count;
            let bound = Duration::from_micros(*bound).as_secs_f64();
            page.sample(&format!("{DURATION}_bucket"), &format!("{labels},le=\"{bound}\""), cumulative);
        }
        let total: u64 = lane.batches.iter().sum();
        page.sample(&format!("{DURATION}_bucket"), &format!("{labels},le=\"+Inf\""), total);
        page.sample(&format!("{DURATION}_sum"), labels, lane.total.as_secs_f64());
        page.sample(&format!("{DURATION}_count"), labels, total);
    }
}
