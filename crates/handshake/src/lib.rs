//! What every door does about TLS in the same way: certificates read from files, and whom to believe.
//!
//! Doors keep their own configurations of rustls. Nothing here opens a socket or makes a key.

pub mod anchors;
pub mod files;
