//! Bounds of a pool, on an ephemeral queue manager.
