//! `/qmgr/{qmgr}/group`: the queue-sharing group as this member sees it: members, databases, structures, and what needs attention.
//!
//! What needs attention are the checks of `quaymaster doctor`, in its words.

use std::time::Duration;

use http::StatusCode;
use message_api::time_text::write_moment;
use model::definition::structure::OnLoss;
use queue_manager::group_statistics::{DatabaseStatistics, HINT_KINDS};
use queue_manager::group_view::{
    Check, DatabaseFacts, DatabaseView, GroupView, Holder, Host, HostRole, MemberLook, Recovery, Standby,
};
use queue_manager::{GroupLook, StructureLook};
use serde_json::{Map, Value, json};

use crate::admin::Reached;
use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

use super::json as answer_json;

/// GET of `/group`.
///
/// # Errors
/// 400 a query; 404 there is no such queue manager, or it is in no group.
pub(super) async fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let manager = Reached::of(call)?.queue_manager;
    let name = manager.name();
    let look = manager.group_look().await.ok_or_else(|| ApiError::new(&error::NO_GROUP, &[name.as_str()]))?;
    Ok(answer_json(StatusCode::OK, &shown(name.as_str(), &look)))
}

fn shown(member: &str, look: &GroupLook) -> Value {
    let view = look.view.as_ref();
    let status = view.and_then(|view| view.status.as_ref());
    let own = view.and_then(|view| view.statistics.own.as_ref());
    json!({
        "at": write_moment(look.at),
        "name": look.name.as_str(),
        "member": member,
        "number": own.map(|own| own.number),
        "epoch": own.map(|own| own.epoch),
        "hasDatabase": view.is_some(),
        "schemaVersion": status.map(|status| status.schema_version),
        "supportedVersion": status.map(|status| status.supported_version),
        "members": view.map_or_else(Vec::new, |view| members(member, view)),
        "databases": view.map_or_else(Vec::new, |view| view.databases.iter().map(database).collect()),
        "structures": look.structures.iter().map(structure).collect::<Vec<_>>(),
        "hints": view.map(hints),
        "checks": view.map_or_else(Vec::new, |view| view.checks.iter().map(check).collect()),
    })
}

fn members(own: &str, view: &GroupView) -> Vec<Value> {
    let status = view.status.as_ref();
    let of_one = |member: &MemberLook| {
        let units: Vec<_> =
            status.iter().flat_map(|status| &status.in_doubt).filter(|unit| unit.member == member.number).collect();
        let recoveries: Vec<&Recovery> = status
            .iter()
            .flat_map(|status| &status.recoveries)
            .filter(|recovery| recovery.member == member.name)
            .collect();
        json!({
            "name": member.name,
            "number": member.number,
            "state": member.state.word(),
            "isSelf": member.name == own,
            "epoch": member.epoch,
            "secondsSinceBeat": member.since_beat.map(seconds),
            "secondsWatched": seconds(member.watched),
            "isHeard": !view.statistics.unheard.contains(&member.number),
            "address": member.address,
            "host": member.host,
            "version": member.program,
            "schemaVersion": member.level,
            "claims": member.claims,
            "unitsInDoubt": units.len(),
            "messagesInDoubt": units.iter().map(|unit| unit.messages).sum::<i64>(),
            "recovery": recovery(&recoveries),
        })
    };
    view.members.iter().map(of_one).collect()
}

/// The last one, with what went back by it in all databases; `null`: there was none.
fn recovery(all: &[&Recovery]) -> Option<Value> {
    let last = all.iter().max_by_key(|recovery| recovery.at)?;
    let messages: i64 = all.iter().map(|recovery| recovery.messages).sum();
    Some(json!({ "by": last.by, "at": write_moment(last.at), "messages": messages }))
}

fn database(view: &DatabaseView) -> Value {
    let mut shown = json!({
        "structure": view.structure,
        "isReached": view.trouble.is_none(),
        "trouble": view.trouble,
        "secondsSinceLook": view.facts.as_ref().map(|(age, _)| seconds(*age)),
    });
    let mut add = |members: Value| {
        if let (Value::Object(shown), Value::Object(members)) = (&mut shown, members) {
            shown.extend(members);
        }
    };
    add(counted(&view.statistics));
    let unknown = DatabaseFacts::default();
    add(facts(view.facts.as_ref().map_or(&unknown, |(_, facts)| facts)));
    shown
}

fn counted(statistics: &DatabaseStatistics) -> Value {
    let sum = |of: fn(&queue_manager::group_statistics::LaneStatistics) -> u64| -> u64 {
        statistics.lanes.iter().map(of).sum()
    };
    json!({
        "roundTripMilliseconds": statistics.round_trip.map(milliseconds),
        "commitMilliseconds": statistics.mean_commit().map(milliseconds),
        "batches": sum(|lane| lane.batches.iter().sum()),
        "operations": sum(|lane| lane.operations),
        "unknownOutcomes": sum(|lane| lane.asked.iter().sum()),
        "connects": statistics.connects,
        "recoveries": statistics.recoveries,
        "recoveredMessages": statistics.recovered_messages,
    })
}

fn facts(facts: &DatabaseFacts) -> Value {
    json!({
        "engine": facts.engine,
        "version": facts.version,
        "host": facts.host,
        "timeline": facts.timeline,
        "isEncrypted": facts.is_encrypted,
        "hosts": facts.hosts.iter().map(host).collect::<Vec<_>>(),
        "synchronousStandbyNames": facts.synchronous_standby_names,
        "standbys": facts.standbys.iter().map(standby).collect::<Vec<_>>(),
        "deadRows": facts.dead_rows,
        "liveRows": facts.live_rows,
        "secondsSinceVacuum": facts.since_vacuum.map(|since| since.as_secs()),
        "holders": facts.holders.iter().map(holder).collect::<Vec<_>>(),
    })
}

fn host(host: &Host) -> Value {
    let (role, why) = match &host.role {
        HostRole::Primary { .. } => ("primary", None),
        HostRole::Standby => ("standby", None),
        HostRole::Unreachable { why } => ("away", Some(why)),
    };
    json!({ "name": host.name, "role": role, "why": why })
}

fn standby(standby: &Standby) -> Value {
    json!({
        "name": standby.name, "state": standby.state, "synchronous": standby.synchronous,
        "behindBytes": standby.behind_bytes,
    })
}

fn holder(holder: &Holder) -> Value {
    json!({
        "kind": holder.kind, "pid": holder.pid, "name": holder.name, "user": holder.user, "state": holder.state,
        "seconds": holder.age.map(|age| age.as_secs()),
    })
}

fn structure(structure: &StructureLook) -> Value {
    json!({
        "name": structure.name,
        "description": structure.description,
        "recover": structure.recovers,
        "onLoss": match structure.on_loss {
            OnLoss::Terminate => "TERMINATE",
            OnLoss::Tolerate => "TOLERATE",
            OnLoss::AsQueueManager => "ASQMGR",
        },
        "hasDatabase": structure.has_database,
        "queues": structure.content.queues,
        "messages": structure.content.messages,
        "bytes": structure.content.bytes,
    })
}

fn hints(view: &GroupView) -> Value {
    let counts = |counts: [u64; 4]| -> Map<String, Value> {
        HINT_KINDS.iter().zip(counts).map(|(kind, count)| ((*kind).to_owned(), json!(count))).collect()
    };
    let hints = &view.statistics.hints;
    json!({ "sent": counts(hints.sent), "received": counts(hints.received), "refused": hints.refused })
}

fn check(check: &Check) -> Value {
    json!({ "subject": check.subject, "about": check.about, "verdict": check.verdict.word(), "text": check.text })
}

fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100_000.0).round() / 100.0
}
