//! Services on queue managers that are reached over client channels.

mod far;
mod remote;
