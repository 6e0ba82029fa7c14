//! libmqm_r.so: the MQI for programs in C, and for bindings of other languages that call it.
//!
//! Each function turns addresses into values, calls `mqi-client`, and writes what came back. `door` is what every function has
//! around that. `memory` is the one module that reads and writes the program's memory; the others name what is read.
//!
//! Invariants
//! - A structure is read and written up to the length of the version that it states, never further.
//! - A wrong version, length or address of null is a reason, never a crash. Other wrong addresses cannot be told.
//! - Nothing unwinds through a function. Nothing is printed.
//!
//! # Safety of every function
//! Addresses are null or those of what the C prototype says: structures of the version they state, buffers of the length that
//! goes with them, for as long as the call runs.

// The fuzz target `mqi_structures` compiles this file as a module, and names what is `pub(crate)`.
#[macro_use]
pub(crate) mod door;

mod bag;
mod characters;
pub(crate) mod connect;
pub(crate) mod consume;
#[cfg(test)]
mod handed_in;
mod inquire;
pub(crate) mod list;
pub(crate) mod memory;
pub(crate) mod property;
pub(crate) mod verb;
pub(crate) mod xa;

#[cfg(test)]
mod tests;
