//! What libbaqcstub and libbaqctls say to each other: a table of functions, whose address
//! `baqctls_functions` tells.
//!
//! This file is compiled into both; nothing else is shared, and neither frees memory of the other but through `free`.

use std::ffi::{c_int, c_void};

/// Raised when anything here changes.
pub(crate) const VERSION: u32 = 3;

/// Results of `connect`; any other is a refusal.
pub(crate) const CONNECTED: c_int = 0;
pub(crate) const FILES: c_int = 2;
/// Results of `send` and `receive` below 0.
pub(crate) const TIMED_OUT: isize = -1;
pub(crate) const BROKEN: isize = -2;
/// The peer ended the session over the client's certificate before it sent a plain byte.
pub(crate) const REFUSED: isize = -3;

/// UTF-8 text; the address is null for none.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub(crate) address: *const u8,
    pub(crate) length: usize,
}

/// Room for the sentence that tells what went wrong.
#[repr(C)]
pub(crate) struct Problem {
    pub(crate) text: [u8; 512],
    pub(crate) length: usize,
}

/// What `connect` is to do on a connected socket, which stays the caller's.
#[repr(C)]
pub(crate) struct Wanted {
    pub(crate) descriptor: c_int,
    /// What is left of the call, in nanoseconds; 0: no limit.
    pub(crate) limit: u64,
    pub(crate) host: Text,
    /// PEM file of trusted signers; null for the system's.
    pub(crate) signers: Text,
    /// PEM files of a client certificate and its key; null for none.
    pub(crate) certificate: Text,
    pub(crate) key: Text,
}

#[repr(C)]
pub(crate) struct TlsFunctions {
    pub(crate) version: u32,
    /// Shakes hands; the session goes into the last argument.
    pub(crate) connect: unsafe extern "C" fn(*const Wanted, *mut Problem, *mut *mut c_void) -> c_int,
    /// Sends both pieces within a limit as in `Wanted`; 0, or a number below.
    pub(crate) send: unsafe extern "C" fn(*mut c_void, c_int, u64, Text, Text) -> isize,
    /// Receives, within such a limit, into an address at most so many bytes: how many, 0 at the end that the peer announced, or
    /// a number below.
    pub(crate) receive: unsafe extern "C" fn(*mut c_void, c_int, u64, *mut u8, usize) -> isize,
    /// Whether the session holds bytes that were received and not asked for: 1, else 0.
    pub(crate) pending: unsafe extern "C" fn(*mut c_void) -> c_int,
    /// Ends a session without a word to the peer.
    pub(crate) free: unsafe extern "C" fn(*mut c_void),
}
