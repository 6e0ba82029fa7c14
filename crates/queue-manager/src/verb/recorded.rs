//! What programs put and get, told to the recording of a server that was started for tests.
//!
//! Never: changes a call, or tells calls of the queue manager's own.

use model::message::Message;
use model::reason::Reason;
use test_control::TestControl;
use test_control::traffic::Verb;

use crate::queue::transmission::QUEUE_MANAGER;
use crate::verb::connection::{Connection, GetResult, PutResult};

/// While messages are recorded.
fn recording(connection: &Connection) -> Option<&TestControl> {
    let control = &**connection.engine.test_control.get()?;
    let is_program = connection.state.options.application_type != QUEUE_MANAGER;
    (control.traffic.is_recording() && is_program).then_some(control)
}

/// A put to a queue of this queue manager.
pub(super) fn put(connection: &Connection, outcome: &Result<PutResult, Reason>) {
    let (Some(control), Ok(put)) = (recording(connection), outcome) else { return };
    let is_here = put.resolved_queue_manager == connection.engine.name;
    if is_here && !put.resolved_queue.is_blank() {
        keep(connection, control, Verb::Put, put.resolved_queue.as_str(), &put.message);
    }
}

/// A get that took its message off the queue.
pub(super) fn got(connection: &Connection, outcome: &Result<Box<GetResult>, Reason>) {
    let (Some(control), Ok(got)) = (recording(connection), outcome) else { return };
    if got.warning != Some(Reason::TruncatedMsgFailed) {
        keep(connection, control, Verb::Get, got.resolved_queue.as_str(), &got.message);
    }
}

fn keep(connection: &Connection, control: &TestControl, verb: Verb, queue: &str, message: &Message) {
    let (engine, application) = (&connection.engine, &connection.state.options.application_name);
    control.traffic.keep((verb, engine.now()), engine.name.as_str(), queue, application, message);
}
