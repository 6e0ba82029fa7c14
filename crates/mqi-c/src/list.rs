//! The records of distribution lists in the program's memory: MQOR, MQRR and MQPMR, one behind the other.

use channel_protocol::structure::distribution::{ObjectRecord, PutRecord, ResponseRecord, fields};
use model::reason::Reason;
use model::text::Text;
use mqi_client::structure::{Address, Mqod, Mqpmo};
use mqi_client::verb::Records;
use mqi_client::{Ended, failed};

use crate::memory::{Copied, part, place, store};

/// How many records a structure counts; `None` when it names no list.
///
/// # Errors
/// 2154: a negative count.
fn count(version: i32, present: i32) -> Result<Option<usize>, Ended> {
    if version < 2 || present == 0 {
        return Ok(None);
    }
    usize::try_from(present).map(Some).map_err(|_| failed(Reason::RecsPresentError))
}

/// As many bytes of each record.
///
/// # Errors
/// `reason`: no records.
///
/// # Safety
/// The address is 0 or that of as many records.
unsafe fn records<'a>(address: Address, count: usize, length: usize, reason: Reason) -> Result<&'a [u8], Ended> {
    // SAFETY: the promise.
    unsafe { part(address, count.saturating_mul(length)) }.map_err(|_| failed(reason))
}

fn array<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (taken, rest) = bytes.split_first_chunk().map_or(([0; N], &[][..]), |(taken, rest)| (*taken, rest));
    *bytes = rest;
    taken
}

fn responses(address: Address, count: usize) -> Vec<ResponseRecord> {
    if address == 0 { Vec::new() } else { vec![ResponseRecord::default(); count] }
}

fn opened_at(od: &Copied<Mqod>) -> Address {
    place(od.base(), od.value.response_rec_ptr, od.value.response_rec_offset)
}

fn put_at(pmo: &Copied<Mqpmo>) -> Address {
    place(pmo.base(), pmo.value.response_rec_ptr, pmo.value.response_rec_offset)
}

fn messages_at(pmo: &Copied<Mqpmo>) -> Address {
    place(pmo.base(), pmo.value.put_msg_rec_ptr, pmo.value.put_msg_rec_offset)
}

/// # Errors
/// 2154, 2155.
///
/// # Safety
/// What the structure names is there.
pub(crate) unsafe fn of_object(od: &Copied<Mqod>) -> Result<Records, Ended> {
    let Some(count) = count(od.value.version, od.value.recs_present)? else { return Ok(Records::default()) };
    let address = place(od.base(), od.value.object_rec_ptr, od.value.object_rec_offset);
    // SAFETY: the promise.
    let bytes = unsafe { records(address, count, ObjectRecord::LENGTH, Reason::ObjectRecordsError) }?;
    let destinations = bytes.chunks_exact(ObjectRecord::LENGTH).map(|mut record| ObjectRecord {
        name: Text::from_bytes(array(&mut record)),
        queue_manager: Text::from_bytes(array(&mut record)),
    });
    Ok(Records { destinations: destinations.collect(), opened: responses(opened_at(od), count), ..Records::default() })
}

/// Adds what MQPMO names to the records of MQOD.
///
/// # Errors
/// 2154, 2158 fields that are not known, 2159 fields without records.
///
/// # Safety
/// What the structure names is there.
pub(crate) unsafe fn of_put(pmo: &Copied<Mqpmo>, mut all: Records) -> Result<Records, Ended> {
    let Some(count) = count(pmo.value.version, pmo.value.recs_present)? else { return Ok(all) };
    let own = pmo.value.put_msg_rec_fields;
    if own & !fields::ALL != 0 {
        return Err(failed(Reason::PmoRecordFlagsError));
    }
    all.put = responses(put_at(pmo), count);
    let length = PutRecord::length(own);
    if length == 0 {
        return Ok(all);
    }
    // SAFETY: the promise.
    let bytes = unsafe { records(messages_at(pmo), count, length, Reason::PutMsgRecordsError) }?;
    let has = |field| own & field != 0;
    all.messages = bytes
        .chunks_exact(length)
        .map(|mut record| PutRecord {
            message_id: has(fields::MESSAGE_ID).then(|| array(&mut record)),
            correlation_id: has(fields::CORRELATION_ID).then(|| array(&mut record)),
            group_id: has(fields::GROUP_ID).then(|| array(&mut record)),
            feedback: has(fields::FEEDBACK).then(|| i32::from_ne_bytes(array(&mut record))),
            accounting_token: has(fields::ACCOUNTING_TOKEN).then(|| array(&mut record)),
        })
        .collect();
    Ok(all)
}

/// Says how each queue was opened.
///
/// # Safety
/// As `of_object`, and it may be written.
pub(crate) unsafe fn object_back(od: &Copied<Mqod>, all: &Records) {
    // SAFETY: the promise.
    unsafe { responses_back(opened_at(od), &all.opened) };
}

/// Says how each message was put, and which identifiers it has.
///
/// # Safety
/// As `of_put`, and it may be written.
pub(crate) unsafe fn put_back(pmo: &Copied<Mqpmo>, all: &Records) {
    // SAFETY: the promise; records were read there.
    unsafe {
        responses_back(put_at(pmo), &all.put);
        let mut at = messages_at(pmo);
        for record in &all.messages {
            for identifier in [record.message_id, record.correlation_id, record.group_id].into_iter().flatten() {
                store(at as *mut [u8; 24], identifier);
                at += identifier.len();
            }
            at += record.feedback.map_or(0, |_| size_of::<i32>())
                + record.accounting_token.map_or(0, |token| token.len());
        }
    }
}

/// # Safety
/// The address is that of as many MQRR.
unsafe fn responses_back(address: Address, responses: &[ResponseRecord]) {
    for (at, ResponseRecord { completion, reason }) in responses.iter().enumerate() {
        // SAFETY: the promise.
        unsafe { store((address + at * ResponseRecord::LENGTH) as *mut [i32; 2], [*completion, *reason]) };
    }
}
