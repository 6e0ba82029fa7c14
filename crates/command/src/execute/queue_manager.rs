//! ALTER QMGR and DISPLAY QMGR.

use ::queue_manager::QueueManager;
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::{Target, View};

use crate::command::{Request, Selection, Setting};
use crate::execute::authority::require_display;
use crate::execute::{Failure, apply, object};
use crate::message;
use crate::reply::{Item, Reply};

pub(super) async fn alter(
    queue_manager: &QueueManager,
    caller: &Principal,
    settings: &[Setting],
) -> Result<Reply, Failure> {
    let mut definition = (*queue_manager.definition()).clone();
    let name = definition.name;
    apply(name.as_str(), settings, &mut Target::QueueManager(&mut definition))?;
    queue_manager.alter_queue_manager(caller, definition).await?;
    Ok(Reply::done(message::QUEUE_MANAGER_CHANGED))
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
    let attributes =
        object::shown(View::QueueManager(&definition), &request).ok_or_else(|| Failure::not_found(name))?;
    let message = message::QUEUE_MANAGER_DETAILS.line(&[]);
    Ok(Reply { items: vec![Item { reason: 0, message, attributes, parts: Vec::new() }] })
}
