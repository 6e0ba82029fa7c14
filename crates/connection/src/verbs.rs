//! The verbs that services and the messaging REST API need, on a local or a remote connection alike.
//!
//! A local connection checks each open for the user it is for; a remote one asks for that user's authority in place of its
//! own (MQOO_ALTERNATE_USER_AUTHORITY), which the remote queue manager has to allow. Dropping the future of a local `get`
//! while it waits consumes nothing; while it takes a message outside syncpoint, that message is lost. Dropping that of a
//! remote one loses the connection, and what it had under syncpoint is backed out there, so remote gets that consume have to
//! be under syncpoint, or of messages that may be lost.
//!
//! Once its door closes (`Connections::end_waits`) no get waits: a local one ends its wait, and has the message it was
//! taking; a remote one that may wait is given up, as if it were dropped.
//!
//! Remote verbs are boxed: their state is large, and a round trip costs far more than that.

use std::borrow::Cow;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

use model::descriptor::MessageDescriptor;
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::name::{ObjectName, QueueName};
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::subscribe::SubscriptionDescriptor;
pub use queue_manager::Position;
use queue_manager::connection::{GetResult, PutResult};
use queue_manager::{Accept, Changes, Due, Follower, Terms};
use tokio::time::Instant;

use crate::error::ConnectionError;
use crate::target::Acting;
use crate::traced;
use crate::waits::Waits;

/// An open object, valid on its own connection only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectHandle {
    Local(queue_manager::connection::ObjectHandle),
    Remote(channel_client::connection::ObjectHandle),
}

/// What MQOPEN brought.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    pub handle: ObjectHandle,
    /// Of the queue that was opened: the dynamic queue's for a model.
    pub name: QueueName,
    /// For `WaitTerms::since`; `None` on a remote connection.
    pub changes: Option<Changes>,
}

/// What MQSUB brought.
#[derive(Debug, Clone, Copy)]
pub struct Subscribed {
    pub subscription: ObjectHandle,
    /// Where its publications are got from.
    pub queue: ObjectHandle,
    pub queue_name: QueueName,
}

/// The wait of a get in this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitTerms {
    /// Ends it, in place of what the options say.
    pub until: Option<Instant>,
    /// Nothing that is wanted was on the queue at that moment: see `Terms::since`.
    pub since: Option<Changes>,
}

/// What a put brought: what the queue manager chose, or the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identifiers {
    pub message_id: MessageId,
    pub correlation_id: CorrelationId,
    /// Where the message is on its queue; `None` on a remote connection, and where it is not one message on one queue.
    pub position: Option<Position>,
}

/// BOTHRESH and BOQNAME of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backout {
    /// 0: none.
    pub threshold: u32,
    /// Blank: none.
    pub queue: QueueName,
}

impl Backout {
    /// Those of a queue of this server; the handle is open for inquiry.
    ///
    /// # Errors
    /// As MQINQ.
    pub fn of(
        connection: &queue_manager::Connection,
        handle: queue_manager::connection::ObjectHandle,
    ) -> Result<Self, Reason> {
        let inquired = connection.inquire(handle, &BACKOUT_SELECTORS)?;
        Ok(Self::read(&inquired.integers, &inquired.characters))
    }

    fn read(integers: &[i32], characters: &[u8]) -> Self {
        let threshold = integers.first().and_then(|&number| u32::try_from(number).ok()).unwrap_or(0);
        let queue = std::str::from_utf8(characters).ok().and_then(|name| QueueName::parse(name).ok());
        Self { threshold, queue: queue.unwrap_or_default() }
    }
}

/// MQIA_BACKOUT_THRESHOLD and MQCA_BACKOUT_REQ_Q_NAME.
const BACKOUT_SELECTORS: [i32; 2] = [22, 2019];
/// MQOD AlternateUserId, in bytes.
const LONGEST_ALTERNATE_USER: usize = 12;

pub enum Connection {
    Local(Local),
    Remote(Box<Remote>),
}

/// A connection to a queue manager of this server.
pub struct Local {
    pub(crate) connection: queue_manager::Connection,
    pub(crate) waits: Arc<Waits>,
}

/// A connection through a channel.
pub struct Remote {
    pub(crate) connection: channel_client::connection::Connection,
    /// As whom it was made; empty when the channel decides.
    pub(crate) user: Arc<str>,
    /// On which its socket is served.
    pub(crate) thread: ThreadId,
    pub(crate) waits: Arc<Waits>,
    /// Its name and what it has open, for traces.
    pub(crate) channel: ObjectName,
    pub(crate) open: Vec<(channel_client::connection::ObjectHandle, QueueName)>,
}

impl ObjectHandle {
    /// For `PutOptions::context`.
    pub fn number(self) -> u32 {
        match self {
            Self::Local(handle) => handle.0,
            Self::Remote(handle) => handle.number(),
        }
    }
}

impl Local {
    /// The connection itself, for what only a queue manager of this server offers.
    pub fn connection(&self) -> &queue_manager::Connection {
        &self.connection
    }

    /// Another connection to the same queue manager, whose gets wait no longer than those of this one.
    pub fn sibling(&self, connection: queue_manager::Connection) -> Self {
        Self { connection, waits: Arc::clone(&self.waits) }
    }

    /// See `queue_manager::Connection::next_position_on`.
    ///
    /// # Errors
    /// 2037, 2041, 2052; 2019 for a handle of a remote connection.
    pub fn next_position_on(&self, handle: ObjectHandle) -> Result<Position, ConnectionError> {
        let ObjectHandle::Local(handle) = handle else { return Err(foreign_handle()) };
        Ok(self.connection.next_position_on(handle)?)
    }

    /// The next browse by this handle begins behind a place in the order of delivery.
    ///
    /// # Errors
    /// 2036; 2019 for a handle of a remote connection.
    pub fn browse_from(&self, handle: ObjectHandle, place: queue_manager::Place) -> Result<(), ConnectionError> {
        let ObjectHandle::Local(handle) = handle else { return Err(foreign_handle()) };
        Ok(self.connection.browse_from(handle, place)?)
    }

    /// The next browse by this handle begins up to `count` messages before a place in the order of delivery, or before the end. Gives the
    /// place behind which it begins; `None` is the beginning of the queue.
    ///
    /// # Errors
    /// 2036; 2019 for a handle of a remote connection.
    pub async fn browse_back(
        &self,
        handle: ObjectHandle,
        before: Option<queue_manager::Place>,
        count: usize,
    ) -> Result<Option<queue_manager::Place>, ConnectionError> {
        let ObjectHandle::Local(handle) = handle else { return Err(foreign_handle()) };
        Ok(self.connection.browse_back(handle, before, count).await?)
    }

    /// As `Connection::get`, with what else the queue manager says of the message.
    ///
    /// # Errors
    /// Those of `Connection::get`; 2019 for a handle of a remote connection.
    pub async fn get_placed(
        &self,
        handle: ObjectHandle,
        options: &GetOptions,
    ) -> Result<Box<GetResult>, ConnectionError> {
        let ObjectHandle::Local(handle) = handle else { return Err(foreign_handle()) };
        let closing = &self.waits.closing;
        let terms = Terms { closing: Some(closing), ..Terms::default() };
        match self.connection.get_on(handle, options, &terms).await {
            Err(Reason::NoMsgAvailable) if waits(options) && closing.is_set() => Err(Reason::QMgrQuiescing.into()),
            got => Ok(got?),
        }
    }

    /// Makes or resumes a subscription that the queue manager keeps a queue for.
    ///
    /// # Errors
    /// As MQSUB.
    pub async fn subscribe(
        &self,
        acting: Acting<'_>,
        descriptor: &SubscriptionDescriptor,
    ) -> Result<Subscribed, ConnectionError> {
        let subscribed = self.connection.subscribe(acting.principal(), descriptor, None).await?;
        Ok(Subscribed {
            subscription: ObjectHandle::Local(subscribed.subscription),
            queue: ObjectHandle::Local(subscribed.queue),
            queue_name: subscribed.queue_name,
        })
    }

    /// See `queue_manager::Connection::follow`.
    ///
    /// # Errors
    /// Those of `get_placed`.
    pub async fn follow(
        &self,
        handle: ObjectHandle,
        follower: &mut Follower,
        options: &GetOptions,
    ) -> Result<Box<GetResult>, ConnectionError> {
        let ObjectHandle::Local(handle) = handle else { return Err(foreign_handle()) };
        let closing = &self.waits.closing;
        let terms = Terms { closing: Some(closing), ..Terms::default() };
        match self.connection.follow(handle, follower, options, &terms).await {
            Err(Reason::NoMsgAvailable) if waits(options) && closing.is_set() => Err(Reason::QMgrQuiescing.into()),
            got => Ok(got?),
        }
    }

    async fn get(
        &self,
        handle: queue_manager::connection::ObjectHandle,
        options: &GetOptions,
        wait: WaitTerms,
        accept: Option<&Accept<'_>>,
    ) -> Result<Box<Message>, ConnectionError> {
        let closing = &self.waits.closing;
        let WaitTerms { until, since } = wait;
        let terms = Terms { closing: Some(closing), until, since, accept, ..Terms::default() };
        match self.connection.get_on(handle, options, &terms).await {
            Ok(got) => Ok(got.message),
            Err(Reason::NoMsgAvailable) if waits(options) && closing.is_set() => Err(Reason::QMgrQuiescing.into()),
            Err(reason) => Err(reason.into()),
        }
    }
}

impl Remote {
    /// The object with the user whose authority is to count there, if that is not the connection's own.
    ///
    /// # Errors
    /// `UserTooLong`: cut short it might be another user's name.
    fn on_behalf<'o>(
        &self,
        acting: Acting<'_>,
        object: &'o ObjectDescriptor,
    ) -> Result<Cow<'o, ObjectDescriptor>, ConnectionError> {
        let Acting::For(principal) = acting else { return Ok(Cow::Borrowed(object)) };
        let user = &*principal.user;
        if *user == *self.user {
            return Ok(Cow::Borrowed(object));
        }
        if user.len() > LONGEST_ALTERNATE_USER {
            return Err(ConnectionError::UserTooLong { user: user.to_owned() });
        }
        Ok(Cow::Owned(ObjectDescriptor { alternate_user: user.to_owned(), ..object.clone() }))
    }

    async fn open(
        &mut self,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        mut options: OpenOptions,
    ) -> Result<Opened, ConnectionError> {
        let object = self.on_behalf(acting, object)?;
        options.set(OpenOptions::ALTERNATE_USER_AUTHORITY, matches!(object, Cow::Owned(_)));
        let opened = self.connection.open(&object, options).await?;
        self.open.push((opened.handle, opened.object_name));
        Ok(Opened { handle: ObjectHandle::Remote(opened.handle), name: opened.object_name, changes: None })
    }

    async fn get(
        &mut self,
        handle: channel_client::connection::ObjectHandle,
        options: &GetOptions,
    ) -> Result<Box<Message>, ConnectionError> {
        let traced = self.traced_get(handle, options);
        let get = self.connection.get(handle, options);
        let got = if waits(options) {
            tokio::select! {
                biased;
                got = get => got,
                () = self.waits.over() => return Err(Reason::QMgrQuiescing.into()),
            }
        } else {
            get.await
        };
        let got = got.map(|got| Box::new(Message { descriptor: got.descriptor, body: got.body }));
        traced::get_ended(traced, &got);
        Ok(got?)
    }

    async fn close(&mut self, handle: channel_client::connection::ObjectHandle) -> Result<(), ConnectionError> {
        self.open.retain(|(open, _)| *open != handle);
        Ok(self.connection.close(handle, CloseOptions::empty()).await?)
    }

    async fn put1(
        &mut self,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        mut message: Box<Message>,
        options: &PutOptions,
    ) -> Result<Identifiers, ConnectionError> {
        let length = message.body.len();
        queue_manager::give_context(&mut message);
        let Message { descriptor, body } = *message;
        let object = self.on_behalf(acting, object)?;
        let mut options = options.clone();
        options.flags.set(PutFlags::ALTERNATE_USER_AUTHORITY, matches!(object, Cow::Owned(_)));
        let traced = self.traced_put(&object, length);
        let put = self.connection.put1(&object, descriptor, &options, body).await;
        traced::put_ended(traced, &put);
        Ok(Identifiers::of(&put?.descriptor))
    }
}

impl Identifiers {
    pub(crate) fn of_put(put: &PutResult) -> Self {
        Self { position: put.position, ..Self::of(&put.message.descriptor) }
    }

    pub(crate) fn of(descriptor: &MessageDescriptor) -> Self {
        Self { message_id: descriptor.message_id, correlation_id: descriptor.correlation_id, position: None }
    }
}

impl Connection {
    /// # Errors
    /// 2085, 2035, 2042 and what else MQOPEN may answer.
    pub async fn open(
        &mut self,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        options: OpenOptions,
    ) -> Result<Opened, ConnectionError> {
        match self {
            Self::Local(local) => {
                let opened = local.connection.open(acting.principal(), object, options).await?;
                let handle = ObjectHandle::Local(opened.handle);
                Ok(Opened { handle, name: opened.object_name, changes: Some(opened.changes) })
            }
            Self::Remote(remote) => Box::pin(remote.open(acting, object, options)).await,
        }
    }

    /// # Errors
    /// As MQCLOSE; the handle is gone all the same.
    pub async fn close(&mut self, handle: ObjectHandle) -> Result<(), ConnectionError> {
        match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => {
                Ok(local.connection.close(handle, CloseOptions::empty()).await?)
            }
            (Self::Remote(remote), ObjectHandle::Remote(handle)) => Box::pin(remote.close(handle)).await,
            _ => Err(foreign_handle()),
        }
    }

    /// Puts one message, on a queue or a topic.
    ///
    /// # Errors
    /// As MQPUT1.
    pub async fn put1(
        &mut self,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        message: Box<Message>,
        options: &PutOptions,
    ) -> Result<Identifiers, ConnectionError> {
        match self {
            Self::Local(local) => {
                let put = local.connection.put1_message(acting.principal(), object, message, options).await?;
                Ok(Identifiers::of_put(&put))
            }
            Self::Remote(remote) => Box::pin(remote.put1(acting, object, message, options)).await,
        }
    }

    /// As `put1`, of a message that is to be delivered when it is due. `None`: now.
    ///
    /// # Errors
    /// As MQPUT1. 2298: the connection is remote, and the message is to be delivered later.
    pub async fn put1_due(
        &mut self,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        message: Box<Message>,
        options: &PutOptions,
        due: Option<Due>,
    ) -> Result<Identifiers, ConnectionError> {
        match (self, due) {
            (connection, None) => connection.put1(acting, object, message, options).await,
            (Self::Local(local), Some(_)) => {
                let put = local.connection.put1_due(acting.principal(), object, message, options, due).await?;
                Ok(Identifiers::of_put(&put))
            }
            (Self::Remote(_), Some(_)) => Err(Reason::FunctionNotSupported.into()),
        }
    }

    /// # Errors
    /// 2033 no message; 2161 the door closes, and nothing was taken; and what else MQGET may answer.
    pub async fn get(&mut self, handle: ObjectHandle, options: &GetOptions) -> Result<Box<Message>, ConnectionError> {
        match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => {
                local.get(handle, options, WaitTerms::default(), None).await
            }
            (Self::Remote(remote), ObjectHandle::Remote(handle)) => Box::pin(remote.get(handle, options)).await,
            _ => Err(foreign_handle()),
        }
    }

    /// As `get`, for a destructive one: the queue manager asks `accept` before it takes the message, and leaves one that is
    /// refused where it is, its backout count as it was. Local connections only.
    ///
    /// # Errors
    /// Those of `get`; 2110: refused. 2019: the connection is remote.
    pub async fn get_accepted(
        &mut self,
        handle: ObjectHandle,
        options: &GetOptions,
        wait: WaitTerms,
        accept: &Accept<'_>,
    ) -> Result<Box<Message>, ConnectionError> {
        match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => local.get(handle, options, wait, Some(accept)).await,
            _ => Err(foreign_handle()),
        }
    }

    /// # Errors
    /// 2003: the unit of work is gone.
    pub async fn commit(&mut self) -> Result<(), ConnectionError> {
        match self {
            Self::Local(local) => Ok(local.connection.commit().await?),
            Self::Remote(remote) => Ok(Box::pin(remote.connection.commit()).await?),
        }
    }

    /// # Errors
    /// The connection or the queue manager's log has failed.
    pub async fn back_out(&mut self) -> Result<(), ConnectionError> {
        match self {
            Self::Local(local) => Ok(local.connection.back_out().await?),
            Self::Remote(remote) => Ok(Box::pin(remote.connection.back_out()).await?),
        }
    }

    /// What becomes of messages of a queue that were backed out again and again. The handle is open for inquiry.
    ///
    /// # Errors
    /// As MQINQ.
    pub async fn backout(&mut self, handle: ObjectHandle) -> Result<Backout, ConnectionError> {
        match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => Ok(Backout::of(&local.connection, handle)?),
            (Self::Remote(remote), ObjectHandle::Remote(handle)) => {
                let inquired = remote.connection.inquire(handle, &BACKOUT_SELECTORS, 1, QueueName::MAXIMUM);
                let attributes = Box::pin(inquired).await?;
                Ok(Backout::read(&attributes.integers, &attributes.characters))
            }
            _ => Err(foreign_handle()),
        }
    }

    /// Its socket is gone, or a call on it was given up. A local one finds out by its next verb.
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Remote(remote) => remote.connection.is_broken(),
        }
    }

    /// Nothing is open on it and nothing under syncpoint, so that another request may have it.
    pub(crate) fn is_clean(&self) -> bool {
        match self {
            // Asking would take a lock, and not tell a unit of work with something in it from an empty one: whoever gives a
            // connection back has committed or backed out.
            Self::Local(_) => true,
            Self::Remote(remote) => remote.connection.is_clean(),
        }
    }

    /// The connection, when it is to a queue manager of this server.
    pub fn local(&self) -> Option<&Local> {
        match self {
            Self::Local(local) => Some(local),
            Self::Remote(_) => None,
        }
    }

    /// To a queue manager of this server.
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// `None` for a local connection, which is served by its user's task.
    pub(crate) fn thread(&self) -> Option<ThreadId> {
        match self {
            Self::Local(_) => None,
            Self::Remote(remote) => Some(remote.thread),
        }
    }
}

/// Whether a get may wait.
fn waits(options: &GetOptions) -> bool {
    options.flags.contains(GetFlags::WAIT) && options.wait != Some(Duration::ZERO)
}

fn foreign_handle() -> ConnectionError {
    ConnectionError::Refused(Reason::HobjError)
}
