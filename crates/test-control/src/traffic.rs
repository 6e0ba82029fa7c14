//! Messages that programs put and got, recorded as they did, and the replies that a mock gives in place of the program that replied.
//!
//! Decides what is recorded, and which recorded replies a request gets. Never: puts or gets a message.
//!
//! Invariant: at most `MOST` records are kept, and `MOST_BYTES` of bodies. What comes beyond them while it is recorded is not kept, and
//! is counted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::descriptor::MessageDescriptor;
use model::identifier::MessageId;
use model::message::Message;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::faults::Pattern;

pub const MOST: usize = 10_000;
pub const MOST_BYTES: usize = 64 << 20;

/// What becomes of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Off,
    /// What programs put and get is kept.
    Record,
    /// Requests are taken off their queues and answered by what was kept.
    Mock,
}

impl Mode {
    const ALL: [(Self, &'static str); 3] = [(Self::Off, "off"), (Self::Record, "record"), (Self::Mock, "mock")];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(mode, _)| *mode == self).map_or("", |(_, name)| name)
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(mode, _)| *mode)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Put,
    Get,
}

/// One message, as a program put or got it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub verb: Verb,
    /// Since the first record.
    pub after: Duration,
    pub queue_manager: String,
    pub queue: String,
    pub application: String,
    pub message: Message,
}

/// In what a request has to be like the recorded one, besides its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    Body,
    CorrelationId,
    Format,
    MessageType,
}

impl Likeness {
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Body, "body"),
        (Self::CorrelationId, "correlationId"),
        (Self::Format, "format"),
        (Self::MessageType, "type"),
    ];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(likeness, _)| *likeness)
    }

    fn holds(self, one: &Message, other: &Message) -> bool {
        let (first, second) = (&one.descriptor, &other.descriptor);
        match self {
            Self::Body => one.body == other.body,
            Self::CorrelationId => first.correlation_id == second.correlation_id,
            Self::Format => first.format == second.format,
            Self::MessageType => first.message_type == second.message_type,
        }
    }
}

/// A request that was recorded, and what was put to its reply-to queue for it.
#[derive(Debug, Clone)]
struct Pair {
    queue_manager: String,
    queue: String,
    request: Message,
    replies: Vec<(Duration, Message)>,
    /// How often it has answered.
    used: u64,
}

/// A reply to a request that has come now.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Since the request.
    pub after: Duration,
    pub message: Message,
}

/// That of a server.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Looked at by every put and get.
    records: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    mode: Mode,
    queues: Vec<Pattern>,
    like: Vec<Likeness>,
    began: Option<Timestamp>,
    kept: Vec<Record>,
    bytes: usize,
    left_out: u64,
    pairs: Vec<Pair>,
    answered: u64,
    unanswered: u64,
}

/// What there is to show.
#[derive(Debug, Clone)]
pub struct Shown {
    pub mode: Mode,
    pub queues: Vec<String>,
    pub records: usize,
    pub left_out: u64,
    pub answered: u64,
    pub unanswered: u64,
}

impl Traffic {
    /// `queues` are those that are recorded, or that the mock answers; none are all that the records have.
    pub fn set(&self, mode: Mode, queues: Vec<Pattern>, like: Vec<Likeness>) {
        let mut state = self.state.lock();
        let pairs = if mode == Mode::Mock { pairs(&state.kept, &queues) } else { Vec::new() };
        let kept = std::mem::take(&mut state.kept);
        *state = State { mode, queues, like, pairs, ..State::default() };
        if mode != Mode::Record {
            state.bytes = kept.iter().map(|record| record.message.body.len()).sum();
            state.kept = kept;
        }
        self.records.store(mode == Mode::Record, Ordering::Release);
    }

    /// Replaces what is kept.
    pub fn load(&self, kept: Vec<Record>) {
        let mut state = self.state.lock();
        state.bytes = kept.iter().map(|record| record.message.body.len()).sum();
        state.pairs = if state.mode == Mode::Mock { pairs(&kept, &state.queues) } else { Vec::new() };
        state.kept = kept;
        state.left_out = 0;
    }

    pub fn kept(&self) -> Vec<Record> {
        self.state.lock().kept.clone()
    }

    pub fn shown(&self) -> Shown {
        let state = self.state.lock();
        Shown {
            mode: state.mode,
            queues: state.queues.iter().map(|pattern| pattern.as_str().to_owned()).collect(),
            records: state.kept.len(),
            left_out: state.left_out,
            answered: state.answered,
            unanswered: state.unanswered,
        }
    }

    pub fn is_recording(&self) -> bool {
        self.records.load(Ordering::Acquire)
    }

    /// Keeps what a program did, if it is to be recorded.
    pub fn keep(
        &self,
        (verb, now): (Verb, Timestamp),
        queue_manager: &str,
        queue: &str,
        application: &str,
        message: &Message,
    ) {
        let mut state = self.state.lock();
        if state.mode != Mode::Record || !state.queues.iter().any(|pattern| pattern.matches(queue)) {
            return;
        }
        if state.kept.len() >= MOST || state.bytes + message.body.len() > MOST_BYTES {
            state.left_out += 1;
            return;
        }
        let began = *state.began.get_or_insert(now);
        state.bytes += message.body.len();
        state.kept.push(Record {
            verb,
            after: now.since(began),
            queue_manager: queue_manager.to_owned(),
            queue: queue.to_owned(),
            application: application.trim_end().to_owned(),
            message: message.clone(),
        });
    }

    /// Queue managers and queues whose requests are answered, each once.
    pub fn mocked(&self) -> Vec<(String, String)> {
        let state = self.state.lock();
        let mut all: Vec<_> = state.pairs.iter().map(|pair| (pair.queue_manager.clone(), pair.queue.clone())).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The replies to a request on a queue: of several recorded ones that it is like, those of the first that has answered least. `None`:
    /// nothing like it was recorded.
    pub fn answer(&self, queue_manager: &str, queue: &str, request: &Message) -> Option<Vec<Reply>> {
        let mut state = self.state.lock();
        let state = &mut *state;
        let like = &state.like;
        let is_like = |pair: &&mut Pair| {
            (pair.queue_manager.as_str(), pair.queue.as_str()) == (queue_manager, queue)
                && like.iter().all(|likeness| likeness.holds(&pair.request, request))
        };
        let Some(pair) = state.pairs.iter_mut().filter(is_like).min_by_key(|pair| pair.used) else {
            state.unanswered += 1;
            return None;
        };
        pair.used += 1;
        state.answered += 1;
        let reply = |(after, reply): &(Duration, Message)| Reply {
            after: *after,
            message: Message { descriptor: as_replied(reply, &pair.request, request), body: reply.body.clone() },
        };
        Some(pair.replies.iter().map(reply).collect())
    }
}

/// Requests of the records with the replies to them. One without any is none of a mock's.
fn pairs(kept: &[Record], queues: &[Pattern]) -> Vec<Pair> {
    let is_request = |record: &&Record| {
        record.verb == Verb::Put
            && !record.message.descriptor.reply_to_queue.is_blank()
            && (queues.is_empty() || queues.iter().any(|pattern| pattern.matches(&record.queue)))
    };
    let mut found = Vec::new();
    for (index, record) in kept.iter().enumerate().filter(|(_, record)| is_request(record)) {
        let request = &record.message.descriptor;
        let is_reply = |other: &&Record| {
            let reply = &other.message.descriptor;
            other.verb == Verb::Put
                && other.queue == request.reply_to_queue.as_str()
                && (reply.correlation_id.as_bytes() == request.message_id.as_bytes()
                    || (!request.correlation_id.is_none() && reply.correlation_id == request.correlation_id))
        };
        let replies: Vec<_> = kept[index + 1..]
            .iter()
            .filter(is_reply)
            .map(|reply| (reply.after.saturating_sub(record.after), reply.message.clone()))
            .collect();
        if !replies.is_empty() {
            found.push(Pair {
                queue_manager: record.queue_manager.clone(),
                queue: record.queue.clone(),
                request: record.message.clone(),
                replies,
                used: 0,
            });
        }
    }
    found
}

/// The descriptor of a recorded reply, with the identifiers that it took of its request taken of another request.
fn as_replied(reply: &Message, recorded: &Message, request: &Message) -> MessageDescriptor {
    let (reply, recorded, request) = (&reply.descriptor, &recorded.descriptor, &request.descriptor);
    let mut made = reply.clone();
    if reply.correlation_id.as_bytes() == recorded.message_id.as_bytes() {
        made.correlation_id = request.message_id.into();
    } else if reply.correlation_id == recorded.correlation_id {
        made.correlation_id = request.correlation_id;
    }
    made.message_id = if reply.message_id == recorded.message_id { request.message_id } else { MessageId::NONE };
    made
}

#[cfg(test)]
mod tests {
    use model::identifier::CorrelationId;
    use model::name::QueueName;

    use super::*;

    fn message(id: u8, correlation: u8, reply_to: &str, body: &'static str) -> Message {
        let descriptor = MessageDescriptor {
            message_id: MessageId::new([id; 24]),
            correlation_id: CorrelationId::new([correlation; 24]),
            reply_to_queue: QueueName::parse(reply_to).expect("a name, or blank"),
            ..MessageDescriptor::default()
        };
        Message { descriptor, body: body.into() }
    }

    fn record(traffic: &Traffic, at: u64, queue: &str, message: &Message) {
        let moment = Timestamp::from_millis(1000 + at);
        traffic.keep((Verb::Put, moment), "QM1", queue, "app  ", message);
    }

    fn recorded() -> Traffic {
        let traffic = Traffic::default();
        traffic.set(Mode::Record, vec![Pattern::new("APP.*")], Vec::new());
        record(&traffic, 0, "APP.IN", &message(1, 0, "APP.OUT", "7 + 1"));
        record(&traffic, 5, "OTHER", &message(9, 0, "", "not recorded"));
        record(&traffic, 30, "APP.OUT", &message(2, 1, "", "8"));
        record(&traffic, 40, "APP.IN", &message(3, 77, "APP.OUT", "7 + 1"));
        record(&traffic, 90, "APP.OUT", &message(3, 77, "", "eight"));
        record(&traffic, 99, "APP.IN", &message(4, 0, "APP.OUT", "nobody answers"));
        traffic
    }

    #[test]
    fn a_request_like_a_recorded_one_gets_its_reply_with_the_identifiers_of_the_request() {
        let traffic = recorded();
        assert_eq!(
            traffic.kept().iter().map(|record| record.after.as_millis()).collect::<Vec<_>>(),
            [0, 30, 40, 90, 99]
        );
        traffic.set(Mode::Mock, Vec::new(), vec![Likeness::Body]);
        assert_eq!(traffic.mocked(), [("QM1".to_owned(), "APP.IN".to_owned())]);
        let ask = |id, correlation, body| {
            let replies = traffic.answer("QM1", "APP.IN", &message(id, correlation, "MINE", body))?;
            let [reply]: [Reply; 1] = replies.try_into().expect("one reply");
            let Reply { after, message: Message { descriptor, body } } = reply;
            Some((
                after.as_millis(),
                body,
                descriptor.message_id.as_bytes()[0],
                descriptor.correlation_id.as_bytes()[0],
            ))
        };
        // To the first the message identifier came back; to the second both identifiers.
        assert_eq!(ask(50, 60, "7 + 1"), Some((30, "8".into(), 0, 50)));
        assert_eq!(ask(51, 61, "7 + 1"), Some((50, "eight".into(), 51, 61)));
        assert_eq!(ask(52, 62, "7 + 1").map(|reply| reply.1), Some("8".into()), "and again from the first");
        assert_eq!((ask(53, 0, "7 + 2"), ask(54, 0, "nobody answers")), (None, None));
        let shown = traffic.shown();
        assert_eq!((shown.answered, shown.unanswered, shown.records), (3, 2, 5));
    }

    #[test]
    fn without_a_likeness_every_request_of_the_queue_is_answered() {
        let traffic = recorded();
        traffic.set(Mode::Mock, Vec::new(), Vec::new());
        assert!(traffic.answer("QM1", "APP.IN", &message(1, 0, "MINE", "whatever")).is_some());
        assert!(traffic.answer("QM2", "APP.IN", &message(1, 0, "MINE", "whatever")).is_none());
        traffic.set(Mode::Mock, vec![Pattern::new("ELSE.*")], Vec::new());
        assert!(traffic.mocked().is_empty());
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_and_a_new_recording_begins_without_the_last() {
        let traffic = Traffic::default();
        traffic.set(Mode::Record, vec![Pattern::new("*")], Vec::new());
        let message = message(1, 0, "", "x");
        (0..=MOST as u64).for_each(|at| record(&traffic, at, "Q", &message));
        assert_eq!((traffic.shown().records, traffic.shown().left_out), (MOST, 1));
        traffic.set(Mode::Off, Vec::new(), Vec::new());
        assert_eq!(traffic.kept().len(), MOST);
        traffic.set(Mode::Record, vec![Pattern::new("*")], Vec::new());
        assert!(traffic.kept().is_empty());
    }
}
