//! `libbaqctls.so`: TLS for `libbaqcstub`, loaded by it at the first call over https.
//!
//! Sockets stay libbaqcstub's: this library sends and receives on descriptors that it is lent, whose time limits are set. TLS 1.2
//! and 1.3; nothing is resumed, so parent and child processes share nothing.
//!
//! Invariants
//! - Nothing unwinds into the caller, no signal is raised, no lock is held, no thread is started.

mod configuration;
mod frames;
mod functions;
mod session;

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use functions::{BROKEN, CONNECTED, FILES, Problem, Text, TlsFunctions, VERSION, Wanted};
use session::{Refusal, Session};

/// Result of `connect` when the peer or the session was refused.
const REFUSED: c_int = 1;

static FUNCTIONS: TlsFunctions = TlsFunctions { version: VERSION, connect, send, receive, pending, free };

/// The table of functions.
#[unsafe(no_mangle)]
pub extern "C" fn baqctls_functions() -> *const c_void {
    (&raw const FUNCTIONS).cast()
}

/// # Safety
/// The addresses are those of such structures, and of texts as long as they say.
unsafe extern "C" fn connect(wanted: *const Wanted, problem: *mut Problem, session: *mut *mut c_void) -> c_int {
    // SAFETY: the promise above.
    let (wanted, problem) = unsafe { (&*wanted, &mut *problem) };
    let opened = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the promise above.
        let (host, signers, certificate, key) =
            unsafe { (text(wanted.host), text(wanted.signers), text(wanted.certificate), text(wanted.key)) };
        Session::open(wanted.descriptor, wanted.limit, host.unwrap_or_default(), signers, certificate.zip(key))
    }));
    let (result, sentence) = match opened {
        Ok(Ok(opened)) => {
            // SAFETY: the promise above.
            unsafe { *session = Box::into_raw(Box::new(opened)).cast() };
            return CONNECTED;
        }
        Ok(Err(Refusal::Files(sentence))) => (FILES, sentence),
        Ok(Err(Refusal::Handshake(sentence))) => (REFUSED, sentence),
        Err(_) => (REFUSED, "a fault inside libbaqctls".to_owned()),
    };
    let length = sentence.floor_char_boundary(problem.text.len());
    problem.text[..length].copy_from_slice(&sentence.as_bytes()[..length]);
    problem.length = length;
    result
}

/// # Safety
/// A session of `connect`, its descriptor, and texts as long as they say.
unsafe extern "C" fn send(session: *mut c_void, descriptor: c_int, limit: u64, head: Text, record: Text) -> isize {
    // SAFETY: the promise above.
    let (session, head, record) = unsafe { (&mut *session.cast::<Session>(), bytes(head), bytes(record)) };
    catch_unwind(AssertUnwindSafe(|| session.send(descriptor, limit, head, record))).unwrap_or(BROKEN)
}

/// # Safety
/// A session of `connect`, its descriptor, and the address of `room` bytes that may be written.
unsafe extern "C" fn receive(session: *mut c_void, descriptor: c_int, limit: u64, into: *mut u8, room: usize) -> isize {
    // SAFETY: the promise above; memory of a program has been written before, at the latest by its start.
    let (session, into) = unsafe { (&mut *session.cast::<Session>(), slice::from_raw_parts_mut(into, room)) };
    catch_unwind(AssertUnwindSafe(|| session.receive(descriptor, limit, into))).unwrap_or(BROKEN)
}

/// # Safety
/// A session of `connect`.
unsafe extern "C" fn pending(session: *mut c_void) -> c_int {
    // SAFETY: the promise above.
    let session = unsafe { &mut *session.cast::<Session>() };
    catch_unwind(AssertUnwindSafe(|| c_int::from(session.holds_more()))).unwrap_or(1)
}

/// # Safety
/// A session of `connect`, which ends here.
unsafe extern "C" fn free(session: *mut c_void) {
    // SAFETY: the promise above.
    let session = unsafe { Box::from_raw(session.cast::<Session>()) };
    // A fault while freeing leaves nothing to be done.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(session)));
}

/// # Safety
/// A text as long as it says, unchanged while the slice lives.
unsafe fn bytes<'a>(text: Text) -> &'a [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: the promise above.
    unsafe { slice::from_raw_parts(text.address, text.length) }
}

/// # Safety
/// As `bytes`.
unsafe fn text<'a>(text: Text) -> Option<&'a str> {
    if text.address.is_null() {
        return None;
    }
    // SAFETY: the promise above.
    std::str::from_utf8(unsafe { bytes(text) }).ok()
}
