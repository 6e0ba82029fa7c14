//! The storage crate through its public face.

mod conformance;
mod script;
#[expect(dead_code, reason = "the crash tests use the rest")]
mod simulated_disk;
