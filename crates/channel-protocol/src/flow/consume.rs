//! Asynchronous consumers: REQUEST_MSGS, NOTIFICATION and ASYNC_MESSAGE.
//!
//! ```text
//! REQUEST_MSGS                                        NOTIFICATION
//!   0 version 1                         4               0 version 1                      4
//!   4 handle                            4               4 handle, -1 the connection      4
//!   8 bytes received since the last     4               8 code                           4
//!  12 bytes wanted                      4              12 value                          4
//!  16 maximum message length, -1 any    4
//!  20 get options                       4             ASYNC_MESSAGE
//!  24 wait interval                     4               0 version 1                      4
//!  28 queue status                      4               4 handle                         4
//!  32 flags                             4               8 message index of the handle    4
//!  36 global index of the last message  4              12 global index, conversation     4
//!     with flag 0x10:                                  16 message data in this segment   4
//!  40 selection index                   2              20 segment index from 0           2
//!  42 MQMD version wanted               2              22 selection index                2
//!  44 CCSID                             4              24 reason           (from here    4
//!  48 encoding                          4              28 message length    in segment   4
//!  52 sequence number                   4              32 actual length     0 only)      4
//!  56 offset                            4              36 message token                 16
//!  60 match options                     4              52 status                         2
//!  64 message identifier if matched    24              54 length n of the next           1
//!     correlation identifier if matched 24             55 resolved queue name            n
//!     group identifier if matched      24                 NULs to a multiple of 4 from 52
//!     message token if matched         16                 MQMD, message data
//! ```
//!
//! Source: reference, section 13 (C; codes without a constant here D).

use bitflags::bitflags;
use bytes::{Bytes, BytesMut};
use model::options::{GetFlags, MatchOptions};

use crate::cursor::{Reader, Writer};
use crate::error::{DecodeError, ProtocolError};
use crate::output::{Envelope, Output, room};
use crate::structure::message_descriptor::Descriptor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notification {
    /// -1: the connection.
    pub handle: i32,
    pub code: i32,
    pub value: i32,
}

impl Notification {
    pub const GET_INHIBITED: i32 = 1;
    pub const GET_ALLOWED: i32 = 2;
    /// Values: 2 start, 3 suspend, 0 stop.
    pub const CONNECTION_STATE: i32 = 3;
    /// Answers the one before when its segment asked for confirmation.
    pub const CONNECTION_STATE_REPLY: i32 = 4;
    pub const OBJECT_STATE: i32 = 5;
    pub const OBJECT_STATE_REPLY: i32 = 6;
    pub const QUIESCING: i32 = 7;
    /// From a client that reconnects by itself: this conversation is there again; sent once more when all are.
    pub const RECONNECTED: i32 = 17;

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("NOTIFICATION");
        version_1(reader)?;
        Ok(Self { handle: reader.integer()?, code: reader.integer()?, value: reader.integer()? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integers(&[1, self.handle, self.code, self.value]);
    }
}

bitflags! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct RequestFlags: u32 {
        /// Wait until a message comes.
        const WAIT = 0x01;
        /// A selection follows; it stands until another comes.
        const SELECTION = 0x10;
        const _ = !0;
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMessages {
    pub handle: i32,
    /// MQMD and data received since the last request.
    pub received: u32,
    /// How many more bytes may be sent; 1: one message.
    pub wanted: u32,
    /// -1: any.
    pub maximum_length: i32,
    pub options: GetFlags,
    pub wait_interval: i32,
    pub queue_status: i32,
    /// `SELECTION` follows from `selection` when encoding.
    pub flags: RequestFlags,
    /// Of the last message received.
    pub global_index: u32,
    pub selection: Option<MessageSelection>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSelection {
    pub index: u16,
    pub descriptor_version: u16,
    pub ccsid: i32,
    pub encoding: i32,
    pub sequence_number: i32,
    pub offset: i32,
    pub match_options: MatchOptions,
    /// Zeros when not matched, as the next three.
    pub message_id: [u8; 24],
    pub correlation_id: [u8; 24],
    pub group_id: [u8; 24],
    pub message_token: [u8; 16],
}

impl RequestMessages {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("REQUEST_MSGS");
        version_1(reader)?;
        let mut request = Self {
            handle: reader.integer()?,
            received: reader.bits()?,
            wanted: reader.bits()?,
            maximum_length: reader.integer()?,
            options: GetFlags::from_bits_retain(reader.bits()?),
            wait_interval: reader.integer()?,
            queue_status: reader.integer()?,
            flags: RequestFlags::from_bits_retain(reader.bits()?),
            global_index: reader.bits()?,
            selection: None,
        };
        if request.flags.contains(RequestFlags::SELECTION) {
            request.selection = Some(MessageSelection::decode(reader)?);
        }
        Ok(request)
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let mut flags = self.flags;
        flags.set(RequestFlags::SELECTION, self.selection.is_some());
        writer.integers(&[1, self.handle]);
        writer.bits(self.received);
        writer.bits(self.wanted);
        writer.integer(self.maximum_length);
        writer.bits(self.options.bits());
        writer.integers(&[self.wait_interval, self.queue_status]);
        writer.bits(flags.bits());
        writer.bits(self.global_index);
        if let Some(selection) = &self.selection {
            selection.encode(writer);
        }
    }
}

impl MessageSelection {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        let mut selection = Self {
            index: reader.short()?,
            descriptor_version: reader.short()?,
            ccsid: reader.integer()?,
            encoding: reader.integer()?,
            sequence_number: reader.integer()?,
            offset: reader.integer()?,
            match_options: MatchOptions::from_bits_retain(reader.bits()?),
            message_id: [0; 24],
            correlation_id: [0; 24],
            group_id: [0; 24],
            message_token: [0; 16],
        };
        let matched = selection.match_options;
        if matched.contains(MatchOptions::MSG_ID) {
            selection.message_id = reader.array()?;
        }
        if matched.contains(MatchOptions::CORREL_ID) {
            selection.correlation_id = reader.array()?;
        }
        if matched.contains(MatchOptions::GROUP_ID) {
            selection.group_id = reader.array()?;
        }
        if matched.contains(MatchOptions::MSG_TOKEN) {
            selection.message_token = reader.array()?;
        }
        Ok(selection)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.short(self.index);
        writer.short(self.descriptor_version);
        writer.integers(&[self.ccsid, self.encoding, self.sequence_number, self.offset]);
        writer.bits(self.match_options.bits());
        let matched = self.match_options;
        if matched.contains(MatchOptions::MSG_ID) {
            writer.bytes(&self.message_id);
        }
        if matched.contains(MatchOptions::CORREL_ID) {
            writer.bytes(&self.correlation_id);
        }
        if matched.contains(MatchOptions::GROUP_ID) {
            writer.bytes(&self.group_id);
        }
        if matched.contains(MatchOptions::MSG_TOKEN) {
            writer.bytes(&self.message_token);
        }
    }
}

/// One message for a consumer. It is never sent without a descriptor: the Java client does not survive that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsyncMessage {
    pub handle: i32,
    /// 1, 2, 3 ... of the handle.
    pub message_index: u32,
    /// 1, 2, 3 ... of the conversation.
    pub global_index: u32,
    /// Of the request it answers.
    pub selection_index: u16,
    pub reason: i32,
    /// Of the whole message, in bytes.
    pub length: u32,
    /// What is sent of it.
    pub actual_length: u32,
    pub message_token: [u8; 16],
    pub status: u16,
    /// In ASCII, without padding, at most 255 bytes.
    pub resolved_queue: Vec<u8>,
    pub descriptor: Descriptor,
    pub data: Bytes,
}

const HEAD: usize = 24;

impl AsyncMessage {
    /// Of a unit that the assembler has put together.
    ///
    /// # Errors
    /// Too short, or not beginning with segment 0.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("ASYNC_MESSAGE");
        version_1(reader)?;
        let (handle, message_index, global_index) = (reader.integer()?, reader.bits()?, reader.bits()?);
        reader.bits()?;
        let segment_index = reader.short()?;
        if segment_index != 0 {
            return Err(reader.value("segment index", i64::from(segment_index)).into());
        }
        let selection_index = reader.short()?;
        let (reason, length, actual_length) = (reader.integer()?, reader.bits()?, reader.bits()?);
        let message_token = reader.array()?;
        let name_base = reader.offset();
        let status = reader.short()?;
        let name_length = usize::from(reader.byte()?);
        let mut resolved_queue = reader.take(name_length)?.to_vec();
        reader.form().field_in(&mut resolved_queue);
        let named = reader.offset() - name_base;
        reader.skip_to(name_base + named.next_multiple_of(4));
        let descriptor = Descriptor::decode_selecting(reader)?;
        let carried = usize::try_from(actual_length).unwrap_or(usize::MAX).min(reader.remaining());
        let data = reader.bytes(carried)?;
        Ok(Self {
            handle,
            message_index,
            global_index,
            selection_index,
            reason,
            length,
            actual_length,
            message_token,
            status,
            resolved_queue,
            descriptor,
            data,
        })
    }

    /// Adds it to `output`, cut at the segment size; every segment has its own head.
    pub fn write(&self, envelope: &Envelope, output: &mut Output) {
        let room = room(output.maximum_segment(), envelope.address.header_length());
        let mut head = BytesMut::with_capacity(512);
        let mut writer = Writer::new(&mut head, envelope.form);
        self.encode_head(0, 0, &mut writer);
        self.encode_first(&mut writer);
        let carried = self.data.len().min(room.saturating_sub(writer.offset()));
        writer.patch(16, carried);
        let mut left = self.data.clone();
        let piece = left.split_to(carried);
        output.segment(&envelope.header(true, left.is_empty()), &head, piece);
        let mut index = 0_u16;
        while !left.is_empty() {
            index = index.wrapping_add(1);
            let piece = left.split_to(left.len().min(room.saturating_sub(HEAD).max(1)));
            head.clear();
            self.encode_head(piece.len(), index, &mut Writer::new(&mut head, envelope.form));
            output.segment(&envelope.header(false, left.is_empty()), &head, piece);
        }
    }

    fn encode_head(&self, carried: usize, segment_index: u16, writer: &mut Writer<'_>) {
        writer.integers(&[1, self.handle]);
        writer.bits(self.message_index);
        writer.bits(self.global_index);
        writer.count(carried);
        writer.short(segment_index);
        writer.short(self.selection_index);
    }

    fn encode_first(&self, writer: &mut Writer<'_>) {
        writer.integer(self.reason);
        writer.bits(self.length);
        writer.bits(self.actual_length);
        writer.bytes(&self.message_token);
        let name_base = writer.offset();
        writer.short(self.status);
        let name = &self.resolved_queue[..self.resolved_queue.len().min(255)];
        writer.byte(u8::try_from(name.len()).unwrap_or(u8::MAX));
        writer.text(name);
        writer.pad_from(name_base);
        self.descriptor.encode(writer);
    }
}

fn version_1(reader: &mut Reader<'_>) -> Result<(), ProtocolError> {
    match reader.integer()? {
        1 => Ok(()),
        other => Err(reader.value("Version", i64::from(other))),
    }
}
