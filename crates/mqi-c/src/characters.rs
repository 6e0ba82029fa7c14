//! MQXCNVC.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::characters;

use crate::door::{call, failed};
use crate::memory::{bytes, fill, store};

/// The connection is not used: characters are converted here.
///
/// # Safety
/// As the crate says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MQXCNVC(
    _hconn: i32,
    options: i32,
    source_ccsid: i32,
    source_length: i32,
    source: *mut u8,
    target_ccsid: i32,
    target_length: i32,
    target: *mut u8,
    data_length: *mut i32,
    completion: *mut i32,
    reason: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        call(completion, reason, || {
            if source_length < 0 {
                return Err(failed(Reason::SourceLengthError));
            }
            let room = usize::try_from(target_length).map_err(|_| failed(Reason::TargetLengthError))?;
            if room > 0 && target.is_null() {
                return Err(failed(Reason::TargetBufferError));
            }
            let text = bytes(source.cast::<c_void>(), source_length).map_err(|_| failed(Reason::SourceBufferError))?;
            let (ended, converted, length) = characters::convert(options, source_ccsid, text, target_ccsid, room)?;
            fill(target.cast::<c_void>(), room, &converted);
            store(data_length, i32::try_from(length).unwrap_or(i32::MAX));
            Ok(ended)
        });
    }
}
