//! The shared store: its statements, its members, what is said only of it, and what becomes of it when members, connections and the
//! database fail.

mod administration;
mod arrivals;
mod bodies;
mod client;
mod clocks;
mod cut_off;
mod definitions;
mod depth;
mod dropped;
mod failover;
mod given_back;
pub(crate) mod group;
mod group_units;
mod handles;
mod killed;
mod ledger;
mod load;
mod lost_commit;
mod mixed;
mod model;
mod moving;
mod parted;
mod patience;
mod requests;
mod several;
mod statements;
mod stopped;
pub(crate) mod structures;
mod together;
mod unreadable;
mod versions;

use group_harness::{patroni, proxy};
