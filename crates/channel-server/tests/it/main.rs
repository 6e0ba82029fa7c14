//! The server end of client channels, driven by the client end of the protocol against a real queue manager.

mod admission;
mod client;

mod put_get;
mod replay;
