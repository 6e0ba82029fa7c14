//! ALTER QMGR and DISPLAY QMGR.

use ::queue_manager::QueueManager;
use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::QueueManagerDefinition;
use model::definition::attribute::{Kind, Target, View};

use crate::command::{Request, Selection, Setting};
use crate::execute::authority::{require_display, require_of_queue_manager};
use crate::execute::{Failure, apply, object, warning};
use crate::message;
use crate::reply::{Item, MQRCCF_EVENTS_DISABLED, Reply};

pub(super) async fn alter(
    queue_manager: &QueueManager,
    caller: &Principal,
    settings: &[Setting],
) -> Result<Reply, Failure> {
    let change = |definition: &mut QueueManagerDefinition| {
        let name = definition.name;
        apply(name.as_str(), settings, &mut Target::QueueManager(definition))
    };
    queue_manager.change_queue_manager(caller, change).await?;
    let name = queue_manager.name();
    let reply = Reply::done(message::QUEUE_MANAGER_CHANGED);
    Ok(warning::of_settings(reply, Kind::QueueManager, name.as_str(), settings))
}

/// Whether configuration events may be asked for; `observed.rs` then makes them, as it knows the issuer.
pub(super) fn refresh(queue_manager: &QueueManager, caller: &Principal) -> Result<Reply, Failure> {
    require_of_queue_manager(queue_manager, caller, Authority::CHANGE)?;
    if !queue_manager.wants_configuration_events() {
        let reply = Reply::failed(MQRCCF_EVENTS_DISABLED, message::EVENTS_DISABLED, &["CONFIGEV"]);
        return Err(Failure::Reply(reply));
    }
    Ok(Reply::done(message::CONFIGURATION_REFRESHED))
}

/// Without keywords it shows everything.
pub(super) fn display(queue_manager: &QueueManager, caller: &Principal, request: &Request) -> Result<Reply, Failure> {
    let definition = queue_manager.definition();
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &definition.name)?;
    let mut request = request.clone();
    if request.selection == Selection::Usual {
        request.selection = Selection::All;
    }
    let name = definition.name.as_str();
    let attributes = object::shown(queue_manager.membership(), View::QueueManager(&definition), &request)
        .ok_or_else(|| Failure::not_found(name))?;
    let message = message::QUEUE_MANAGER_DETAILS.line(&[]);
    Ok(Reply::of(vec![Item { message, attributes, ..Item::default() }]))
}
