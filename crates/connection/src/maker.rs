//! How the connections of one pool are made: locally, or through a channel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::ThreadId;

use channel_client::client::Client;
use channel_client::error::ChannelError;
use channel_client::options::ConnectOptions;
use parking_lot::Mutex;
use queue_manager::QueueManager;

use crate::error::ConnectionError;
use crate::verbs::{Connection, Local, Remote};
use crate::waits::Waits;

#[expect(clippy::large_enum_variant, reason = "there is one for each pool")]
pub(crate) enum Maker {
    Local { queue_manager: QueueManager, options: queue_manager::ConnectOptions, waits: Arc<Waits> },
    Remote(Far),
}

/// How remote connections are made.
pub(crate) struct Far {
    options: ConnectOptions,
    /// As whom; empty when the channel decides.
    user: Arc<str>,
    /// Connections of one thread share sockets, which that thread serves, so that no request wakes another one.
    clients: Mutex<Vec<(ThreadId, Client)>>,
    /// The last attempt failed.
    is_unreachable: AtomicBool,
    waits: Arc<Waits>,
}

impl Maker {
    /// The last attempt to connect did not fail, or there was none.
    pub(crate) fn is_reachable(&self) -> bool {
        match self {
            Self::Local { .. } => true,
            Self::Remote(far) => !far.is_unreachable.load(Relaxed),
        }
    }

    /// A local connection, without a wait.
    ///
    /// # Errors
    /// `NotConnected`; `RemoteUnknown` of a maker of remote ones.
    pub(crate) fn make_local(&self) -> Result<Connection, ConnectionError> {
        let Self::Local { queue_manager, options, waits } = self else {
            return Err(ConnectionError::RemoteUnknown { name: String::new() });
        };
        match queue_manager.connect(options.clone()) {
            Ok(connection) => Ok(Connection::Local(Local { connection, waits: Arc::clone(waits) })),
            Err(reason) => Err(ConnectionError::NotConnected(Box::new(reason.into()))),
        }
    }

    /// `name` is the queue manager's, for the log.
    ///
    /// # Errors
    /// `NotConnected`.
    pub(crate) async fn make(&self, name: &str) -> Result<Connection, ConnectionError> {
        let Self::Remote(far) = self else { return self.make_local() };
        let made = far.connect().await;
        // Once, and not for every request that finds it so.
        let before = far.is_unreachable.swap(made.is_err(), Relaxed);
        match &made {
            Ok(_) if before => tracing::info!("the remote queue manager {name} can be reached again"),
            Err(error) if !before => {
                tracing::warn!("the remote queue manager {name} cannot be reached: {}", model::causes::chain(error));
            }
            Ok(_) | Err(_) => {}
        }
        made.map_err(|error| ConnectionError::NotConnected(Box::new(error.into())))
    }
}

impl Far {
    /// # Errors
    /// TLS options that cannot be used.
    pub(crate) fn new(options: ConnectOptions, user: Arc<str>, waits: Arc<Waits>) -> Result<Self, ChannelError> {
        let first = Client::new(options.clone())?;
        let clients = Mutex::new(vec![(std::thread::current().id(), first)]);
        Ok(Self { options, user, clients, is_unreachable: AtomicBool::new(false), waits })
    }

    async fn connect(&self) -> Result<Connection, ChannelError> {
        let thread = std::thread::current().id();
        let connection = self.client(thread)?.connect().await?;
        let (user, waits) = (Arc::clone(&self.user), Arc::clone(&self.waits));
        let channel = self.options.channel;
        Ok(Connection::Remote(Box::new(Remote { connection, user, thread, waits, channel, open: Vec::new() })))
    }

    fn client(&self, thread: ThreadId) -> Result<Client, ChannelError> {
        let mut clients = self.clients.lock();
        if let Some((_, client)) = clients.iter().find(|(known, _)| *known == thread) {
            return Ok(client.clone());
        }
        let client = Client::new(self.options.clone())?;
        clients.push((thread, client.clone()));
        Ok(client)
    }
}
