//! One message of a queue as memory holds it: what ordering, matching and expiry need, and where the rest is.

use std::num::NonZeroU64;

use bytes::Bytes;
use model::descriptor::MessageFlags;
use model::identifier::{CorrelationId, GroupId, MessageId};

use crate::private::log::descriptor::Keys;
use crate::private::log::extent::Place;
use crate::{DeliveryKey, Position, UnitOfWorkId};

/// A `DeliveryKey` in one number: rank in the upper four bits, position below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(crate) u64);

const POSITION_BITS: u32 = 60;
const POSITION_MASK: u64 = Key::POSITION_MAXIMUM;
pub(super) const RANKS: usize = 16;

impl Key {
    /// Positions use 60 bits: ten thousand million a second for three years.
    pub(crate) const POSITION_MAXIMUM: u64 = (1 << POSITION_BITS) - 1;

    pub(crate) fn new(rank: u8, position: Position) -> Self {
        debug_assert!(usize::from(rank) < RANKS && position.0 <= POSITION_MASK);
        Self(u64::from(rank) << POSITION_BITS | position.0)
    }

    pub(crate) fn position(self) -> Position {
        Position(self.0 & POSITION_MASK)
    }

    pub(super) fn rank(self) -> usize {
        (self.0 >> POSITION_BITS) as usize
    }

    /// The first key that a message of this rank may have.
    pub(super) fn first_of(rank: usize) -> Self {
        Self((rank as u64) << POSITION_BITS)
    }

    pub(crate) fn delivery_key(self) -> DeliveryKey {
        DeliveryKey { rank: (self.0 >> POSITION_BITS) as u8, position: self.position() }
    }

    pub(super) fn last_of(rank: usize) -> Self {
        Self(Self::first_of(rank).0 | POSITION_MASK)
    }

    /// Every key a message with this position may have.
    pub(super) fn with_position(position: Position) -> impl Iterator<Item = Self> {
        (0..RANKS).map(move |rank| Self(Self::first_of(rank).0 | position.0))
    }

    /// The first key that a message of the next rank may have; `None` after the last rank.
    pub(super) fn after_rank(self) -> Option<Self> {
        (self.rank() + 1 < RANKS).then(|| Self::first_of(self.rank() + 1))
    }
}

impl From<DeliveryKey> for Key {
    fn from(key: DeliveryKey) -> Self {
        Self::new(key.rank, key.position)
    }
}

/// Who keeps a message out of sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    /// Put by this unit of work, not yet committed.
    Put(UnitOfWorkId),
    /// Got by this unit of work, not yet committed.
    Got(UnitOfWorkId),
    /// A get is reading its body back.
    Reading,
    /// It cannot be read back, and is delivered to nobody.
    Quarantine,
}

/// Where descriptor and body are when they are not (only) in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Memory,
    /// The newest put or moved record, and its length in bytes.
    Log {
        place: Place,
        bytes: u32,
    },
    Spill {
        file: u32,
        offset: u32,
        bytes: u32,
    },
}

/// What only members of groups, segments and the like have.
pub(crate) struct GroupPart {
    pub(crate) id: GroupId,
    pub(crate) sequence_number: u32,
    pub(crate) offset: u32,
    pub(crate) flags: MessageFlags,
}

pub(crate) struct Entry {
    pub(crate) key: Key,
    /// Microseconds since 1970.
    pub(crate) arrived: u64,
    /// Microseconds since 1970, or `NEVER`.
    pub(crate) expires: u64,
    pub(crate) message_id: MessageId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) group: Option<Box<GroupPart>>,
    /// Descriptor and body, when they are in the buffer pool.
    pub(crate) cached: Option<Bytes>,
    pub(crate) home: Home,
    pub(crate) body_file: Option<NonZeroU64>,
    pub(crate) body_bytes: u32,
    pub(crate) backout_count: u32,
    pub(crate) priority: u8,
    pub(crate) persistent: bool,
    pub(crate) holder: Holder,
}

static NO_GROUP: GroupId = GroupId::NONE;

impl Entry {
    pub(crate) const NEVER: u64 = u64::MAX;

    pub(crate) fn body_length(&self) -> usize {
        usize::try_from(self.body_bytes).unwrap_or(usize::MAX)
    }

    pub(crate) fn group_id(&self) -> &GroupId {
        self.group.as_ref().map_or(&NO_GROUP, |group| &group.id)
    }

    pub(crate) fn sequence_number(&self) -> u32 {
        self.group.as_ref().map_or(1, |group| group.sequence_number)
    }

    pub(crate) fn offset(&self) -> u32 {
        self.group.as_ref().map_or(0, |group| group.offset)
    }

    pub(crate) fn flags(&self) -> MessageFlags {
        self.group.as_ref().map_or(MessageFlags::empty(), |group| group.flags)
    }
}

impl Keys {
    /// Boxed only when it says anything that the defaults do not.
    pub(crate) fn group_part(&self) -> Option<Box<GroupPart>> {
        let plain = self.group_id.is_none() && self.sequence_number == 1 && self.offset == 0 && self.flags.is_empty();
        (!plain).then(|| {
            Box::new(GroupPart {
                id: self.group_id,
                sequence_number: self.sequence_number,
                offset: self.offset,
                flags: self.flags,
            })
        })
    }
}
