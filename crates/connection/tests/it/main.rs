//! Pools of connections to a queue manager behind a real socket: kept, replaced, given up; on whose behalf they act.

mod closing;
mod far;
mod keeping;
mod losing;
mod users;
