//! The records of distribution lists in the program's memory: MQOR, MQRR and MQPMR, one behind the other. They have the layout that
//! they have on a channel.

use std::ffi::c_void;

use bytes::{Bytes, BytesMut};
use channel_protocol::cursor::{Reader, Writer};
use channel_protocol::error::ProtocolError;
use channel_protocol::form::Form;
use channel_protocol::structure::distribution::{ObjectRecord, PutRecord, ResponseRecord, fields};
use model::reason::Reason;
use mqi_client::structure::{Address, Mqod, Mqpmo};
use mqi_client::verb::Records;
use mqi_client::{Ended, failed};

use crate::memory::{Copied, fill, part, place};

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

/// As many records of `length` bytes each.
///
/// # Errors
/// `reason`: no records.
///
/// # Safety
/// The address is 0 or that of as many records.
unsafe fn records<T>(
    address: Address,
    count: usize,
    length: usize,
    reason: Reason,
    decode: impl Fn(&mut Reader<'_>) -> Result<T, ProtocolError>,
) -> Result<Vec<T>, Ended> {
    // SAFETY: the promise.
    let bytes = unsafe { part(address, count.saturating_mul(length)) }.map_err(|_| failed(reason))?;
    let bytes = Bytes::copy_from_slice(bytes);
    let mut reader = Reader::new("records", &bytes, Form::NATIVE);
    (0..count).map(|_| decode(&mut reader)).collect::<Result<_, _>>().map_err(|_| failed(reason))
}

/// # Safety
/// The address is 0 or that of records as long as those that are written.
unsafe fn records_back<T>(address: Address, records: &[T], encode: impl Fn(&T, &mut Writer<'_>)) {
    let mut bytes = BytesMut::new();
    let mut writer = Writer::new(&mut bytes, Form::NATIVE);
    records.iter().for_each(|record| encode(record, &mut writer));
    // SAFETY: the promise.
    unsafe { fill(address as *mut c_void, bytes.len(), &bytes) };
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
    let (length, missing) = (ObjectRecord::LENGTH, Reason::ObjectRecordsError);
    // SAFETY: the promise.
    let destinations = unsafe { records(address, count, length, missing, ObjectRecord::decode) }?;
    Ok(Records { destinations, opened: responses(opened_at(od), count), ..Records::default() })
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
    let decode = |reader: &mut Reader<'_>| PutRecord::decode(own, reader);
    // SAFETY: the promise.
    all.messages = unsafe { records(messages_at(pmo), count, length, Reason::PutMsgRecordsError, decode) }?;
    Ok(all)
}

/// Says how each queue was opened.
///
/// # Safety
/// As `of_object`, and it may be written.
pub(crate) unsafe fn object_back(od: &Copied<Mqod>, all: &Records) {
    // SAFETY: the promise.
    unsafe { records_back(opened_at(od), &all.opened, ResponseRecord::encode) };
}

/// Says how each message was put, and which identifiers it has.
///
/// # Safety
/// As `of_put`, and it may be written.
pub(crate) unsafe fn put_back(pmo: &Copied<Mqpmo>, all: &Records) {
    // SAFETY: the promise; records were read there.
    unsafe {
        records_back(put_at(pmo), &all.put, ResponseRecord::encode);
        records_back(messages_at(pmo), &all.messages, PutRecord::encode);
    }
}
