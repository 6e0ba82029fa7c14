//! The client end of channels against the real server end, over loopback sockets that can be cut.

mod calls;
mod reconnecting;
mod server;
mod sharing;
mod tls;
