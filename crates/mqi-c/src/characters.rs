//! MQXCNVC.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::{characters, failed};

use crate::memory::{bytes, fill, store_length};

door! {
    /// The connection is not used: characters are converted here.
    fn MQXCNVC(
        _hconn: i32,
        options: i32,
        source_ccsid: i32,
        source_length: i32,
        source: *mut u8,
        target_ccsid: i32,
        target_length: i32,
        target: *mut u8,
        data_length: *mut i32,
    ) {
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
        store_length(data_length, length);
        Ok(ended)
    }
}
