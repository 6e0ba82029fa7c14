//! Runs typed commands against a queue manager.
//!
//! Decides nothing about authority of changes (the queue manager does) and keeps no state. What only shows things is
//! checked here, as definitions and status are readable inside the process without asking.

mod administered;
mod authority;
pub(crate) mod channel;
mod channel_authentication;
mod group;
mod object;
mod queue;
mod queue_manager;
mod status;
mod subscription;
mod system;
mod topic;
mod topic_status;
mod warning;

use ::queue_manager::QueueManager;
use ::queue_manager::objects::ObjectError;
use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::attribute::{Kind, Target};
use model::name::ObjectName;
use model::reason::Reason;
use tracing::warn;

use crate::command::{Alter, Command, Define, Delete, Setting};
use crate::message;
use crate::reply::{
    MQRCCF_ATTR_VALUE_ERROR, MQRCCF_CF_STRUC_ERROR, MQRCCF_DISPOSITION_CONFLICT, MQRCCF_LISTENER_STILL_ACTIVE,
    MQRCCF_OBJECT_ALREADY_EXISTS, MQRCCF_OBJECT_OPEN, MQRCCF_OBJECT_WRONG_TYPE, MQRCCF_PARM_MISSING,
    MQRCCF_Q_MGR_NOT_IN_QSG, MQRCCF_SERVICE_RUNNING, MQRCCF_TOPIC_STRING_ALREADY_EXISTS, Reply,
};
use crate::scope;

pub(crate) use object::as_defined;
pub(crate) use status::disposition_word;

/// Runs one command with `caller`'s authority; `observed.rs` tells of it.
pub(crate) async fn execute(queue_manager: &QueueManager, caller: &Principal, command: &Command) -> Reply {
    let outcome = match command {
        Command::Define(define) => self::define(queue_manager, caller, define).await,
        Command::Alter(alter) => self::alter(queue_manager, caller, alter).await,
        Command::Delete(delete) => self::delete(queue_manager, caller, delete).await,
        Command::DeleteIfThere(delete) => delete_if_there(queue_manager, caller, delete).await,
        Command::AlterQueueManager(settings) => queue_manager::alter(queue_manager, caller, settings).await,
        Command::ClearQueue(name, dispositions) => queue::clear(queue_manager, caller, name, *dispositions).await,
        Command::MoveQueue { name, structure } => queue::move_to(queue_manager, caller, name, structure).await,
        Command::MoveMessages { from, dispositions, to, adds } => {
            queue::move_messages(queue_manager, caller, from, *dispositions, to, *adds).await
        }
        Command::DisplayObjects { kinds, name, having, dispositions, request } => {
            object::display(queue_manager, caller, kinds, name, having, *dispositions, request)
        }
        Command::DisplayQueueManager(request) => queue_manager::display(queue_manager, caller, request),
        Command::DisplayQueueStatus { name, about, request } => {
            status::queues(queue_manager, caller, name, *about, request)
        }
        Command::DisplayQueueManagerStatus(request) => status::queue_manager(queue_manager, caller, request),
        Command::DisplayConnections(query) => status::connections(queue_manager, caller, query),
        Command::DisplaySubscriptions(query) => object::subscriptions(queue_manager, caller, query),
        Command::DisplaySubscriptionStatus(query) => topic_status::subscriptions(queue_manager, caller, query),
        Command::DisplayTopicStatus(query) => topic_status::display(queue_manager, caller, query).await,
        Command::DisplayPublishSubscribe { local, request } => {
            topic_status::publish_subscribe(queue_manager, caller, *local, request).await
        }
        Command::ClearTopicString(topic) => topic_status::clear(queue_manager, caller, topic).await,
        Command::Channel(command) => channel::run(queue_manager, caller, command),
        Command::System(command) => system::run(queue_manager, caller, command),
        Command::DisplayAuthority(query) => authority::display(queue_manager, caller, query),
        Command::DisplayEntityAuthority(query) => authority::display_entity(queue_manager, caller, query),
        Command::DisplayAuthorityService(request) => authority::display_service(queue_manager, caller, request),
        Command::SetAuthority(set) => authority::set(queue_manager, caller, set).await,
        Command::DeleteAuthority(key) => authority::delete(queue_manager, caller, key).await,
        Command::PingQueueManager => authority::require_of_queue_manager(queue_manager, caller, Authority::DISPLAY)
            .map(|()| Reply::done(message::PING_COMPLETE)),
        Command::RefreshConfiguration(_) => queue_manager::refresh(queue_manager, caller),
        Command::ResetStatistics => queue_manager
            .reset_statistics(caller)
            .await
            .map(|()| Reply::done(message::NORMAL_COMPLETION))
            .map_err(Failure::from),
        Command::RefreshSecurity => authority::require_of_queue_manager(queue_manager, caller, Authority::CHANGE)
            .map(|()| Reply::done(message::SECURITY_REFRESHED)),
        Command::Group(command) => group::run(queue_manager, caller, command).await,
        // `scope.rs` runs what it holds.
        Command::Scoped { .. } => Err(Failure::Reply(scope::not_here())),
        Command::SetChannelAuthentication(set) => channel_authentication::set(queue_manager, caller, set).await,
        Command::DisplayChannelAuthentication(query) => channel_authentication::display(queue_manager, caller, query),
    };
    let reply = outcome.unwrap_or_else(Failure::reply);
    for warning in reply.warnings() {
        warn!(queue_manager = queue_manager.name().as_str(), "{warning}");
    }
    reply
}

async fn define(queue_manager: &QueueManager, caller: &Principal, define: &Define) -> Result<Reply, Failure> {
    authority::require_base(queue_manager, caller, define)?;
    let reply = match define.kind {
        Kind::Topic => topic::define(queue_manager, caller, define).await?,
        Kind::Subscription => subscription::define(queue_manager, caller, define).await?,
        kind if kind.is_administered() => administered::define(queue_manager, caller, define).await?,
        _ => queue::define(queue_manager, caller, define).await?,
    };
    let reply = warning::of_definition(reply, define.kind, &define.name);
    Ok(warning::of_settings(reply, define.kind, &define.name, &define.settings))
}

async fn alter(queue_manager: &QueueManager, caller: &Principal, alter: &Alter) -> Result<Reply, Failure> {
    let reply = match alter.kind {
        Kind::Topic => topic::alter(queue_manager, caller, alter).await?,
        Kind::Subscription => subscription::alter(queue_manager, caller, alter).await?,
        kind if kind.is_administered() => administered::alter(queue_manager, caller, alter).await?,
        _ => queue::alter(queue_manager, caller, alter).await?,
    };
    Ok(warning::of_settings(reply, alter.kind, &alter.name, &alter.settings))
}

async fn delete(queue_manager: &QueueManager, caller: &Principal, delete: &Delete) -> Result<Reply, Failure> {
    match delete.kind {
        Kind::Topic => topic::delete(queue_manager, caller, delete).await,
        Kind::Subscription => subscription::delete(queue_manager, caller, delete).await,
        kind if kind.is_administered() => administered::delete(queue_manager, caller, delete).await,
        _ => queue::delete(queue_manager, caller, delete).await,
    }
}

/// Whether there is such an object is told to those only who may delete it.
async fn delete_if_there(queue_manager: &QueueManager, caller: &Principal, delete: &Delete) -> Result<Reply, Failure> {
    match self::delete(queue_manager, caller, delete).await {
        Err(Failure::Object(ObjectError::NotFound { name })) if name == delete.name => {
            let object = delete.kind.authority_object();
            queue_manager.authorise(caller, object, &object_name(&name)?, Authority::DELETE)?;
            Ok(Reply::told(message::NOTHING_TO_DELETE, &[&name]))
        }
        outcome => outcome,
    }
}

/// Why a command failed.
enum Failure {
    Object(ObjectError),
    /// A message already chosen, with its reason.
    Reply(Reply),
}

impl From<ObjectError> for Failure {
    fn from(error: ObjectError) -> Self {
        Self::Object(error)
    }
}

impl Failure {
    fn not_found(name: &str) -> Self {
        Self::Object(ObjectError::NotFound { name: name.to_owned() })
    }

    fn wrong_type(name: &str) -> Self {
        Self::Object(ObjectError::WrongType { name: name.to_owned() })
    }

    fn attribute(name: &str, attribute: &'static str, problem: impl Into<String>) -> Self {
        Self::Object(ObjectError::Attribute { name: name.to_owned(), attribute, problem: problem.into() })
    }

    fn reply(self) -> Reply {
        match self {
            Self::Object(error) => object_error(&error),
            Self::Reply(reply) => reply,
        }
    }
}

/// The message and reason of each way a definition can be refused.
fn object_error(error: &ObjectError) -> Reply {
    match error {
        ObjectError::AlreadyExists { name } => {
            Reply::failed(MQRCCF_OBJECT_ALREADY_EXISTS, message::ALREADY_EXISTS, &[name])
        }
        ObjectError::NotFound { name } => {
            Reply::failed(Reason::UnknownObjectName.number(), message::NOT_FOUND, &[name])
        }
        ObjectError::WrongType { name } => Reply::failed(MQRCCF_OBJECT_WRONG_TYPE, message::WRONG_TYPE, &[name]),
        ObjectError::InUse { name } => Reply::failed(MQRCCF_OBJECT_OPEN, message::IN_USE, &[name]),
        ObjectError::StillActive { family: AuthorityObject::Service, name } => {
            Reply::failed(MQRCCF_SERVICE_RUNNING, message::SERVICE_IS_ACTIVE, &[name])
        }
        ObjectError::StillActive { name, .. } => {
            Reply::failed(MQRCCF_LISTENER_STILL_ACTIVE, message::LISTENER_IS_ACTIVE, &[name])
        }
        ObjectError::NotEmpty { name } => Reply::failed(Reason::QNotEmpty.number(), message::NOT_EMPTY, &[name]),
        ObjectError::NotAuthorized { user, name, missing } => {
            Reply::failed(Reason::NotAuthorized.number(), message::NOT_AUTHORIZED, &[user, missing, name])
        }
        ObjectError::Attribute { name, attribute, problem } => {
            Reply::failed(MQRCCF_ATTR_VALUE_ERROR, message::ATTRIBUTE_REFUSED, &[attribute, name, problem])
        }
        ObjectError::Missing { attribute, .. } => Reply::failed(MQRCCF_PARM_MISSING, message::REQUIRED, &[attribute]),
        ObjectError::TopicStringExists { other, .. } => {
            Reply::failed(MQRCCF_TOPIC_STRING_ALREADY_EXISTS, message::TOPIC_STRING_EXISTS, &[other])
        }
        ObjectError::NotInGroup => Reply::failed(MQRCCF_Q_MGR_NOT_IN_QSG, message::NOT_IN_GROUP, &[]),
        ObjectError::Disposition { name } => {
            Reply::failed(MQRCCF_DISPOSITION_CONFLICT, message::OTHER_DISPOSITION, &[name])
        }
        ObjectError::Structure { name } => Reply::failed(MQRCCF_CF_STRUC_ERROR, message::NO_STRUCTURE, &[name]),
        ObjectError::Reason(reason) => Reply::failed(reason.number(), message::UNEXPECTED, &[&reason.to_string()]),
    }
}

/// Writes settings into a definition.
fn apply(name: &str, settings: &[Setting], target: &mut Target<'_>) -> Result<(), Failure> {
    for Setting { attribute, value } in settings {
        if (attribute.write)(target.again(), value).is_none() {
            let text = attribute.value.word_or_text(value);
            return Err(Failure::attribute(name, attribute.mqsc, format!("{text} cannot be set")));
        }
    }
    Ok(())
}

fn object_name(name: &str) -> Result<ObjectName, Failure> {
    ObjectName::parse(name).map_err(|_| Failure::not_found(name))
}
