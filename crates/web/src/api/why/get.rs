//! `why/get`: who waits for which messages of a queue, what is there, and the first difference.

use http::StatusCode;
use identity::Identity;
use message_api::differences::{Difference, KINDS, first_difference};
use message_api::time_text::write_moment;
use model::authority::{Authority, AuthorityObject};
use queue_manager::Position;
use queue_manager::insight::{
    Holder, IdentifierKind, Insight, MOST_LOOKED_AT, Program, Reader, Survey, Surveyed, Wait,
};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::error::ApiError;
use crate::service::Call;

use super::{Asker, missing, object_name, parameters};

/// Messages that are shown with their identifiers.
const SAMPLE: usize = 20;
/// Gets whose differences are told.
const MOST_WAITS: usize = 100;

/// # Errors
/// 400 a parameter, 403 the user may not display the queue, 404 no such queue manager or no such queue here.
pub(in super::super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let [queue] = parameters(call, ["queue"])?;
    let name = queue.as_deref().ok_or_else(|| missing("queue", "the name of a queue"))?;
    let asker = Asker::of(call, identity)?;
    let name = object_name("queue", name)?;
    asker.require(AuthorityObject::Queue, &name)?;
    let insight = asker.queue_manager.insight(&name).await;
    let unknown = || ApiError::object_unknown("queue", name.as_str(), asker.queue_manager.name().as_str());
    let insight = insight.ok_or_else(unknown)?;
    asker.require(AuthorityObject::Queue, &insight.queue)?;
    // Identifiers of messages are what a browse shows.
    let browses = asker.is_administrator
        || asker.queue_manager.is_authorised(asker.principal, AuthorityObject::Queue, &name, Authority::BROWSE);
    Ok(super::super::json(StatusCode::OK, &shown(&asker, &insight, browses).await))
}

async fn shown(asker: &Asker<'_>, insight: &Insight, browses: bool) -> Value {
    let mut left = MOST_WAITS;
    let mut readers = Vec::with_capacity(insight.readers.len());
    for reader in &insight.readers {
        readers.push(shown_reader(asker, insight, reader, browses, &mut left).await);
    }
    json!({
        "queue": insight.queue.as_str(),
        "text": summary(insight),
        "inhibited": insight.inhibited.iter().map(model::name::ObjectName::as_str).collect::<Vec<_>>(),
        "readers": readers,
        "readersAreComplete": !insight.readers_are_cut && left > 0,
        "there": there(&insight.survey, browses),
        "holders": holders(insight, asker.sees_records()),
        "notYetDue": {
            "count": insight.not_yet_due.count,
            "firstAt": insight.not_yet_due.first.map(write_moment),
            "refused": insight.not_yet_due.refused,
            "isComplete": !insight.not_yet_due.is_cut,
        },
        "writers": insight.writers,
        "lastPutAt": insight.last_put.map(write_moment),
        "lastGetAt": insight.last_get.map(write_moment),
    })
}

/// The queue in one sentence.
fn summary(insight: &Insight) -> String {
    let survey = &insight.survey;
    let waiting = insight.readers.iter().map(|reader| reader.waits.len()).sum::<usize>();
    let (put, got) = survey.held.iter().fold((0, 0), |(put, got), held| (put + held.put, got + held.got));
    let mut parts = vec![format!("{waiting} gets wait, {} messages can be got", survey.available)];
    if put + got > 0 {
        parts.push(format!("{put} are put and {got} are got without commit"));
    }
    if insight.not_yet_due.count > 0 {
        parts.push(format!("{} are not due yet", insight.not_yet_due.count));
    }
    if !insight.inhibited.is_empty() {
        parts.push("gets are inhibited".to_owned());
    }
    if insight.readers.is_empty() {
        parts.push("no program has the queue open for reading".to_owned());
    }
    parts.join("; ")
}

async fn shown_reader(asker: &Asker<'_>, insight: &Insight, reader: &Reader, browses: bool, left: &mut usize) -> Value {
    let mut shown = shown_program(&reader.program);
    shown["takes"] = json!(reader.takes);
    shown["browses"] = json!(reader.browses);
    if !reader.selector.is_empty() {
        shown["selector"] = json!(reader.selector);
    }
    let mut waits = Vec::new();
    for wait in reader.waits.iter().take(*left) {
        waits.push(shown_wait(asker, insight, reader, wait, browses).await);
    }
    *left -= waits.len();
    shown["waits"] = json!(waits);
    if reader.waits.is_empty() {
        shown["text"] = json!("it has the queue open, and waits for no message at this moment");
    }
    shown
}

async fn shown_wait(asker: &Asker<'_>, insight: &Insight, reader: &Reader, wait: &Wait, browses: bool) -> Value {
    let elsewhere = if browses { in_other_fields(asker, insight, wait).await } else { Vec::new() };
    let look_up = |kind, id| {
        let found = elsewhere.iter().find(|(known_kind, known_id, _)| *known_kind == kind && *known_id == id);
        found.map(|(_, _, position)| *position)
    };
    let difference = first_difference(insight, reader, wait, look_up);
    let Difference { kind, text, near_misses } = difference;
    let mut shown = json!({ "browses": wait.browses, "because": kind });
    if browses {
        shown["text"] = json!(text);
        shown["id"] = json!(wait.message_id);
        shown["correlationId"] = json!(wait.correlation_id);
        shown["groupId"] = json!(wait.group_id);
        let near = |miss: &message_api::differences::NearMiss| json!({ "position": miss.position.0.to_string(), "text": miss.text });
        shown["nearMisses"] = near_misses.iter().map(near).collect();
    }
    shown
}

/// Messages that have what the get asks for as an identifier of another kind.
async fn in_other_fields(
    asker: &Asker<'_>,
    insight: &Insight,
    wait: &Wait,
) -> Vec<(IdentifierKind, [u8; 24], Position)> {
    let mut found = Vec::new();
    for (asked, id) in wait.identifiers() {
        for kind in KINDS.into_iter().filter(|kind| *kind != asked) {
            let position = asker.queue_manager.first_with_identifier(&insight.queue, kind, id).await;
            found.extend(position.map(|position| (kind, id, position)));
        }
    }
    found
}

fn there(survey: &Survey, browses: bool) -> Value {
    let expired = survey.first.iter().filter(|message| message.has_expired).count();
    let locked = survey.first.iter().filter(|message| message.is_locked).count();
    let mut shown = json!({
        "available": survey.available,
        "expired": expired,
        "locked": locked,
        "beingRead": survey.being_read,
        "quarantined": survey.quarantined,
        "lookedAt": survey.available.min(MOST_LOOKED_AT),
    });
    if browses {
        shown["messages"] = survey.first.iter().take(SAMPLE).map(shown_message).collect();
    }
    shown
}

fn shown_message(message: &Surveyed) -> Value {
    let group = (!message.group_id.is_none()).then_some(message.group_id);
    json!({
        "position": message.position.0.to_string(), "id": message.message_id, "correlationId": message.correlation_id,
        "groupId": group, "hasExpired": message.has_expired, "isLocked": message.is_locked,
    })
}

/// Which program holds messages is what DISPLAY CONN shows.
fn holders(insight: &Insight, with_programs: bool) -> Value {
    let one = |(held, holder): (&queue_manager::insight::HeldByUnit, &Holder)| {
        let (mut shown, since, text) = match holder {
            Holder::Connection { program, since } => {
                let program = if with_programs { shown_program(program) } else { json!({}) };
                (program, Some(*since), "the unit of work of a connection")
            }
            Holder::Detached { since } => (json!({}), Some(*since), "a delivery of the message API, under its lock"),
            Holder::Branch { since, is_prepared: true } => (
                json!({}),
                Some(*since),
                "a prepared XA branch: its transaction manager has to commit it or roll it back",
            ),
            Holder::Branch { since, is_prepared: false } => {
                (json!({}), Some(*since), "an XA branch that no connection works on")
            }
            Holder::Unknown => (json!({}), None, "a unit of work that has just ended, or one of the queue manager"),
        };
        shown["put"] = json!(held.put);
        shown["got"] = json!(held.got);
        shown["since"] = json!(since.map(write_moment));
        shown["text"] = json!(text);
        shown
    };
    insight.survey.held.iter().zip(&insight.holders).map(one).collect()
}

fn shown_program(program: &Program) -> Value {
    let mut shown = json!({ "application": program.application, "user": program.user });
    for (member, text) in [("channel", &program.channel), ("address", &program.connection_name)] {
        if !text.is_empty() {
            shown[member] = json!(text);
        }
    }
    shown
}
