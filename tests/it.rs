//! Whole-system tests: the real program as a process, killed, restarted and driven by foreign clients.
//!
//! They need the program (`QUAYMASTER_BIN`, or a build where cargo puts it) and say so when it is missing.

mod acme;
mod attack;
mod chart;
mod client;
mod console;
mod container;
mod crash;
mod driver;
mod fuzz_list;
mod group;
mod interop;
mod junit;
mod message_api;
mod monitoring;
mod mqi;
mod npm;
mod packages;
mod pages;
mod quota;
mod readme;
mod remote;
mod requester;
mod restart;
mod services;
mod soak;
mod stub;
mod tables;
mod test_control;
mod traces;
mod upgrade;
mod wheel;
