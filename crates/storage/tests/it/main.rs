//! The storage crate through its public face.

mod anchor;
mod arbitrary;
mod backup;
mod bodies;
mod concurrency;
mod conformance;
mod crash;
mod fault_matrix;
mod faults;
mod full_disk;
mod leaders;
mod log_lines;
mod oracle;
mod quarantine;
mod quota;
mod rot;
mod salvage;
mod scan;
mod script;
mod shared;
mod simulated_disk;
mod stalls;
mod survey;
mod verification;
mod workload;

use group_harness::postgres;
