//! Calls of the MQI library with structures as programs may hand them in: never a panic, and nothing is read or written beyond the
//! version that a structure states, or beyond a buffer.
//!
//! The library is for C alone, so its modules are compiled in here, under the names that they have there.
#![no_main]

#[path = "../../crates/mqi-c/src/handed_in.rs"]
mod handed_in;
#[path = "../../crates/mqi-c/src/lib.rs"]
mod library;

use libfuzzer_sys::fuzz_target;
use library::{connect, consume, door, list, memory, property, verb, xa};

fuzz_target!(|bytes: &[u8]| {
    handed_in::call(bytes);
});
