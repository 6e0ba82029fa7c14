//! All messages of a local queue to another local queue: MOVE QLOCAL with TOQLOCAL. So the messages of a private queue become those
//! of a shared one, and the other way round.
//!
//! The source is open for exclusive input meanwhile. Messages are got in the queue's order and put as they are, some in one unit of
//! work. What is put to the source while it is emptied may move too, or stay.
//!
//! Never: changes a message, but for the part of its life that is over; confirms its delivery to who asked for a report.
//!
//! Invariants
//! - A message is on one of the queues at each moment, whatever ends the move.
//! - The target has messages of its own only where they may be added to.
//!
//! Source: MQ for z/OS, "MOVE QLOCAL", 9.3.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use storage::shared::OpenLevel;

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::Engine;
use crate::group::handles;
use crate::queue::expiry;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::{Queue, report};
use crate::verb::connection::{Connection, GetResult, ObjectHandle};

/// Messages of one unit of work.
const MOST_TOGETHER: usize = 50;
/// Bytes after which a unit of work ends.
const MOST_BYTES: usize = 4 << 20;

impl QueueManager {
    /// Moves all messages of a local queue to another one, and says how many. `adds`: the target may hold messages already.
    ///
    /// # Errors
    /// `NotAuthorized`: no +clr on the source, or no +put on the target. `NotFound`; `WrongType`: no local queue, a temporary
    /// target, or another USAGE.
    /// `InUse`: a program has the source open. `NotEmpty`: the target. `Reason`: what ended the move; messages moved before stay moved.
    pub async fn move_messages(
        &self,
        caller: &Principal,
        from: &QueueName,
        to: &QueueName,
        adds: bool,
    ) -> Result<u64, ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, from, Authority::CLEAR)?;
        authorise(engine, caller, AuthorityObject::Queue, to, Authority::PUT)?;
        let (source, target) = (local(engine, from)?, local(engine, to)?);
        let usage = |queue: &Queue| queue.with_local(|_, local| local.usage);
        if source.id == target.id || usage(&source) != usage(&target) || target.is_temporary() {
            return Err(ObjectError::WrongType { name: to.to_string() });
        }
        check_unused(engine, &source).await?;
        let own = Connection::carrying(engine);
        let moved = empty(engine, &own, &source, &target, adds).await;
        if moved.is_err() {
            // What fails here is backed out with the connection.
            let _ = own.back_out().await;
        }
        moved
    }
}

fn local(engine: &Engine, name: &QueueName) -> Result<Arc<Queue>, ObjectError> {
    let queue = engine.queue(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
    if queue.is_local() { Ok(queue) } else { Err(ObjectError::WrongType { name: name.to_string() }) }
}

/// # Errors
/// `InUse`: a program of any member has it open.
async fn check_unused(engine: &Engine, queue: &Queue) -> Result<(), ObjectError> {
    let is_open = queue.in_use.lock().handles > 0
        || handles::elsewhere(engine, queue.id).await.map_err(ObjectError::Reason)? > OpenLevel::Closed;
    if is_open { Err(ObjectError::InUse { name: queue.name.to_string() }) } else { Ok(()) }
}

async fn empty(
    engine: &Engine,
    own: &Connection,
    source: &Queue,
    target: &Arc<Queue>,
    adds: bool,
) -> Result<u64, ObjectError> {
    let from = open(own, source, OpenOptions::INPUT_EXCLUSIVE).await.map_err(|reason| match reason {
        Reason::ObjectInUse => ObjectError::InUse { name: source.name.to_string() },
        reason => ObjectError::Reason(reason),
    })?;
    if !adds && !is_empty(own, target).await.map_err(ObjectError::Reason)? {
        return Err(ObjectError::NotEmpty { name: target.name.to_string() });
    }
    let Resolved::Destination(to) =
        resolve(engine, &target.name, &QueueManagerName::BLANK).map_err(ObjectError::Reason)?
    else {
        return Err(ObjectError::WrongType { name: target.name.to_string() });
    };
    // So many may have been there at the beginning: what programs put meanwhile does not keep the move from its end.
    let maximum = source.with_local(|_, local| local.maximum_depth);
    let most = u64::from(maximum.max(engine.store.depth(source.id).current));
    let mut moved = 0;
    while moved < most {
        let together = a_few(engine, own, from, &to).await.map_err(ObjectError::Reason)?;
        if together == 0 {
            break;
        }
        moved += together;
    }
    Ok(moved)
}

async fn open(own: &Connection, queue: &Queue, options: OpenOptions) -> Result<ObjectHandle, Reason> {
    let object = ObjectDescriptor { name: queue.name, ..ObjectDescriptor::default() };
    let principal = own.state.options.principal.clone();
    own.open(&principal, &object, options).await.map(|opened| opened.handle)
}

/// Whether nothing is there to be got. Messages of units of work that are open do not count.
async fn is_empty(own: &Connection, queue: &Queue) -> Result<bool, Reason> {
    let handle = open(own, queue, OpenOptions::BROWSE).await?;
    let first = GetOptions {
        flags: GetFlags::BROWSE_FIRST | GetFlags::NO_SYNCPOINT | GetFlags::ACCEPT_TRUNCATED_MSG,
        buffer_length: Some(0),
        ..GetOptions::default()
    };
    match own.get(handle, &first).await {
        Ok(_) => Ok(false),
        Err(Reason::NoMsgAvailable) => Ok(true),
        Err(reason) => Err(reason),
    }
}

/// One unit of work. 0: the source is empty.
async fn a_few(engine: &Engine, own: &Connection, from: ObjectHandle, to: &Destination) -> Result<u64, Reason> {
    let next = GetOptions {
        flags: GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2,
        ..GetOptions::default()
    };
    let (mut count, mut bytes) = (0, 0);
    for _ in 0..MOST_TOGETHER {
        let got = match own.get(from, &next).await {
            Ok(got) => got,
            Err(Reason::NoMsgAvailable) => break,
            Err(reason) => return Err(reason),
        };
        bytes += got.message.body.len();
        put(engine, own, to, &got).await?;
        count += 1;
        if bytes >= MOST_BYTES {
            break;
        }
    }
    own.commit().await?;
    Ok(count)
}

async fn put(engine: &Engine, own: &Connection, to: &Destination, got: &GetResult) -> Result<(), Reason> {
    let now = engine.now();
    let mut message = Message::clone(&got.message);
    let (expiry, expires) = expiry::remaining(message.descriptor.expiry, got.arrived, now);
    message.descriptor.expiry = expiry;
    report::put_on(engine, Some(&*own.state), to, &message, expires, now).await
}
