//! What a get or browse may return: match options, message token, group rules and marks, as a store selection.

use model::identifier::{GroupId, MessageId};
use model::options::{GetFlags, GetOptions, MatchOptions, OpenOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::{Candidate, DeliveryKey, GroupMember, Position, QueueId, Selection};

use crate::queue::Queue;
use crate::queue::cursor::GroupPlace;
use crate::queue::group::{GroupRule, segments_of};
use crate::queue::waiters::Wanted;
use crate::selection::selector::Selector;
use crate::verb::handle::Handle;

const KNOWN: MatchOptions = MatchOptions::MSG_ID
    .union(MatchOptions::CORREL_ID)
    .union(MatchOptions::GROUP_ID)
    .union(MatchOptions::MSG_SEQ_NUMBER)
    .union(MatchOptions::OFFSET)
    .union(MatchOptions::MSG_TOKEN);

/// # Errors
/// `MatchOptionsError` (2247).
pub(crate) fn check(options: &GetOptions) -> Result<(), Reason> {
    let complete = options.flags.contains(GetFlags::COMPLETE_MSG);
    let is_wrong =
        !KNOWN.contains(options.match_options) || complete && options.match_options.contains(MatchOptions::OFFSET);
    if is_wrong { Err(Reason::MatchOptionsError) } else { Ok(()) }
}

/// The accepting part of a selection, with what it must know while the store asks.
pub(crate) struct Filter<'a> {
    rule: GroupRule,
    complete: bool,
    /// Messages marked on the queue, or by the handle, are passed over.
    unmarked_on: Option<&'a Queue>,
    unmarked_by: Option<&'a Handle>,
    now: Timestamp,
    /// With MQGMO_COMPLETE_MSG: the segments of the message accepted last.
    segments: Mutex<Vec<GroupMember>>,
}

/// Whether messages that cooperating browsers have marked are not there for this browse.
pub(crate) fn passes_over_marked(options: &GetOptions, open: &Handle) -> bool {
    options.flags.contains(GetFlags::UNMARKED_BROWSE_MSG)
        && (open.options.contains(OpenOptions::CO_OP)
            || options.flags.intersects(GetFlags::MARK_BROWSE_CO_OP | GetFlags::UNMARK_BROWSE_CO_OP))
}

impl<'a> Filter<'a> {
    pub(crate) fn new(
        options: &GetOptions,
        open: &'a Handle,
        queue: &'a Queue,
        in_group: bool,
        now: Timestamp,
    ) -> Self {
        let flags = options.flags;
        Self {
            rule: GroupRule::of(flags, in_group),
            complete: flags.contains(GetFlags::COMPLETE_MSG),
            unmarked_on: passes_over_marked(options, open).then_some(queue),
            unmarked_by: flags.contains(GetFlags::UNMARKED_BROWSE_MSG).then_some(open),
            now,
            segments: Mutex::default(),
        }
    }

    /// Every message passes: the store need not ask.
    pub(crate) fn is_trivial(&self) -> bool {
        self.rule.is_trivial() && self.unmarked_on.is_none() && self.unmarked_by.is_none()
    }

    pub(crate) fn accepts(&self, candidate: &Candidate<'_>) -> bool {
        if self.is_marked(candidate.position) || !self.rule.accepts(candidate, self.complete) {
            return false;
        }
        if self.complete && crate::queue::group::is_segment(candidate.flags) {
            let segments = segments_of(&(candidate.group)(), candidate.sequence_number);
            *self.segments.lock() = segments.unwrap_or_default();
        }
        true
    }

    fn is_marked(&self, position: Position) -> bool {
        self.unmarked_on.is_some_and(|queue| queue.is_marked(position, self.now))
            || self.unmarked_by.is_some_and(|open| open.memory.lock().cursor.marks.contains(&position))
    }

    /// The segments of the message accepted last; none when it is whole.
    pub(crate) fn take_segments(&self) -> Vec<GroupMember> {
        std::mem::take(&mut *self.segments.lock())
    }
}

/// The part of a selection that indexes answer; `None` when nothing can match.
pub(crate) fn exact(
    options: &GetOptions,
    open: &Handle,
    queue: &Queue,
    place: Option<GroupPlace>,
) -> Option<Selection<'static>> {
    let lock_owner = Some(open.owner);
    if let Some(place) = place.filter(|_| options.flags.contains(GetFlags::LOGICAL_ORDER)) {
        return Some(Selection {
            group_id: Some(place.group_id),
            sequence_number: Some(place.sequence_number),
            offset: Some(place.offset),
            lock_owner,
            ..Selection::default()
        });
    }
    let matches = options.match_options;
    let selector = open.selector.as_ref().map(|selector| selector.identifiers()).unwrap_or_default();
    let position = if matches.contains(MatchOptions::MSG_TOKEN) {
        Some(position_of(&options.message_token, queue.id)?)
    } else {
        None
    };
    Some(Selection {
        message_id: both(message_id(options), selector.message_id)?,
        correlation_id: both(correlation_id(options), selector.correlation_id)?,
        group_id: group_id(options),
        sequence_number: matches.contains(MatchOptions::MSG_SEQ_NUMBER).then_some(options.message_sequence_number),
        offset: matches.contains(MatchOptions::OFFSET).then_some(options.offset),
        position,
        accept: None,
        lock_owner,
    })
}

/// What satisfies both; `None` when nothing does.
fn both<T: Copy + PartialEq>(one: Option<T>, other: Option<T>) -> Option<Option<T>> {
    match (one, other) {
        (Some(one), Some(other)) => (one == other).then_some(Some(one)),
        (one, other) => Some(one.or(other)),
    }
}

/// An identifier of zeros matches everything, as in MQ.
fn message_id(options: &GetOptions) -> Option<MessageId> {
    let wanted = options.match_options.contains(MatchOptions::MSG_ID) && !options.message_id.is_none();
    wanted.then_some(options.message_id)
}

fn correlation_id(options: &GetOptions) -> Option<model::identifier::CorrelationId> {
    let wanted = options.match_options.contains(MatchOptions::CORREL_ID) && !options.correlation_id.is_none();
    wanted.then_some(options.correlation_id)
}

fn group_id(options: &GetOptions) -> Option<GroupId> {
    let wanted = options.match_options.contains(MatchOptions::GROUP_ID) && !options.group_id.is_none();
    wanted.then_some(options.group_id)
}

/// What a waiter with these options waits for.
pub(crate) fn wanted(options: &GetOptions, selector: Option<&Selector>, in_group: bool, browses: bool) -> Wanted {
    let identifiers = MatchOptions::MSG_ID | MatchOptions::CORREL_ID;
    let logical = options.flags.contains(GetFlags::LOGICAL_ORDER);
    let rule = GroupRule::of(options.flags, in_group);
    let in_group = logical && in_group;
    let selected = selector.map(Selector::identifiers).unwrap_or_default();
    Wanted {
        message_id: message_id(options).or(selected.message_id).filter(|_| !in_group),
        correlation_id: correlation_id(options).or(selected.correlation_id).filter(|_| !in_group),
        group_id: group_id(options),
        handle: 0,
        browses,
        is_exact: !in_group
            && rule.is_trivial()
            && selector.is_none_or(Selector::is_exact)
            && !options.flags.contains(GetFlags::UNMARKED_BROWSE_MSG)
            && identifiers.contains(options.match_options)
            && both(message_id(options), selected.message_id).is_some()
            && both(correlation_id(options), selected.correlation_id).is_some(),
    }
}

/// MQGMO `MsgToken`: position 8, queue 4 (both high byte first), rank 1, zeros 3.
pub(crate) fn token(queue: QueueId, key: DeliveryKey) -> [u8; 16] {
    let mut token = [0; 16];
    token[..8].copy_from_slice(&key.position.0.to_be_bytes());
    token[8..12].copy_from_slice(&queue.0.to_be_bytes());
    token[12] = key.rank;
    token
}

/// The place that a token says.
pub(crate) fn place(token: &[u8; 16]) -> DeliveryKey {
    let (position, rest) = token.split_first_chunk::<8>().expect("a token has sixteen bytes");
    DeliveryKey { rank: rest[4], position: Position(u64::from_be_bytes(*position)) }
}

/// `None` when the token is of another queue: then no message matches.
fn position_of(token: &[u8; 16], queue: QueueId) -> Option<Position> {
    let (position, rest) = token.split_first_chunk::<8>()?;
    let (of, _) = rest.split_first_chunk::<4>()?;
    (u32::from_be_bytes(*of) == queue.0).then_some(Position(u64::from_be_bytes(*position)))
}
