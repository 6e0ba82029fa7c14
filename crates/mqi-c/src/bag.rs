//! The functions of the MQAI: bags, and bags as messages. `values` has those that add, change and inquire items.

mod values;

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::bag::exchange::{self, Execution};
use mqi_client::bag::{self};
use mqi_client::constant::{MQBL_NULL_TERMINATED, MQHB_NONE, MQHB_UNUSABLE_HBAG};
use mqi_client::structure::{Mqgmo, Mqpmo};
use mqi_client::{Ended, failed};

use crate::memory::{Copied, LONGEST_TEXT, bytes, fill, load, store, store_length, to_nul};
use crate::verb::Descriptor;

door! {
    fn mqCreateBag(options: i32, bag: *mut i32) {
        if bag.is_null() {
            return Err(failed(Reason::HbagError));
        }
        store(bag, MQHB_UNUSABLE_HBAG);
        store(bag, bag::create(options)?);
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
    fn mqTruncateBag(bag: i32, count: i32) {
        bag::truncate(bag, count)
    }
}

door! {
    fn mqDeleteItem(bag: i32, selector: i32, index: i32) {
        bag::delete_item(bag, selector, index)
    }
}

door! {
    fn mqCountItems(bag: i32, selector: i32, count: *mut i32) {
        if count.is_null() {
            return Err(failed(Reason::ItemCountError));
        }
        store_length(count, bag::count(bag, selector)?);
        Ok(Ended::WELL)
    }
}

/// Bags of options are for mqExecute alone.
fn check_no_options(options: i32) -> Result<(), Ended> {
    if options == MQHB_NONE { Ok(()) } else { Err(failed(Reason::OptionsError)) }
}

door! {
    fn mqBagToBuffer(options: i32, bag: i32, most: i32, buffer: *mut c_void, length: *mut i32) {
        check_no_options(options)?;
        let room = usize::try_from(most).map_err(|_| failed(Reason::BufferLengthError))?;
        if length.is_null() {
            return Err(failed(Reason::DataLengthError));
        }
        let message = exchange::to_buffer(bag)?;
        store_length(length, message.len());
        if message.len() > room {
            return Err(failed(Reason::BufferLengthError));
        }
        if buffer.is_null() {
            return Err(failed(Reason::BufferError));
        }
        fill(buffer, room, &message);
        Ok(Ended::WELL)
    }
}

door! {
    fn mqBufferToBag(options: i32, length: i32, buffer: *mut c_void, bag: i32) {
        check_no_options(options)?;
        exchange::from_buffer(bytes(buffer, length)?, bag)
    }
}

door! {
    fn mqPutBag(hconn: i32, hobj: i32, descriptor: *mut c_void, options: *mut c_void, bag: i32) {
        let mut md = Descriptor::read(descriptor)?;
        let mut pmo = Copied::<Mqpmo>::read_or_default(options, Reason::PmoError)?;
        let ended = exchange::put(hconn, hobj, &mut md.image, &mut pmo.value, bag)?;
        md.write();
        pmo.write();
        Ok(ended)
    }
}

door! {
    fn mqGetBag(hconn: i32, hobj: i32, descriptor: *mut c_void, options: *mut c_void, bag: i32) {
        let mut md = Descriptor::read(descriptor)?;
        let mut gmo = Copied::<Mqgmo>::read(options, Reason::GmoError)?;
        let got = exchange::get(hconn, hobj, &mut md.image, &mut gmo.value, bag);
        md.write();
        gmo.write();
        got
    }
}

door! {
    fn mqExecute(
        hconn: i32,
        command: i32,
        options: i32,
        admin: i32,
        response: i32,
        admin_queue: i32,
        response_queue: i32,
    ) {
        let named = |bag: i32| (bag != MQHB_NONE).then_some(bag);
        exchange::execute(&Execution {
            hconn,
            command,
            options: named(options),
            parameters: named(admin),
            responses: response,
            command_queue: admin_queue,
            response_queue,
        })
    }
}

door! {
    fn mqPad(string: *mut u8, length: i32, buffer: *mut u8) {
        if string.is_null() {
            return Err(failed(Reason::StringError));
        }
        values::value_out(&to_nul(string, LONGEST_TEXT), b' ', length, buffer, std::ptr::null_mut())
    }
}

door! {
    /// `string` has a byte more than the buffer; both may be the same.
    fn mqTrim(length: i32, buffer: *mut u8, string: *mut u8) {
        if string.is_null() {
            return Err(failed(Reason::StringError));
        }
        let mut text = if length == MQBL_NULL_TERMINATED {
            to_nul(buffer, LONGEST_TEXT)
        } else {
            bytes(buffer.cast::<c_void>(), length)?.to_vec()
        };
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        text.truncate(end);
        let kept = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
        text.truncate(kept);
        text.push(0);
        fill(string.cast::<c_void>(), text.len(), &text);
        Ok(Ended::WELL)
    }
}
