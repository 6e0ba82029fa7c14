//! The connection handles of a process (MQHCONN): who may use one, and when.
//!
//! A handle that is not shared belongs to the thread that made it: another thread gets 2018, and a second MQCONN of the thread to
//! the same queue manager gives the same handle with 2002. A shared one belongs to all threads: they wait for each other, or get
//! 2219, as MQCNO said.
//!
//! Invariants
//! - Numbers are never used again in a process or its children, so that a stale handle is 2018.
//! - After a fork the child has a table of its own. The parent's stays as it is, and nothing of it is dropped: a destructor would
//!   speak on the parent's sockets.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

use channel_client::connection::Connection;
use channel_protocol::structure::open_attributes::OpenAttributes;
use model::name::QueueName;
use model::reason::Reason;
use parking_lot::{Mutex, RwLock};
use tokio::runtime::Runtime;

use crate::consume::{self, Consuming};
use crate::per_process::PerProcess;
use crate::{Ended, failed};

/// How threads share a handle: MQCNO_HANDLE_SHARE_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    None,
    Block,
    NoBlock,
}

/// A connection and what belongs to it.
pub(crate) struct Handle {
    pub(crate) number: i32,
    /// As MQCONN named it.
    pub(crate) queue_manager: String,
    /// The coded character set of the program's texts.
    ccsid: i32,
    sharing: Sharing,
    thread: ThreadId,
    pub(crate) runtime: Runtime,
    session: Mutex<Option<Session>>,
    users: Mutex<Vec<User>>,
    /// A call runs. The keeper holds the session too, and is no call.
    in_call: AtomicBool,
    pub(crate) consuming: Consuming,
}

/// Who keeps a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// By MQCONN.
    Program,
    /// By `xa_open`.
    TransactionManager,
}

/// What a call works on.
pub(crate) struct Session {
    pub(crate) connection: Connection,
    /// What each open queue is set to.
    pub(crate) attributes: HashMap<u32, OpenAttributes>,
    /// Under which name each open object was found.
    pub(crate) names: HashMap<u32, QueueName>,
}

/// The connections of each process.
static TABLE: PerProcess<RwLock<HashMap<i32, Arc<Handle>>>> = PerProcess::new();
static NEXT_NUMBER: AtomicI32 = AtomicI32::new(1);

/// The coded character set of the program's texts on this connection; UTF-8 for one that does not exist.
pub fn ccsid(number: i32) -> i32 {
    find(number).map_or(1208, |handle| handle.ccsid)
}

/// A connection that was made, and how it is to be used.
pub(crate) struct Made {
    pub(crate) queue_manager: String,
    pub(crate) ccsid: i32,
    pub(crate) sharing: Sharing,
    pub(crate) runtime: Runtime,
    pub(crate) connection: Connection,
    pub(crate) user: User,
}

pub(crate) fn add(made: Made) -> Arc<Handle> {
    let Made { queue_manager, ccsid, sharing, runtime, connection, user } = made;
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut session = Session { connection, attributes: HashMap::new(), names: HashMap::new() };
    let thread = std::thread::current().id();
    let handle = Arc::new_cyclic(|handle: &Weak<Handle>| {
        let handle = Weak::clone(handle);
        session.connection.observe(Arc::new(move |event| consume::reconnection(&*handle.upgrade()?, event)));
        Handle {
            number,
            queue_manager,
            ccsid,
            sharing,
            thread,
            runtime,
            session: Mutex::new(Some(session)),
            users: Mutex::new(vec![user]),
            in_call: AtomicBool::new(false),
            consuming: Consuming::default(),
        }
    });
    TABLE.get().write().insert(number, Arc::clone(&handle));
    handle
}

/// The handle that this thread has for the queue manager and shares with no other.
pub(crate) fn own_of_thread(queue_manager: &str) -> Option<Arc<Handle>> {
    let thread = std::thread::current().id();
    let handles = TABLE.get().read();
    let own = handles.values().find(|handle| {
        handle.sharing == Sharing::None && handle.thread == thread && handle.queue_manager == queue_manager
    });
    own.cloned()
}

pub(crate) fn find(number: i32) -> Result<Arc<Handle>, Ended> {
    TABLE.get().read().get(&number).cloned().ok_or(failed(Reason::HconnError))
}

pub(crate) fn all() -> Vec<Arc<Handle>> {
    TABLE.get().read().values().cloned().collect()
}

/// Takes the handle away: nothing can be called on it any more.
pub(crate) fn remove(number: i32) {
    TABLE.get().write().remove(&number);
}

impl Handle {
    /// Runs one call.
    pub(crate) fn run<R>(&self, call: impl FnOnce(&Runtime, &mut Session) -> Result<R, Ended>) -> Result<R, Ended> {
        self.check_thread()?;
        self.consuming.check()?;
        let _turn = match self.sharing {
            Sharing::NoBlock => Some(Turn::take(&self.in_call).ok_or(failed(Reason::CallInProgress))?),
            Sharing::None | Sharing::Block => None,
        };
        let mut session = self.session.lock();
        call(&self.runtime, session.as_mut().ok_or(failed(Reason::HconnError))?)
    }

    /// Whether it joins those that keep the connection; false for one that does already.
    pub(crate) fn join(&self, user: User) -> bool {
        let mut users = self.users.lock();
        let joins = !users.contains(&user);
        if joins {
            users.push(user);
        }
        joins
    }

    /// Whether another one keeps the connection after `user` has left it.
    pub(crate) fn is_kept_without(&self, user: User) -> bool {
        let mut users = self.users.lock();
        users.retain(|other| *other != user);
        !users.is_empty()
    }

    /// A transaction manager decides about what is done on it.
    pub(crate) fn is_managed(&self) -> bool {
        self.users.lock().contains(&User::TransactionManager)
    }

    /// Takes the connection out, for good.
    pub(crate) fn take(&self) -> Result<Session, Ended> {
        self.check_thread()?;
        self.consuming.check_event()?;
        self.session.lock().take().ok_or(failed(Reason::HconnError))
    }

    /// What is idle, for the keeper; `None` while a call runs.
    pub(crate) fn while_idle(&self, work: impl FnOnce(&Runtime, &mut Session)) {
        if let Some(mut session) = self.session.try_lock()
            && let Some(session) = session.as_mut()
        {
            work(&self.runtime, session);
        }
    }

    pub(crate) fn check_thread(&self) -> Result<(), Ended> {
        let is_strange = self.sharing == Sharing::None
            && self.thread != std::thread::current().id()
            && !self.consuming.is_dispatcher();
        if is_strange { Err(failed(Reason::HconnError)) } else { Ok(()) }
    }
}

/// The only call on a connection; given back with the value.
struct Turn<'a>(&'a AtomicBool);

impl<'a> Turn<'a> {
    fn take(in_call: &'a AtomicBool) -> Option<Self> {
        // A turn that is made and dropped would give the other's back.
        (!in_call.swap(true, Ordering::Acquire)).then(|| Self(in_call))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Runs one call on the connection of this number.
pub(crate) fn run<R>(number: i32, call: impl FnOnce(&Runtime, &mut Session) -> Result<R, Ended>) -> Result<R, Ended> {
    find(number)?.run(call)
}

#[cfg(test)]
mod tests;
