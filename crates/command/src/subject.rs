//! What a command may change: objects, authority records, the channel authentication records of a profile.
//!
//! Never here: what is looked at of them. Events take snapshots (`observed.rs`), the list of last changes attributes (`changed.rs`).

use ::queue_manager::QueueManager;
use model::authority::{AuthorityObject, Entity};
use model::definition::attribute::Kind;

use crate::command::channel_authentication::SetChannelAuthentication;
use crate::command::{AuthorityKey, Command};

pub(crate) enum Subject {
    Object(Kind, String),
    Record(AuthorityObject, String, Entity),
    /// The channel authentication records of a profile.
    ChannelAuthentication(String),
}

/// Those of one command; none of one that only reads.
pub(crate) fn subjects(queue_manager: &QueueManager, command: &Command) -> Vec<Subject> {
    let object = |kind: Kind, name: &str| vec![Subject::Object(kind, name.to_owned())];
    let records = |key: &AuthorityKey| {
        let profile = match (&key.profile, key.object) {
            (Some(profile), object) if object != AuthorityObject::QueueManager => profile.clone(),
            _ => queue_manager.name().to_string(),
        };
        let record = |entity: &Entity| Subject::Record(key.object, profile.clone(), entity.clone());
        key.entities.iter().map(record).collect()
    };
    match command {
        Command::Define(define) => object(define.kind, &define.name),
        Command::Alter(alter) => object(alter.kind, &alter.name),
        Command::Delete(delete) | Command::DeleteIfThere(delete) => object(delete.kind, &delete.name),
        Command::Scoped { command, .. } => subjects(queue_manager, command),
        Command::AlterQueueManager(_) => object(Kind::QueueManager, queue_manager.name().as_str()),
        Command::SetAuthority(set) => records(&set.key),
        Command::DeleteAuthority(key) => records(key),
        Command::SetChannelAuthentication(set) => vec![Subject::ChannelAuthentication(profile_of(set).to_owned())],
        _ => Vec::new(),
    }
}

fn profile_of(set: &SetChannelAuthentication) -> &str {
    match set {
        SetChannelAuthentication::Add(record)
        | SetChannelAuthentication::Replace(record)
        | SetChannelAuthentication::Remove(record) => &record.profile,
        SetChannelAuthentication::RemoveAll { profile, .. } => profile,
    }
}
