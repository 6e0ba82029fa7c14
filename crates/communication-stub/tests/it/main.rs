//! The C door of the communication stub against a server that answers, and fails, by script.

mod answers;
mod areas;
mod connections;
mod host;
mod mock;
mod programs;
mod tls;
