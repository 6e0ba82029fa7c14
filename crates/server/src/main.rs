//! The `quaymaster` binary: configuration, wiring, command line, administration socket.
//!
//! Only this crate reads the environment and makes keys and passwords. What a message or a command means is decided
//! elsewhere; here everything is started, connected and stopped.

mod administration;
mod certificate;
mod cli;
mod configuration;
mod container;
mod creation;
mod data_directory;
mod developer;
mod error;
mod installation;
mod logging;
mod permissions;
mod record_lines;
mod rest_client;
mod serve;
mod server_user;
mod tls;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::main(std::env::args_os().collect())
}
