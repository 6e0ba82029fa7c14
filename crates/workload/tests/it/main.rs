//! The workload driver's public face, against small servers made for the purpose.

mod queue_server;
mod rest_client;
mod run;
