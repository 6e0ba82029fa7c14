//! The MQI as programs in C see it, without a pointer: structures, numbers, and what the calls do with them.
//!
//! Where to look: `constant` and `structure` are generated of `mqi-table`.

pub mod constant;
pub mod structure;
