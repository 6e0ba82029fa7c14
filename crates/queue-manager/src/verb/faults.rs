//! Faults of a server that was started for tests, where a call begins and ends: a delay, a reason in place of the call, or a connection
//! that is cut before or after it.
//!
//! Which call is hit, the rules decide (`test_control::faults`). A connection that is cut ends as if its client were gone: what was under
//! way is backed out, and every verb ends with `ConnectionBroken` (2009), upon which a door ends its socket without an answer.
//!
//! Never: hits calls of the queue manager's own.

use std::future::Future;
use std::time::Duration;

use model::name::ObjectName;
use model::reason::Reason;
use test_control::TestControl;
pub(super) use test_control::faults::Hit;
use test_control::faults::{Call, CallFault, Moment, Verb};

use crate::ConnectOptions;
use crate::engine::Engine;
use crate::queue::transmission::QUEUE_MANAGER;
use crate::verb::connection::{Connection, ObjectHandle};
use crate::verb::handle::Target;
use crate::verb::unit_of_work::{self, OpenUnit};

/// What a call is about, as rules see it.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    Handle(ObjectHandle),
    Name(&'a ObjectName),
    /// The unit of work of the connection.
    Unit,
    Nothing,
}

/// A call, as rules see it.
pub(super) struct What<'a> {
    pub(super) verb: Verb,
    pub(super) subject: Subject<'a>,
    /// Where it is noted that a rule has hit it.
    pub(super) hit: Option<&'a mut Option<Hit>>,
}

impl<'a> From<(Verb, Subject<'a>)> for What<'a> {
    fn from((verb, subject): (Verb, Subject<'a>)) -> Self {
        Self { verb, subject, hit: None }
    }
}

/// Makes a call, unless a rule is about it.
pub(super) async fn around<T, F: Future<Output = Result<T, Reason>>>(
    connection: &Connection,
    control: &TestControl,
    what: What<'_>,
    call: impl FnOnce() -> F,
) -> Result<T, Reason> {
    let Some((hit, fault)) = fault_of(connection, control, what.verb, what.subject) else { return call().await };
    if let Some(noted) = what.hit {
        *noted = Some(hit);
    }
    pause(hit.delay).await;
    match fault {
        CallFault::Late => call().await,
        CallFault::Reason(Reason::BackedOut) => {
            Err(unit_of_work::undo(&connection.engine, &connection.state, Reason::BackedOut).await)
        }
        CallFault::Reason(reason) => Err(reason),
        CallFault::Drop(moment) => {
            if moment == Moment::After {
                // Its answer is lost, whatever it is.
                drop(call().await);
            }
            connection.cut();
            Err(Reason::ConnectionBroken)
        }
    }
}

fn fault_of(
    connection: &Connection,
    control: &TestControl,
    verb: Verb,
    subject: Subject<'_>,
) -> Option<(Hit, CallFault)> {
    let options = &connection.state.options;
    if !control.faults.has_rules() || options.application_type == QUEUE_MANAGER {
        return None;
    }
    let queues = queues(connection, subject);
    let queues: Vec<&str> = queues.iter().map(ObjectName::as_str).collect();
    let queue_manager = connection.engine.name.as_str();
    control.faults.of_call(&Call { verb, queue_manager, queues: &queues, channel: &options.channel })
}

/// The names by which a rule may mean it.
fn queues(connection: &Connection, subject: Subject<'_>) -> Vec<ObjectName> {
    match subject {
        Subject::Name(name) => vec![*name],
        Subject::Handle(handle) => {
            let Ok(open) = connection.state.handle(handle) else { return Vec::new() };
            let mut queues = vec![open.name];
            if let Target::Queue(destination) = &open.target {
                queues.extend(destination.queue().map(|queue| queue.name));
            }
            queues
        }
        Subject::Unit => connection.state.unit.lock().as_ref().map(OpenUnit::queues).unwrap_or_default(),
        Subject::Nothing => Vec::new(),
    }
}

/// As `around`, of a connection that is about to be made; without the delay, for not everybody who connects can wait.
///
/// # Errors
/// The reason of a rule; `ConnectionBroken` (2009): the client is to be cut off.
pub(super) fn of_connect(engine: &Engine, options: &ConnectOptions) -> Result<(), Reason> {
    match connect_fault(engine, options) {
        Some((_, fault)) => outcome_of_connect(fault),
        None => Ok(()),
    }
}

/// The same for somebody who can wait.
///
/// # Errors
/// Those of `of_connect`.
pub(super) async fn before_connect(engine: &Engine, options: &ConnectOptions) -> Result<(), Reason> {
    let Some((hit, fault)) = connect_fault(engine, options) else { return Ok(()) };
    pause(hit.delay).await;
    outcome_of_connect(fault)
}

fn connect_fault(engine: &Engine, options: &ConnectOptions) -> Option<(Hit, CallFault)> {
    let control = engine.test_control.get().filter(|control| control.faults.has_rules())?;
    let queue_manager = engine.name.as_str();
    control.faults.of_call(&Call { verb: Verb::Connect, queue_manager, queues: &[], channel: &options.channel })
}

fn outcome_of_connect(fault: CallFault) -> Result<(), Reason> {
    match fault {
        CallFault::Late => Ok(()),
        CallFault::Reason(reason) => Err(reason),
        CallFault::Drop(_) => Err(Reason::ConnectionBroken),
    }
}

async fn pause(delay: Duration) {
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
}
