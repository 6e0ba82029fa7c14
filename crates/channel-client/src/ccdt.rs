//! Client channel definition tables in JSON: which channels lead to a queue manager, and in which order to try them.
//!
//! ```json
//! { "channel": [ {
//!     "name": "APP.SVRCONN", "type": "clientConnection",
//!     "clientConnection": { "connection": [ { "host": "mq.example", "port": 1414 } ], "queueManager": "QM1" },
//!     "transmissionSecurity": { "cipherSpecification": "ANY_TLS12_OR_HIGHER" },
//!     "connectionManagement": { "sharingConversations": 10, "clientWeight": 1, "affinity": "none" } } ] }
//! ```
//!
//! Attributes that have no meaning here (exits, local addresses, compression) are read over. One that would weaken what the
//! table's author asked for if it were ignored makes the channel unusable instead: see `Channel::options`.
//!
//! Source: MQ Configuring, "Configuring a JSON format CCDT" and "Channel attributes supported by the JSON CCDT", 9.3;
//! MQ reference, CLNTWGHT and AFFINITY of DEFINE CHANNEL.

use std::path::Path;
use std::time::Duration;

use model::name::ObjectName;
use serde::Deserialize;

use crate::address::{Address, ConnectionNames, DEFAULT_PORT};
use crate::reconnect::Reconnect;

/// Longest table that is read, in bytes.
const MOST_BYTES: usize = 16 << 20;

#[derive(Debug, thiserror::Error)]
pub enum CcdtError {
    #[error("cannot read {file}")]
    Read {
        file: String,
        #[source]
        source: std::io::Error,
    },
    #[error("not a client channel definition table in JSON")]
    Parse(#[source] serde_json::Error),
    #[error("the client channel definition table is longer than {MOST_BYTES} bytes")]
    TooLong,
    #[error("channel {channel} of the table: {problem}")]
    Channel { channel: String, problem: String },
    /// Reason 2058 at the MQI.
    #[error("the table has no channel to queue manager '{queue_manager}'")]
    NoChannel { queue_manager: String },
}

/// A checked table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ccdt {
    channels: Vec<Channel>,
}

/// A client-connection channel of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub name: ObjectName,
    /// Of the queue manager or the group this channel leads to; may be blank.
    pub queue_manager: String,
    pub connections: ConnectionNames,
    /// Blank: no TLS.
    pub cipher_specification: String,
    pub certificate_label: String,
    pub certificate_peer_name: String,
    /// 0 to 99. Channels with 0 are tried first, in order of their names.
    pub weight: u32,
    pub affinity: Affinity,
    pub sharing_conversations: Option<u32>,
    pub heartbeat_interval: Option<Duration>,
    pub maximum_message_length: Option<u32>,
    pub default_reconnect: Reconnect,
}

/// Whether later connections of a process take the channel that the first one took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Affinity {
    #[default]
    Preferred,
    None,
}

impl Ccdt {
    /// # Errors
    /// The file cannot be read, or as `parse`.
    pub fn read(file: &Path) -> Result<Self, CcdtError> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|source| CcdtError::Read { file: name, source })?;
        Self::parse(&text)
    }

    /// # Errors
    /// Not such a table, or a channel with a value out of range.
    pub fn parse(text: &str) -> Result<Self, CcdtError> {
        if text.len() > MOST_BYTES {
            return Err(CcdtError::TooLong);
        }
        let table: Table = serde_json::from_str(text).map_err(CcdtError::Parse)?;
        let wanted = table.channel.into_iter().filter(|channel| channel.kind == "clientConnection");
        Ok(Self { channels: wanted.map(Channel::check).collect::<Result<_, _>>()? })
    }

    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The channels for `queue_manager` as an application names it, in the order to try them. `*NAME` is any queue
    /// manager of the group NAME; `*` and the blank name are those whose entries are blank. `random` yields numbers
    /// below its argument.
    ///
    /// # Errors
    /// `NoChannel`: nothing fits.
    pub fn choose(&self, queue_manager: &str, mut random: impl FnMut(u32) -> u32) -> Result<Vec<&Channel>, CcdtError> {
        let wanted = queue_manager.trim();
        let group = wanted.strip_prefix('*').unwrap_or(wanted);
        let mut fitting: Vec<&Channel> =
            self.channels.iter().filter(|channel| channel.queue_manager == group).collect();
        if fitting.is_empty() {
            return Err(CcdtError::NoChannel { queue_manager: wanted.to_owned() });
        }
        fitting.sort_by_key(|channel| channel.name);
        let (mut order, mut weighted): (Vec<_>, Vec<_>) = fitting.into_iter().partition(|channel| channel.weight == 0);
        while !weighted.is_empty() {
            let total = weighted.iter().map(|channel| channel.weight).sum();
            let mut at = random(total);
            let chosen = weighted.iter().position(|channel| {
                let here = at < channel.weight;
                at = at.saturating_sub(channel.weight);
                here
            });
            order.push(weighted.remove(chosen.unwrap_or(0)));
        }
        Ok(order)
    }
}

#[derive(Deserialize)]
struct Table {
    channel: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    client_connection: ClientConnection,
    #[serde(default)]
    transmission_security: TransmissionSecurity,
    #[serde(default)]
    connection_management: ConnectionManagement,
    #[serde(default)]
    general: General,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClientConnection {
    connection: Vec<HostPort>,
    queue_manager: String,
}

#[derive(Deserialize)]
struct HostPort {
    host: String,
    #[serde(default)]
    port: Option<u16>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TransmissionSecurity {
    cipher_specification: String,
    certificate_label: String,
    certificate_peer_name: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ConnectionManagement {
    affinity: Affinity,
    client_weight: u32,
    default_reconnect: DefaultReconnect,
    /// The published table of attributes and the published examples disagree about this name.
    #[serde(alias = "heartInterval")]
    heartbeat_interval: Option<u32>,
    sharing_conversations: Option<u32>,
}

/// DEFRECON.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum DefaultReconnect {
    #[default]
    No,
    Yes,
    QueueManager,
    Disabled,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct General {
    maximum_message_length: Option<u32>,
}

impl Channel {
    fn check(entry: Entry) -> Result<Self, CcdtError> {
        let bad = |problem: String| CcdtError::Channel { channel: entry.name.clone(), problem };
        let name = ObjectName::parse_within(&entry.name, 20).map_err(|error| bad(error.to_string()))?;
        if name.is_blank() {
            return Err(bad("it has no name".to_owned()));
        }
        let management = &entry.connection_management;
        let addresses = entry.client_connection.connection.iter().map(|one| {
            let host = one.host.trim();
            let fits = !host.is_empty() && one.port != Some(0);
            fits.then(|| Address { host: host.to_owned(), port: one.port.unwrap_or(DEFAULT_PORT) })
        });
        let addresses: Option<Vec<Address>> = addresses.collect();
        let connections = addresses
            .and_then(ConnectionNames::new)
            .ok_or_else(|| bad("clientConnection.connection has no usable host and port".to_owned()))?;
        if management.client_weight > 99 {
            return Err(bad(format!("clientWeight {} is not between 0 and 99", management.client_weight)));
        }
        if management.sharing_conversations.is_some_and(|count| count > 999_999_999) {
            return Err(bad("sharingConversations is not between 0 and 999999999".to_owned()));
        }
        Ok(Self {
            name,
            queue_manager: entry.client_connection.queue_manager.trim().to_owned(),
            connections,
            cipher_specification: entry.transmission_security.cipher_specification.trim().to_owned(),
            certificate_label: entry.transmission_security.certificate_label.trim().to_owned(),
            certificate_peer_name: entry.transmission_security.certificate_peer_name.trim().to_owned(),
            weight: management.client_weight,
            affinity: management.affinity,
            sharing_conversations: management.sharing_conversations,
            heartbeat_interval: management.heartbeat_interval.map(|seconds| Duration::from_secs(u64::from(seconds))),
            maximum_message_length: entry.general.maximum_message_length,
            default_reconnect: match management.default_reconnect {
                DefaultReconnect::No | DefaultReconnect::Disabled => Reconnect::Disabled,
                DefaultReconnect::Yes => Reconnect::Any,
                DefaultReconnect::QueueManager => Reconnect::SameQueueManager,
            },
        })
    }
}

#[cfg(test)]
mod tests;
