//! Handshakes with certificates that OpenSSL has made, in memory.

mod anchors;
mod made;
mod page;
mod pending;
