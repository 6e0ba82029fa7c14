//! FCNO: the end of a MQCONN body, by which newer clients pass connection tags.
//!
//! ```text
//!   0 "FCNO"             4      12 connection tag           128     268 further fields, by version; in version 4 a
//!   4 version            4     140 returned connection tag  128         0xFFFFFFFF stands at 272, the rest is zero
//!   8 capabilities       4         (from version 3, D)              352 end of version 4
//! ```
//!
//! Source: reference, section 7 (C for the length of version 4; the fields after the tags are unknown and kept as bytes).

use bytes::{BufMut, Bytes, BytesMut};

use crate::form::{ByteOrder, Form};

/// FCNO version 4 without a tag, as the Java client 9.4 sends it, in the byte order of `form`.
pub fn version_4(form: Form) -> Bytes {
    let mut out = BytesMut::with_capacity(352);
    let mut identifier = *b"FCNO";
    form.field_out(&mut identifier);
    out.put_slice(&identifier);
    match form.order {
        ByteOrder::Big => out.put_i32(4),
        ByteOrder::Little => out.put_i32_le(4),
    }
    out.put_bytes(0, 264);
    out.put_i32(-1);
    out.put_bytes(0, 352 - 276);
    out.freeze()
}
