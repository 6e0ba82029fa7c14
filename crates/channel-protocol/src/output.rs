//! What is to be written to a socket: encodes units, splits them into segments, keeps large bodies without a copy.
//!
//! Reads as one byte stream through [`bytes::Buf`]; `chunks_vectored` hands several pieces to one write.
//!
//! Invariants
//! - Bytes leave in the order in which units were added; `chunks` come before `tail`.
//! - No segment is longer than the negotiated maximum.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes, BytesMut};

use crate::cursor::Writer;
use crate::form::Form;
use crate::segment::{Address, ControlFlags, SegmentHeader, SegmentType};

/// Message data up to this length is copied next to its header; longer data becomes a piece of its own.
pub const COPIED_AT_MOST: usize = 16 * 1024;

/// Header fields of a unit to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    pub address: Address,
    pub segment_type: SegmentType,
    /// Besides first and last, which are set here.
    pub control: ControlFlags,
    pub form: Form,
}

impl Envelope {
    pub fn new(address: Address, segment_type: SegmentType, form: Form) -> Self {
        Self { address, segment_type, control: ControlFlags::empty(), form }
    }

    pub fn with(self, control: ControlFlags) -> Self {
        Self { control: self.control | control, ..self }
    }

    pub(crate) fn header(&self, first: bool, last: bool) -> SegmentHeader {
        let mut control = self.control;
        control.set(ControlFlags::FIRST, first);
        control.set(ControlFlags::LAST, last);
        SegmentHeader { address: self.address, segment_type: self.segment_type, control, control_2: 0, form: self.form }
    }
}

#[derive(Debug)]
pub struct Output {
    chunks: VecDeque<Bytes>,
    tail: BytesMut,
    maximum_segment: usize,
}

impl Output {
    /// `maximum_segment`: with the header, in bytes.
    pub fn new(maximum_segment: usize) -> Self {
        Self { chunks: VecDeque::new(), tail: BytesMut::new(), maximum_segment }
    }

    pub fn set_maximum_segment(&mut self, maximum_segment: usize) {
        self.maximum_segment = maximum_segment;
    }

    pub fn maximum_segment(&self) -> usize {
        self.maximum_segment
    }

    pub fn is_empty(&self) -> bool {
        !self.has_remaining()
    }

    /// Gives the buffer's memory back when nothing waits in it: for a socket that has become idle.
    pub fn release(&mut self) {
        if self.is_empty() {
            self.tail = BytesMut::new();
            self.chunks = VecDeque::new();
        }
    }

    /// Adds one unit, whose body `encode` writes.
    pub fn unit(&mut self, envelope: &Envelope, encode: impl FnOnce(&mut Writer<'_>)) {
        let start = self.tail.len();
        let header_length = envelope.address.header_length();
        envelope.header(true, true).encode(0, &mut self.tail);
        let mut writer = Writer::new(&mut self.tail, envelope.form);
        writer.shared = matches!(envelope.address, Address::Conversation { .. });
        encode(&mut writer);
        let (patch, data, padding) = (writer.patch_length, writer.data.take().unwrap_or_default(), writer.padding);
        let body_length = self.tail.len() - start - header_length;
        let total = header_length + body_length + data.len();
        if patch {
            self.patch(start + header_length, total);
        }
        if total + padding > self.maximum_segment {
            self.split(envelope, start, data, padding);
            return;
        }
        self.patch(start + 4, total + padding);
        self.piece(data);
        self.tail.resize(self.tail.len() + padding, 0);
    }

    /// Segments without a body: HEARTBEAT, an empty STATUS.
    pub fn empty(&mut self, envelope: &Envelope) {
        envelope.header(true, true).encode(0, &mut self.tail);
    }

    /// Segments as the caller has cut them, padded to a multiple of four; together the three must not exceed the maximum.
    pub(crate) fn segment(&mut self, header: &SegmentHeader, head: &[u8], body: Bytes) {
        let length = head.len() + body.len();
        let padded = length.next_multiple_of(4);
        header.encode(padded, &mut self.tail);
        self.tail.extend_from_slice(head);
        self.piece(body);
        self.tail.resize(self.tail.len() + padded - length, 0);
    }

    /// Cuts what was written since `start`, with `data` and padding behind it, into segments.
    fn split(&mut self, envelope: &Envelope, start: usize, data: Bytes, padding: usize) {
        let header_length = envelope.address.header_length();
        let mut written = self.tail.split_off(start);
        written.advance(header_length);
        let mut sources = VecDeque::from([written.freeze(), data, Bytes::from_static(&[0; 4]).slice(..padding.min(4))]);
        let mut left: usize = sources.iter().map(Bytes::len).sum();
        let room = room(self.maximum_segment, header_length);
        let mut first = true;
        while left > 0 {
            let mut take = left.min(room);
            left -= take;
            envelope.header(first, left == 0).encode(take, &mut self.tail);
            first = false;
            while take > 0 {
                let Some(source) = sources.front_mut() else { break };
                let piece = source.split_to(source.len().min(take));
                if source.is_empty() {
                    sources.pop_front();
                }
                take -= piece.len();
                self.piece(piece);
            }
        }
    }

    fn piece(&mut self, data: Bytes) {
        if data.len() <= COPIED_AT_MOST {
            self.tail.extend_from_slice(&data);
        } else {
            if !self.tail.is_empty() {
                self.chunks.push_back(self.tail.split().freeze());
            }
            self.chunks.push_back(data);
        }
    }

    /// Writes a length, always high byte first, over four bytes of the tail.
    fn patch(&mut self, at: usize, length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.tail[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }
}

/// Of a segment's body, in bytes: a multiple of four, so that the segments behind it begin at one.
pub(crate) fn room(maximum_segment: usize, header_length: usize) -> usize {
    (maximum_segment.saturating_sub(header_length) & !3).max(4)
}

impl Buf for Output {
    fn remaining(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum::<usize>() + self.tail.len()
    }

    fn chunk(&self) -> &[u8] {
        self.chunks.front().map_or(&self.tail[..], |chunk| &chunk[..])
    }

    fn chunks_vectored<'a>(&'a self, pieces: &mut [IoSlice<'a>]) -> usize {
        let all = self.chunks.iter().map(|chunk| &chunk[..]).chain(std::iter::once(&self.tail[..]));
        let mut used = 0;
        for (place, piece) in pieces.iter_mut().zip(all.filter(|piece| !piece.is_empty())) {
            *place = IoSlice::new(piece);
            used += 1;
        }
        used
    }

    fn advance(&mut self, mut count: usize) {
        while let Some(front) = self.chunks.front_mut() {
            let step = front.len().min(count);
            front.advance(step);
            count -= step;
            if !front.is_empty() {
                return;
            }
            self.chunks.pop_front();
        }
        self.tail.advance(count);
    }
}
