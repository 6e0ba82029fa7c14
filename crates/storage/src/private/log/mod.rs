//! The recovery log.
pub mod disk;
