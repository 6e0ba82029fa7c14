//! The client end of channels against the real server end, over loopback sockets that can be cut.

mod branches;
mod calls;
mod consuming;
mod passed_on;
mod reconnecting;
mod server;
mod sharing;
mod subscribing;
mod tls;
