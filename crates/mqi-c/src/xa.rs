//! What the XA switches of `libmqcxa_r.so` and `libmqcxa64_r.so` call. They differ in the width of X/Open's `long` alone, and turn
//! it into the numbers that are taken here.

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use channel_protocol::structure::xid::Xid;
use mqi_client::xa::{self, Registrar, Verb};

use crate::door;
use crate::memory::{load, to_nul};

const XAER_RMERR: i32 = -3;
const XAER_INVAL: i32 = -5;
const TMER_INVAL: i32 = -2;
/// X/Open's MAXINFOSIZE.
const LONGEST_STRING: usize = 256;
const XID_DATA: usize = 128;

/// An XID between a switch and the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PlainXid {
    format: i32,
    global_length: i32,
    branch_length: i32,
    data: [u8; XID_DATA],
}

impl PlainXid {
    /// X/Open's NULLXID: no branch.
    const NULL: Self = Self { format: -1, global_length: 0, branch_length: 0, data: [0; XID_DATA] };

    fn read(&self) -> Option<Xid> {
        let length = |length: i32| usize::try_from(length).ok().filter(|&length| length <= Xid::MAXIMUM_PART);
        let (global, branch) = (length(self.global_length)?, length(self.branch_length)?);
        let data = &self.data[..global + branch];
        let is_valid = self.format >= 0 && global > 0;
        is_valid.then(|| Xid { format: self.format, global: data[..global].to_vec(), branch: data[global..].to_vec() })
    }

    fn of(xid: &Xid) -> Self {
        let (global, branch) = (xid.global.len(), xid.branch.len());
        let mut plain = Self {
            format: xid.format,
            global_length: i32::try_from(global).unwrap_or(0),
            branch_length: i32::try_from(branch).unwrap_or(0),
            data: [0; XID_DATA],
        };
        plain.data[..global].copy_from_slice(&xid.global);
        plain.data[global..global + branch].copy_from_slice(&xid.branch);
        plain
    }
}

/// Nothing unwinds into a transaction manager.
fn ended(call: impl FnOnce() -> i32) -> i32 {
    door::begin();
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(XAER_RMERR)
}

/// # Safety
/// The address is null or that of a text that ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quaymaster_xa_open(text: *const c_char, resource_manager: i32, flags: u32) -> i32 {
    ended(|| {
        // SAFETY: the caller's promise.
        let text = unsafe { to_nul(text.cast::<u8>(), LONGEST_STRING) };
        xa::open(&String::from_utf8_lossy(&text), resource_manager, flags, None)
    })
}

/// Calls `ax_reg`, and writes the XID that comes back.
pub type Register = unsafe extern "C" fn(i32, *mut PlainXid) -> i32;
/// Calls `ax_unreg`.
pub type Unregister = unsafe extern "C" fn(i32);

/// `xa_open` of a resource manager that registers dynamically.
///
/// # Safety
/// The address is null or that of a text that ends with a NUL. The functions stay where they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quaymaster_xa_open_dynamically(
    text: *const c_char,
    resource_manager: i32,
    flags: u32,
    register: Register,
    unregister: Unregister,
) -> i32 {
    ended(|| {
        // SAFETY: the caller's promise.
        let text = unsafe { to_nul(text.cast::<u8>(), LONGEST_STRING) };
        let registrar = Registrar {
            register: Arc::new(move |resource_manager| {
                let mut xid = PlainXid::NULL;
                // SAFETY: the caller's promise, and the XID lives as long as the call.
                let code = unsafe { register(resource_manager, &raw mut xid) };
                match xid.read() {
                    None if xid.format != PlainXid::NULL.format => (TMER_INVAL, None),
                    branch => (code, branch),
                }
            }),
            // SAFETY: the caller's promise.
            unregister: Arc::new(move |resource_manager| unsafe { unregister(resource_manager) }),
        };
        xa::open(&String::from_utf8_lossy(&text), resource_manager, flags, Some(registrar))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn quaymaster_xa_close(resource_manager: i32, flags: u32) -> i32 {
    ended(|| xa::close(resource_manager, flags))
}

/// `verb`: 0 start, 1 end, 2 roll back, 3 prepare, 4 commit, 5 forget.
///
/// # Safety
/// The address is null or that of an XID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quaymaster_xa_branch(
    verb: i32,
    xid: *const PlainXid,
    resource_manager: i32,
    flags: u32,
) -> i32 {
    const VERBS: [Verb; 6] = [Verb::Start, Verb::End, Verb::Rollback, Verb::Prepare, Verb::Commit, Verb::Forget];
    ended(|| {
        let verb = usize::try_from(verb).ok().and_then(|verb| VERBS.get(verb));
        // SAFETY: the caller's promise.
        let xid = unsafe { load(xid, model::reason::Reason::ParameterMissing) }.ok().and_then(|xid| xid.read());
        match (verb, xid) {
            (Some(verb), Some(xid)) => xa::branch(*verb, &xid, resource_manager, flags),
            _ => XAER_INVAL,
        }
    })
}

/// How many branches were found, and they.
///
/// # Safety
/// The address is null or that of room for `count` XIDs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quaymaster_xa_recover(
    xids: *mut PlainXid,
    count: i32,
    resource_manager: i32,
    flags: u32,
) -> i32 {
    ended(|| {
        let Ok(most) = usize::try_from(count) else { return XAER_INVAL };
        if most > 0 && xids.is_null() {
            return XAER_INVAL;
        }
        let (code, found) = xa::recover(most, resource_manager, flags);
        for (at, xid) in found.iter().enumerate() {
            // SAFETY: there is room for `count`, and no more were found.
            unsafe { xids.add(at).write_unaligned(PlainXid::of(xid)) };
        }
        code
    })
}
