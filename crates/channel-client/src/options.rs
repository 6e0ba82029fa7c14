//! What a program says to connect: queue manager, channel, addresses, TLS, user.

use std::fmt;
use std::time::Duration;

use model::name::ObjectName;

use crate::address::ConnectionNames;
use crate::ccdt;
use crate::error::ChannelError;
use crate::reconnect::{Patience, Reconnect};
use crate::tls::{OwnCertificate, TlsOptions, Trust};

/// SHARECNV that is asked for by default.
pub const DEFAULT_SHARING_CONVERSATIONS: u32 = 10;

#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// `NAME`, `*NAME` for any queue manager that answers, or blank for the default one.
    pub queue_manager: String,
    pub channel: ObjectName,
    pub connections: ConnectionNames,
    pub tls: Option<TlsOptions>,
    pub credentials: Option<Credentials>,
    /// Without credentials: the user this program says it runs as. What that is worth the channel decides.
    pub asserted_user: String,
    /// MQMD `PutApplName`, as the queue manager shows it: 28 characters at most count.
    pub application_name: String,
    /// Conversations that may share a socket: 0 for none and no multiplexing, 1 for sockets of one's own.
    pub sharing_conversations: u32,
    /// Silence after which the ends make sure of each other; zero for never.
    pub heartbeat_interval: Duration,
    /// Longest message, in bytes.
    pub maximum_message_length: u32,
    /// Longest wait for TCP, TLS and the answer to MQCONN, each address for itself.
    pub connect_limit: Duration,
    pub reconnect: Reconnect,
    pub patience: Patience,
    /// MQCNO_* that are passed on beside those of reconnection.
    pub connect_flags: u32,
}

/// MQCSP: user and password. Without TLS the password travels readable.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Credentials {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

impl ConnectOptions {
    /// Without TLS and user, for the default queue manager.
    pub fn new(channel: ObjectName, connections: ConnectionNames) -> Self {
        Self {
            queue_manager: String::new(),
            channel,
            connections,
            tls: None,
            credentials: None,
            asserted_user: String::new(),
            application_name: "quaymaster".to_owned(),
            sharing_conversations: DEFAULT_SHARING_CONVERSATIONS,
            heartbeat_interval: Duration::from_secs(300),
            maximum_message_length: 100 << 20,
            connect_limit: Duration::from_secs(10),
            reconnect: Reconnect::Disabled,
            patience: Patience::default(),
            connect_flags: 0,
        }
    }

    /// As MQCONN states it: a name with an asterisk takes any queue manager.
    pub(crate) fn wanted_queue_manager(&self) -> &str {
        let name = self.queue_manager.trim();
        if name.starts_with('*') { "" } else { name }
    }

    /// The options of a channel of a table, everything it does not say taken from `self`.
    ///
    /// # Errors
    /// A table that asks for what cannot be given: TLS when `self` says nothing about whom to trust, a filter of
    /// certificate names without TLS, a certificate by a label when `self` names no file, or by one that the key repository
    /// of `self` does not have.
    pub fn with_channel(&self, channel: &ccdt::Channel) -> Result<Self, ChannelError> {
        let refused = |problem: &str| {
            let name = channel.name.to_string();
            ChannelError::Ccdt(ccdt::CcdtError::Channel { channel: name, problem: problem.to_owned() })
        };
        if !channel.certificate_peer_name.is_empty() && channel.cipher_specification.is_empty() {
            return Err(refused("it has a certificatePeerName and no cipherSpecification"));
        }
        let mut tls = match (channel.cipher_specification.as_str(), &self.tls) {
            ("", Some(_)) => return Err(refused("it has no cipherSpecification, and TLS is wanted")),
            ("", None) => None,
            (_, None) => return Err(refused("it wants TLS: say whose certificates to trust")),
            (cipher, Some(tls)) => Some(TlsOptions {
                cipher_specification: cipher.to_owned(),
                peer_name: channel.certificate_peer_name.clone(),
                ..tls.clone()
            }),
        };
        if let Some(tls) = &mut tls
            && !channel.certificate_label.is_empty()
        {
            match &tls.trust {
                Trust::Repository(repository) => {
                    tls.certificate = Some(OwnCertificate::of(repository, &channel.certificate_label)?);
                }
                _ if tls.certificate.is_none() => {
                    return Err(refused("it wants a client certificate: name its file and that of its key"));
                }
                _ => {}
            }
        }
        Ok(Self {
            channel: channel.name,
            connections: channel.connections.clone(),
            tls,
            sharing_conversations: channel.sharing_conversations.unwrap_or(self.sharing_conversations),
            heartbeat_interval: channel.heartbeat_interval.unwrap_or(self.heartbeat_interval),
            maximum_message_length: channel
                .maximum_message_length
                .filter(|&length| length > 0)
                .unwrap_or(self.maximum_message_length),
            reconnect: match self.reconnect {
                Reconnect::Disabled => channel.default_reconnect,
                chosen => chosen,
            },
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests;
