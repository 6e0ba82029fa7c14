//! The books of a connection's consumers: what has come for them, what the program has taken, what is to be asked for next.
//!
//! Pure data: `consume` sends what is due here, and hands over what comes.
//!
//! Invariants
//! - A consumer under syncpoint is asked one message at a time, and only when the program wants the next: what it got is
//!   what the program works on.
//! - Bytes that have come and were not taken, and those that may still come, are together no more than the consumer's room;
//!   one message may exceed it.
//! - No message is dropped that its queue has no more, unless its handle is closed.

use std::collections::VecDeque;

use channel_protocol::flow::consume::{AsyncMessage, MessageSelection, RequestFlags, RequestMessages};
use model::descriptor::{Ccsid, Encoding, Persistence};
use model::descriptor_codec::VERSION_2_LENGTH;
use model::name::QueueName;
use model::options::{ConversionTarget, GetFlags, GetOptions};
use model::reason::Reason;

use super::{Got, ObjectHandle};

/// Asks for one message, whatever its length.
const ONE: u32 = 1;
/// Flags that take a message into the unit of work, or may.
const IN_UNIT: GetFlags = GetFlags::SYNCPOINT.union(GetFlags::SYNCPOINT_IF_PERSISTENT);
/// As listeners of the Java client state it, and what it adds for read-ahead.
const READ_AHEAD: RequestFlags = RequestFlags::from_bits_retain(0x08);

#[derive(Default)]
pub(super) struct Consumers {
    list: Vec<Consumer>,
    /// In the order in which they came.
    waiting: VecDeque<Waiting>,
    /// Number of the message that came last, over all consumers.
    global_index: u32,
    /// The queue manager was told that it may send, and not that it may not.
    is_started: bool,
    /// Why nothing more comes.
    ending: Option<Reason>,
}

struct Consumer {
    handle: ObjectHandle,
    /// The queue manager's handle.
    known_as: i32,
    options: GetOptions,
    /// In bytes of descriptors and data; `ONE`: one message at a time.
    room: u32,
    /// The queue manager has been asked on this connection, and knows what is selected.
    is_known: bool,
    /// A request stands that the queue manager may yet answer.
    is_asked: bool,
    /// Nothing more is asked for.
    is_ending: bool,
    /// Bytes that came, and that the program took, since the last request.
    received: u32,
    taken: u32,
    /// Bytes that came and are not taken.
    held: u32,
}

/// A message that the program has not taken.
pub(super) struct Waiting {
    pub(super) handle: ObjectHandle,
    /// It belongs to the unit of work.
    pub(super) in_unit: bool,
    bytes: u32,
    pub(super) got: Got,
}

impl Consumers {
    /// `room`: how many bytes may come before they are taken; `None` for one message at a time.
    pub(super) fn add(&mut self, handle: ObjectHandle, known_as: i32, options: &GetOptions, room: Option<u32>) {
        let room = room.filter(|_| !options.flags.intersects(IN_UNIT)).map_or(ONE, |room| room.max(ONE + 1));
        self.list.push(Consumer {
            handle,
            known_as,
            options: options.clone(),
            room,
            is_known: false,
            is_asked: false,
            is_ending: false,
            received: 0,
            taken: 0,
            held: 0,
        });
    }

    pub(super) fn contains(&self, handle: ObjectHandle) -> bool {
        self.list.iter().any(|consumer| consumer.handle == handle)
    }

    /// Whether anything may still be given out.
    pub(super) fn is_active(&self) -> bool {
        !self.waiting.is_empty() || self.list.iter().any(|consumer| !consumer.is_ending)
    }

    pub(super) fn is_in_unit(&self) -> bool {
        self.list.iter().any(Consumer::is_in_unit)
    }

    /// Whether a message may come at any time that belongs to the unit of work.
    pub(super) fn expects_in_unit(&self) -> bool {
        self.is_started && self.list.iter().any(|consumer| consumer.is_in_unit() && consumer.is_asked)
    }

    pub(super) fn has_in_unit(&self) -> bool {
        self.waiting.iter().any(|message| message.in_unit)
    }

    /// What is there of a handle: messages in the unit of work, and others.
    pub(super) fn waiting_of(&self, handle: ObjectHandle) -> (usize, usize) {
        let of = self.waiting.iter().filter(|message| message.handle == handle);
        of.fold((0, 0), |(inside, outside), message| match message.in_unit {
            true => (inside + 1, outside),
            false => (inside, outside + 1),
        })
    }

    pub(super) fn is_started(&self) -> bool {
        self.is_started
    }

    pub(super) fn set_started(&mut self, is_started: bool) {
        self.is_started = is_started;
    }

    /// The queue manager sends nothing more for the consumer it knows by this handle until it is asked again.
    pub(super) fn end(&mut self, known_as: i32, reason: Reason) {
        self.ending.get_or_insert(reason);
        for consumer in self.list.iter_mut().filter(|consumer| consumer.known_as == known_as || known_as == -1) {
            consumer.is_asked = false;
        }
    }

    /// Why nothing more comes; told once.
    pub(super) fn take_ending(&mut self) -> Option<Reason> {
        self.ending.take()
    }

    /// A message has come. One for a handle without a consumer is passed over: it was closed with what came for it.
    pub(super) fn take_in(&mut self, message: AsyncMessage) {
        self.global_index = message.global_index;
        let Some(consumer) = self.list.iter_mut().find(|consumer| consumer.known_as == message.handle) else { return };
        let bytes = u32::try_from(VERSION_2_LENGTH + message.data.len()).unwrap_or(u32::MAX);
        consumer.received = consumer.received.saturating_add(bytes);
        consumer.held = consumer.held.saturating_add(bytes);
        let got = got(message);
        let stays = got.warning == Some(Reason::TruncatedMsgFailed);
        // It would be the next one again, so that the queue manager waits for another request.
        if consumer.room == ONE || stays {
            consumer.is_asked = false;
        }
        let in_unit = !stays && consumer.takes_in_unit(got.descriptor.persistence);
        self.waiting.push_back(Waiting { handle: consumer.handle, in_unit, bytes, got });
    }

    /// The program takes the next message.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        let message = self.waiting.pop_front()?;
        self.release(&message);
        Some(message)
    }

    fn release(&mut self, message: &Waiting) {
        if let Some(consumer) = self.list.iter_mut().find(|consumer| consumer.handle == message.handle) {
            consumer.held = consumer.held.saturating_sub(message.bytes);
            consumer.taken = consumer.taken.saturating_add(message.bytes);
        }
    }

    /// The unit of work was backed out: what it had is on its queue again.
    pub(super) fn discard_in_unit(&mut self) {
        self.discard(|message| message.in_unit);
    }

    fn discard(&mut self, is_meant: impl Fn(&Waiting) -> bool) {
        let (gone, kept): (VecDeque<_>, _) = std::mem::take(&mut self.waiting).into_iter().partition(is_meant);
        self.waiting = kept;
        for message in &gone {
            self.release(message);
        }
    }

    /// The handle is closed, or consumes no more.
    pub(super) fn remove(&mut self, handle: ObjectHandle) {
        self.list.retain(|consumer| consumer.handle != handle);
        self.waiting.retain(|message| message.handle != handle);
    }

    /// The request that is due for the consumer at `index`, if there is such a one, and one is due. `None` at the end.
    ///
    /// The first is due when the program wants a message (`is_wanted`), as is each for one message; one for more when half
    /// of them are taken.
    pub(super) fn due(&mut self, index: usize, is_wanted: bool) -> Option<Option<RequestMessages>> {
        let global_index = self.global_index;
        let consumer = self.list.get_mut(index)?;
        let is_due = if consumer.is_asked {
            consumer.room > ONE && consumer.taken >= consumer.room / 2
        } else {
            is_wanted && consumer.held == 0
        };
        Some((is_due && !consumer.is_ending).then(|| {
            consumer.is_asked = true;
            consumer.request(consumer.room.saturating_sub(consumer.held), global_index)
        }))
    }

    /// A request that takes all earlier ones back, and the queue manager's handle; `None` when nothing was asked for.
    pub(super) fn withdrawal(&mut self, handle: ObjectHandle) -> Option<(i32, RequestMessages)> {
        let global_index = self.global_index;
        let consumer = self.list.iter_mut().find(|consumer| consumer.handle == handle)?;
        consumer.is_ending = true;
        let request = consumer.is_known.then(|| (consumer.known_as, consumer.request(0, global_index)));
        consumer.is_asked = false;
        request
    }

    /// The connection is lost: its unit of work is gone, and nobody knows of these consumers any more.
    pub(super) fn lose_connection(&mut self) {
        self.discard_in_unit();
        self.global_index = 0;
        self.is_started = false;
        self.ending = None;
        for consumer in &mut self.list {
            (consumer.is_known, consumer.is_asked) = (false, false);
            (consumer.received, consumer.taken) = (0, 0);
        }
    }

    /// The queue manager's handles have changed; a consumer whose handle is gone goes too.
    pub(super) fn renew(&mut self, handle: impl Fn(ObjectHandle) -> Option<i32>) {
        self.list.retain_mut(|consumer| {
            let known_as = handle(consumer.handle);
            consumer.known_as = known_as.unwrap_or(-1);
            known_as.is_some()
        });
    }
}

impl Consumer {
    fn is_in_unit(&self) -> bool {
        self.options.flags.intersects(IN_UNIT)
    }

    fn takes_in_unit(&self, persistence: Persistence) -> bool {
        let flags = self.options.flags;
        flags.contains(GetFlags::SYNCPOINT)
            || flags.contains(GetFlags::SYNCPOINT_IF_PERSISTENT) && persistence == Persistence::Persistent
    }

    fn request(&mut self, wanted: u32, global_index: u32) -> RequestMessages {
        let selection = (!self.is_known).then(|| self.selection());
        self.is_known = true;
        self.taken = 0;
        let longest = self.options.buffer_length.map(|length| i32::try_from(length).unwrap_or(i32::MAX));
        RequestMessages {
            handle: self.known_as,
            received: std::mem::take(&mut self.received),
            wanted,
            maximum_length: longest.unwrap_or(-1),
            // The waiting is in the request's own flags.
            options: self.options.flags.difference(GetFlags::WAIT),
            wait_interval: 0,
            queue_status: 0,
            flags: if self.room == ONE { RequestFlags::WAIT } else { RequestFlags::WAIT.union(READ_AHEAD) },
            global_index,
            selection,
        }
    }

    fn selection(&self) -> MessageSelection {
        let options = &self.options;
        let native = ConversionTarget { ccsid: Ccsid::UTF_8, encoding: Encoding::NATIVE };
        let target = options.target.unwrap_or(native);
        MessageSelection {
            index: 1,
            descriptor_version: 2,
            ccsid: target.ccsid.0,
            encoding: target.encoding.0,
            sequence_number: options.message_sequence_number.cast_signed(),
            offset: options.offset.cast_signed(),
            match_options: options.match_options,
            message_id: *options.message_id.as_bytes(),
            correlation_id: *options.correlation_id.as_bytes(),
            group_id: *options.group_id.as_bytes(),
            message_token: options.message_token,
        }
    }
}

fn got(message: AsyncMessage) -> Got {
    let queue = std::str::from_utf8(&message.resolved_queue).ok();
    Got {
        descriptor: message.descriptor.fields,
        body: message.data,
        data_length: usize::try_from(message.length).unwrap_or(usize::MAX),
        message_token: message.message_token,
        group_status: b' ',
        segment_status: b' ',
        segmentation: b' ',
        resolved_queue: queue.and_then(|name| QueueName::parse(name.trim_end()).ok()).unwrap_or_default(),
        warning: (message.reason != 0).then(|| Reason::from_number(message.reason).unwrap_or(Reason::UnexpectedError)),
    }
}

#[cfg(test)]
mod tests;
