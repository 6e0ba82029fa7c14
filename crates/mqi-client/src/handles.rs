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
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;

use channel_client::connection::Connection;
use channel_protocol::structure::open_attributes::OpenAttributes;
use model::reason::Reason;
use parking_lot::{Mutex, RwLock};
use tokio::runtime::Runtime;

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
}

/// What a call works on.
pub(crate) struct Session {
    pub(crate) connection: Connection,
    /// What each open queue is set to.
    pub(crate) attributes: HashMap<u32, OpenAttributes>,
}

/// The connections of one process.
struct Table {
    handles: RwLock<HashMap<i32, Arc<Handle>>>,
    next: OnceLock<Box<Table>>,
}

static FIRST: OnceLock<Table> = OnceLock::new();
/// How often this process and those before it were forked.
static FORKS: AtomicU32 = AtomicU32::new(0);
static NEXT_NUMBER: AtomicI32 = AtomicI32::new(1);

impl Table {
    fn new() -> Self {
        Self { handles: RwLock::new(HashMap::new()), next: OnceLock::new() }
    }

    /// That of this process: as many steps along the chain as there were forks.
    fn of_process() -> &'static Self {
        let mut table = FIRST.get_or_init(Self::new);
        for _ in 0..FORKS.load(Ordering::Acquire) {
            table = table.next.get_or_init(|| Box::new(Self::new()));
        }
        table
    }
}

/// To be called in a child, right after the fork. It takes no lock and no memory.
pub fn forked() {
    FORKS.fetch_add(1, Ordering::AcqRel);
}

/// The number of the process's generation: one more after each fork.
pub(crate) fn generation() -> u32 {
    FORKS.load(Ordering::Acquire)
}

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
}

pub(crate) fn add(made: Made) -> Arc<Handle> {
    let Made { queue_manager, ccsid, sharing, runtime, connection } = made;
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    let session = Mutex::new(Some(Session { connection, attributes: HashMap::new() }));
    let thread = std::thread::current().id();
    let handle = Arc::new(Handle { number, queue_manager, ccsid, sharing, thread, runtime, session });
    Table::of_process().handles.write().insert(number, Arc::clone(&handle));
    handle
}

/// The handle that this thread has for the queue manager and shares with no other.
pub(crate) fn own_of_thread(queue_manager: &str) -> Option<i32> {
    let thread = std::thread::current().id();
    let handles = Table::of_process().handles.read();
    let own = handles.values().find(|handle| {
        handle.sharing == Sharing::None && handle.thread == thread && handle.queue_manager == queue_manager
    });
    own.map(|handle| handle.number)
}

pub(crate) fn find(number: i32) -> Result<Arc<Handle>, Ended> {
    Table::of_process().handles.read().get(&number).cloned().ok_or(failed(Reason::HconnError))
}

pub(crate) fn all() -> Vec<Arc<Handle>> {
    Table::of_process().handles.read().values().cloned().collect()
}

/// Takes the handle away: nothing can be called on it any more.
pub(crate) fn remove(number: i32) {
    Table::of_process().handles.write().remove(&number);
}

impl Handle {
    /// Runs one call.
    pub(crate) fn run<R>(&self, call: impl FnOnce(&Runtime, &mut Session) -> Result<R, Ended>) -> Result<R, Ended> {
        self.check_thread()?;
        let mut session = match self.sharing {
            Sharing::NoBlock => self.session.try_lock().ok_or(failed(Reason::CallInProgress))?,
            Sharing::None | Sharing::Block => self.session.lock(),
        };
        call(&self.runtime, session.as_mut().ok_or(failed(Reason::HconnError))?)
    }

    /// Takes the connection out, for good.
    pub(crate) fn take(&self) -> Result<Session, Ended> {
        self.check_thread()?;
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

    fn check_thread(&self) -> Result<(), Ended> {
        let is_strange = self.sharing == Sharing::None && self.thread != std::thread::current().id();
        if is_strange { Err(failed(Reason::HconnError)) } else { Ok(()) }
    }
}

/// Runs one call on the connection of this number.
pub(crate) fn run<R>(number: i32, call: impl FnOnce(&Runtime, &mut Session) -> Result<R, Ended>) -> Result<R, Ended> {
    find(number)?.run(call)
}
