//! The verbs that services need, on a local or a remote connection alike.
//!
//! A local connection checks each verb for the user it is called for; a remote one was made as that user. Dropping the
//! future of a local `get` while it waits consumes nothing; of a remote one it loses the connection, and what it had under
//! syncpoint is backed out there, so remote gets have to be under syncpoint.

use bytes::Bytes;
use model::descriptor::MessageDescriptor;
use model::name::QueueName;
use model::options::{CloseOptions, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};

use crate::error::ConnectionError;
use crate::target::User;

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
}

/// What a get brought.
#[derive(Debug, Clone)]
pub struct Got {
    pub descriptor: MessageDescriptor,
    pub body: Bytes,
}

/// BOTHRESH and BOQNAME of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backout {
    /// 0: none.
    pub threshold: u32,
    /// Blank: none.
    pub queue: QueueName,
}

/// MQIA_BACKOUT_THRESHOLD and MQCA_BACKOUT_REQ_Q_NAME.
const BACKOUT_SELECTORS: [i32; 2] = [22, 2019];

pub enum Connection {
    Local(queue_manager::Connection),
    Remote(Box<channel_client::connection::Connection>),
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

impl Connection {
    /// # Errors
    /// 2085, 2035, 2042 and what else MQOPEN may answer.
    pub async fn open(
        &mut self,
        user: &User,
        object: &ObjectDescriptor,
        options: OpenOptions,
    ) -> Result<Opened, ConnectionError> {
        match self {
            Self::Local(local) => {
                let opened = local.open(user.principal(), object, options).await?;
                Ok(Opened { handle: ObjectHandle::Local(opened.handle), name: opened.object_name })
            }
            Self::Remote(remote) => {
                let opened = remote.open(object, options).await?;
                Ok(Opened { handle: ObjectHandle::Remote(opened.handle), name: opened.object_name })
            }
        }
    }

    /// # Errors
    /// As MQCLOSE; the handle is gone all the same.
    pub async fn close(&mut self, handle: ObjectHandle) -> Result<(), ConnectionError> {
        match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => Ok(local.close(handle, CloseOptions::empty()).await?),
            (Self::Remote(remote), ObjectHandle::Remote(handle)) => {
                Ok(remote.close(handle, CloseOptions::empty()).await?)
            }
            _ => Err(foreign_handle()),
        }
    }

    /// Puts one message, on a queue or a topic. Gives back its descriptor as the queue manager completed it.
    ///
    /// # Errors
    /// As MQPUT1.
    pub async fn put1(
        &mut self,
        user: &User,
        object: &ObjectDescriptor,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<MessageDescriptor, ConnectionError> {
        match self {
            Self::Local(local) => Ok(local.put1(user.principal(), object, descriptor, options, body).await?.descriptor),
            Self::Remote(remote) => Ok(remote.put1(object, descriptor, options, body).await?.descriptor),
        }
    }

    /// # Errors
    /// 2033 no message, and what else MQGET may answer.
    pub async fn get(&mut self, handle: ObjectHandle, options: &GetOptions) -> Result<Got, ConnectionError> {
        match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => {
                let got = local.get(handle, options).await?;
                Ok(Got { descriptor: got.descriptor, body: got.body })
            }
            (Self::Remote(remote), ObjectHandle::Remote(handle)) => {
                let got = remote.get(handle, options).await?;
                Ok(Got { descriptor: got.descriptor, body: got.body })
            }
            _ => Err(foreign_handle()),
        }
    }

    /// # Errors
    /// 2003: the unit of work is gone.
    pub async fn commit(&mut self) -> Result<(), ConnectionError> {
        match self {
            Self::Local(local) => Ok(local.commit().await?),
            Self::Remote(remote) => Ok(remote.commit().await?),
        }
    }

    /// # Errors
    /// The connection or the queue manager's log has failed.
    pub async fn back_out(&mut self) -> Result<(), ConnectionError> {
        match self {
            Self::Local(local) => Ok(local.back_out().await?),
            Self::Remote(remote) => Ok(remote.back_out().await?),
        }
    }

    /// What becomes of messages of a queue that were backed out again and again. The handle is open for inquiry.
    ///
    /// # Errors
    /// As MQINQ.
    pub async fn backout(&mut self, handle: ObjectHandle) -> Result<Backout, ConnectionError> {
        let (integers, characters) = match (self, handle) {
            (Self::Local(local), ObjectHandle::Local(handle)) => {
                let inquired = local.inquire(handle, &BACKOUT_SELECTORS)?;
                (inquired.integers, inquired.characters)
            }
            (Self::Remote(remote), ObjectHandle::Remote(handle)) => {
                let attributes = remote.inquire(handle, &BACKOUT_SELECTORS, 1, QueueName::MAXIMUM).await?;
                (attributes.integers, attributes.characters.to_vec())
            }
            _ => return Err(foreign_handle()),
        };
        let threshold = integers.first().and_then(|&number| u32::try_from(number).ok()).unwrap_or(0);
        let queue = std::str::from_utf8(&characters).ok().and_then(|name| QueueName::parse(name).ok());
        Ok(Backout { threshold, queue: queue.unwrap_or_default() })
    }
}

fn foreign_handle() -> ConnectionError {
    ConnectionError::Refused(model::reason::Reason::HobjError)
}
