//! The real program as a process: found, started on a folder, waited for, killed. Whole-system tests and benchmarks
//! stand on this; it knows the outer contract (flags, ready line, files) and nothing of the inside.

pub mod http;
pub mod log;
pub mod ports;
pub mod privileged;
pub mod program;
pub mod requester;
pub mod server;
pub mod wait;
pub mod wire;
