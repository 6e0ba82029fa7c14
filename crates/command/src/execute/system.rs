//! The command server, STOP CONN, RESET QSTATS, traces, and SET SYSTEM.

use ::queue_manager::QueueManager;
use ::queue_manager::system_settings::Trace;
use model::authority::{AuthorityObject, Principal};

use crate::command::system::{SystemCommand, TraceSelection};
use crate::command::{Pattern, Request};
use crate::execute::Failure;
use crate::execute::authority::{may_display, require_display};
use crate::message::{self, Message};
use crate::reply::Item;
use crate::reply::{MQRCCF_COMMAND_FAILED, MQRCCF_CONNECTION_ID_ERROR, MQRCCF_NONE_FOUND, Reply};
use crate::status;
use crate::status::system::{CommandServerView, QueueStatisticsView, SystemView};

pub(super) fn run(queue_manager: &QueueManager, caller: &Principal, command: &SystemCommand) -> Result<Reply, Failure> {
    match command {
        SystemCommand::DisplayCommandServer(request) => display_command_server(queue_manager, caller, request),
        SystemCommand::SwitchCommandServer(on) => switch_command_server(queue_manager, caller, *on),
        SystemCommand::StopConnection { identifier, extended } => {
            stop_connection(queue_manager, caller, identifier, extended.as_deref())
        }
        SystemCommand::ResetQueueStatistics { name, request } => {
            reset_queue_statistics(queue_manager, caller, name, request)
        }
        SystemCommand::DisplaySystem(request) => display_system(queue_manager, caller, request),
        SystemCommand::ExcludeMessages(identifiers) => {
            queue_manager.exclude_messages(caller, identifiers)?;
            Ok(Reply::done(message::NORMAL_COMPLETION))
        }
        SystemCommand::StartTrace { classes, comment } => start_trace(queue_manager, caller, classes, comment),
        SystemCommand::StopTrace(selection) => stop_trace(queue_manager, caller, selection),
        SystemCommand::DisplayTrace { selection, request } => display_trace(queue_manager, caller, selection, request),
    }
}

/// One thing shown under a title, or nothing when its condition does not hold.
fn shown<T>(title: Message, rows: &[status::Row<T>], subject: &T, request: &Request) -> Result<Reply, Failure> {
    match status::show(rows, subject, request) {
        Some(attributes) => Ok(Reply::of(vec![Item::shown(title, attributes)])),
        None => Err(none_found()),
    }
}

fn none_found() -> Failure {
    Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NONE_FOUND, &[]))
}

fn display_command_server(
    queue_manager: &QueueManager,
    caller: &Principal,
    request: &Request,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let view =
        CommandServerView { name: queue_manager.name().to_string(), is_on: queue_manager.command_server_is_on() };
    shown(message::COMMAND_SERVER_DETAILS, status::system::COMMAND_SERVER, &view, request)
}

fn switch_command_server(queue_manager: &QueueManager, caller: &Principal, on: bool) -> Result<Reply, Failure> {
    let changed = queue_manager.switch_command_server(caller, on)?;
    let message = match (changed, on) {
        (true, true) => return Ok(Reply::done(message::COMMAND_SERVER_STARTED)),
        (true, false) => return Ok(Reply::done(message::COMMAND_SERVER_STOPPED)),
        (false, true) => message::COMMAND_SERVER_IS_STARTED,
        (false, false) => message::COMMAND_SERVER_IS_STOPPED,
    };
    Err(Failure::Reply(Reply::failed(MQRCCF_COMMAND_FAILED, message, &[])))
}

fn stop_connection(
    queue_manager: &QueueManager,
    caller: &Principal,
    identifier: &str,
    extended: Option<&str>,
) -> Result<Reply, Failure> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let found = queue_manager.connections().into_iter().find(|connection| {
        hex(&connection.identifier[16..]) == identifier
            && extended.is_none_or(|extended| hex(&connection.identifier[..16]) == extended)
    });
    let stopped = match found {
        Some(connection) => queue_manager.stop_connection(caller, &connection.identifier)?,
        // Whether there is one is not for everybody to know.
        None => queue_manager.stop_connection(caller, &[0; 24])?,
    };
    if stopped {
        return Ok(Reply::done(message::CONNECTION_STOPPED));
    }
    let message = message::CONNECTION_NOT_FOUND;
    Err(Failure::Reply(Reply::failed(MQRCCF_CONNECTION_ID_ERROR, message, &[identifier])))
}

fn reset_queue_statistics(
    queue_manager: &QueueManager,
    caller: &Principal,
    name: &Pattern,
    request: &Request,
) -> Result<Reply, Failure> {
    let mut items = Vec::new();
    for queue in queue_manager.queues() {
        let is_wanted = queue.as_local().is_some()
            && name.matches(queue.name.as_str())
            && (!name.is_generic() || may_display(queue_manager, caller, AuthorityObject::Queue, &queue.name));
        if is_wanted {
            let statistics = queue_manager.reset_queue_statistics(caller, &queue.name)?;
            let view = QueueStatisticsView { queue: queue.name.to_string(), statistics };
            items.extend(
                status::show(status::system::QUEUE_STATISTICS, &view, request)
                    .map(|attributes| Item::shown(message::QUEUE_STATISTICS_DETAILS, attributes)),
            );
        }
    }
    if items.is_empty() {
        return Err(Failure::not_found(&name.to_string()));
    }
    Ok(Reply::of(items))
}

fn display_system(queue_manager: &QueueManager, caller: &Principal, request: &Request) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let view = SystemView { excluded: queue_manager.excluded_messages() };
    shown(message::SYSTEM_DETAILS, status::system::SYSTEM, &view, request)
}

fn start_trace(
    queue_manager: &QueueManager,
    caller: &Principal,
    classes: &[u8],
    comment: &str,
) -> Result<Reply, Failure> {
    match queue_manager.start_accounting_trace(caller, classes.to_vec(), comment.to_owned())? {
        Some(number) => Ok(Reply::told(message::TRACE_STARTED, &[&format!("{number:02}")])),
        None => Err(Failure::Reply(Reply::failed(MQRCCF_COMMAND_FAILED, message::TOO_MANY_TRACES, &[]))),
    }
}

fn selects(selection: &TraceSelection, trace: &Trace) -> bool {
    (selection.classes.is_empty() || selection.classes == trace.classes)
        && (selection.numbers.is_empty() || selection.numbers.contains(&trace.number))
}

fn stop_trace(queue_manager: &QueueManager, caller: &Principal, selection: &TraceSelection) -> Result<Reply, Failure> {
    let stopped = queue_manager.stop_traces(caller, |trace| selects(selection, trace))?;
    if stopped.is_empty() {
        return Err(Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NO_TRACE, &[])));
    }
    let numbers: Vec<_> = stopped.iter().map(|number| format!("{number:02}")).collect();
    Ok(Reply::told(message::TRACE_STOPPED, &[&numbers.join(", ")]))
}

fn display_trace(
    queue_manager: &QueueManager,
    caller: &Principal,
    selection: &TraceSelection,
    request: &Request,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let items: Vec<_> = queue_manager
        .traces()
        .iter()
        .filter(|trace| selects(selection, trace))
        .filter_map(|trace| status::show(status::system::TRACE, trace, request))
        .map(|attributes| Item::shown(message::TRACE_DETAILS, attributes))
        .collect();
    if items.is_empty() {
        return Err(Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NO_TRACE, &[])));
    }
    Ok(Reply::of(items))
}
