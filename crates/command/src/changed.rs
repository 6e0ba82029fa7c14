//! What a command does to definitions, as the list of last changes has it: each object before it, and after it.

use ::queue_manager::QueueManager;
use ::queue_manager::changes::Attributes;
use ::queue_manager::event::command::{Issued, Issuer};
use model::authority::{AuthorityObject, Entity};
use model::definition::attribute::Kind;

use crate::command::channel_authentication::SetChannelAuthentication;
use crate::command::{AuthorityKey, Command};
use crate::dump::channel_authentication_line;

/// The objects that a command may change, as they were.
pub(crate) struct Changed(Vec<(Subject, Option<Attributes>)>);

enum Subject {
    Object(Kind, String),
    Record(AuthorityObject, String, Entity),
    /// The channel authentication records of a profile.
    ChannelAuthentication(String),
}

impl Changed {
    pub(crate) fn before(queue_manager: &QueueManager, command: &Command) -> Self {
        let look = |subject: Subject| {
            let before = subject.look(queue_manager);
            (subject, before)
        };
        Self(subjects(queue_manager, command).into_iter().map(look).collect())
    }

    pub(crate) fn note(&self, queue_manager: &QueueManager, issuer: &Issuer<'_>, issued: Issued<'_>) {
        for (subject, before) in &self.0 {
            let after = subject.look(queue_manager);
            let (object, name) = subject.named();
            let about = (object.as_str(), name);
            queue_manager.note_definition_change(issuer, issued, about, before.as_ref(), after.as_ref());
        }
    }
}

impl Subject {
    fn look(&self, queue_manager: &QueueManager) -> Option<Attributes> {
        match self {
            Self::Object(kind, name) => queue_manager.attributes_of(*kind, name),
            Self::Record(object, profile, entity) => {
                let record = queue_manager.authority_record(*object, profile, entity)?;
                let by = if matches!(entity, Entity::Principal(_)) { "PRINCIPAL" } else { "GROUP" };
                Some(vec![
                    ("OBJTYPE", object.mqsc().to_owned()),
                    (by, entity.name().to_owned()),
                    ("AUTHLIST", record.authorities.list()),
                ])
            }
            Self::ChannelAuthentication(profile) => {
                let all = queue_manager.channel_authentications();
                let lines: Attributes = all
                    .iter()
                    .filter(|record| record.profile == *profile)
                    .map(|record| ("CHLAUTH", channel_authentication_line(record)))
                    .collect();
                (!lines.is_empty()).then_some(lines)
            }
        }
    }

    /// Kind and name, as clients know them.
    fn named(&self) -> (String, &str) {
        match self {
            Self::Object(kind, name) if kind.is_queue() => ("queue".to_owned(), name),
            Self::Object(Kind::Subscription, name) => ("subscription".to_owned(), name),
            Self::Object(kind, name) => (kind.mqsc().to_lowercase(), name),
            Self::Record(_, profile, _) => ("authrec".to_owned(), profile),
            Self::ChannelAuthentication(profile) => ("chlauth".to_owned(), profile),
        }
    }
}

fn subjects(queue_manager: &QueueManager, command: &Command) -> Vec<Subject> {
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
