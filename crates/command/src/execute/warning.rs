//! Warnings of DEFINE and ALTER: what a definition asks for and does not get here.
//!
//! A warning is a line behind the one that says what was done (`Reply::warn`). Scripts go on: no code and no outcome
//! changes. `config compat` calls the same things ignored.

use ::queue_manager::QueueManager;
use model::definition::attribute::Kind;
use model::definition::{AdministeredObject, QueueKind};
use model::name::{ObjectName, QueueName};

use crate::command::Setting;
use crate::compatibility::effect;
use crate::message;
use crate::reply::Reply;

/// Adds the warnings that every command with these settings gets.
pub(super) fn of_settings(mut reply: Reply, kind: Kind, name: &str, settings: &[Setting]) -> Reply {
    for setting in settings {
        if let Some(why) = effect::told(kind, name, setting) {
            let text = setting.attribute.value.word_or_text(&setting.value);
            let attribute = format!("{}({text})", setting.attribute.mqsc);
            let object = format!("{}({name})", kind.mqsc());
            reply = reply.warn(message::NO_EFFECT, &[&attribute, &object, why]);
        }
    }
    reply
}

/// Adds the warning of a channel or a service that never runs.
pub(super) fn of_definition(reply: Reply, kind: Kind, name: &str) -> Reply {
    match (kind, kind.type_parameter()) {
        (Kind::Service, _) => reply.warn(message::SERVICE_DOES_NOT_START, &[name]),
        (kind, Some((_, word))) if effect::does_not_run(kind).is_some() => {
            reply.warn(message::CHANNEL_DOES_NOT_RUN, &[name, word])
        }
        _ => reply,
    }
}

/// Adds the warning of a channel whose SSLCIPH the server's certificates or configuration cannot serve.
pub(super) fn of_cipher_specification(
    reply: Reply,
    queue_manager: &QueueManager,
    kind: Kind,
    name: &ObjectName,
) -> Reply {
    if kind != Kind::ServerConnection {
        return reply;
    }
    let Some(object) = queue_manager.object(kind.authority_object(), name) else { return reply };
    let AdministeredObject::Channel(channel) = &*object else { return reply };
    match queue_manager.why_not_served(&channel.cipher_specification) {
        Some(why) => reply.warn(message::CIPHER_NOT_SERVED, &[name.as_str(), &why]),
        None => reply,
    }
}

/// Adds the warning of a remote queue whose messages stay here.
pub(super) fn of_remote_queue(reply: Reply, queue_manager: &QueueManager, name: &QueueName) -> Reply {
    let Some(queue) = queue_manager.queue(name) else { return reply };
    let QueueKind::Remote(remote) = &queue.kind else { return reply };
    let elsewhere = remote.remote_queue_manager;
    if elsewhere.is_blank() || elsewhere == queue_manager.name() {
        return reply;
    }
    if remote.transmission_queue.is_blank() && queue_manager.sends_within_group(&elsewhere) {
        return reply;
    }
    let is_there = |name: &ObjectName| !name.is_blank() && queue_manager.queue(name).is_some();
    let default = queue_manager.definition().default_transmission_queue;
    let named = remote.transmission_queue;
    let transmission = if named.is_blank() { [elsewhere, default].into_iter().find(is_there) } else { Some(named) };
    let Some(transmission) = transmission else {
        return reply.warn(message::NO_WAY, &[elsewhere.as_str(), name.as_str()]);
    };
    let is_read = queue_manager.queue_status(&transmission).is_some_and(|status| status.open_input > 0);
    if is_read {
        return reply;
    }
    reply.warn(message::NOBODY_READS, &[transmission.as_str(), elsewhere.as_str()])
}
