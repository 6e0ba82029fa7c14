//! Units of recovery with GROUP disposition: of programs that connect to the queue-sharing group rather than to this member.
//!
//! A branch of theirs that is prepared lies in the group's database. Any member lists it, and any member commits or backs it out, whether
//! the one that prepared it lives or not. Such a branch has shared queues alone: a private queue could only be seen to where it is.
//!
//! Invariant: a branch of one disposition is never listed, joined or ended for a connection of the other.
//!
//! Source: MQ for z/OS, "Unit of recovery disposition", "Enabling GROUP units of recovery", 9.3.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::reason::Reason;
use storage::{EndedMessage, GroupUnit, Xid};

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::instrumentation::event;
use crate::queue::{Queue, trigger};
use crate::reason;
use crate::verb::connection::Connection;
use crate::verb::xa::XaError;

/// URDISP: who may end the in-doubt branches of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitDisposition {
    /// QMGR: the queue manager that has prepared them.
    QueueManager,
    /// GROUP: every member of the group.
    Group,
}

impl Connection {
    /// The program has named `queue_manager`: at MQCONN, or in the name that its transaction manager opens. The name of the group makes the
    /// connection's branches those of the group.
    ///
    /// # Errors
    /// `Invalid`: GROUPUR is DISABLED. `Protocol`: the connection works on a branch.
    pub fn xa_open(&self, queue_manager: &str) -> Result<(), XaError> {
        let engine = &self.engine;
        if !is_group(engine, queue_manager) {
            return Ok(());
        }
        if !engine.definition.read().group_units {
            return Err(XaError::Invalid);
        }
        if self.state.branch.lock().is_some() {
            return Err(XaError::Protocol);
        }
        self.state.set_of_group();
        Ok(())
    }

    pub fn unit_disposition(&self) -> UnitDisposition {
        self.state.disposition()
    }
}

/// A branch that is prepared, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitInDoubt {
    pub xid: Xid,
    pub disposition: UnitDisposition,
    /// Which queue manager has prepared it; `None`: a member that has left.
    pub queue_manager: Option<String>,
}

impl QueueManager {
    /// Branches that wait for their coordinator: those of this queue manager, and those of its group.
    ///
    /// # Errors
    /// `NotAuthorized`: no +dsp on the queue manager. `Reason`: a database of the group is away.
    pub async fn units_in_doubt(&self, caller: &Principal) -> Result<Vec<UnitInDoubt>, ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::DISPLAY)?;
        let own = engine.store.in_doubt().into_iter().filter_map(|(_, xid)| xid);
        let mut found: Vec<UnitInDoubt> = own
            .map(|xid| {
                let queue_manager = Some(engine.name.to_string());
                UnitInDoubt { xid, disposition: UnitDisposition::QueueManager, queue_manager }
            })
            .collect();
        let of_group = Box::pin(engine.store.in_doubt_in_group()).await;
        let of_group = of_group.map_err(|error| ObjectError::Reason(reason::of_store_at_large(engine, &error)))?;
        found.extend(of_group.into_iter().map(|GroupUnit { xid, member }| {
            let disposition = UnitDisposition::Group;
            UnitInDoubt { xid, disposition, queue_manager: member }
        }));
        Ok(found)
    }

    /// Commits or backs out a branch that is prepared, in its coordinator's place. False: there is none of that name.
    ///
    /// # Errors
    /// `NotAuthorized`: no +ctrl on the queue manager. `Reason`: it may be tried again.
    pub async fn resolve_in_doubt(&self, caller: &Principal, xid: &Xid, commits: bool) -> Result<bool, ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CONTROL)?;
        // A branch of this queue manager that is not prepared yet is its program's business.
        let is_own = engine.store.in_doubt().iter().any(|(_, known)| known.as_ref() == Some(xid));
        let operator = Connection::internal(engine);
        let ended = match (is_own, commits) {
            (false, _) => end(engine, xid, commits).await,
            (true, true) => Box::pin(operator.xa_commit(xid, false)).await,
            (true, false) => Box::pin(operator.xa_rollback(xid)).await,
        };
        match ended {
            Ok(()) => Ok(true),
            Err(XaError::Reason(reason)) => Err(ObjectError::Reason(reason)),
            Err(_) => Ok(false),
        }
    }
}

/// The group's name. A group in the memory of this process has one member, and nothing that outlives it.
fn is_group(engine: &Engine, name: &str) -> bool {
    engine.store.shared().is_some() && engine.group.as_ref().is_some_and(|group| group.name.as_str() == name.trim_end())
}

/// # Errors
/// `SyncpointNotAvailable` (2072): the unit of work is a branch of the group, and the queue is private.
pub(crate) fn check_queue(state: &ConnectionState, queue: &Queue) -> Result<(), Reason> {
    let is_outside = || !queue.id.is_shared() && state.disposition() == UnitDisposition::Group;
    if is_outside() && state.branch.lock().is_some() { Err(Reason::SyncpointNotAvailable) } else { Ok(()) }
}

/// Branches of the group that are prepared and not finished.
///
/// # Errors
/// `Reason`: a database of the group is away, and may have others.
pub(crate) async fn in_doubt(engine: &Engine) -> Result<Vec<Xid>, XaError> {
    let units = Box::pin(engine.store.in_doubt_in_group()).await;
    let units = units.map_err(|error| XaError::Reason(reason::of_store_at_large(engine, &error)))?;
    Ok(units.into_iter().map(|unit| unit.xid).collect())
}

/// Commits or backs out a prepared branch of the group, and does what follows for its messages.
///
/// # Errors
/// `UnknownBranch`: it is not prepared, or has ended. `Reason`: it may be tried again.
pub(crate) async fn end(engine: &Engine, xid: &Xid, commits: bool) -> Result<(), XaError> {
    let ended = Box::pin(engine.store.end_in_group(xid, commits)).await;
    let ended = ended.map_err(|error| XaError::Reason(reason::of_store_at_large(engine, &error)))?;
    let messages = ended.ok_or(XaError::UnknownBranch)?;
    Box::pin(after_end(engine, &messages, commits)).await;
    Ok(())
}

/// Waiters look again, and triggers are looked at.
async fn after_end(engine: &Engine, messages: &[EndedMessage], commits: bool) {
    let queue_of = |message: &EndedMessage| -> Option<Arc<Queue>> {
        engine.group.as_ref().and_then(|group| group.queues.read().get(&message.queue).cloned())
    };
    let mut queues: Vec<Arc<Queue>> = Vec::new();
    for message in messages {
        if !queues.iter().any(|queue| queue.id == message.queue)
            && let Some(queue) = queue_of(message)
        {
            queue.note_expiry(engine.store.next_expiry(queue.id));
            queue.waiters.wake_all();
            queues.push(queue);
        }
    }
    let named = |message: &EndedMessage| queues.iter().find(|queue| queue.id == message.queue);
    for message in messages.iter().filter(|message| commits && message.is_there) {
        if let Some(queue) = named(message).filter(|queue| trigger::is_enabled(queue)) {
            let before = queue.depth().saturating_sub(1);
            trigger::arrived(engine, queue, message.priority, before).await;
        }
    }
    if commits && engine.events.performance() {
        for message in messages.iter().filter(|message| !message.is_there) {
            if let Some(queue) = named(message) {
                event::performance::after_commit(engine, queue).await;
            }
        }
    }
}
