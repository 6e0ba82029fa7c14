//! What tests of queue-sharing groups stand on: databases that are killed and fail over, a proxy between a member and its database, a
//! relay between members.
//!
//! Everything runs on the loopback interface, on free ports, in temporary folders, and ends with its value. It panics where a test would:
//! only tests use it.

pub mod patroni;
pub mod postgres;
pub mod proxy;
pub mod relay;
pub mod waiting;
