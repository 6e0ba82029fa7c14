//! The names that services use, and what they stand for: `[zosconnect.connection_factories]`, `[zosconnect.queues]` and
//! `[zosconnect.topics]`, which take the place of JNDI.
//!
//! A name without an entry stands for itself: a connection factory for a remote queue manager of that name, if there is
//! one, else for the default queue manager; a destination for the queue of that name, or, written `topic://STRING`, for a
//! topic.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Names {
    pub connection_factories: BTreeMap<String, ConnectionFactory>,
    pub queues: BTreeMap<String, Queue>,
    /// To topic strings.
    pub topics: BTreeMap<String, String>,
    /// Names of `[remote_queue_managers]`.
    #[serde(skip)]
    pub remote: Vec<String>,
}

/// A queue manager: one of this server, or a remote one.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConnectionFactory {
    /// Of this server; `None` with no `remote` either: the default one.
    pub queue_manager: Option<String>,
    /// An entry of `[remote_queue_managers]`.
    pub remote: Option<String>,
    /// Who connects, where a service says nothing else.
    pub user: Option<String>,
    pub password: Option<String>,
}

/// Without the password.
impl std::fmt::Debug for ConnectionFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionFactory")
            .field("queue_manager", &self.queue_manager)
            .field("remote", &self.remote)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// A queue: its name alone, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Queue {
    Name(String),
    Table(QueueTable),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueTable {
    pub queue: String,
    /// The queue manager that has it, where it is not the one connected to.
    pub queue_manager: String,
    /// Of text messages sent there.
    pub ccsid: Option<u32>,
    /// Send with an MQRFH2 header, as JMS applications expect it; without, as all others do.
    pub target_client: TargetClient,
}

/// `targetClient` of a JMS queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TargetClient {
    #[default]
    #[serde(rename = "MQ")]
    Mq,
    #[serde(rename = "JMS")]
    Jms,
}
