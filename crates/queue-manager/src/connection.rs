//! A connection to the queue manager (MQHCONN) and the verbs on it. Dropping it closes its handles and backs out.
//!
//! Each verb is one file; here they are only named. Verbs may be called from several tasks, but a unit of work belongs to
//! the whole connection.

use std::sync::Arc;

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, Principal};
use model::descriptor::MessageDescriptor;
use model::name::{QueueManagerName, QueueName};
use model::options::{CloseOptions, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use model::reason::Reason;

use crate::connection_table::ConnectionState;
use crate::engine::{Engine, Phase};
use crate::housekeeping::Work;
use crate::transmission::QUEUE_MANAGER;
use crate::{ConnectOptions, QueueManager, authority, close, get, open, put, unit_of_work};

/// MQHOBJ: an open object of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectHandle(pub u32);

/// What MQOPEN resolved, and under which handle.
#[derive(Debug, Clone)]
pub struct Opened {
    pub handle: ObjectHandle,
    /// Name of the queue that was opened: the dynamic queue's for a model.
    pub object_name: QueueName,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
}

#[derive(Debug, Clone)]
pub struct PutResult {
    /// As the queue manager completed it: identifiers, context, put date and time.
    pub descriptor: MessageDescriptor,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
    pub warning: Option<Reason>,
}

#[derive(Debug, Clone)]
pub struct GetResult {
    pub descriptor: MessageDescriptor,
    /// At most `buffer_length` bytes.
    pub body: Bytes,
    /// Length of the whole body; more than `body` holds when the warning is 2079 or 2080.
    pub data_length: usize,
    pub message_token: [u8; 16],
    /// MQGMO GroupStatus, SegmentStatus, Segmentation as their published characters.
    pub group_status: u8,
    pub segment_status: u8,
    pub segmentation: u8,
    pub resolved_queue: QueueName,
    /// 2079 accepted truncated, 2080 truncated and left on the queue, 2110 to 2120 not converted.
    pub warning: Option<Reason>,
}

pub struct Connection {
    pub(crate) engine: Arc<Engine>,
    pub(crate) state: Arc<ConnectionState>,
}

impl QueueManager {
    /// # Errors
    /// `NotAuthorized` (2035): no +connect. `QMgrQuiescing` (2161), `QMgrStopping` (2162).
    pub fn connect(&self, options: ConnectOptions) -> Result<Connection, Reason> {
        let engine = self.engine();
        engine.admit(true)?;
        let name = &engine.name;
        authority::check(engine, &options.principal, AuthorityObject::QueueManager, name, Authority::CONNECT)?;
        let state = Arc::new(ConnectionState::new(engine.identifiers.number(), options, engine.now()));
        engine.connections.add(state.clone());
        Ok(Connection { engine: engine.clone(), state })
    }
}

impl Connection {
    /// The queue manager's own, in no table: for a unit of work of its own.
    pub(crate) fn internal(engine: &Arc<Engine>) -> Self {
        let options = ConnectOptions {
            principal: Principal::administrator(&engine.authorities.server_user),
            application_name: engine.name.as_str().to_owned(),
            application_type: QUEUE_MANAGER,
            channel: String::new(),
            connection_name: String::new(),
        };
        let state = Arc::new(ConnectionState::new(engine.identifiers.number(), options, engine.now()));
        Self { engine: engine.clone(), state }
    }

    /// 24 bytes: EXTCONN, then CONN.
    pub fn identifier(&self) -> [u8; 24] {
        self.engine.identifiers.of_connection(self.state.number)
    }

    /// `caller` is whose authority is checked; pass the connection's own principal unless the door switches users.
    ///
    /// # Errors
    /// 2001, 2011, 2017, 2035, 2042, 2043, 2045, 2046, 2082, 2085 to 2087, 2091, 2092, 2100, 2161, 2162, 2184,
    /// 2196 to 2199.
    pub async fn open(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        options: OpenOptions,
    ) -> Result<Opened, Reason> {
        open::open(self, caller, object, options).await
    }

    /// # Errors
    /// 2019, 2035, 2045 (deletion of a queue that is not dynamic), 2046, 2055 and 2042 (deletion refused); 2241 and
    /// 2242 are warnings: the handle is closed all the same.
    pub async fn close(&self, handle: ObjectHandle, options: CloseOptions) -> Result<(), Reason> {
        close::close(self, handle, options).await
    }

    /// # Errors
    /// See `put.rs`.
    pub async fn put(
        &self,
        handle: ObjectHandle,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<PutResult, Reason> {
        put::put(self, handle, descriptor, options, body).await
    }

    /// Queue or topic; the authority is +put or +pub.
    ///
    /// # Errors
    /// Those of `open` and of `put`.
    pub async fn put1(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<PutResult, Reason> {
        put::put1(self, caller, object, descriptor, options, body).await
    }

    /// Gets or browses one message. Dropping the future while it waits consumes nothing.
    ///
    /// # Errors
    /// See `get.rs`.
    pub async fn get(&self, handle: ObjectHandle, options: &GetOptions) -> Result<GetResult, Reason> {
        get::get(self, handle, options).await
    }

    /// Makes the unit of work durable and visible; nothing to do is fine.
    ///
    /// # Errors
    /// `BackedOut` (2003): the unit of work is gone. `ResourceProblem` (2102): no space for the log; the unit of work is
    /// still open and may be committed later or backed out.
    pub async fn commit(&self) -> Result<(), Reason> {
        unit_of_work::commit(self).await
    }

    /// # Errors
    /// `ResourceProblem` (2102): the recovery log has failed.
    pub async fn back_out(&self) -> Result<(), Reason> {
        unit_of_work::back_out(self).await
    }

    /// Closes what is open and commits, as MQDISC does.
    ///
    /// # Errors
    /// Those of `commit`; the connection is gone all the same.
    pub async fn disconnect(self) -> Result<(), Reason> {
        close::release(&self.engine, self.state.take_handles()).await;
        self.commit().await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.engine.connections.remove(self.state.number);
        for handle in self.state.take_handles() {
            if close::release_now(&self.engine, &handle) {
                self.engine.left_over.push(Work::Close(handle));
            }
        }
        let unit = self.state.unit.lock().take();
        if let Some(unit) = unit
            && self.engine.phase() < Phase::Stopping
        {
            self.engine.left_over.push(Work::BackOut(unit));
        }
    }
}
