//! The functions of the MQAI that programs and bindings call.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::bag::{self, Value, execute};
use mqi_client::constant::{MQBL_NULL_TERMINATED, MQHB_NONE, MQHB_UNUSABLE_HBAG};
use mqi_client::{Ended, handles};

use crate::door::{call, failed};
use crate::memory::{LONGEST_TEXT, bytes, fill, load, name, store};

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqCreateBag(options: i32, bag: *mut i32, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            if bag.is_null() {
                return Err(failed(Reason::HbagError));
            }
            store(bag, bag::create(options));
            Ok(Ended::WELL)
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqDeleteBag(bag: *mut i32, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            let ended = bag::delete(load(bag, Reason::HbagError)?)?;
            store(bag, MQHB_UNUSABLE_HBAG);
            Ok(ended)
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqClearBag(bag: i32, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::clear(bag)) };
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqDeleteItem(bag: i32, selector: i32, index: i32, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::delete_item(bag, selector, index)) };
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqCountItems(
    bag: i32,
    selector: i32,
    count: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            store(count, i32::try_from(bag::count(bag, selector)?).unwrap_or(i32::MAX));
            Ok(Ended::WELL)
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddInquiry(bag: i32, selector: i32, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::add_inquiry(bag, selector)) };
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddInteger(bag: i32, selector: i32, value: i32, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::add(bag, selector, Value::Integer(value))) };
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddInteger64(bag: i32, selector: i32, value: i64, completion: *mut i32, reason: *mut i32) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::add(bag, selector, Value::Integer64(value))) };
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddIntegerFilter(
    bag: i32,
    selector: i32,
    value: i32,
    operator: i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::add(bag, selector, Value::IntegerFilter { value, operator })) };
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
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]).trim_end().to_owned())
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddString(
    bag: i32,
    selector: i32,
    length: i32,
    buffer: *mut u8,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || bag::add(bag, selector, Value::Text(text(length, buffer)?))) };
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddStringFilter(
    bag: i32,
    selector: i32,
    length: i32,
    buffer: *mut u8,
    operator: i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            bag::add(bag, selector, Value::TextFilter { text: text(length, buffer)?, operator })
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqAddByteString(
    bag: i32,
    selector: i32,
    length: i32,
    buffer: *mut u8,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            let value = bytes(buffer.cast::<c_void>(), length).map_err(|_| failed(Reason::StringLengthError))?;
            bag::add(bag, selector, Value::Bytes(value.to_vec()))
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqInquireItemInfo(
    bag: i32,
    selector: i32,
    index: i32,
    out_selector: *mut i32,
    kind: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            let item = bag::item(bag, selector, index)?;
            store(out_selector, item.selector);
            store(kind, item.value.kind());
            Ok(Ended::WELL)
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqInquireInteger(
    bag: i32,
    selector: i32,
    index: i32,
    value: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || match bag::item(bag, selector, index)?.value {
            Value::Integer(number) => {
                store(value, number);
                Ok(Ended::WELL)
            }
            _ => Err(failed(Reason::SelectorWrongType)),
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqInquireInteger64(
    bag: i32,
    selector: i32,
    index: i32,
    value: *mut i64,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || match bag::item(bag, selector, index)?.value {
            Value::Integer64(number) => {
                store(value, number);
                Ok(Ended::WELL)
            }
            _ => Err(failed(Reason::SelectorWrongType)),
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqInquireBag(
    bag: i32,
    selector: i32,
    index: i32,
    value: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || match bag::item(bag, selector, index)?.value {
            Value::Bag(within) => {
                store(value, within);
                Ok(Ended::WELL)
            }
            _ => Err(failed(Reason::SelectorWrongType)),
        });
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
        store(length, i32::try_from(value.len()).unwrap_or(i32::MAX));
    }
    if value.len() > room {
        return Ok(Ended { completion: 1, reason: Reason::StringTruncated.number() });
    }
    Ok(Ended::WELL)
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqInquireString(
    bag: i32,
    selector: i32,
    index: i32,
    room: i32,
    buffer: *mut u8,
    length: *mut i32,
    ccsid: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || match bag::item(bag, selector, index)?.value {
            Value::Text(text) => {
                store(ccsid, handles::ccsid(0));
                value_out(text.as_bytes(), b' ', room, buffer, length)
            }
            _ => Err(failed(Reason::SelectorWrongType)),
        });
    }
}

/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqInquireByteString(
    bag: i32,
    selector: i32,
    index: i32,
    room: i32,
    buffer: *mut u8,
    length: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || match bag::item(bag, selector, index)?.value {
            Value::Bytes(bytes) => value_out(&bytes, 0, room, buffer, length),
            _ => Err(failed(Reason::SelectorWrongType)),
        });
    }
}

/// The queues of commands and of responses are the library's own choice: `admin_queue` and `response_queue` are not used.
///
/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqExecute(
    hconn: i32,
    command: i32,
    _options: i32,
    admin: i32,
    response: i32,
    _admin_queue: i32,
    _response_queue: i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            let admin = (admin != MQHB_NONE).then_some(admin);
            execute::execute(hconn, command, admin, response)
        });
    }
}
