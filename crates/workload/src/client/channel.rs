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

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::consume::ReadAhead;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::error::ChannelError;
use model::descriptor::{Format, MessageDescriptor, MessageType, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
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
}

pub struct ChannelClient {
    options: ChannelOptions,
    open: Option<Open>,
}

struct Open {
    connection: Connection,
    put_to: ObjectHandle,
    get_from: ObjectHandle,
    /// Where replies come: the dynamic queue, when the plan names a model.
    reply_to: Option<QueueName>,
}

impl ChannelClient {
    pub fn new(options: ChannelOptions) -> Self {
        Self { options, open: None }
    }

    /// Connects and opens the queues, if that is still to do.
    pub async fn ready(&mut self) -> Result<(), ClientError> {
        if self.open.is_some() {
            return Ok(());
        }
        let mut connection = self.options.client.connect().await?;
        let both = OpenOptions::INPUT_SHARED | OpenOptions::BROWSE | OpenOptions::OUTPUT;
        let open = match self.options.reply_queue {
            None => {
                let queue = open(&mut connection, self.options.queue, both).await?;
                Open { connection, put_to: queue, get_from: queue, reply_to: None }
            }
            Some(reply_queue) => {
                let put_to = open(&mut connection, self.options.queue, OpenOptions::OUTPUT).await?;
                let object = ObjectDescriptor { name: reply_queue, ..ObjectDescriptor::default() };
                let opened =
                    connection.open(&object, OpenOptions::INPUT_SHARED | OpenOptions::FAIL_IF_QUIESCING).await?;
                if self.options.streaming {
                    connection.consume(opened.handle, &unasked_for(), ReadAhead::DEFAULT).await?;
                }
                Open { connection, put_to, get_from: opened.handle, reply_to: Some(opened.object_name) }
            }
        };
        self.open = Some(open);
        Ok(())
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
        let open = self.open.as_mut().ok_or(ClientError::NotConnected)?;
        let putting = open.connection.put(open.put_to, descriptor, &options, body);
        let result = tokio::time::timeout(limit, putting).await;
        self.judged(result, limit).map(drop)
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
            Ok(result) => self.judged(Ok(result), wait).map(Some),
        }
    }

    /// Looks at the first message and leaves it there.
    pub async fn browse(&mut self) -> Result<Option<Bytes>, ClientError> {
        self.take_or_look(GetFlags::BROWSE_FIRST, None, None).await
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
        let open = self.open.as_mut().ok_or(ClientError::NotConnected)?;
        let result = tokio::time::timeout(limit, open.connection.get(open.get_from, &options)).await;
        match result {
            Ok(Err(error)) if error.reason() == Reason::NoMsgAvailable => Ok(None),
            other => self.judged(other, limit).map(|got| Some(got.body)),
        }
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
            Err(ClientError::Channel(error)) => channel_client::reconnect::is_lost(error.reason()),
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
