//! Rules about one queue: it is full or will be, its messages have no reader, or wait for too long.

use std::time::Duration;

use message_api::history::{Growth, History};
use message_api::time_text::write_moment;
use model::definition::attribute::quoted;
use model::timestamp::Timestamp;
use serde_json::{Value, json};

use super::facts::{Facts, QueueFacts, QueueRole};
use super::finding::{Finding, Severity, Since, command, handles, messages};
use super::words::{age, messages as counted};

/// Percent of MAXDEPTH from which a queue is nearly full.
const NEARLY_FULL: u64 = 80;
/// Percent from which its growth is looked at.
const FILLED: u64 = 20;
/// Growth over this time says when it will be full, if that is soon.
const SLOPE: Duration = Duration::from_secs(600);
const SOON: Duration = Duration::from_secs(3600);
/// Most queues whose growth is looked at, the fullest.
const MOST_SLOPES: usize = 100;
/// Messages without a reader for so long are a problem.
const UNREAD: Duration = Duration::from_secs(300);
/// Messages that wait for so long are, where no QSVCINT says another time.
const OLD: Duration = Duration::from_secs(3600);
/// A QSVCINT below this is about single messages, not about a queue that is stuck.
const SHORTEST_SERVICE_INTERVAL: Duration = Duration::from_secs(10);

pub(super) fn find(facts: &Facts, history: &History) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        facts.queues.iter().filter_map(|queue| full(queue).or_else(|| nearly_full(queue))).collect();
    found.extend(growing(facts).into_iter().filter_map(|queue| {
        let growth = history.growth(facts.name, queue.name, SLOPE)?;
        filling(queue, growth, facts.now)
    }));
    found.extend(facts.queues.iter().filter_map(|queue| unread(queue, facts.now).or_else(|| old(queue, facts.now))));
    found
}

impl QueueFacts {
    fn percent(&self) -> u64 {
        u64::from(self.depth) * 100 / u64::from(self.maximum_depth.max(1))
    }

    fn is_full(&self) -> bool {
        self.depth >= self.maximum_depth
    }

    /// A sentence about those who read it.
    fn readers_text(&self) -> String {
        match self.readers {
            _ if self.is_get_inhibited => format!("Gets are inhibited: {} has GET(DISABLED).", self.name),
            0 => "No application reads it.".to_owned(),
            1 => "1 application reads it, and not fast enough.".to_owned(),
            readers => format!("{readers} applications read it, and not fast enough."),
        }
    }

    fn counted(self: &QueueFacts, finding: Finding) -> Finding {
        finding
            .value("depth", self.depth)
            .value("max", self.maximum_depth)
            .value("full", self.percent())
            .value("readers", self.readers)
            .value("writers", self.writers)
            .value("oldest", moment(self.oldest))
            .value("lastPut", moment(self.last_put))
            .value("lastGet", moment(self.last_get))
    }

    fn raise(&self) -> Value {
        let maximum = self.maximum_depth.saturating_mul(2).clamp(1, 999_999_999);
        let mqsc = format!("ALTER QLOCAL({}) MAXDEPTH({maximum})", quoted(self.name.as_str()));
        command(&[mqsc], format!("Raise MAXDEPTH of {} to {maximum}", self.name))
    }
}

fn moment(at: Option<Timestamp>) -> Value {
    at.map_or(Value::Null, |at| json!(write_moment(at)))
}

/// Puts fail.
fn full(queue: &QueueFacts) -> Option<Finding> {
    if !queue.is_full() {
        return None;
    }
    // The put that filled it was the last one, unless a get came after it.
    let filled = queue.last_put.filter(|put| queue.last_get.is_none_or(|get| get <= *put));
    let name = queue.name;
    let text = format!(
        "{name} is full: {} of {} messages. Puts fail with 2053 (MQRC_Q_FULL). {} Start or speed up a reader, or raise MAXDEPTH.",
        queue.depth,
        queue.maximum_depth,
        queue.readers_text()
    );
    let finding = Finding::of_queue("queue-full", Severity::Error, &name)
        .since(filled.map_or(Since::Depth(name, queue.depth.into()), Since::At))
        .mark(queue.readers == 0)
        .text(text)
        .next(messages(&name))
        .next(handles(&name))
        .next(queue.raise());
    Some(queue.counted(finding))
}

fn nearly_full(queue: &QueueFacts) -> Option<Finding> {
    let percent = queue.percent();
    if percent < NEARLY_FULL {
        return None;
    }
    let name = queue.name;
    let text = format!(
        "{name} is {percent} % full: {} of {} messages. {} At {} messages puts fail with 2053.",
        queue.depth,
        queue.maximum_depth,
        queue.readers_text(),
        queue.maximum_depth
    );
    let threshold = (u64::from(queue.maximum_depth) * NEARLY_FULL).div_ceil(100);
    let finding = Finding::of_queue("queue-nearly-full", Severity::Warning, &name)
        .since(Since::Depth(name, threshold))
        .mark(format!("{} {}", percent / 5, queue.readers == 0))
        .text(text)
        .next(handles(&name))
        .next(messages(&name))
        .next(queue.raise());
    Some(queue.counted(finding))
}

/// Queues that may be full soon, the fullest ones.
fn growing(facts: &Facts) -> Vec<&QueueFacts> {
    let is_candidate = |queue: &&QueueFacts| (FILLED..NEARLY_FULL).contains(&queue.percent());
    let mut candidates: Vec<&QueueFacts> = facts.queues.iter().filter(is_candidate).collect();
    candidates.sort_by_key(|queue| std::cmp::Reverse(queue.percent()));
    candidates.truncate(MOST_SLOPES);
    candidates
}

fn filling(queue: &QueueFacts, growth: Growth, now: Timestamp) -> Option<Finding> {
    let room = u64::from(queue.maximum_depth.saturating_sub(queue.depth));
    let milliseconds = u64::try_from(growth.time.as_millis()).unwrap_or(u64::MAX);
    let left = Duration::from_millis(room.saturating_mul(milliseconds) / growth.messages.max(1));
    if left > SOON {
        return None;
    }
    let name = queue.name;
    let text = format!(
        "{name} will be full in {} if it grows as in the last {}: {} more messages, {} of {} now. {}",
        age(left),
        age(growth.time),
        growth.messages,
        queue.depth,
        queue.maximum_depth,
        queue.readers_text()
    );
    let finding = Finding::of_queue("queue-filling", Severity::Warning, &name)
        .mark(queue.readers == 0)
        .text(text)
        .value("fullAt", write_moment(now.saturating_add(left)))
        .value("grownBy", growth.messages)
        .value("grownInSeconds", growth.time.as_secs())
        .next(handles(&name))
        .next(messages(&name))
        .next(queue.raise());
    Some(queue.counted(finding))
}

/// Messages that no application reads.
fn unread(queue: &QueueFacts, now: Timestamp) -> Option<Finding> {
    if queue.readers > 0
        || queue.is_full()
        || !matches!(queue.role, QueueRole::OfApplications | QueueRole::Transmission)
    {
        return None;
    }
    // Since the last get, or since there was anything to be read.
    let since = queue.oldest.max(queue.last_get)?;
    if now.since(since) < UNREAD {
        return None;
    }
    let name = queue.name;
    let cause = match queue.is_get_inhibited {
        true => format!("Gets are inhibited: {name} has GET(DISABLED)."),
        false => "No application has it open for getting.".to_owned(),
    };
    let text = format!(
        "{name} has {} and no reader for {}. {cause} {}",
        counted(queue.depth.into()),
        age(now.since(since)),
        if queue.is_get_inhibited { "Enable gets." } else { "Start the application that reads it." }
    );
    let mut finding = Finding::of_queue("queue-no-reader", Severity::Warning, &name)
        .since(Since::At(since))
        .mark(queue.is_get_inhibited)
        .text(text)
        .value("getEnabled", !queue.is_get_inhibited);
    if queue.is_get_inhibited {
        let mqsc = format!("ALTER QLOCAL({}) GET(ENABLED)", quoted(name.as_str()));
        finding = finding.next(command(&[mqsc], format!("Enable gets of {name}")));
    }
    Some(queue.counted(finding.next(messages(&name)).next(handles(&name))))
}

/// Messages that wait though an application reads.
fn old(queue: &QueueFacts, now: Timestamp) -> Option<Finding> {
    if queue.is_full() || !matches!(queue.role, QueueRole::OfApplications | QueueRole::Transmission) {
        return None;
    }
    let oldest = queue.oldest?;
    let limit = queue.service_interval.map_or(OLD, |interval| interval.max(SHORTEST_SERVICE_INTERVAL));
    let waits = now.since(oldest);
    if waits < limit {
        return None;
    }
    let name = queue.name;
    let against = match queue.service_interval {
        Some(interval) => format!("QSVCINT allows {}", age(interval)),
        None => format!("{} is usual at most", age(OLD)),
    };
    let text = format!(
        "The oldest message of {name} has waited for {}; {against}. {} Look at the first message: it may match no get.",
        age(waits),
        match queue.readers {
            0 => "No application reads it.".to_owned(),
            1 => "1 application has it open for getting.".to_owned(),
            readers => format!("{readers} applications have it open for getting."),
        }
    );
    let finding = Finding::of_queue("queue-old-message", Severity::Warning, &name)
        .since(Since::At(oldest.saturating_add(limit)))
        .mark(oldest.as_millis())
        .text(text)
        .value("waitsSeconds", waits.as_secs())
        .value("limitSeconds", limit.as_secs())
        .next(json!({
            "action": "why-get", "queue": name.as_str(),
            "text": format!("See why gets of {name} do not take it"),
        }))
        .next(messages(&name))
        .next(handles(&name));
    Some(queue.counted(finding))
}
