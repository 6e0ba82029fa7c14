//! mqAdd…, mqSet… and mqInquire…: one function for each kind of item.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::bag::{self, Text, Value};
use mqi_client::constant::MQBL_NULL_TERMINATED;
use mqi_client::{Ended, characters, failed, warned};

use crate::memory::{self, LONGEST_TEXT, fill, store, store_length, to_nul};

/// The bytes that a program adds.
///
/// # Errors
/// 2323 a negative length, 2307 null.
///
/// # Safety
/// The address is null or that of as many bytes.
unsafe fn string(length: i32, address: *mut u8) -> Result<Vec<u8>, Ended> {
    if length < 0 {
        return Err(failed(Reason::StringLengthError));
    }
    // SAFETY: the promise.
    let bytes = unsafe { memory::bytes(address.cast::<c_void>(), length) };
    Ok(bytes.map_err(|_| failed(Reason::StringError))?.to_vec())
}

/// The characters that a program adds to a bag, in the coded character set of the bag.
///
/// # Errors
/// As `string`; 2320.
///
/// # Safety
/// The address is null or that of as many bytes, or of a text that ends with a NUL.
unsafe fn text(bag: i32, length: i32, address: *mut u8) -> Result<Text, Ended> {
    let ccsid = bag::ccsid(bag)?;
    // SAFETY: the promise.
    let bytes = unsafe {
        match length {
            MQBL_NULL_TERMINATED if address.is_null() => return Err(failed(Reason::StringError)),
            MQBL_NULL_TERMINATED => to_nul(address, LONGEST_TEXT),
            length => string(length, address)?,
        }
    };
    Ok(Text { characters: characters::of_program(&bytes, ccsid)?, ccsid })
}

door! {
    fn mqAddInquiry(bag: i32, selector: i32) {
        bag::add_inquiry(bag, selector)
    }
}

door! {
    fn mqAddBag(bag: i32, selector: i32, value: i32) {
        bag::add_bag(bag, selector, value)
    }
}

door! {
    fn mqAddInteger(bag: i32, selector: i32, value: i32) {
        bag::add(bag, selector, Value::Integer(value))
    }
}

door! {
    fn mqAddInteger64(bag: i32, selector: i32, value: i64) {
        bag::add(bag, selector, Value::Integer64(value))
    }
}

door! {
    fn mqAddIntegerFilter(bag: i32, selector: i32, value: i32, operator: i32) {
        bag::add(bag, selector, Value::IntegerFilter { value, operator })
    }
}

door! {
    fn mqAddString(bag: i32, selector: i32, length: i32, buffer: *mut u8) {
        bag::add(bag, selector, Value::Text(text(bag, length, buffer)?))
    }
}

door! {
    fn mqAddStringFilter(bag: i32, selector: i32, length: i32, buffer: *mut u8, operator: i32) {
        bag::add(bag, selector, Value::TextFilter { text: text(bag, length, buffer)?, operator })
    }
}

door! {
    fn mqAddByteString(bag: i32, selector: i32, length: i32, buffer: *mut u8) {
        bag::add(bag, selector, Value::Bytes(string(length, buffer)?))
    }
}

door! {
    fn mqAddByteStringFilter(bag: i32, selector: i32, length: i32, buffer: *mut u8, operator: i32) {
        bag::add(bag, selector, Value::BytesFilter { bytes: string(length, buffer)?, operator })
    }
}

door! {
    fn mqSetInteger(bag: i32, selector: i32, index: i32, value: i32) {
        bag::set(bag, selector, index, Value::Integer(value))
    }
}

door! {
    fn mqSetInteger64(bag: i32, selector: i32, index: i32, value: i64) {
        bag::set(bag, selector, index, Value::Integer64(value))
    }
}

door! {
    fn mqSetIntegerFilter(bag: i32, selector: i32, index: i32, value: i32, operator: i32) {
        bag::set(bag, selector, index, Value::IntegerFilter { value, operator })
    }
}

door! {
    fn mqSetString(bag: i32, selector: i32, index: i32, length: i32, buffer: *mut u8) {
        bag::set(bag, selector, index, Value::Text(text(bag, length, buffer)?))
    }
}

door! {
    fn mqSetStringFilter(bag: i32, selector: i32, index: i32, length: i32, buffer: *mut u8, operator: i32) {
        bag::set(bag, selector, index, Value::TextFilter { text: text(bag, length, buffer)?, operator })
    }
}

door! {
    fn mqSetByteString(bag: i32, selector: i32, index: i32, length: i32, buffer: *mut u8) {
        bag::set(bag, selector, index, Value::Bytes(string(length, buffer)?))
    }
}

door! {
    fn mqSetByteStringFilter(bag: i32, selector: i32, index: i32, length: i32, buffer: *mut u8, operator: i32) {
        bag::set(bag, selector, index, Value::BytesFilter { bytes: string(length, buffer)?, operator })
    }
}

door! {
    fn mqInquireItemInfo(bag: i32, selector: i32, index: i32, out_selector: *mut i32, kind: *mut i32) {
        let item = bag::item(bag, selector, index)?;
        store(out_selector, item.selector);
        store(kind, item.value.kind());
        Ok(Ended::WELL)
    }
}

/// The value of an item; 2312 when it is not of the kind that is asked for.
fn inquired<T>(bag: i32, selector: i32, index: i32, of: impl FnOnce(Value) -> Option<T>) -> Result<T, Ended> {
    of(bag::item(bag, selector, index)?.value).ok_or(failed(Reason::SelectorWrongType))
}

door! {
    fn mqInquireInteger(bag: i32, selector: i32, index: i32, value: *mut i32) {
        store(value, inquired(bag, selector, index, |value| match value {
            Value::Integer(number) => Some(number),
            _ => None,
        })?);
        Ok(Ended::WELL)
    }
}

door! {
    fn mqInquireInteger64(bag: i32, selector: i32, index: i32, value: *mut i64) {
        store(value, inquired(bag, selector, index, |value| match value {
            Value::Integer64(number) => Some(number),
            _ => None,
        })?);
        Ok(Ended::WELL)
    }
}

door! {
    fn mqInquireIntegerFilter(bag: i32, selector: i32, index: i32, value: *mut i32, operator: *mut i32) {
        let (number, compared) = inquired(bag, selector, index, |value| match value {
            Value::IntegerFilter { value, operator } => Some((value, operator)),
            _ => None,
        })?;
        store(value, number);
        store(operator, compared);
        Ok(Ended::WELL)
    }
}

door! {
    fn mqInquireBag(bag: i32, selector: i32, index: i32, value: *mut i32) {
        store(value, inquired(bag, selector, index, |value| match value {
            Value::Bag(within) => Some(within),
            _ => None,
        })?);
        Ok(Ended::WELL)
    }
}

/// Fills a buffer with blanks or NULs behind the value; 2311 when it is cut.
///
/// # Errors
/// 2005 a negative length, 2004 null with a length.
///
/// # Safety
/// The buffer has `room` bytes.
pub(super) unsafe fn value_out(
    value: &[u8],
    filler: u8,
    room: i32,
    buffer: *mut u8,
    length: *mut i32,
) -> Result<Ended, Ended> {
    let room = memory::room(buffer.cast::<c_void>(), room)?;
    let mut padded = value.to_vec();
    padded.resize(room.max(value.len()), filler);
    // SAFETY: the promise.
    unsafe {
        fill(buffer.cast::<c_void>(), room, &padded);
        store_length(length, value.len());
    }
    if value.len() > room {
        return Ok(warned(Reason::StringTruncated));
    }
    Ok(Ended::WELL)
}

door! {
    fn mqInquireString(
        bag: i32,
        selector: i32,
        index: i32,
        room: i32,
        buffer: *mut u8,
        length: *mut i32,
        ccsid: *mut i32,
    ) {
        let text = inquired(bag, selector, index, |value| match value {
            Value::Text(text) => Some(text),
            _ => None,
        })?;
        store(ccsid, characters::shown_as(text.ccsid));
        value_out(&characters::for_program(&text.characters, text.ccsid), characters::blank(text.ccsid), room, buffer, length)
    }
}

door! {
    fn mqInquireStringFilter(
        bag: i32,
        selector: i32,
        index: i32,
        room: i32,
        buffer: *mut u8,
        length: *mut i32,
        ccsid: *mut i32,
        operator: *mut i32,
    ) {
        let (text, compared) = inquired(bag, selector, index, |value| match value {
            Value::TextFilter { text, operator } => Some((text, operator)),
            _ => None,
        })?;
        store(ccsid, characters::shown_as(text.ccsid));
        store(operator, compared);
        value_out(&characters::for_program(&text.characters, text.ccsid), characters::blank(text.ccsid), room, buffer, length)
    }
}

door! {
    fn mqInquireByteString(bag: i32, selector: i32, index: i32, room: i32, buffer: *mut u8, length: *mut i32) {
        let bytes = inquired(bag, selector, index, |value| match value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        })?;
        value_out(&bytes, 0, room, buffer, length)
    }
}

door! {
    fn mqInquireByteStringFilter(
        bag: i32,
        selector: i32,
        index: i32,
        room: i32,
        buffer: *mut u8,
        length: *mut i32,
        operator: *mut i32,
    ) {
        let (bytes, compared) = inquired(bag, selector, index, |value| match value {
            Value::BytesFilter { bytes, operator } => Some((bytes, operator)),
            _ => None,
        })?;
        store(operator, compared);
        value_out(&bytes, 0, room, buffer, length)
    }
}
