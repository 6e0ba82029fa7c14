//! The shared store: its statements, its members, and what is said only of it.

mod definitions;
mod statements;
