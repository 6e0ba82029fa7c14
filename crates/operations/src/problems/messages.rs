//! Rules about messages that do not arrive: dead letters, a message that comes back again and again, messages in quarantine.

use std::collections::BTreeMap;

use message_api::dead_letters::reason_words;
use message_api::time_text::write_moment;
use model::authority::AuthorityObject;
use model::name::{ObjectName, QueueName};
use model::reason::Reason;
use model::timestamp::Timestamp;
use serde_json::{Value, json};

use super::facts::{Facts, QueueFacts};
use super::finding::{Finding, Severity, Since, handles, messages};
use super::words::{list, messages as counted};
use message_api::live::Concern;

/// A message that came back so often is poison where no BOTHRESH says another number.
const POISON: u32 = 5;

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = facts.queues.iter().filter_map(|queue| poison(queue, facts)).collect();
    found.extend(dead_letters(facts));
    found.extend(quarantine(facts));
    found
}

fn poison(queue: &QueueFacts, facts: &Facts) -> Option<Finding> {
    let threshold = if queue.backout_threshold > 0 { queue.backout_threshold } else { POISON };
    let (name, times) = (queue.name, queue.first_backouts);
    if times < threshold {
        return None;
    }
    let readers = facts.readers(&name);
    let by = match &*readers {
        [] => "No application has the queue open now.".to_owned(),
        [one] => format!("{one} reads the queue, and gives the message back each time."),
        many => format!("{} read the queue, and give the message back.", list(many)),
    };
    let parking = if queue.backout_queue.is_blank() {
        "Look at it, and move it to another queue.".to_owned()
    } else {
        format!("Look at it, and move it to {}, which BOQNAME names.", queue.backout_queue)
    };
    let text = format!(
        "The first message of {name} was backed out {times} times and holds up those behind it. {by} {parking}"
    );
    Some(
        Finding::of_queue("poison-message", Severity::Error, &name)
            .mark(readers.join(","))
            .text(text)
            .value("backouts", times)
            .value("threshold", threshold)
            .value("depth", queue.depth)
            .value("applications", json!(readers))
            .value("backoutQueue", queue.backout_queue.as_str())
            .next(messages(&name))
            .next(json!({
                "action": "move", "queue": name.as_str(), "limit": 1, "to": queue.backout_queue.as_str(),
                "text": "Move the first message to another queue",
            }))
            .next(handles(&name)),
    )
}

/// Dead letters of one reason for one destination.
#[derive(Default)]
struct Letters {
    count: u64,
    first: Option<Timestamp>,
    last: Timestamp,
    longest: usize,
    users: Vec<String>,
}

fn dead_letters(facts: &Facts) -> Vec<Finding> {
    let mut grouped: BTreeMap<(Option<i32>, &str, &str), Letters> = BTreeMap::new();
    for (kind, group) in &facts.dead_letters.groups {
        let letters = grouped.entry((kind.reason, kind.queue.trim(), kind.queue_manager.trim())).or_default();
        letters.count += group.count;
        letters.first = Some(letters.first.map_or(group.first, |first| first.min(group.first)));
        letters.last = letters.last.max(group.last);
        letters.longest = letters.longest.max(group.longest);
        letters.users.push(kind.user.trim().to_owned());
    }
    let queue = facts.definition.dead_letter_queue;
    grouped.into_iter().map(|(key, letters)| of_letters(facts, &queue, key, letters)).collect()
}

fn of_letters(
    facts: &Facts,
    queue: &QueueName,
    (reason, destination, queue_manager): (Option<i32>, &str, &str),
    mut letters: Letters,
) -> Finding {
    letters.users.sort_unstable();
    letters.users.dedup();
    let count = counted(letters.count);
    let and_more = if facts.dead_letters.is_cut { " or more" } else { "" };
    let finding = Finding::of_queue("dead-letters", Severity::Warning, queue)
        .since(letters.first.map_or(Since::Unknown, Since::At))
        .part(format!("{}:{destination}", reason.unwrap_or_default()))
        .mark(letters.last.as_millis())
        .value("count", letters.count)
        .value("last", write_moment(letters.last))
        .value("users", json!(letters.users))
        .value("destination", destination)
        .value(
            "reason",
            reason.map_or(
                Value::Null,
                |code| json!({ "code": code, "name": Reason::from_number(code).map(Reason::name) }),
            ),
        );
    let look = json!({
        "action": "dead-letters", "queue": queue.as_str(), "reason": reason, "destination": destination,
        "href": format!("/api/v1/qmgr/{}/why/dead-letter", facts.name),
        "text": "See the groups of dead letters",
    });
    let Some(code) = reason else {
        let text = format!(
            "{queue} holds {count}{and_more} without a dead-letter header: a program put or moved them there. Look at them."
        );
        return finding.text(text).next(messages(queue));
    };
    let (now, takes) = destination_now(facts, destination, queue_manager, letters.longest);
    let words = reason_words(code);
    let name = Reason::from_number(code).map_or_else(String::new, |reason| format!(", {}", reason.name()));
    let text = format!("{queue} holds {count}{and_more} for {destination}: {words} ({code}{name}). {now}");
    let finding = finding.text(text).value("wouldTake", takes).next(look);
    if !takes {
        return finding;
    }
    finding.next(json!({
        "action": "replay", "queue": queue.as_str(), "reason": code, "destination": destination,
        "text": format!("Put them to {destination} again"),
    }))
}

/// Whether the destination would take the messages now, and what to do.
fn destination_now(facts: &Facts, queue: &str, queue_manager: &str, length: usize) -> (String, bool) {
    let (Ok(name), Ok(manager)) = (ObjectName::parse(queue), ObjectName::parse(queue_manager)) else {
        return ("The destination has no possible name. Look at the messages.".to_owned(), false);
    };
    match facts.queue_manager.would_take(&name, &manager, length) {
        Ok(()) => (format!("{queue} takes messages now: replay them."), true),
        Err(Reason::QFull) => (format!("{queue} is still full. Make room there, then replay them."), false),
        Err(Reason::PutInhibited) => {
            (format!("Puts to {queue} are inhibited. Enable them, then replay the messages."), false)
        }
        Err(Reason::UnknownObjectName) => {
            (format!("There is still no queue {queue}. Define it, then replay the messages."), false)
        }
        Err(other) => (format!("A put to {queue} would end with {} now.", other.name()), false),
    }
}

fn quarantine(facts: &Facts) -> Option<Finding> {
    let count = facts.quarantine.len();
    let first = facts.quarantine.iter().map(|message| message.arrived).min()?;
    let mut queues: Vec<&str> =
        facts.quarantine.iter().filter_map(|message| message.queue.as_ref().map(ObjectName::as_str)).collect();
    queues.sort_unstable();
    queues.dedup();
    let text = format!(
        "{} cannot be read back from the recovery log, or belong to no queue. Export them with 'quaymaster log quarantine', then remove them.",
        counted(count as u64)
    );
    let concern = Concern::Object(AuthorityObject::QueueManager, facts.name);
    Some(
        Finding::new("quarantine", Severity::Error, ("qmgr", facts.name.as_str()), concern)
            .mark(count)
            .text(text)
            .value("count", count)
            .value("queues", json!(queues))
            .value("oldest", write_moment(first))
            .next(json!({ "action": "server", "text": "See the recovery log on the page of the server" })),
    )
}
