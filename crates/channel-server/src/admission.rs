//! Admission to channels: which clients may connect, as which user, and with which limits.
//!
//! A socket asks `begin` once, when the partner's first segment names the channel, and `identify` for the user facts of
//! that socket, before the first MQCONN is answered. Later conversations of a socket inherit both.
//!
//! `Gate` decides: `gate.rs` the channel and its limits, `user.rs` the user.

mod gate;
mod user;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use model::authority::Principal;
use model::reason::Reason;
use queue_manager::QueueManager;
use queue_manager::channel_status::ChannelHandle;

pub use self::gate::{Gate, Home, PlainPasswords};
pub(crate) use self::user::failure_delay;
pub use self::user::{CredentialCheck, Refused};

/// What is known of a partner before it says anything.
#[derive(Debug, Clone)]
pub struct Peer {
    pub address: SocketAddr,
    pub local_address: SocketAddr,
    pub tls: Option<TlsFacts>,
    /// The first segment has to come, and then an MQCONN to succeed, within this time each.
    pub patience: Duration,
}

/// What a TLS handshake negotiated.
#[derive(Debug, Clone)]
pub struct TlsFacts {
    /// `TLSV12` or `TLSV13`.
    pub protocol: &'static str,
    /// The CipherSpec's published name.
    pub cipher: &'static str,
    /// Distinguished names of the partner's certificate, if it showed one that is trusted.
    pub subject: Option<String>,
    pub issuer: Option<String>,
}

/// What the partner's first segment says of itself.
#[derive(Debug, Clone, Default)]
pub struct Introduction {
    /// Blanks trimmed.
    pub channel: String,
    /// Blank for any.
    pub queue_manager: String,
    /// Twelve characters: product and version, for RPRODUCT and RVERSION.
    pub product: String,
}

/// On what terms a channel instance runs. Dropping it takes the instance out of DISPLAY CHSTATUS.
pub struct Terms {
    pub queue_manager: QueueManager,
    pub channel: String,
    /// CONNAME as DISPLAY CONN shows it.
    pub connection_name: String,
    /// HBINT; zero for no heartbeats.
    pub heartbeat: Duration,
    /// DISCINT; `None` for no limit.
    pub disconnect_interval: Option<Duration>,
    /// SHARECNV.
    pub sharing_conversations: u32,
    /// MAXMSGL, in bytes.
    pub maximum_message_length: u32,
    pub status: ChannelHandle,
}

/// Who the partner says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFacts {
    /// The user the client runs as or was told to be; blank for none.
    pub asserted: String,
    /// A user and a password to check. The password is in no log.
    pub credentials: Option<Credentials>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Why a channel does not start: the code of a STATUS segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusCode(pub u32);

pub type Identifying<'a> = Pin<Box<dyn Future<Output = Result<Principal, Reason>> + Send + 'a>>;

/// Decides who may come in. One for all sockets of a listener.
pub trait Admission: Send + Sync {
    /// Finds the channel, looks at what TLS negotiated, counts the instance and makes it known.
    ///
    /// # Errors
    /// The STATUS code that the partner is sent before its socket is closed.
    fn begin(&self, peer: &Peer, introduction: &Introduction) -> Result<Terms, StatusCode>;

    /// Checks the password and finds the user that the channel runs as.
    ///
    /// # Errors
    /// What MQCONN is answered with: `NotAuthorized` (2035).
    fn identify<'a>(&'a self, terms: &'a Terms, peer: &'a Peer, user: &'a UserFacts) -> Identifying<'a>;
}
