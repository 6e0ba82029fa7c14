//! API requesters as programs see them: records against the shared vectors, and calls against real HTTP servers in the test.

mod api;
mod areas;
mod authentication;
mod calls;
mod conversion;
mod deployment;
mod faults;
mod patches;
mod structures;
mod transport;
