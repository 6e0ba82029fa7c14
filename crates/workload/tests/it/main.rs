//! The workload driver's public face, against small servers made for the purpose.

mod administration;
mod command;
mod course;
mod page;
mod provider;
mod queue_server;
mod requester;
mod rest_client;
mod run;
