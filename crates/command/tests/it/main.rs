//! The public face of the crate: scripts in, lines out.

mod properties;
mod refusals;
mod support;
