//! One connection through a client channel: put, get, browse, and the two ends of request and reply.
//!
//! A call is never repeated by itself: whether one whose answer was lost took effect is for the ledger to find out. After
//! such a failure the next call makes a new connection.
//!
//! When it streams, puts are not answered, and replies come without being asked for, to a queue that only this client gets from: the reply queue's
//! name is then a model queue's.
//!
//! In `request-reply` a request carries its identifier as message identifier, and a responder copies that to the reply's
//! correlation identifier and the first 48 bytes of the request's body to the reply's: so the ledger recognizes the reply.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::connection::consume::ReadAhead;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::error::ChannelError;
use channel_client::tls::ServerNamePolicy;
use model::descriptor::{Format, MessageDescriptor, MessageType, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::options::{
    CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;

use crate::client::ClientError;

/// Everything a client of one queue needs to know.
#[derive(Clone)]
pub struct ChannelOptions {
    /// Shared by all clients of a run, so that TLS sessions are resumed and sockets shared as its options say.
    pub client: Arc<Client>,
    pub queue: QueueName,
    /// Requests go to `queue`, replies come from here; `None` when the same queue is put to and got from.
    pub reply_queue: Option<QueueName>,
    pub persistent: bool,
    /// Longest wait for an answer; a get's own wait is added.
    pub answer_limit: Duration,
    /// Replies come without being asked for; `reply_queue` is a model queue, of which each client gets a queue of its own.
    pub streaming: bool,
    pub held: Held,
}

impl ChannelOptions {
    /// Of the first connection name.
    ///
    /// # Errors
    /// Its host has no address.
    pub(crate) fn address(&self) -> Result<SocketAddr, ClientError> {
        let names = &self.client.options().connections;
        let first = names.addresses().first().ok_or(ClientError::NotConnected)?;
        let failed = |source| ClientError::Connect { address: first.to_string(), source };
        let mut found = (first.host.as_str(), first.port).to_socket_addrs().map_err(failed)?;
        found.next().ok_or_else(|| failed(std::io::ErrorKind::AddrNotAvailable.into()))
    }

    /// The same channel by another address; its certificate has to name the first host still.
    ///
    /// # Errors
    /// TLS options that cannot be used.
    pub(crate) fn through(&self, address: SocketAddr) -> Result<Self, ClientError> {
        let mut connect = self.client.options().clone();
        let first = connect.connections.addresses().first().map(|first| first.host.clone()).unwrap_or_default();
        connect.connections = ConnectionNames::one(address.ip().to_string(), address.port());
        if let Some(tls) = &mut connect.tls
            && tls.server_name == ServerNamePolicy::Host
        {
            tls.server_name = ServerNamePolicy::Named(first);
        }
        Ok(Self { client: Arc::new(Client::new(connect)?), ..self.clone() })
    }
}

/// What a client keeps from one transaction to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// MQCONN, MQOPEN, MQCLOSE and MQDISC belong to each transaction.
    Nothing,
    /// MQOPEN and MQCLOSE do: the queue of each put and get is opened before it and closed after it.
    Connection,
    /// The connection with its open queues.
    Queues,
}

pub struct ChannelClient {
    options: ChannelOptions,
    open: Option<Open>,
    /// Bytes of all messages' bodies that came.
    received: u64,
    /// Why a queue could not be closed after a call that went well.
    unclosed: Option<ClientError>,
}

struct Open {
    connection: Connection,
    /// `None` while the queue is not open.
    put_to: Option<ObjectHandle>,
    get_from: Option<ObjectHandle>,
    /// Where replies come: the dynamic queue, when the plan names a model.
    reply_to: Option<QueueName>,
}

impl ChannelClient {
    pub fn new(options: ChannelOptions) -> Self {
        Self { options, open: None, received: 0, unclosed: None }
    }

    /// Bytes of all messages' bodies that came so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Connects and opens the queues, if that is still to do.
    pub async fn ready(&mut self) -> Result<(), ClientError> {
        let limit = self.options.answer_limit;
        match tokio::time::timeout(limit, self.get_ready()).await {
            Ok(result) => result,
            Err(_) => Err(ClientError::TimedOut { seconds: limit.as_secs() }),
        }
    }

    async fn get_ready(&mut self) -> Result<(), ClientError> {
        if self.open.is_none() {
            let connection = self.options.client.connect().await?;
            let reply_to = self.options.reply_queue;
            self.open = Some(Open { connection, put_to: None, get_from: None, reply_to });
        }
        if self.options.held != Held::Connection {
            self.open_queues(true, true).await?;
        }
        Ok(())
    }

    /// Opens what is wanted and not open. On failure the connection is given up.
    async fn open_queues(&mut self, put_to: bool, get_from: bool) -> Result<(), ClientError> {
        let Some(mut open) = self.open.take() else { return Err(ClientError::NotConnected) };
        if put_to && open.put_to.is_none() {
            let both = OpenOptions::INPUT_SHARED | OpenOptions::BROWSE | OpenOptions::OUTPUT;
            // One handle serves for both where it stays open.
            let serves_both = self.options.reply_queue.is_none() && self.options.held != Held::Connection;
            let how = if serves_both { both } else { OpenOptions::OUTPUT };
            let handle = self::open(&mut open.connection, self.options.queue, how).await?;
            open.put_to = Some(handle);
            if serves_both {
                open.get_from = Some(handle);
            }
        }
        if get_from && open.get_from.is_none() {
            let name = self.options.reply_queue.unwrap_or(self.options.queue);
            let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
            let browse = if self.options.reply_queue.is_none() { OpenOptions::BROWSE } else { OpenOptions::empty() };
            let how = OpenOptions::INPUT_SHARED | browse | OpenOptions::FAIL_IF_QUIESCING;
            let opened = open.connection.open(&object, how).await?;
            if self.options.streaming {
                open.connection.consume(opened.handle, &unasked_for(), ReadAhead::DEFAULT).await?;
            }
            open.get_from = Some(opened.handle);
            open.reply_to = self.options.reply_queue.map(|_| opened.object_name);
        }
        self.open = Some(open);
        Ok(())
    }

    /// Closes what was opened for one call, when nothing but the connection is held. The call itself went well, whatever
    /// becomes of this: a failure is that of the transaction.
    async fn close_queues(&mut self) {
        let Some(open) = self.open.as_mut().filter(|_| self.options.held == Held::Connection) else { return };
        let Some(handle) = open.put_to.take().or(open.get_from.take()) else { return };
        let limit = self.options.answer_limit;
        let result = tokio::time::timeout(limit, open.connection.close(handle, CloseOptions::empty())).await;
        if let Err(error) = self.judged(result, limit) {
            self.unclosed = Some(error);
        }
    }

    /// MQCLOSE and MQDISC, where each transaction has its own connection.
    pub async fn end_transaction(&mut self) -> Result<(), ClientError> {
        if let Some(error) = self.unclosed.take() {
            return Err(error);
        }
        if self.options.held != Held::Nothing {
            return Ok(());
        }
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let limit = self.options.answer_limit;
        let ending = async {
            let second = open.get_from.filter(|handle| Some(*handle) != open.put_to);
            for handle in open.put_to.into_iter().chain(second) {
                open.connection.close(handle, CloseOptions::empty()).await?;
            }
            open.connection.disconnect().await
        };
        let ended = tokio::time::timeout(limit, ending).await;
        Ok(ended.map_err(|_| ClientError::TimedOut { seconds: limit.as_secs() })??)
    }

    /// Puts one message that `hex` names.
    pub async fn put(&mut self, body: Bytes, hex: &str) -> Result<(), ClientError> {
        self.ready().await?;
        let mut descriptor = MessageDescriptor {
            format: Format::STRING,
            persistence: match self.options.persistent {
                true => Persistence::Persistent,
                false => Persistence::NonPersistent,
            },
            ..MessageDescriptor::default()
        };
        match self.open.as_ref().and_then(|open| open.reply_to) {
            None => descriptor.correlation_id = correlation_id(hex),
            Some(reply_queue) => {
                descriptor.message_type = MessageType::REQUEST;
                descriptor.message_id = MessageId::from(correlation_id(hex));
                descriptor.reply_to_queue = reply_queue;
            }
        }
        let answer = if self.options.streaming { PutFlags::ASYNC_RESPONSE } else { PutFlags::empty() };
        let flags = PutFlags::NO_SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | answer;
        let options = PutOptions { flags, context: None };
        let limit = self.options.answer_limit;
        self.open_queues(true, false).await?;
        let open = self.open.as_mut().ok_or(ClientError::NotConnected)?;
        let handle = open.put_to.ok_or(ClientError::NotConnected)?;
        let putting = open.connection.put(handle, descriptor, &options, body);
        let result = tokio::time::timeout(limit, putting).await;
        self.judged(result, limit)?;
        self.close_queues().await;
        Ok(())
    }

    /// Takes the next message, or the next with this identifier; `None` when there is none.
    pub async fn get(&mut self, hex: Option<&str>, wait: Option<Duration>) -> Result<Option<Bytes>, ClientError> {
        match self.options.streaming {
            true => self.next_reply(hex, wait.unwrap_or_default()).await,
            false => self.take_or_look(GetFlags::NO_SYNCPOINT, hex, wait).await,
        }
    }

    /// The reply to the request that `hex` names, waiting for it; replies to requests that were given up are passed over.
    async fn next_reply(&mut self, hex: Option<&str>, wait: Duration) -> Result<Option<Bytes>, ClientError> {
        self.ready().await?;
        let wanted = hex.map(correlation_id);
        let open = self.open.as_mut().ok_or(ClientError::NotConnected)?;
        let reply = async {
            loop {
                let got = open.connection.next_message().await?.got;
                if wanted.is_none_or(|wanted| wanted == got.descriptor.correlation_id) {
                    return Ok(got.body);
                }
            }
        };
        match tokio::time::timeout(wait, reply).await {
            Err(_) => Ok(None),
            Ok(result) => {
                let body = self.judged(Ok(result), wait)?;
                self.received += body.len() as u64;
                Ok(Some(body))
            }
        }
    }

    /// Looks at the first message and leaves it there.
    pub async fn browse(&mut self) -> Result<Option<Bytes>, ClientError> {
        self.take_or_look(GetFlags::BROWSE_FIRST, None, None).await
    }

    /// Takes back the request that `hex` names from the queue that it was put to.
    pub async fn take_back(&mut self, hex: &str) -> Result<Option<Bytes>, ClientError> {
        self.ready().await?;
        let options = GetOptions {
            flags: GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING,
            match_options: MatchOptions::MSG_ID,
            message_id: MessageId::from(correlation_id(hex)),
            ..GetOptions::default()
        };
        let (limit, queue) = (self.options.answer_limit, self.options.queue);
        let open = self.open.as_mut().ok_or(ClientError::NotConnected)?;
        let taking = async {
            let handle = self::open(&mut open.connection, queue, OpenOptions::INPUT_SHARED).await?;
            let got = open.connection.get(handle, &options).await;
            open.connection.close(handle, CloseOptions::empty()).await?;
            got
        };
        let result = tokio::time::timeout(limit, taking).await;
        match result {
            Ok(Err(error)) if error.reason() == Reason::NoMsgAvailable => Ok(None),
            other => self.judged(other, limit).map(|got| Some(got.body)),
        }
    }

    async fn take_or_look(
        &mut self,
        flags: GetFlags,
        hex: Option<&str>,
        wait: Option<Duration>,
    ) -> Result<Option<Bytes>, ClientError> {
        self.ready().await?;
        let waiting = if wait.is_some() { GetFlags::WAIT } else { GetFlags::empty() };
        let options = GetOptions {
            flags: flags | waiting | GetFlags::FAIL_IF_QUIESCING,
            wait: Some(wait.unwrap_or_default()),
            match_options: hex.map_or(MatchOptions::empty(), |_| MatchOptions::CORREL_ID),
            correlation_id: hex.map(correlation_id).unwrap_or_default(),
            ..GetOptions::default()
        };
        let limit = self.options.answer_limit + wait.unwrap_or_default();
        self.open_queues(false, true).await?;
        let open = self.open.as_mut().ok_or(ClientError::NotConnected)?;
        let handle = open.get_from.ok_or(ClientError::NotConnected)?;
        let result = tokio::time::timeout(limit, open.connection.get(handle, &options)).await;
        let body = match result {
            Ok(Err(error)) if error.reason() == Reason::NoMsgAvailable => None,
            other => Some(self.judged(other, limit)?.body),
        };
        self.received += body.as_ref().map_or(0, |body| body.len() as u64);
        self.close_queues().await;
        Ok(body)
    }

    /// A connection that did not answer is given up.
    fn judged<T>(
        &mut self,
        result: Result<Result<T, ChannelError>, tokio::time::error::Elapsed>,
        limit: Duration,
    ) -> Result<T, ClientError> {
        let result = match result {
            Ok(result) => result.map_err(ClientError::from),
            Err(_) => Err(ClientError::TimedOut { seconds: limit.as_secs() }),
        };
        let lost = match &result {
            Ok(_) => false,
            Err(ClientError::Channel(error)) => error.reason().ends_connection(),
            Err(_) => true,
        };
        if lost {
            self.open = None;
        }
        result
    }
}

/// How messages are consumed that come without being asked for.
pub(crate) fn unasked_for() -> GetOptions {
    GetOptions { flags: GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING, ..GetOptions::default() }
}

/// # Errors
/// As MQOPEN.
pub(crate) async fn open(
    connection: &mut Connection,
    queue: QueueName,
    options: OpenOptions,
) -> Result<ObjectHandle, ChannelError> {
    let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
    Ok(connection.open(&object, options | OpenOptions::FAIL_IF_QUIESCING).await?.handle)
}

/// The driver's own identifiers are hexadecimal; anything else is no identifier.
fn correlation_id(hex: &str) -> CorrelationId {
    CorrelationId::from_hex(hex).unwrap_or_default()
}
