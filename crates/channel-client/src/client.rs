//! Connecting: which address to try, whether a socket can be shared, who the user is.
//!
//! A `Client` is what connections to one queue manager, or one group of them, have in common: the ways there, TLS with its
//! resumable sessions, and the sockets that still have a place. Cloning it shares all that.

use std::sync::{Arc, Weak};

use channel_protocol::flow::identify::{Credentials, UserId};
use channel_protocol::segment::SegmentType;
use model::reason::Reason;
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::address::Address;
use crate::ccdt::{Affinity, Ccdt, CcdtError};
use crate::connection::Connection;
use crate::conversation::Conversation;
use crate::error::ChannelError;
use crate::negotiated;
use crate::options::ConnectOptions;
use crate::reconnect;
use crate::socket::Socket;
use crate::stream::Stream;
use crate::tls::TlsClient;

#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    options: ConnectOptions,
    routes: Vec<Route>,
    table: Option<Ccdt>,
    /// With affinity: the order that the first connection took.
    preferred: Mutex<Option<Vec<usize>>>,
    sockets: Mutex<Vec<(usize, Weak<Socket>)>>,
}

/// One channel and its addresses.
struct Route {
    options: ConnectOptions,
    tls: Option<TlsClient>,
}

impl Route {
    fn new(options: ConnectOptions) -> Result<Self, ChannelError> {
        let tls = options.tls.as_ref().map(TlsClient::new).transpose()?;
        Ok(Self { options, tls })
    }
}

impl Client {
    /// Connects nothing yet.
    ///
    /// # Errors
    /// TLS options that cannot be used.
    pub fn new(options: ConnectOptions) -> Result<Self, ChannelError> {
        let routes = vec![Route::new(options.clone())?];
        Ok(Self::with(options, routes, None))
    }

    /// By the channels that a table has for `options.queue_manager`; its own channel and addresses are not used.
    ///
    /// # Errors
    /// No channel for that queue manager (2058), or one that asks for what `options` does not have.
    pub fn with_ccdt(options: ConnectOptions, table: Ccdt) -> Result<Self, ChannelError> {
        let chosen = table.choose(&options.queue_manager, |_| 0)?;
        let routes: Result<Vec<_>, _> =
            chosen.into_iter().map(|channel| Route::new(options.with_channel(channel)?)).collect();
        let routes = routes?;
        Ok(Self::with(options, routes, Some(table)))
    }

    fn with(options: ConnectOptions, routes: Vec<Route>, table: Option<Ccdt>) -> Self {
        Self(Arc::new(Inner { options, routes, table, preferred: Mutex::new(None), sockets: Mutex::new(Vec::new()) }))
    }

    pub fn options(&self) -> &ConnectOptions {
        &self.0.options
    }

    /// MQCONN. Call it within a tokio runtime, which then has to live as long as the connection.
    ///
    /// # Errors
    /// The last of the tried addresses: 2538 not reachable, 2393 no TLS, 2540 no such channel, 2035 wrong user or password,
    /// 2058 another queue manager, 2059 not available, and more by `ChannelError::reason`.
    pub async fn connect(&self) -> Result<Connection, ChannelError> {
        Connection::new(self.clone(), self.conversation().await?)
    }

    /// A conversation after MQCONN, with the name of the queue manager that answered.
    pub(crate) async fn conversation(&self) -> Result<Connected, ChannelError> {
        let mut last = None;
        for index in self.order()? {
            match self.by_route(index).await {
                Ok(connected) => return Ok(connected),
                Err(error) if is_worth_another_way(&error) => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(last.unwrap_or_else(|| CcdtError::NoChannel { queue_manager: self.0.options.queue_manager.clone() }.into()))
    }

    /// Indexes of the routes, in the order to try them this time.
    fn order(&self) -> Result<Vec<usize>, ChannelError> {
        let Some(table) = &self.0.table else { return Ok(vec![0]) };
        if let Some(order) = &*self.0.preferred.lock() {
            return Ok(order.clone());
        }
        let chosen = table.choose(&self.0.options.queue_manager, |most| rand::random::<u32>() % most.max(1))?;
        let keeps = chosen.first().is_some_and(|channel| channel.affinity == Affinity::Preferred);
        let place = |channel: &&crate::ccdt::Channel| {
            self.0.routes.iter().position(|route| {
                route.options.channel == channel.name && route.options.connections == channel.connections
            })
        };
        let order: Vec<usize> = chosen.iter().filter_map(place).collect();
        if keeps {
            *self.0.preferred.lock() = Some(order.clone());
        }
        Ok(order)
    }

    async fn by_route(&self, index: usize) -> Result<Connected, ChannelError> {
        if let Some(connected) = self.on_shared_socket(index).await {
            return Ok(connected);
        }
        let route = &self.0.routes[index];
        let mut last = ChannelError::broken("there is no address");
        for address in route.options.connections.addresses() {
            match self.by_address(index, address).await {
                Err(error) if is_worth_another_way(&error) => last = error,
                result => return result,
            }
        }
        Err(last)
    }

    /// A place on a socket that is there; any trouble with it means that a new one is made.
    async fn on_shared_socket(&self, index: usize) -> Option<Connected> {
        let sockets: Vec<Arc<Socket>> = {
            let mut sockets = self.0.sockets.lock();
            sockets.retain(|(_, socket)| socket.strong_count() > 0);
            sockets.iter().filter(|(route, _)| *route == index).filter_map(|(_, socket)| socket.upgrade()).collect()
        };
        let mut conversation = sockets.iter().find_map(Conversation::enter)?;
        conversation.begin().await.ok()?;
        Connected::new(conversation, &self.0.routes[index].options).await.ok()
    }

    async fn by_address(&self, index: usize, address: &Address) -> Result<Connected, ChannelError> {
        let route = &self.0.routes[index];
        let options = &route.options;
        let mut stream = Stream::connect(address, route.tls.as_ref(), options.connect_limit).await?;
        let late = |_| ChannelError::Connect { address: address.clone(), source: std::io::ErrorKind::TimedOut.into() };
        let rest = async {
            let (negotiated, rest) = negotiated::exchange(&mut stream, options).await?;
            let socket = Socket::start(stream, negotiated, rest);
            let conversation = Conversation::enter(&socket);
            let mut conversation = conversation.ok_or_else(|| ChannelError::broken("the new socket has ended"))?;
            identify(&mut conversation, options).await?;
            let connected = Connected::new(conversation, options).await?;
            Ok::<_, ChannelError>((socket, connected))
        };
        let (socket, connected) = timeout(options.connect_limit, rest).await.map_err(late)??;
        if socket.is_shared() && socket.negotiated.sharing_conversations > 1 {
            self.0.sockets.lock().push((index, Arc::downgrade(&socket)));
        }
        Ok(connected)
    }
}

/// Who the user is: once a socket.
async fn identify(conversation: &mut Conversation, options: &ConnectOptions) -> Result<(), ChannelError> {
    let user = options.credentials.as_ref().map_or(options.asserted_user.as_str(), |known| known.user.as_str());
    let user_id = UserId::of(user);
    conversation.send(SegmentType::UserId, 0, |writer| user_id.encode(writer));
    if let Some(known) = &options.credentials {
        let credentials = Credentials::user_and_password(&known.user, &known.password);
        conversation.confirm(SegmentType::ConnectionAuthentication, |writer| credentials.encode(writer)).await?;
    }
    Ok(())
}

/// Nobody there, or the wrong one: the next address may lead to another. A refused user is refused everywhere.
fn is_worth_another_way(error: &ChannelError) -> bool {
    matches!(
        error,
        ChannelError::Connect { .. }
            | ChannelError::Handshake { .. }
            | ChannelError::PeerName { .. }
            | ChannelError::Broken { .. }
    ) || error.reason() == Reason::QMgrNameError
        || reconnect::is_passing(error.reason())
}

/// A conversation after MQCONN.
pub(crate) struct Connected {
    pub(crate) conversation: Conversation,
    pub(crate) queue_manager: model::name::QueueManagerName,
}

mod connected;
