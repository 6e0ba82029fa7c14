//! `libbaqcstub`: what `CALL 'BAQCSTUB'` runs. It takes a request record from a COBOL, PL/I or C program, has an API requester
//! server call the API, and puts the response record and the outcome into the program's areas.
//!
//! `host.rs` has the functions of the host API beside it.
//!
//! `docs/stub-protocol.md` specifies the areas, the settings, what goes over the wire and every outcome. The library depends on
//! no other crate of ours, starts no thread, installs no handler and raises no signal.
//!
//! Invariants
//! - Nothing unwinds into the program: a fault inside becomes BAQ-ERROR-IN-STUB.
//! - Memory of the program is touched in `call_area.rs`, `response.rs`, `host/area.rs` and by the kernel, within the lengths that the program gave.
//! - No lock is ever held: kept connections lie in atomic slots, so a fork at any moment leaves the child a working library.
//! - A call whose request may have reached the server is repeated only when its API method may be.

mod answer;
mod body;
mod call_area;
mod connection;
mod deadline;
mod error;
mod exchange;
mod host;
mod request;
mod response;
mod settings;
mod socket;
mod store;
mod target;
mod tls;
mod trace;

use std::panic::{AssertUnwindSafe, catch_unwind};

use call_area::{Addresses, Call};
use deadline::Deadline;
use error::StubError;
use exchange::{Exchange, Reply};
pub use host::{BAQEXEC, BAQFREE, BAQGETN, BAQINIT, BAQPUTN, BAQTERM};
use response::{Outcome, ResponseInfo};
use settings::Settings;

/// Returned to the caller when BAQ-RESPONSE-INFO was filled.
const FILLED: i32 = 0;
/// Returned to the caller when there is no BAQ-RESPONSE-INFO to fill.
const NOWHERE: i32 = 16;

/// Calls an API through the API requester server.
///
/// # Safety
/// Each address is null or that of an area as `docs/stub-protocol.md` lays it out, as long as its comp level and length items
/// say, which no other thread changes during the call. Request and response area may be the same memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQCSTUB(
    api_info: *const u8,
    request_info: *const u8,
    request_pointer: *const u8,
    request_length: *const u8,
    response_info: *mut u8,
    response_pointer: *const u8,
    response_length: *const u8,
) -> i32 {
    // SAFETY: the caller's promise about this address.
    let Some(response_info) = (unsafe { ResponseInfo::at(response_info) }) else { return NOWHERE };
    let addresses =
        Addresses { api_info, request_info, request_pointer, request_length, response_pointer, response_length };
    // SAFETY: the caller's promise about the addresses.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { run(&addresses) }));
    response_info.fill(&outcome.unwrap_or_else(|_| Outcome::failed(&StubError::Fault)));
    FILLED
}

/// Closes the connections that this process keeps. The next call makes a new one.
///
/// # Safety
/// The address is null or that of a BAQ-RESPONSE-INFO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQCTERM(response_info: *mut u8) -> i32 {
    let closed = catch_unwind(store::close_all);
    // SAFETY: the caller's promise about this address.
    let Some(response_info) = (unsafe { ResponseInfo::at(response_info) }) else { return NOWHERE };
    response_info.fill(&closed.map_or_else(|_| Outcome::failed(&StubError::Fault), |()| Outcome::done()));
    FILLED
}

/// # Safety
/// As `BAQCSTUB`.
unsafe fn run(addresses: &Addresses) -> Outcome {
    let settings = match Settings::of_environment() {
        Ok(settings) => settings,
        Err(error) => return Outcome::failed(&error),
    };
    let deadline = Deadline::within(settings.timeout);
    // SAFETY: handed through.
    let (line, answered) = unsafe { ask(addresses, &settings, &deadline) };
    trace::call(settings.verbose, &line, &answered, &deadline);
    match answered {
        Ok(reply) => Outcome::answered(reply),
        Err(error) => Outcome::failed(&error),
    }
}

/// The request line, for the trace, and what came of it.
///
/// # Safety
/// As `BAQCSTUB`.
unsafe fn ask(addresses: &Addresses, settings: &Settings, deadline: &Deadline) -> (String, Result<Reply, StubError>) {
    // What is borrowed from the program's areas ends with this block, before anything is written into them.
    let prepared = {
        // SAFETY: handed through.
        match unsafe { Call::read(addresses) } {
            Ok(call) => Exchange::prepare(&call, settings),
            Err(error) => Err(error),
        }
    };
    match prepared {
        Ok(exchange) => (trace::line(settings.verbose, &exchange.head), exchange.run(settings, deadline)),
        Err(error) => (String::new(), Err(error)),
    }
}
