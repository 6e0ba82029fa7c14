//! What is known of a job: the order, the counts and how it ended. It is a receipt of the queue manager's.
//!
//! The record is committed with each batch, so that its counts are those of what was committed, also after a crash. A queue
//! manager has a fixed number of records; a new job takes the place of the oldest that is over.
//!
//! Invariant: a record is shorter than the longest receipt: names and errors are bounded.

use std::fmt;

use bytes::Bytes;
use model::identifier::MessageId;
use model::name::QueueManagerName;
use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::{Position, Receipt, ReceiptKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Action, Order, REMEMBERED};
use crate::random_id;
use crate::time_text::write_moment;

/// Messages that a dry run names, and queues.
const MOST_SAMPLES: usize = 5;
const MOST_TARGETS: usize = 20;
/// Messages that failed and are named.
const MOST_FAILURES: usize = 10;

/// Names a job: 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(u128);

impl JobId {
    fn new() -> Self {
        Self(random_id::draw())
    }

    pub fn parse(text: &str) -> Option<Self> {
        random_id::read(text).map(Self)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        random_id::write(f, self.0)
    }
}

impl Serialize for JobId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for JobId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Running,
    Done,
    /// A reason of the queue manager has ended it; what was committed before stays.
    Failed,
    Cancelled,
    /// The queue manager or the server has ended before the job.
    Interrupted,
}

/// Messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Looked at.
    pub seen: u64,
    pub done: u64,
    /// These are where they were.
    pub failed: u64,
    /// Of an undo: not there any more, because a program has taken them or holds them.
    #[serde(default)]
    pub gone: u64,
}

/// A message that could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub position: u64,
    pub id: MessageId,
    /// MQRC; `None`: the message has no dead-letter header.
    pub reason: Option<i32>,
}

/// The messages that a job would do, in short.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// When the first and the last of them came.
    pub oldest: Option<Timestamp>,
    pub newest: Option<Timestamp>,
    /// Of the first ones.
    pub positions: Vec<u64>,
    /// Queues that a replay puts to, and how many messages.
    pub targets: Vec<(String, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub id: JobId,
    /// Who started it.
    pub user: String,
    pub queue_manager: String,
    pub action: Action,
    pub queue: String,
    pub to: Option<String>,
    /// Of an undo: the job that is undone, and the queue that it named to put to.
    #[serde(default)]
    pub of: Option<JobId>,
    #[serde(default)]
    pub from: Option<String>,
    pub is_dry: bool,
    pub state: State,
    pub counts: Counts,
    /// Of the messages that were, or would be, done.
    #[serde(default)]
    pub bytes: u64,
    /// Messages from this position on are left alone.
    #[serde(default)]
    pub bound: u64,
    /// What a dry run has found.
    #[serde(default)]
    pub sample: Sample,
    /// The first.
    pub failures: Vec<Failure>,
    /// MQRC: why it failed, or was interrupted.
    pub reason: Option<i32>,
    pub started: Timestamp,
    pub ended: Option<Timestamp>,
}

impl Record {
    pub(super) fn begun(user: &str, queue_manager: QueueManagerName, order: &Order, now: Timestamp) -> Self {
        let (queue_manager, queue) = (queue_manager.as_str().to_owned(), order.queue.as_str().to_owned());
        Self {
            to: order.to.map(|name| name.as_str().to_owned()),
            ..Self::blank(user, queue_manager, order.action, queue, order.is_dry, now)
        }
    }

    /// Of an undo of this job.
    pub(super) fn undoing(&self, user: &str, is_dry: bool, now: Timestamp) -> Self {
        Self {
            // Copies are removed.
            to: (self.action != Action::Copy).then(|| self.queue.clone()),
            of: Some(self.id),
            from: self.to.clone(),
            ..Self::blank(user, self.queue_manager.clone(), Action::Undo, self.queue.clone(), is_dry, now)
        }
    }

    /// Nothing is done yet.
    fn blank(user: &str, queue_manager: String, action: Action, queue: String, is_dry: bool, now: Timestamp) -> Self {
        Self {
            id: JobId::new(),
            user: user.to_owned(),
            queue_manager,
            action,
            queue,
            to: None,
            of: None,
            from: None,
            is_dry,
            state: State::Running,
            counts: Counts::default(),
            bytes: 0,
            bound: 0,
            sample: Sample::default(),
            failures: Vec::new(),
            reason: None,
            started: now,
            ended: None,
        }
    }

    pub(super) fn failed(&mut self, position: Position, id: MessageId, reason: Option<Reason>) {
        self.counts.failed += 1;
        if self.failures.len() < MOST_FAILURES {
            self.failures.push(Failure { position: position.0, id, reason: reason.map(Reason::number) });
        }
    }

    /// A dry run has met a message that the job would do.
    pub(super) fn would_do(&mut self, position: Position, arrived: Timestamp, bytes: usize, target: Option<String>) {
        self.counts.done += 1;
        self.bytes += bytes as u64;
        let sample = &mut self.sample;
        sample.oldest = Some(sample.oldest.map_or(arrived, |oldest| oldest.min(arrived)));
        sample.newest = Some(sample.newest.map_or(arrived, |newest| newest.max(arrived)));
        if sample.positions.len() < MOST_SAMPLES {
            sample.positions.push(position.0);
        }
        let Some(target) = target else { return };
        if let Some((_, count)) = sample.targets.iter_mut().find(|(name, _)| *name == target) {
            *count += 1;
        } else if sample.targets.len() < MOST_TARGETS {
            sample.targets.push((target, 1));
        }
    }

    pub(super) fn end(&mut self, state: State, reason: Option<Reason>, now: Timestamp) {
        self.state = state;
        self.reason = reason.map(Reason::number);
        self.ended = Some(now);
    }

    /// Whether it is over, and for so long that it is forgotten.
    pub(super) fn is_forgotten(&self, now: Timestamp) -> bool {
        self.state != State::Running && now.since(self.ended.unwrap_or(self.started)) > REMEMBERED
    }

    pub(super) fn receipt(&self, slot: usize, now: Timestamp) -> Receipt {
        let value = Bytes::from(serde_json::to_vec(self).expect("it has string keys only"));
        Receipt { key: key(slot), expires: now.saturating_add(REMEMBERED), value }
    }

    /// What a start finds: a job that was running then is interrupted.
    pub(super) fn read(value: &[u8]) -> Option<Self> {
        let mut record: Self = serde_json::from_slice(value).ok()?;
        if record.state == State::Running {
            record.state = State::Interrupted;
        }
        Some(record)
    }

    /// As its user sees it.
    pub(super) fn shown(&self) -> Value {
        let reason = |number: i32| json!({ "code": number, "name": Reason::from_number(number).map(Reason::name) });
        let errors: Vec<Value> = self
            .failures
            .iter()
            .map(|failure| {
                let problem = match failure.reason {
                    Some(_) => "the queue manager refused the message",
                    None => "the message has no dead-letter header that says where it was to go",
                };
                json!({
                    "position": failure.position.to_string(),
                    "id": failure.id,
                    "problem": problem,
                    "reason": failure.reason.map(reason),
                })
            })
            .collect();
        let mut shown = json!({
            "id": self.id,
            "action": self.action,
            "qmgr": self.queue_manager,
            "queue": self.queue,
            "dryRun": self.is_dry,
            "user": self.user,
            "state": self.state,
            "counts": self.counts,
            "bytes": self.bytes,
            "errors": errors,
            "startedAt": write_moment(self.started),
        });
        if let Some(to) = &self.to {
            shown["to"] = json!({ "queue": to });
        }
        if self.action != Action::Undo {
            shown["before"] = json!(self.bound.to_string());
        }
        if let Some(of) = self.of {
            shown["of"] = json!(of);
        }
        if let Some(from) = &self.from {
            shown["from"] = json!({ "queue": from });
        }
        if self.is_dry {
            let targets = self.sample.targets.iter();
            let targets: Vec<_> = targets.map(|(queue, count)| json!({ "queue": queue, "count": count })).collect();
            shown["sample"] = json!({
                "oldest": self.sample.oldest.map(write_moment),
                "newest": self.sample.newest.map(write_moment),
                "positions": self.sample.positions.iter().map(u64::to_string).collect::<Vec<_>>(),
                "targets": targets,
            });
        }
        if let Some(number) = self.reason {
            shown["reason"] = reason(number);
        }
        if let Some(ended) = self.ended {
            shown["endedAt"] = json!(write_moment(ended));
        }
        shown
    }
}

/// Of the record in a slot.
pub(super) fn key(slot: usize) -> ReceiptKey {
    let sum = Sha256::new().chain_update(b"quaymaster job record").chain_update((slot as u64).to_le_bytes()).finalize();
    ReceiptKey(*sum.first_chunk().expect("a digest of 32 bytes"))
}

#[cfg(test)]
mod tests {
    use model::name::QueueName;
    use model::options::GetOptions;

    use super::*;

    fn begun(user: &str) -> Record {
        let name = QueueName::literal("QUEUE.WITH.A.NAME");
        let order = Order {
            action: Action::Replay,
            queue: name,
            matched: GetOptions::default(),
            selector: String::new(),
            positions: None,
            ids: None,
            dead_letter: None,
            before: None,
            wanted: crate::content::Wanted::default(),
            limit: None,
            to: Some(name),
            is_dry: false,
            has_new_context: false,
        };
        Record::begun(user, QueueManagerName::literal("QM1"), &order, Timestamp(1))
    }

    #[test]
    fn a_record_of_a_job_that_was_running_is_read_back_as_interrupted() {
        let mut record = begun("app");
        record.counts.done = 17;
        let read = |record: &Record| Record::read(&record.receipt(0, Timestamp(2)).value).expect("what was written");
        assert_eq!(read(&record), Record { state: State::Interrupted, ..record.clone() });
        record.end(State::Failed, Some(Reason::QFull), Timestamp(3));
        assert_eq!(read(&record), record);
    }

    #[test]
    fn the_longest_record_fits_into_a_receipt() {
        // Each character takes six in JSON.
        let mut record = begun(&"\u{1}".repeat(super::super::LONGEST_USER));
        for number in 0..100 {
            record.failed(Position(u64::MAX), MessageId::new([number; 24]), Some(Reason::QFull));
        }
        assert_eq!((record.failures.len(), record.counts.failed), (MOST_FAILURES, 100));
        let length = record.receipt(0, Timestamp(u64::MAX)).value.len();
        assert!(length < 48 << 10, "{length} bytes");
    }

    #[test]
    fn a_job_that_is_over_is_forgotten_after_a_while_and_one_that_runs_is_not() {
        let mut record = begun("app");
        let late = Timestamp(1).saturating_add(REMEMBERED * 2);
        assert!(!record.is_forgotten(late));
        record.end(State::Done, None, Timestamp(1));
        assert!(!record.is_forgotten(Timestamp(1).saturating_add(REMEMBERED)));
        assert!(record.is_forgotten(late));
    }
}
