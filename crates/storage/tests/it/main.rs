//! The storage crate through its public face.

mod arbitrary;
mod backup;
mod bodies;
mod concurrency;
mod conformance;
mod crash;
mod faults;
mod glimpse;
mod leaders;
mod oracle;
mod quarantine;
mod script;
mod simulated_disk;
mod workload;
