//! The HTTPS door: who you are, what you may do, the messaging REST API, sign-in, health and metrics.

pub mod auth;
pub mod import;
pub mod options;

use std::net::SocketAddr;

use queue_manager::QueueManager;

pub use options::WebOptions;

/// What went wrong while starting or reloading; names the key, the value and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    #[error("{key}: {problem}")]
    Option { key: String, problem: String },
}

/// Running listeners. Dropping it does not stop them; `shutdown` does.
pub struct WebServer {}

impl WebServer {
    /// Binds every address, then accepts. Call within a tokio runtime.
    pub async fn start(options: WebOptions, queue_managers: Vec<QueueManager>) -> Result<Self, WebError> {
        todo!()
    }
    /// Addresses actually bound (port 0 resolved).
    pub fn https(&self) -> Option<SocketAddr> {
        todo!()
    }
    pub fn http(&self) -> Option<SocketAddr> {
        todo!()
    }
    pub fn metrics(&self) -> Option<SocketAddr> {
        todo!()
    }
    /// `/readyz` answers 200 from now on.
    pub fn set_ready(&self) {
        todo!()
    }
    /// Replaces users, roles, LTPA, CORS, limits and certificates without closing listeners or connections.
    pub fn reload(&self, options: WebOptions) -> Result<(), WebError> {
        todo!()
    }
    /// Stops accepting, lets requests in progress end, and closes what is left after `grace`.
    pub async fn shutdown(&self, grace: std::time::Duration) {
        todo!()
    }
}
