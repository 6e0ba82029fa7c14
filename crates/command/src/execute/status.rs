//! DISPLAY QSTATUS, QMSTATUS and CONN.

use ::queue_manager::QueueManager;
use ::queue_manager::status::ConnectionStatus;
use model::authority::{AuthorityObject, Principal};
use model::definition::queue::{Disposition, LocalQueue};
use model::definition::{Collect, QueueDefinition};
use model::options::OpenOptions;

use crate::command::{ConnectionParts, ConnectionQuery, Pattern, QueueStatusOf, Request, Selection};
use crate::execute::Failure;
use crate::execute::authority::{may_display, none_shown, require_display};
use crate::message::{self, Message};
use crate::reply::{Item, MQRCCF_CONNECTION_ID_ERROR, MQRCCF_Q_STATUS_NOT_FOUND, Reply};
use crate::status::{self, HandleView, ManagerView, QueueView};

/// What a queue file may grow to where the queue does not say, in megabytes: MQ shows this for DEFAULT.
const DEFAULT_FILE_SIZE_MB: u32 = 2_088_960;

fn item(message: Message, attributes: Vec<model::definition::attribute::Shown>) -> Item {
    Item::shown(message, attributes)
}

pub(super) fn queues(
    queue_manager: &QueueManager,
    caller: &Principal,
    name: &Pattern,
    about: QueueStatusOf,
    request: &Request,
) -> Result<Reply, Failure> {
    let found: Vec<_> = queue_manager
        .queues()
        .into_iter()
        .filter(|queue| queue.as_local().is_some() && name.matches(queue.name.as_str()))
        .filter(|queue| may_display(queue_manager, caller, AuthorityObject::Queue, &queue.name))
        .collect();
    if found.is_empty() {
        return Err(none_shown(queue_manager, caller, [AuthorityObject::Queue], name));
    }
    let items: Vec<_> = if let QueueStatusOf::Handles(open) = about {
        let connections = queue_manager.connections();
        let of_queue = |queue: &QueueDefinition| handles_of(&connections, queue.name.as_str());
        found
            .iter()
            .flat_map(|queue| of_queue(queue))
            .filter(|view| open.includes(OpenOptions::from_bits_retain(view.handle.open_options)))
            .filter_map(|view| status::show(status::QUEUE_HANDLES, &view, request))
            .map(|attributes| item(message::QUEUE_STATUS_DETAILS, attributes))
            .collect()
    } else {
        found
            .iter()
            .filter_map(|queue| queue_view(queue_manager, queue))
            .filter_map(|view| status::show(status::QUEUE_STATUS, &view, request))
            .map(|attributes| item(message::QUEUE_STATUS_DETAILS, attributes))
            .collect()
    };
    if items.is_empty() {
        let name = name.to_string();
        let reply = Reply::failed(MQRCCF_Q_STATUS_NOT_FOUND, message::QUEUE_STATUS_NOT_FOUND, &[&name]);
        return Err(Failure::Reply(reply));
    }
    Ok(Reply::of(items))
}

fn queue_view(queue_manager: &QueueManager, queue: &QueueDefinition) -> Option<QueueView> {
    let local = queue.as_local()?;
    Some(QueueView {
        status: queue_manager.queue_status(&queue.name)?,
        monitoring: monitoring(queue_manager, local).to_owned(),
        maximum_file_size_mb: local.maximum_file_size_mb.unwrap_or(DEFAULT_FILE_SIZE_MB),
        disposition: queue_manager.group().map(|_| disposition_word(queue.disposition)),
        now: queue_manager.now(),
    })
}

/// QSGDISP.
pub(crate) const fn disposition_word(disposition: Disposition) -> &'static str {
    match disposition {
        Disposition::QueueManager => "QMGR",
        Disposition::Copy => "COPY",
        Disposition::Shared => "SHARED",
        Disposition::Group => "GROUP",
    }
}

/// The level at which a queue is monitored, its queue manager asked where it leaves it to that.
fn monitoring(queue_manager: &QueueManager, local: &LocalQueue) -> &'static str {
    let manager = queue_manager.definition().monitoring_queue;
    let level = match (manager, local.monitoring) {
        (Collect::None, _) => Collect::Off,
        (manager, Collect::QueueManager) => manager,
        (_, own) => own,
    };
    match level {
        Collect::Low => "LOW",
        Collect::Medium => "MEDIUM",
        Collect::High => "HIGH",
        Collect::QueueManager | Collect::None | Collect::Off | Collect::On => "OFF",
    }
}

fn handles_of(connections: &[ConnectionStatus], queue: &str) -> Vec<HandleView> {
    connections
        .iter()
        .flat_map(|connection| {
            connection
                .handles
                .iter()
                .filter(|handle| handle.object_name == queue)
                .map(|handle| HandleView { connection: connection.clone(), handle: handle.clone() })
        })
        .collect()
}

pub(super) fn queue_manager(
    queue_manager: &QueueManager,
    caller: &Principal,
    request: &Request,
) -> Result<Reply, Failure> {
    let name = queue_manager.name().as_str().to_owned();
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let view = ManagerView { status: queue_manager.status(), name };
    let attributes = status::show(status::QUEUE_MANAGER_STATUS, &view, request);
    match attributes {
        Some(attributes) => Ok(Reply::of(vec![item(message::QUEUE_MANAGER_STATUS, attributes)])),
        None => Err(Failure::not_found(&view.name)),
    }
}

pub(super) fn connections(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &ConnectionQuery,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let wanted = |connection: &&ConnectionStatus| {
        query.identifier.matches(&hex(&connection.identifier[16..]))
            && query.extended.as_ref().is_none_or(|extended| extended.matches(&hex(&connection.identifier[..16])))
    };
    let all = queue_manager.connections();
    let items: Vec<_> = all.iter().filter(wanted).filter_map(|connection| connection_item(connection, query)).collect();
    if items.is_empty() {
        let name = query.identifier.to_string();
        let reply = Reply::failed(MQRCCF_CONNECTION_ID_ERROR, message::CONNECTION_NOT_FOUND, &[&name]);
        return Err(Failure::Reply(reply));
    }
    Ok(Reply::of(items))
}

/// A connection, and its handles when they are asked for. WHERE may be about either; one about handles leaves out the
/// connections without such a handle.
fn connection_item(connection: &ConnectionStatus, query: &ConnectionQuery) -> Option<Item> {
    let condition = query.request.condition.clone();
    let about_handles =
        condition.as_ref().is_some_and(|condition| status::find(status::CONNECTION, condition.keyword).is_none());
    let mut request = Request { condition: None, ..query.request.clone() };
    let of_handles = Request { condition: condition.clone().filter(|_| about_handles), ..request.clone() };
    request.condition = condition.filter(|_| !about_handles);
    if query.parts == ConnectionParts::Handles && request.selection == Selection::Usual {
        // Only what names the connection; the rest is about its handles.
        request.selection = Selection::Named(Vec::new());
    }
    let attributes = status::show(status::CONNECTION, connection, &request)?;
    let mut parts: Vec<_> = connection
        .handles
        .iter()
        .filter_map(|handle| status::show(status::CONNECTION_HANDLES, handle, &of_handles))
        .collect();
    if about_handles && parts.is_empty() {
        return None;
    }
    if query.parts == ConnectionParts::Connection {
        parts.clear();
    }
    Some(Item { parts, ..Item::shown(message::CONNECTION_DETAILS, attributes) })
}
