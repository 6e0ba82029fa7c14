//! The shared store: its statements, its members, what is said only of it, and what becomes of it when members, connections and the
//! database fail.

mod arrivals;
mod bodies;
mod cut_off;
mod definitions;
mod group;
mod ledger;
mod lost_commit;
mod patience;
mod proxy;
mod statements;
