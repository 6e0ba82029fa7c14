//! The records of a distribution list: which queues, what each message has of its own, and how each call went.
//!
//! ```text
//! MQOR  0 ObjectName 48     48 ObjectQMgrName 48
//! MQRR  0 CompCode   4       4 Reason         4
//! MQPMR MsgId 24, CorrelId 24, GroupId 24, Feedback 4, AccountingToken 32: those that PutMsgRecFields names, in this order
//! ```
//!
//! They follow the structure that counts them, at the offsets that it states; offsets count from its beginning. Source: flows of
//! the Java client for MQOD (C); for MQPMO (D).

use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

/// MQOR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectRecord {
    pub name: Text<48>,
    pub queue_manager: Text<48>,
}

/// MQRR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseRecord {
    pub completion: i32,
    pub reason: i32,
}

/// MQPMR: only what its fields name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PutRecord {
    pub message_id: Option<[u8; 24]>,
    pub correlation_id: Option<[u8; 24]>,
    pub group_id: Option<[u8; 24]>,
    pub feedback: Option<i32>,
    pub accounting_token: Option<[u8; 32]>,
}

/// MQPMRF_*.
pub mod fields {
    pub const MESSAGE_ID: i32 = 1;
    pub const CORRELATION_ID: i32 = 2;
    pub const GROUP_ID: i32 = 4;
    pub const FEEDBACK: i32 = 8;
    pub const ACCOUNTING_TOKEN: i32 = 16;
    pub const ALL: i32 = 31;
}

impl ObjectRecord {
    pub const LENGTH: usize = 96;

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        Ok(Self { name: reader.text()?, queue_manager: reader.text()? })
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(self.name.as_bytes());
        writer.text(self.queue_manager.as_bytes());
    }
}

impl ResponseRecord {
    pub const LENGTH: usize = 8;

    fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        Ok(Self { completion: reader.integer()?, reason: reader.integer()? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integers(&[self.completion, self.reason]);
    }
}

impl PutRecord {
    /// Of a record with these fields, in bytes.
    pub fn length(fields: i32) -> usize {
        let lengths = [
            (fields::MESSAGE_ID, 24),
            (fields::CORRELATION_ID, 24),
            (fields::GROUP_ID, 24),
            (fields::FEEDBACK, 4),
            (fields::ACCOUNTING_TOKEN, 32),
        ];
        lengths.into_iter().filter(|(field, _)| fields & field != 0).map(|(_, length)| length).sum()
    }

    pub fn decode(fields: i32, reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        let has = |field| fields & field != 0;
        Ok(Self {
            message_id: if has(fields::MESSAGE_ID) { Some(reader.array()?) } else { None },
            correlation_id: if has(fields::CORRELATION_ID) { Some(reader.array()?) } else { None },
            group_id: if has(fields::GROUP_ID) { Some(reader.array()?) } else { None },
            feedback: if has(fields::FEEDBACK) { Some(reader.integer()?) } else { None },
            accounting_token: if has(fields::ACCOUNTING_TOKEN) { Some(reader.array()?) } else { None },
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        for identifier in [&self.message_id, &self.correlation_id, &self.group_id].into_iter().flatten() {
            writer.bytes(identifier);
        }
        if let Some(feedback) = self.feedback {
            writer.integer(feedback);
        }
        if let Some(token) = &self.accounting_token {
            writer.bytes(token);
        }
    }
}

/// Where records begin, and how many there are; nothing at offset 0.
struct Place<'a, 'b> {
    base: usize,
    count: usize,
    reader: &'a mut Reader<'b>,
}

impl Place<'_, '_> {
    fn records<T>(
        &mut self,
        offset: i32,
        length: usize,
        decode: impl Fn(&mut Reader<'_>) -> Result<T, ProtocolError>,
    ) -> Result<Vec<T>, ProtocolError> {
        let Some(offset) = usize::try_from(offset).ok().filter(|&offset| offset > 0) else { return Ok(Vec::new()) };
        if length == 0 {
            return Ok(Vec::new());
        }
        self.reader.skip_to(self.base.saturating_add(offset));
        // What is counted has to be there before anything is made of it.
        self.reader.peek(self.count.saturating_mul(length))?;
        (0..self.count).map(|_| decode(self.reader)).collect()
    }
}

fn count_of(present: i32) -> usize {
    usize::try_from(present).unwrap_or(0)
}

/// Those behind an MQOD that begins at `base`. `fields`: RecsPresent to the pointers.
pub(crate) fn decode_of_object(
    base: usize,
    fields: &[i32; 8],
    reader: &mut Reader<'_>,
) -> Result<(Vec<ObjectRecord>, Vec<ResponseRecord>), ProtocolError> {
    let [present, _, _, _, objects, responses, ..] = *fields;
    let mut place = Place { base, count: count_of(present), reader };
    Ok((
        place.records(objects, ObjectRecord::LENGTH, ObjectRecord::decode)?,
        place.records(responses, ResponseRecord::LENGTH, ResponseRecord::decode)?,
    ))
}

/// Those behind an MQPMO that begins at `base`.
pub(crate) fn decode_of_put(
    base: usize,
    fields: &[i32; 6],
    reader: &mut Reader<'_>,
) -> Result<(Vec<PutRecord>, Vec<ResponseRecord>), ProtocolError> {
    let [present, own, records, responses, ..] = *fields;
    let mut place = Place { base, count: count_of(present), reader };
    Ok((
        place.records(records, PutRecord::length(own), |reader| PutRecord::decode(own, reader))?,
        place.records(responses, ResponseRecord::LENGTH, ResponseRecord::decode)?,
    ))
}

/// Writes records behind an MQOD that begins at `base`, and where they are.
pub(crate) fn encode_of_object(
    base: usize,
    objects: &[ObjectRecord],
    responses: &[ResponseRecord],
    writer: &mut Writer<'_>,
) {
    const OBJECT_OFFSET: usize = 184;
    const RESPONSE_OFFSET: usize = 188;
    writer.patch(base + OBJECT_OFFSET, if objects.is_empty() { 0 } else { writer.offset() - base });
    objects.iter().for_each(|record| record.encode(writer));
    encode_responses(base, RESPONSE_OFFSET, responses, writer);
}

/// As `encode_of_object`, behind an MQPMO.
pub(crate) fn encode_of_put(base: usize, records: &[PutRecord], responses: &[ResponseRecord], writer: &mut Writer<'_>) {
    const RECORD_OFFSET: usize = 136;
    const RESPONSE_OFFSET: usize = 140;
    writer.patch(base + RECORD_OFFSET, if records.is_empty() { 0 } else { writer.offset() - base });
    records.iter().for_each(|record| record.encode(writer));
    encode_responses(base, RESPONSE_OFFSET, responses, writer);
}

fn encode_responses(base: usize, at: usize, responses: &[ResponseRecord], writer: &mut Writer<'_>) {
    writer.patch(base + at, if responses.is_empty() { 0 } else { writer.offset() - base });
    responses.iter().for_each(|record| record.encode(writer));
}
