//! What may go wrong before or while a load runs. Failures of single requests are counted, not raised.

use std::io;
use std::net::SocketAddr;

use crate::client::ClientError;
use crate::responder::program::ProgramError;

#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// A key of the plan or an option: names it, its value and what was expected.
    #[error("{key}: {problem}")]
    Plan { key: &'static str, problem: String },
    #[error("cannot read {file}")]
    Read {
        file: String,
        #[source]
        source: io::Error,
    },
    #[error("cannot write {file}")]
    Write {
        file: String,
        #[source]
        source: io::Error,
    },
    #[error("{file} is not a workload plan")]
    Parse {
        file: String,
        #[source]
        source: Box<toml::de::Error>,
    },
    #[error("client {client} cannot start")]
    Start {
        client: u32,
        #[source]
        source: ClientError,
    },
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("cannot make a thread of the driver")]
    Thread(#[source] io::Error),
    #[error("process {name} (pid {pid}) cannot be measured")]
    Process {
        name: String,
        pid: u32,
        #[source]
        source: io::Error,
    },
}
