//! Services over HTTP: invoking them.

pub(crate) mod invoke;
