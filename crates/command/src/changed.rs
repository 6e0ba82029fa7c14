//! What a command does to definitions, as the list of last changes has it: each object before it, and after it.

use ::queue_manager::QueueManager;
use ::queue_manager::changes::Attributes;
use ::queue_manager::event::command::{Issued, Issuer};
use model::authority::Entity;
use model::definition::attribute::Kind;

use crate::dump::channel_authentication_line;
use crate::subject::Subject;

/// The objects that a command may change, as they were.
pub(crate) struct Changed(Vec<Option<Attributes>>);

impl Changed {
    pub(crate) fn before(queue_manager: &QueueManager, subjects: &[Subject]) -> Self {
        Self(subjects.iter().map(|subject| subject.attributes(queue_manager)).collect())
    }

    /// `subjects` are those of `before`.
    pub(crate) fn note(
        &self,
        queue_manager: &QueueManager,
        issuer: &Issuer<'_>,
        issued: Issued<'_>,
        subjects: &[Subject],
    ) {
        for (subject, before) in subjects.iter().zip(&self.0) {
            let after = subject.attributes(queue_manager);
            let (object, name) = subject.named();
            let about = (object.as_str(), name);
            queue_manager.note_definition_change(issuer, issued, about, before.as_ref(), after.as_ref());
        }
    }
}

impl Subject {
    fn attributes(&self, queue_manager: &QueueManager) -> Option<Attributes> {
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
