//! An admission that lets everybody in who does not say otherwise, in place of the real one.

use std::sync::Arc;
use std::time::Duration;

use channel_server::admission::{Admission, Identifying, Introduction, Peer, StatusCode, Terms, UserFacts};
use model::authority::Principal;
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::QueueManager;
use queue_manager::channel_status::ChannelInstance;

/// Lets in by the channel CLIENTS. The user `stranger` is refused; everybody else is an administrator.
pub(crate) struct OpenDoor {
    pub(crate) queue_manager: QueueManager,
    /// Reached by an MQCONN that names it.
    pub(crate) other: Mutex<Option<QueueManager>>,
    pub(crate) settings: Settings,
    /// Users that were identified, in order.
    pub(crate) asked: Mutex<Vec<String>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) heartbeat: Duration,
    pub(crate) disconnect_interval: Option<Duration>,
    pub(crate) sharing_conversations: u32,
    pub(crate) maximum_message_length: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            heartbeat: Duration::from_secs(300),
            disconnect_interval: None,
            sharing_conversations: 10,
            maximum_message_length: 16 << 20,
        }
    }
}

impl OpenDoor {
    pub(crate) fn new(queue_manager: QueueManager, settings: Settings) -> Arc<Self> {
        Arc::new(Self { queue_manager, other: Mutex::default(), settings, asked: Mutex::default() })
    }
}

impl Admission for OpenDoor {
    fn begin(&self, peer: &Peer, introduction: &Introduction) -> Result<Terms, StatusCode> {
        const KNOWN: [&str; 2] = ["CLIENTS", "DEV.APP.SVRCONN"];
        if !KNOWN.contains(&introduction.channel.as_str()) {
            return Err(StatusCode(1));
        }
        let other = self.other.lock().clone().filter(|other| other.name().as_str() == introduction.queue_manager);
        let queue_manager = other.unwrap_or_else(|| self.queue_manager.clone());
        let instance = ChannelInstance {
            channel: introduction.channel.clone(),
            connection_name: peer.address.ip().to_string(),
            ..ChannelInstance::default()
        };
        let status = queue_manager.register_channel(instance).ok_or(StatusCode(7))?;
        Ok(Terms {
            queue_manager,
            channel: introduction.channel.clone(),
            connection_name: peer.address.ip().to_string(),
            heartbeat: self.settings.heartbeat,
            disconnect_interval: self.settings.disconnect_interval,
            sharing_conversations: self.settings.sharing_conversations,
            maximum_message_length: self.settings.maximum_message_length,
            status,
        })
    }

    fn identify<'a>(&'a self, _terms: &'a Terms, _peer: &'a Peer, user: &'a UserFacts) -> Identifying<'a> {
        Box::pin(async move {
            let name = user.credentials.as_ref().map_or(&user.asserted, |credentials| &credentials.user);
            self.asked.lock().push(name.clone());
            if name == "stranger" { Err(Reason::NotAuthorized) } else { Ok(Principal::administrator(name)) }
        })
    }
}
