//! Message groups and segments: what put fills in, what get may return, and complete groups and messages.
//!
//! Source: MQ reference, "MQPMO_LOGICAL_ORDER", "MQGMO_LOGICAL_ORDER", "MQGMO_COMPLETE_MSG", "MQMF_*", 9.3.

use model::descriptor::{MessageDescriptor, MessageFlags};
use model::identifier::GroupId;
use model::options::{GetFlags, PutFlags};
use model::reason::Reason;
use storage::{Candidate, GroupMember};

use crate::engine::identifiers::Identifiers;
use crate::queue::cursor::GroupPlace;

/// Where a put in logical order stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct PutPlace {
    /// In a group or a segmented message that has not ended.
    current: Option<Current>,
}

#[derive(Debug, Clone, Copy)]
struct Current {
    group_id: GroupId,
    sequence_number: u32,
    /// Of the next segment; `None` when the last message was whole.
    offset: Option<u32>,
    in_group: bool,
    persistent: bool,
    in_unit: bool,
}

const SEGMENT: MessageFlags = MessageFlags::SEGMENT.union(MessageFlags::LAST_SEGMENT);
const GROUP: MessageFlags = MessageFlags::MSG_IN_GROUP.union(MessageFlags::LAST_MSG_IN_GROUP);
const KNOWN: MessageFlags = SEGMENT.union(GROUP).union(MessageFlags::SEGMENTATION_ALLOWED);
/// MQMF_REJECT_UNSUP_MASK: unknown flags among these refuse the message; others are kept.
const REJECTED: MessageFlags = MessageFlags::from_bits_retain(0x0000_0FFF);

pub(super) fn is_grouped(flags: MessageFlags) -> bool {
    flags.intersects(GROUP)
}

pub(crate) fn is_segment(flags: MessageFlags) -> bool {
    flags.intersects(SEGMENT)
}

/// The group fields of a message about to be put, completed or checked. Returns where the handle stands afterwards;
/// the caller keeps it once the put has succeeded.
///
/// # Errors
/// `MsgFlagsError` (2249), `MsgSeqNumberError` (2250), `OffsetError` (2251), `SegmentLengthZero` (2253),
/// `IncompleteGroup` (2241), `IncompleteMsg` (2242), `InconsistentPersistence` (2185), `InconsistentUow` (2245).
pub(crate) fn complete_put(
    place: &PutPlace,
    descriptor: &mut MessageDescriptor,
    flags: PutFlags,
    length: usize,
    persistent: bool,
    identifiers: &Identifiers,
) -> Result<PutPlace, Reason> {
    let message = descriptor.message_flags;
    if (message & REJECTED).difference(KNOWN) != MessageFlags::empty() {
        return Err(Reason::MsgFlagsError);
    }
    if is_segment(message) && length == 0 && !message.contains(MessageFlags::LAST_SEGMENT) {
        return Err(Reason::SegmentLengthZero);
    }
    // The last of a group is in the group, and the last segment is a segment.
    if message.contains(MessageFlags::LAST_MSG_IN_GROUP) {
        descriptor.message_flags |= MessageFlags::MSG_IN_GROUP;
    }
    if message.contains(MessageFlags::LAST_SEGMENT) {
        descriptor.message_flags |= MessageFlags::SEGMENT;
    }
    if flags.contains(PutFlags::LOGICAL_ORDER) {
        return complete_in_order(place, descriptor, flags, length, persistent, identifiers);
    }
    if !is_grouped(message) && !is_segment(message) && !message.contains(MessageFlags::SEGMENTATION_ALLOWED) {
        descriptor.group_id = GroupId::NONE;
        descriptor.message_sequence_number = 1;
        descriptor.offset = 0;
        return Ok(place.clone());
    }
    if !(1..=999_999_999).contains(&descriptor.message_sequence_number) {
        return Err(Reason::MsgSeqNumberError);
    }
    if descriptor.offset > 999_999_999 || !is_segment(message) && descriptor.offset != 0 {
        return Err(Reason::OffsetError);
    }
    if descriptor.group_id.is_none() {
        descriptor.group_id = GroupId::new(identifiers.make());
    }
    if !is_grouped(message) {
        descriptor.message_sequence_number = 1;
    }
    Ok(place.clone())
}

fn complete_in_order(
    place: &PutPlace,
    descriptor: &mut MessageDescriptor,
    flags: PutFlags,
    length: usize,
    persistent: bool,
    identifiers: &Identifiers,
) -> Result<PutPlace, Reason> {
    let message = descriptor.message_flags;
    let (in_group, segment) = (is_grouped(message), is_segment(message));
    let in_unit = flags.contains(PutFlags::SYNCPOINT);
    let here = match place.current {
        None => Current {
            group_id: if in_group || segment { GroupId::new(identifiers.make()) } else { GroupId::NONE },
            sequence_number: 1,
            offset: None,
            in_group,
            persistent,
            in_unit,
        },
        Some(current) => {
            if current.in_group && !in_group {
                return Err(Reason::IncompleteGroup);
            }
            if current.offset.is_some() && !segment {
                return Err(Reason::IncompleteMsg);
            }
            if current.persistent != persistent {
                return Err(Reason::InconsistentPersistence);
            }
            if current.in_unit != in_unit {
                return Err(Reason::InconsistentUow);
            }
            current
        }
    };
    let offset = here.offset.unwrap_or(0);
    descriptor.group_id = here.group_id;
    descriptor.message_sequence_number = here.sequence_number;
    descriptor.offset = offset;

    let message_ends = !segment || message.contains(MessageFlags::LAST_SEGMENT);
    let group_ends = !in_group || message.contains(MessageFlags::LAST_MSG_IN_GROUP);
    let length = u32::try_from(length).map_err(|_| Reason::OffsetError)?;
    let current = match (message_ends, group_ends) {
        (true, true) => None,
        (true, false) => Some(Current { sequence_number: here.sequence_number + 1, offset: None, ..here }),
        (false, _) => Some(Current { offset: Some(offset + length), ..here }),
    };
    Ok(PutPlace { current })
}

impl PutPlace {
    /// What closing the handle warns of: 2241 or 2242.
    pub(crate) fn unfinished(&self) -> Option<Reason> {
        let current = self.current?;
        Some(if current.offset.is_some() { Reason::IncompleteMsg } else { Reason::IncompleteGroup })
    }
}

/// Which messages the group options of a get let through, apart from exact identifiers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GroupRule {
    /// Only what begins a logical message and a group: first in logical order.
    pub(super) first_only: bool,
    pub(super) whole_group: bool,
    pub(super) whole_message: bool,
}

impl GroupRule {
    pub(crate) fn of(flags: GetFlags, in_group: bool) -> Self {
        let logical = flags.contains(GetFlags::LOGICAL_ORDER);
        let complete = flags.contains(GetFlags::COMPLETE_MSG);
        Self {
            first_only: logical && !in_group,
            whole_group: flags.contains(GetFlags::ALL_MSGS_AVAILABLE) && !(logical && in_group),
            whole_message: complete || flags.contains(GetFlags::ALL_SEGMENTS_AVAILABLE),
        }
    }

    pub(crate) fn is_trivial(self) -> bool {
        !self.first_only && !self.whole_group && !self.whole_message
    }

    pub(crate) fn accepts(self, candidate: &Candidate<'_>, complete: bool) -> bool {
        let (grouped, segment) = (is_grouped(candidate.flags), is_segment(candidate.flags));
        if !grouped && !segment {
            return true;
        }
        if self.first_only && (candidate.sequence_number != 1 || candidate.offset != 0) {
            return false;
        }
        if complete && segment && candidate.offset != 0 {
            return false;
        }
        if self.whole_group && grouped && !is_complete_group(&(candidate.group)()) {
            return false;
        }
        if self.whole_message && segment {
            return is_complete_message(&(candidate.group)(), candidate.sequence_number);
        }
        true
    }
}

/// Every message of the group is there, whole, from the first to the one marked last.
pub(super) fn is_complete_group(members: &[GroupMember]) -> bool {
    let mut expected = 1;
    loop {
        let Some(first) = members.iter().find(|m| m.sequence_number == expected && m.offset == 0) else { return false };
        if is_segment(first.flags) && !is_complete_message(members, expected) {
            return false;
        }
        let ends =
            members.iter().any(|m| m.sequence_number == expected && m.flags.contains(MessageFlags::LAST_MSG_IN_GROUP));
        if ends {
            return true;
        }
        expected += 1;
    }
}

/// Every segment of one logical message is there, without a gap, up to the one marked last.
pub(super) fn is_complete_message(members: &[GroupMember], sequence_number: u32) -> bool {
    segments_of(members, sequence_number).is_some()
}

/// The segments of one logical message in order; `None` when one is missing.
pub(crate) fn segments_of(members: &[GroupMember], sequence_number: u32) -> Option<Vec<GroupMember>> {
    let mut segments: Vec<_> = members.iter().filter(|m| m.sequence_number == sequence_number).copied().collect();
    segments.sort_by_key(|segment| segment.offset);
    let mut end = 0;
    for (index, segment) in segments.iter().enumerate() {
        if segment.offset as usize != end {
            return None;
        }
        end += segment.length;
        if segment.flags.contains(MessageFlags::LAST_SEGMENT) {
            return (index + 1 == segments.len()).then_some(segments);
        }
    }
    None
}

/// Where the handle stands after a message in logical order; `None` once group and message have ended.
pub(crate) fn place_after(descriptor: &MessageDescriptor, length: usize, in_unit: bool) -> Option<GroupPlace> {
    let flags = descriptor.message_flags;
    let next =
        |sequence_number, offset| Some(GroupPlace { group_id: descriptor.group_id, sequence_number, offset, in_unit });
    if is_segment(flags) && !flags.contains(MessageFlags::LAST_SEGMENT) {
        let end = descriptor.offset.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
        return next(descriptor.message_sequence_number, end);
    }
    if is_grouped(flags) && !flags.contains(MessageFlags::LAST_MSG_IN_GROUP) {
        return next(descriptor.message_sequence_number + 1, 0);
    }
    None
}

/// MQGMO `GroupStatus`, `SegmentStatus`, `Segmentation`.
pub(crate) fn statuses(flags: MessageFlags) -> (u8, u8, u8) {
    let group = match (flags.contains(MessageFlags::LAST_MSG_IN_GROUP), flags.contains(MessageFlags::MSG_IN_GROUP)) {
        (true, _) => b'L',
        (false, true) => b'G',
        (false, false) => b' ',
    };
    let segment = match (flags.contains(MessageFlags::LAST_SEGMENT), flags.contains(MessageFlags::SEGMENT)) {
        (true, _) => b'L',
        (false, true) => b'S',
        (false, false) => b' ',
    };
    let segmentation = if flags.contains(MessageFlags::SEGMENTATION_ALLOWED) { b'A' } else { b' ' };
    (group, segment, segmentation)
}
