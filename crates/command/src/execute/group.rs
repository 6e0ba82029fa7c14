//! DISPLAY GROUP and DISPLAY CFSTATUS; units of recovery in doubt, and their resolution.

use ::queue_manager::{QueueManager, StructureContent};
use model::authority::{AuthorityObject, Principal};
use model::definition::AdministeredObject;
use model::name::ObjectName;

use crate::command::group::{GroupCommand, StructureStatusOf};
use crate::command::{Pattern, Request};
use crate::execute::Failure;
use crate::execute::authority::{may_display, none_shown, require_display};
use crate::message;
use crate::reply::{Item, MQRCCF_NONE_FOUND, MQRCCF_Q_MGR_NOT_IN_QSG, Reply};
use crate::status;
use crate::status::structure::{
    CONNECTIONS, ConnectionView, GROUP, IN_DOUBT, MemberView, SUMMARY, StructureView, xid_of,
};

pub(super) async fn run(
    queue_manager: &QueueManager,
    caller: &Principal,
    command: &GroupCommand,
) -> Result<Reply, Failure> {
    match command {
        GroupCommand::Display(request) => display(queue_manager, caller, request),
        GroupCommand::DisplayInDoubt(request) => in_doubt(queue_manager, caller, request).await,
        GroupCommand::ResolveInDoubt { identifier, commits } => {
            resolve(queue_manager, caller, identifier, *commits).await
        }
        GroupCommand::DisplayStructureStatus { name, about, request } => {
            structures(queue_manager, caller, name, *about, request)
        }
    }
}

fn display(queue_manager: &QueueManager, caller: &Principal, request: &Request) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let Some(group) = queue_manager.group() else {
        return Err(Failure::Reply(Reply::failed(MQRCCF_Q_MGR_NOT_IN_QSG, message::NOT_IN_GROUP, &[])));
    };
    let members = queue_manager.group_members().into_iter();
    let views = members.map(|member| MemberView { group: group.to_string(), member });
    let shown = views.filter_map(|view| status::show(GROUP, &view, request));
    let items: Vec<_> = shown.map(|attributes| Item::shown(message::GROUP_DETAILS, attributes)).collect();
    if items.is_empty() { Err(nothing()) } else { Ok(Reply::of(items)) }
}

async fn in_doubt(queue_manager: &QueueManager, caller: &Principal, request: &Request) -> Result<Reply, Failure> {
    let units = queue_manager.units_in_doubt(caller).await?;
    let shown = units.iter().filter_map(|unit| status::show(IN_DOUBT, unit, request));
    let items: Vec<_> = shown.map(|attributes| Item::shown(message::THREAD_DETAILS, attributes)).collect();
    if items.is_empty() { Err(nothing()) } else { Ok(Reply::of(items)) }
}

async fn resolve(
    queue_manager: &QueueManager,
    caller: &Principal,
    identifier: &str,
    commits: bool,
) -> Result<Reply, Failure> {
    let missing = || Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NOT_IN_DOUBT, &[identifier]));
    let xid = xid_of(identifier).ok_or_else(missing)?;
    let is_resolved = queue_manager.resolve_in_doubt(caller, &xid, commits).await?;
    let done = if commits { message::UNIT_COMMITTED } else { message::UNIT_BACKED_OUT };
    if is_resolved { Ok(Reply::told(done, &[identifier])) } else { Err(missing()) }
}

fn nothing() -> Failure {
    Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NONE_FOUND, &[]))
}

/// Of backups and data sets there is nothing to tell: the database has both.
fn structures(
    queue_manager: &QueueManager,
    caller: &Principal,
    name: &Pattern,
    about: StructureStatusOf,
    request: &Request,
) -> Result<Reply, Failure> {
    let all = queue_manager.objects(AuthorityObject::Structure);
    let is_wanted = |object: &AdministeredObject| {
        let known = object.name();
        name.matches(known.as_str()) && may_display(queue_manager, caller, AuthorityObject::Structure, &known)
    };
    let found: Vec<ObjectName> = all.iter().filter(|object| is_wanted(object)).map(|object| object.name()).collect();
    if found.is_empty() {
        return Err(none_shown(queue_manager, caller, [AuthorityObject::Structure], name));
    }
    let contents = queue_manager.structure_contents();
    let views = found.iter().map(|name| view(queue_manager, name, contents.get(name).copied().unwrap_or_default()));
    let own = queue_manager.name().to_string();
    let items: Vec<_> = match about {
        StructureStatusOf::Summary => views.filter_map(|view| status::show(SUMMARY, &view, request)).collect(),
        StructureStatusOf::Connections => views
            .map(|structure| ConnectionView { structure, queue_manager: own.clone() })
            .filter_map(|view| status::show(CONNECTIONS, &view, request))
            .collect(),
        StructureStatusOf::Backup | StructureStatusOf::DataSets => Vec::new(),
    };
    if items.is_empty() {
        return Err(nothing());
    }
    let title = message::STRUCTURE_STATUS_DETAILS;
    Ok(Reply::of(items.into_iter().map(|attributes| Item::shown(title, attributes)).collect()))
}

fn view(queue_manager: &QueueManager, name: &ObjectName, content: StructureContent) -> StructureView {
    StructureView {
        name: name.to_string(),
        is_used: content.queues > 0,
        connection: queue_manager.structure_connection(name.as_str()),
        kilobytes: u32::try_from(content.bytes.div_ceil(1024)).unwrap_or(u32::MAX),
        messages: u32::try_from(content.messages).unwrap_or(u32::MAX),
    }
}
