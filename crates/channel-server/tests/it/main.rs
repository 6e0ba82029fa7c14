//! The server end of client channels, driven by the client end of the protocol against a real queue manager.

mod admission;
mod client;
mod connecting;
mod consuming;
mod faults;
mod gate;
mod listener;
mod lost_client;
mod mutated;
mod objects;
mod pace;
mod put_get;
mod reconnecting;
mod replay;
mod sharing;
mod stopping;
mod subscribing;
mod transactions;
