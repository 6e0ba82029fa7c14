//! What the server around queue managers says, for rules about services, pools and certificates.

use std::time::Duration;

use crate::activity::Observed;

/// The server, as rules ask it. Nothing here waits.
pub trait Around: Send + Sync {
    fn deployed(&self) -> Vec<Observed>;
    fn pools(&self) -> Vec<Pool>;
    fn certificates(&self) -> Vec<Certificate>;
    /// Users whose passwords the server has made itself.
    fn initial_users(&self) -> Vec<String>;
}

/// The connections that requests share.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Of services, or of messaging.
    pub purpose: &'static str,
    /// Queue manager, or the entry of a remote one.
    pub name: String,
    pub is_remote: bool,
    pub is_reachable: bool,
    pub in_use: u64,
    pub waiting: u64,
    /// Since the start of the server.
    pub refused: u64,
    pub overflowed: u64,
}

/// A certificate of the server.
#[derive(Debug, Clone)]
pub struct Certificate {
    pub file: String,
    pub subject: String,
    /// Since 1970.
    pub ends: Duration,
}
