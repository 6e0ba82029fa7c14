//! What a transaction manager calls: `xa_open` and its kin, each with the return value that X/Open gives it.
//!
//! A thread has one connection for each resource manager that it opens. The program's MQCONN to the same queue manager on that
//! thread gives the same connection, so that its calls belong to the branch.
//!
//! Invariants
//! - A connection that the program and the transaction manager both use lasts until both have left it.
//! - No lock is held while a transaction manager is asked: it may call the resource manager.
//! - A connection that is lost is given up: XAER_RMFAIL, and the next `xa_open` makes another.
//!
//! Source: X/Open CAE Specification, "Distributed TP: The XA Specification", 1991; MQ Developing, "The format of an xa_open
//! string", 9.4.

mod open_string;

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::ThreadId;

use channel_client::connection::xa::{
    Prepared, XA_OK, XA_RDONLY, XAER_INVAL, XAER_PROTO, XAER_RMERR, XAER_RMFAIL, XaFlags,
};
use channel_client::error::ChannelError;
use channel_protocol::structure::xid::Xid;
use model::reason::Reason;
use parking_lot::Mutex;

use crate::connect;
use crate::handles::{self, User};
use crate::per_process::PerProcess;
use crate::{Ended, failed};

pub use open_string::OpenString;

/// XAER_ASYNC: a verb cannot go on by itself.
const XAER_ASYNC: i32 = -2;
const TMASYNC: u32 = 0x8000_0000;
const TMNOWAIT: u32 = 0x1000_0000;
const TMSTARTRSCAN: u32 = 0x0100_0000;
const TMENDRSCAN: u32 = 0x0080_0000;

/// The verbs about one branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Start,
    End,
    Rollback,
    Prepare,
    Commit,
    Forget,
}

/// How a resource manager asks its transaction manager for the branch that a thread works on (`ax_reg`), and says that work outside
/// of branches is over (`ax_unreg`).
#[derive(Clone)]
pub struct Registrar {
    /// TM_* or TMER_*, and the branch; `None` for work outside of branches.
    pub register: Arc<dyn Fn(i32) -> (i32, Option<Xid>) + Send + Sync>,
    pub unregister: Arc<dyn Fn(i32) + Send + Sync>,
}

const TM_OK: i32 = 0;
const TM_RESUME: i32 = 1;
const TM_JOIN: i32 = 2;

/// What a thread works on, as a resource manager that registers dynamically knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Nothing: the next call under syncpoint registers.
    None,
    Branch,
    /// A unit of work that the program commits.
    Own,
}

/// What a thread has open as one resource manager.
struct Open {
    hconn: i32,
    registrar: Option<Registrar>,
    work: Work,
    /// What a scan of prepared branches has still to give; `None` while there is no scan.
    scan: Option<Vec<Xid>>,
}

type Table = HashMap<(ThreadId, i32), Open>;

static OPEN: PerProcess<Mutex<Table>> = PerProcess::new();

fn own(resource_manager: i32) -> (ThreadId, i32) {
    (std::thread::current().id(), resource_manager)
}

fn is_asynchronous(flags: u32) -> bool {
    flags & TMASYNC != 0
}

/// `xa_open`: connects as the string says. A second one changes nothing. With a registrar the transaction manager starts no
/// branches: calls of the program under syncpoint ask for theirs.
pub fn open(text: &str, resource_manager: i32, flags: u32, registrar: Option<Registrar>) -> i32 {
    if is_asynchronous(flags) {
        return XAER_ASYNC;
    }
    if OPEN.get().lock().contains_key(&own(resource_manager)) {
        return XA_OK;
    }
    let Some(string) = OpenString::parse(text) else { return XAER_INVAL };
    let Ok(handle) = connect::for_transactions(&string) else { return XAER_RMERR };
    let opened = handle.run(|runtime, session| Ok(runtime.block_on(session.connection.xa_open())));
    let code = opened.map_or(XAER_RMFAIL, |opened| code(opened.map(|()| XA_OK)));
    if code == XA_OK {
        let open = Open { hconn: handle.number, registrar, work: Work::None, scan: None };
        OPEN.get().lock().insert(own(resource_manager), open);
    } else {
        give_up(resource_manager, handle.number);
    }
    code
}

/// `xa_close`. Of what is not open: nothing to do.
pub fn close(resource_manager: i32, flags: u32) -> i32 {
    if is_asynchronous(flags) {
        return XAER_ASYNC;
    }
    let Some(hconn) = OPEN.get().lock().get(&own(resource_manager)).map(|open| open.hconn) else { return XA_OK };
    let code = if has_others(resource_manager, hconn) {
        XA_OK
    } else {
        let closed = handles::run(hconn, |runtime, session| Ok(runtime.block_on(session.connection.xa_close())));
        closed.map_or(XAER_RMFAIL, |closed| code(closed.map(|()| XA_OK)))
    };
    if code != XAER_PROTO {
        give_up(resource_manager, hconn);
    }
    code
}

/// The verbs about one branch.
pub fn branch(verb: Verb, xid: &Xid, resource_manager: i32, flags: u32) -> i32 {
    if is_asynchronous(flags) {
        return XAER_ASYNC;
    }
    let known = match verb {
        Verb::Start => XaFlags::JOIN | XaFlags::RESUME,
        Verb::End => XaFlags::SUSPEND | XaFlags::SUCCESS | XaFlags::FAIL,
        Verb::Commit => XaFlags::ONE_PHASE,
        Verb::Rollback | Verb::Prepare | Verb::Forget => XaFlags::empty(),
    };
    let flags = XaFlags::from_bits_retain(flags & !TMNOWAIT);
    if !known.contains(flags) {
        return XAER_INVAL;
    }
    let code = call(resource_manager, async |connection| match verb {
        Verb::Start => connection.xa_start(xid, flags).await.map(|()| XA_OK),
        Verb::End => connection.xa_end(xid, flags).await.map(|()| XA_OK),
        Verb::Rollback => connection.xa_rollback(xid).await.map(|()| XA_OK),
        Verb::Prepare => connection.xa_prepare(xid).await.map(|prepared| match prepared {
            Prepared::Ready => XA_OK,
            Prepared::ReadOnly => XA_RDONLY,
        }),
        Verb::Commit => connection.xa_commit(xid, flags.contains(XaFlags::ONE_PHASE)).await.map(|()| XA_OK),
        Verb::Forget => connection.xa_forget(xid).await.map(|()| XA_OK),
    });
    match verb {
        Verb::Start if code == XA_OK => works_on(resource_manager, Work::Branch),
        Verb::End if code >= XA_OK => works_on(resource_manager, Work::None),
        _ => {}
    }
    code
}

fn works_on(resource_manager: i32, work: Work) {
    if let Some(open) = OPEN.get().lock().get_mut(&own(resource_manager)) {
        open.work = work;
    }
}

/// The resource manager of this thread that registers dynamically for the connection, when it works on this.
fn registering(hconn: i32, work: Work) -> Option<(i32, Registrar)> {
    let thread = std::thread::current().id();
    let table = OPEN.get().lock();
    let mut own =
        table.iter().filter(|((owner, _), open)| *owner == thread && open.hconn == hconn && open.work == work);
    own.find_map(|((_, resource_manager), open)| Some((*resource_manager, open.registrar.clone()?)))
}

/// Before a call under syncpoint: what it does belongs to the branch that the transaction manager names.
///
/// # Errors
/// 2354: it names none, or the queue manager does not know that one.
pub(crate) fn register(hconn: i32) -> Result<(), Ended> {
    if !handles::find(hconn)?.is_managed() {
        return Ok(());
    }
    let Some((resource_manager, registrar)) = registering(hconn, Work::None) else { return Ok(()) };
    let (code, branch) = (registrar.register)(resource_manager);
    let flags = match code {
        TM_OK => XaFlags::empty(),
        TM_JOIN => XaFlags::JOIN,
        TM_RESUME => XaFlags::RESUME,
        _ => return Err(failed(Reason::UowEnlistmentError)),
    };
    let Some(branch) = branch else {
        works_on(resource_manager, Work::Own);
        return Ok(());
    };
    match self::branch(Verb::Start, &branch, resource_manager, flags.bits()) {
        XA_OK => Ok(()),
        _ => Err(failed(Reason::UowEnlistmentError)),
    }
}

/// Whether the program decides about its unit of work, because the transaction manager does not.
pub(crate) fn leaves_to_program(hconn: i32) -> bool {
    registering(hconn, Work::Own).is_some()
}

/// The program has ended its unit of work.
pub(crate) fn unregister(hconn: i32) {
    if let Some((resource_manager, registrar)) = registering(hconn, Work::Own) {
        works_on(resource_manager, Work::None);
        (registrar.unregister)(resource_manager);
    }
}

/// `xa_recover`: at most `most` of the branches that are prepared and not ended, and how many they are, or an error.
pub fn recover(most: usize, resource_manager: i32, flags: u32) -> (i32, Vec<Xid>) {
    if flags & !(TMSTARTRSCAN | TMENDRSCAN) != 0 {
        return (if is_asynchronous(flags) { XAER_ASYNC } else { XAER_INVAL }, Vec::new());
    }
    if flags & TMSTARTRSCAN != 0 {
        let mut found = Vec::new();
        let code = call(resource_manager, async |connection| {
            found = connection.xa_recover().await?;
            Ok(XA_OK)
        });
        if code != XA_OK {
            return (code, Vec::new());
        }
        if let Some(open) = OPEN.get().lock().get_mut(&own(resource_manager)) {
            open.scan = Some(found);
        }
    }
    let mut table = OPEN.get().lock();
    let open = table.get_mut(&own(resource_manager));
    // Without a scan there is nothing to go on with.
    let Some(Open { scan, .. }) = open else { return (XAER_PROTO, Vec::new()) };
    let Some(left) = scan else { return (XAER_INVAL, Vec::new()) };
    let given: Vec<Xid> = left.drain(..most.min(left.len())).collect();
    if flags & TMENDRSCAN != 0 {
        *scan = None;
    }
    (i32::try_from(given.len()).unwrap_or(i32::MAX), given)
}

/// Resource managers of one thread that are the same queue manager have one connection.
fn has_others(resource_manager: i32, hconn: i32) -> bool {
    let others = |(known, open): (&(ThreadId, i32), &Open)| *known != own(resource_manager) && open.hconn == hconn;
    OPEN.get().lock().iter().any(others)
}

/// The thread has it open no more. Its connection ends with the last resource manager that uses it.
fn give_up(resource_manager: i32, hconn: i32) {
    OPEN.get().lock().remove(&own(resource_manager));
    if !has_others(resource_manager, hconn) {
        let _ = handles::find(hconn).map(|handle| connect::leave(&handle, User::TransactionManager));
    }
}

/// One verb on the thread's connection. One that is lost is given up.
fn call(
    resource_manager: i32,
    verb: impl AsyncFnOnce(&mut channel_client::connection::Connection) -> Result<i32, ChannelError>,
) -> i32 {
    let Some(hconn) = OPEN.get().lock().get(&own(resource_manager)).map(|open| open.hconn) else { return XAER_PROTO };
    let ended = handles::run(hconn, |runtime, session| Ok(runtime.block_on(verb(&mut session.connection))));
    let code = ended.map_or(XAER_RMFAIL, code);
    if code == XAER_RMFAIL {
        give_up(resource_manager, hconn);
    }
    code
}

fn code(ended: Result<i32, ChannelError>) -> i32 {
    match ended {
        Ok(code) | Err(ChannelError::Xa { code, .. }) => code,
        // The queue manager refuses the verb for a reason of its own.
        Err(ChannelError::Refused { .. }) => XAER_RMERR,
        Err(_) => XAER_RMFAIL,
    }
}
