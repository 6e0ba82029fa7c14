//! Measuring: in-process callers, the peers we compare with, the running server, and the table of bars.
//!
//! `main.rs` is `make bench`; `benches/inside.rs` measures the inside with criterion.

pub mod admin;
pub mod amqp;
pub mod artemis;
pub mod awake;
pub mod backup;
pub mod before;
pub mod build_toolkit;
pub mod certificate;
pub mod channel;
pub mod console;
pub mod copybook;
pub mod depth;
pub mod disk_floor;
pub mod distribution;
pub mod effort;
pub mod engine;
pub mod fill;
pub mod http_queues;
pub mod interleave;
pub mod lifecycle;
pub mod listing;
pub mod lists;
pub mod machine;
pub mod message_api;
pub mod nginx;
pub mod packages;
pub mod postgresql;
pub mod published;
pub mod rabbitmq;
pub mod record_file;
pub mod report;
pub mod requester;
mod responder;
pub mod rest;
pub mod service;
pub mod sharing;
pub mod stub;
pub mod throughput;
pub mod tracing;
