//! libmqicb_r.so: the MQI for programs in COBOL, which hand every parameter in by reference.
//!
//! Each function has the name that C has, reads the numbers whose addresses it is handed, and calls the function of that name in
//! libmqm_r.so. `library` finds it there; `generated` lists the functions.
//!
//! Invariants
//! - Nothing is kept here but the addresses of functions: handles of C and of COBOL are the same.
//! - The names are never looked up among those of the process, where they are this library's own.
//! - A number whose address is null is 0.
//!
//! # Safety of every function
//! Addresses are null or those of what the parameter is: a number, or what the function of C asks for, for as long as the call
//! runs.

#[macro_use]
mod door;

mod generated;
mod library;
