//! The shared store: its statements, its members, and what is said only of it.

mod arrivals;
mod definitions;
mod statements;
