//! The functions of the MQAI that programs and bindings call.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::bag::{self, Value, execute};
use mqi_client::constant::{MQBL_NULL_TERMINATED, MQHB_NONE, MQHB_UNUSABLE_HBAG};
use mqi_client::{Ended, failed, handles, warned};

use crate::memory::{self, LONGEST_TEXT, bytes, fill, load, name, store, store_length};

door! {
    fn mqCreateBag(options: i32, bag: *mut i32) {
        if bag.is_null() {
            return Err(failed(Reason::HbagError));
        }
        store(bag, bag::create(options));
        Ok(Ended::WELL)
    }
}

door! {
    fn mqDeleteBag(bag: *mut i32) {
        let ended = bag::delete(load(bag, Reason::HbagError)?)?;
        store(bag, MQHB_UNUSABLE_HBAG);
        Ok(ended)
    }
}

door! {
    fn mqClearBag(bag: i32) {
        bag::clear(bag)
    }
}

door! {
    fn mqDeleteItem(bag: i32, selector: i32, index: i32) {
        bag::delete_item(bag, selector, index)
    }
}

door! {
    fn mqCountItems(bag: i32, selector: i32, count: *mut i32) {
        store_length(count, bag::count(bag, selector)?);
        Ok(Ended::WELL)
    }
}

door! {
    fn mqAddInquiry(bag: i32, selector: i32) {
        bag::add_inquiry(bag, selector)
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

/// # Safety
/// The address is null or that of as many bytes, or of a text that ends with a NUL.
unsafe fn text(length: i32, address: *mut u8) -> Result<String, Ended> {
    // SAFETY: the promise.
    unsafe {
        if length == MQBL_NULL_TERMINATED {
            return Ok(name(address, LONGEST_TEXT));
        }
        let bytes = bytes(address.cast::<c_void>(), length).map_err(|_| failed(Reason::StringLengthError))?;
        Ok(memory::text(bytes).trim_end().to_owned())
    }
}

door! {
    fn mqAddString(bag: i32, selector: i32, length: i32, buffer: *mut u8) {
        bag::add(bag, selector, Value::Text(text(length, buffer)?))
    }
}

door! {
    fn mqAddStringFilter(bag: i32, selector: i32, length: i32, buffer: *mut u8, operator: i32) {
        bag::add(bag, selector, Value::TextFilter { text: text(length, buffer)?, operator })
    }
}

door! {
    fn mqAddByteString(bag: i32, selector: i32, length: i32, buffer: *mut u8) {
        let value = bytes(buffer.cast::<c_void>(), length).map_err(|_| failed(Reason::StringLengthError))?;
        bag::add(bag, selector, Value::Bytes(value.to_vec()))
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
/// # Safety
/// The buffer has `room` bytes.
unsafe fn value_out(value: &[u8], filler: u8, room: i32, buffer: *mut u8, length: *mut i32) -> Result<Ended, Ended> {
    let room = usize::try_from(room).map_err(|_| failed(Reason::BufferLengthError))?;
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
        store(ccsid, handles::ccsid(0));
        value_out(text.as_bytes(), b' ', room, buffer, length)
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
    /// The queues of commands and of responses are the library's own choice: `admin_queue` and `response_queue` are not used.
    fn mqExecute(
        hconn: i32,
        command: i32,
        _options: i32,
        admin: i32,
        response: i32,
        _admin_queue: i32,
        _response_queue: i32,
    ) {
        let admin = (admin != MQHB_NONE).then_some(admin);
        execute::execute(hconn, command, admin, response)
    }
}
