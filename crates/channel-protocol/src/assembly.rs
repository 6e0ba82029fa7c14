//! Puts the parts of a split call, reply or asynchronous message together again.
//!
//! Parts belong together by conversation, request and type; parts of other units may come between. A call is a plain
//! byte stream over its parts. An asynchronous message repeats a 24-byte head in each part, which is dropped from all
//! but the first. Source: reference, sections 2 and 13 (C).
//!
//! Invariants
//! - What lies here, over all units under way, never exceeds `Limits::buffered`.
//! - A unit of one segment passes through without a copy.

use bytes::Bytes;

use crate::error::ProtocolError;
use crate::form::Form;
use crate::segment::{Address, ControlFlags, Segment, SegmentType};

/// How much a partner may make us hold. All in bytes but `open`.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Body of one unit: the maximum message length plus room for its structures.
    pub unit: usize,
    /// Units under way at once on a socket.
    pub open: usize,
    /// Parts of all units under way.
    pub buffered: usize,
}

/// A whole call, reply or other flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub address: Address,
    pub segment_type: SegmentType,
    /// Of all its segments together.
    pub control: ControlFlags,
    pub form: Form,
    pub body: Bytes,
}

impl Unit {
    /// The partner waits for an answer to it.
    pub fn confirm_requested(&self) -> bool {
        self.control.contains(ControlFlags::CONFIRM)
    }
}

#[derive(Debug)]
pub struct Assembler {
    limits: Limits,
    open: Vec<Partial>,
    buffered: usize,
}

#[derive(Debug)]
struct Partial {
    address: Address,
    segment_type: SegmentType,
    control: ControlFlags,
    form: Form,
    body: Vec<u8>,
    /// How long the body says it becomes; 0 where nothing says so.
    expected: usize,
}

/// Head of every part of an asynchronous message.
const ASYNC_HEAD: usize = 24;
/// At most this much is reserved on the word of the first part.
const RESERVED_AT_ONCE: usize = 1 << 20;

impl Assembler {
    pub fn new(limits: Limits) -> Self {
        Self { limits, open: Vec::new(), buffered: 0 }
    }

    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Takes the next segment; returns the unit it completes.
    ///
    /// # Errors
    /// A continuation without a beginning, a second beginning, a change of byte order within a unit, or more than the
    /// limits allow.
    pub fn push(&mut self, segment: Segment) -> Result<Option<Unit>, ProtocolError> {
        let header = &segment.header;
        let whole =
            !header.segment_type.is_split() || header.control.contains(ControlFlags::FIRST | ControlFlags::LAST);
        if whole && (self.open.is_empty() || !header.segment_type.is_split()) {
            return self.pass(segment).map(Some);
        }
        let place = self
            .open
            .iter()
            .position(|p| p.address == segment.header.address && p.segment_type == segment.header.segment_type);
        let first = header.control.contains(ControlFlags::FIRST);
        match place {
            Some(_) if first => Err(out_of_order(&segment, "another one begins before the last part")),
            None if !first => Err(out_of_order(&segment, "a part without a beginning")),
            None if whole => self.pass(segment).map(Some),
            None => self.begin(segment).map(|()| None),
            Some(place) => self.go_on(place, &segment),
        }
    }

    /// Drops what has come of units of a conversation that is over.
    pub fn forget(&mut self, conversation: u32) {
        self.open.retain(|partial| partial.address.conversation() != conversation);
        self.buffered = self.open.iter().map(|partial| partial.body.len()).sum();
    }

    fn pass(&self, segment: Segment) -> Result<Unit, ProtocolError> {
        if segment.body.len() > self.limits.unit {
            return Err(ProtocolError::TooLong { maximum: self.limits.unit });
        }
        let header = segment.header;
        Ok(Unit {
            address: header.address,
            segment_type: header.segment_type,
            control: header.control,
            form: header.form,
            body: segment.body,
        })
    }

    fn begin(&mut self, segment: Segment) -> Result<(), ProtocolError> {
        if self.open.len() >= self.limits.open {
            return Err(ProtocolError::TooManyOpen { maximum: self.limits.open });
        }
        self.admit(0, segment.body.len())?;
        let expected = expected(&segment).min(self.limits.unit);
        let mut body = Vec::new();
        append(&mut body, &segment.body, expected);
        self.buffered += body.len();
        let header = segment.header;
        self.open.push(Partial {
            address: header.address,
            segment_type: header.segment_type,
            control: header.control,
            form: header.form,
            body,
            expected,
        });
        Ok(())
    }

    fn go_on(&mut self, place: usize, segment: &Segment) -> Result<Option<Unit>, ProtocolError> {
        let more = match segment.header.segment_type {
            SegmentType::AsyncMessage => segment
                .body
                .get(ASYNC_HEAD..)
                .ok_or_else(|| out_of_order(segment, "a part of a message without its head"))?,
            _ => &segment.body[..],
        };
        let partial = &mut self.open[place];
        if (partial.form.order, partial.form.letters) != (segment.header.form.order, segment.header.form.letters) {
            return Err(out_of_order(segment, "its parts are written in different forms"));
        }
        let held = partial.body.len();
        self.admit(held, more.len())?;
        let partial = &mut self.open[place];
        append(&mut partial.body, more, partial.expected);
        partial.control |= segment.header.control;
        self.buffered += more.len();
        if !segment.header.control.contains(ControlFlags::LAST) {
            return Ok(None);
        }
        let done = self.open.swap_remove(place);
        self.buffered -= done.body.len();
        Ok(Some(Unit {
            address: done.address,
            segment_type: done.segment_type,
            control: done.control,
            form: done.form,
            body: Bytes::from(done.body),
        }))
    }

    /// Checks `more` bytes for a unit that has `held` against both limits.
    fn admit(&self, held: usize, more: usize) -> Result<(), ProtocolError> {
        let within = |have: usize, maximum: usize| match have.checked_add(more) {
            Some(sum) if sum <= maximum => Ok(()),
            _ => Err(ProtocolError::TooLong { maximum }),
        };
        within(held, self.limits.unit)?;
        within(self.buffered, self.limits.buffered)
    }
}

/// Puts and replies to gets say in their first word how long they are in all, the header included.
fn expected(segment: &Segment) -> usize {
    match segment.header.segment_type {
        SegmentType::Put | SegmentType::Put1 | SegmentType::GetReply => {
            segment.body.first_chunk::<4>().map_or(0, |word| usize::try_from(u32::from_be_bytes(*word)).unwrap_or(0))
        }
        _ => 0,
    }
}

/// Grows by doubling, but to no more than is expected: so a long message ends in as much memory as it needs, and a word
/// of the partner alone reserves little.
fn append(body: &mut Vec<u8>, more: &[u8], expected: usize) {
    if body.capacity() - body.len() < more.len() {
        let doubled = body.len().max(more.len());
        let wanted = match expected.checked_sub(body.len()) {
            Some(left) if left >= more.len() => left.min(doubled.max(RESERVED_AT_ONCE)),
            _ => doubled,
        };
        body.reserve_exact(wanted);
    }
    body.extend_from_slice(more);
}

fn out_of_order(segment: &Segment, detail: &'static str) -> ProtocolError {
    ProtocolError::SegmentOrder { segment_type: segment.header.segment_type.number(), detail }
}
