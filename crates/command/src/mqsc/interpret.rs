//! From words to a typed command: which objects a verb takes, which keywords an object has, which values those take.
//!
//! Works on a `Statement`, wherever its words came from (MQSC text, JSON, PCF). The object table names the commands,
//! `command` below the function that reads each one's parameters; those stand in one file a family.

mod authority;
mod channel;
mod channel_authentication;
mod definition;
mod display;
mod group;
mod object;
mod reader;
mod status;
mod system;
mod topic;

use model::definition::attribute::{Kind, Membership};

use crate::command::Command;
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::{Statement, Verb};
use reader::Reader;

pub(super) use object::{Object, commands, objects, resolve};
pub(crate) use object::{definition_kinds, is_object};

/// Makes a command of a statement.
///
/// # Errors
/// Not a command, or not one this queue manager has. A problem's position is that of the parameter it is about, when
/// the statement tells one.
pub(crate) fn interpret(statement: Statement, membership: Membership) -> Result<Command, Problem> {
    let object = resolve(statement.verb, &statement.object, membership)?;
    let verb = statement.verb;
    let text = group::without_scope(&statement);
    let mut reader = Reader::new(statement, membership);
    let scope = reader.take_scope()?;
    let command = command(&mut reader, verb, object)?;
    reader.finish()?;
    Ok(match scope {
        Some(scope) => Command::Scoped { scope, text, command: Box::new(command) },
        None => command,
    })
}

fn command(reader: &mut Reader, verb: Verb, object: Object) -> Result<Command, Problem> {
    match (verb, object) {
        (Verb::Define, Object::Definition(kind)) => reader.define(kind),
        (Verb::Alter, Object::Definition(Kind::QueueManager)) => reader.alter_queue_manager(),
        (Verb::Alter, Object::Definition(kind)) => reader.alter(kind),
        (Verb::Delete, Object::Definition(kind)) => reader.delete(kind),
        (Verb::Define, Object::Channel) => reader.define_typed(&Kind::CHANNELS),
        (Verb::Define, Object::Authentication) => reader.define_typed(&Kind::AUTHENTICATION),
        (Verb::Alter, Object::Channel) => reader.alter_typed(&Kind::CHANNELS),
        (Verb::Alter, Object::Authentication) => reader.alter_typed(&Kind::AUTHENTICATION),
        (Verb::Delete, Object::Channel) => reader.delete_typed(&Kind::CHANNELS),
        (Verb::Delete, Object::Authentication) => reader.delete_typed(&Kind::AUTHENTICATION),
        (Verb::Display, Object::Channel) => reader.display_typed(&Kind::CHANNELS),
        (Verb::Display, Object::Authentication) => reader.display_typed(&Kind::AUTHENTICATION),
        (Verb::Delete, Object::AnyQueue) => reader.delete(Kind::QueueLocal),
        (Verb::Clear, Object::Definition(Kind::QueueLocal)) => reader.clear_queue(),
        (Verb::Move, Object::Definition(Kind::QueueLocal)) => reader.move_queue(),
        (Verb::Display, Object::Definition(Kind::QueueManager)) => reader.display_queue_manager(),
        (Verb::Display, Object::Definition(Kind::Subscription)) => reader.display_subscriptions(),
        (Verb::Display, Object::Definition(kind)) => reader.display_objects(vec![kind]),
        (Verb::Display, Object::AnyQueue) => reader.display_queues(),
        (Verb::Display, Object::QueueStatus) => reader.display_queue_status(),
        (Verb::Display, Object::QueueManagerStatus) => reader.display_queue_manager_status(),
        (Verb::Display, Object::SubscriptionStatus) => reader.display_subscription_status(),
        (Verb::Display, Object::Connection) => reader.display_connections(),
        (Verb::Set, Object::AuthorityRecord) => reader.set_authority(),
        (Verb::Delete, Object::AuthorityRecord) => reader.delete_authority(),
        (Verb::Display, Object::AuthorityRecord) => reader.display_authority(),
        (Verb::Display, Object::AuthorityService) => reader.display_authority_service(),
        (Verb::Display, Object::EntityAuthority) => reader.display_entity_authority(),
        (Verb::Set, Object::ChannelAuthentication) => reader.set_channel_authentication(),
        (Verb::Display, Object::ChannelAuthentication) => reader.display_channel_authentication(),
        (Verb::Start, Object::Channel) => reader.start_channel(),
        (Verb::Stop, Object::Channel) => reader.stop_channel(),
        (Verb::Ping, Object::Channel) => reader.ping_channel(),
        (Verb::Reset, Object::Channel) => reader.reset_channel(),
        (Verb::Resolve, Object::Channel) => reader.resolve_channel(),
        (Verb::Display, Object::ChannelStatus) => reader.display_channel_status(),
        (Verb::Start | Verb::Stop, Object::Definition(Kind::Listener)) => reader.switch_listener(verb),
        (Verb::Display, Object::ListenerStatus) => reader.display_listener_status(),
        (Verb::Start | Verb::Stop, Object::Definition(Kind::Service)) => reader.switch_service(verb),
        (Verb::Display, Object::ServiceStatus) => reader.display_service_status(),
        (Verb::Clear, Object::TopicString) => reader.clear_topic_string(),
        (Verb::Display, Object::TopicStatus) => reader.display_topic_status(),
        (Verb::Display, Object::PublishSubscribe) => reader.display_publish_subscribe(),
        (Verb::Display, Object::CommandServer) => reader.display_command_server(),
        (Verb::Start, Object::CommandServer) => reader.switch_command_server(true),
        (Verb::Stop, Object::CommandServer) => reader.switch_command_server(false),
        (Verb::Stop, Object::Connection) => reader.stop_connection(),
        (Verb::Reset, Object::QueueStatistics) => reader.reset_queue_statistics(),
        (Verb::Display, Object::System) => reader.display_system(),
        (Verb::Set, Object::System) => reader.set_system(),
        (Verb::Display, Object::Trace) => reader.display_trace(),
        (Verb::Start, Object::Trace) => reader.start_trace(),
        (Verb::Stop, Object::Trace) => reader.stop_trace(),
        (Verb::Display, Object::Group) => reader.display_group(),
        (Verb::Display, Object::StructureStatus) => reader.display_structure_status(),
        (Verb::Display, Object::Thread) => reader.display_in_doubt(),
        (Verb::Resolve, Object::InDoubt) => reader.resolve_in_doubt(),
        (Verb::Ping, Object::Definition(Kind::QueueManager)) => Ok(Command::PingQueueManager),
        (Verb::Refresh, Object::Definition(Kind::QueueManager)) => reader.refresh_queue_manager(),
        (Verb::Reset, Object::Definition(Kind::QueueManager)) => reader.reset_queue_manager(),
        (Verb::Refresh, Object::Security) => reader.refresh_security(),
        _ => Err(reader.problem("the verb does not go with the object")),
    }
}

#[cfg(test)]
mod tests;
