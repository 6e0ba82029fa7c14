//! Commands as events tell of them: who issued one, what it changed, whether it was allowed.
//!
//! Around each command stands a look at what it is about, before and after. While nobody wants events that costs a look
//! at the switches.

use ::queue_manager::QueueManager;
use ::queue_manager::event::command::{Issued, Issuer};
use ::queue_manager::event::configuration::Snapshot;
use model::authority::{AuthorityObject, Entity};
use model::definition::attribute::Kind;
use model::reason::Reason;
use model::timestamp::Timestamp;

use crate::changed::Changed;
use crate::command::{AuthorityKey, Command, RefreshConfiguration};
use crate::execute::execute as run;
use crate::number;
use crate::reply::Reply;

/// Runs one command for `issuer`, and tells of it.
pub async fn execute_issued(
    queue_manager: &QueueManager,
    issuer: &Issuer<'_>,
    issued: Issued<'_>,
    command: &Command,
) -> Reply {
    let were_wanted = queue_manager.wants_configuration_events();
    // ALTER QMGR may switch configuration events on or off; either way it is one.
    let watches = were_wanted || matches!(command, Command::AlterQueueManager(_));
    let subjects = if watches { subjects(queue_manager, command) } else { Vec::new() };
    let before: Vec<_> = subjects.iter().map(|subject| subject.look(queue_manager)).collect();
    let changed = Changed::before(queue_manager, command);
    let reply = run(queue_manager, issuer.principal, command).await;
    let number = number::of(command);
    if reply.items.iter().any(|item| item.reason == Reason::NotAuthorized.number()) {
        queue_manager.command_refused(issuer.user, number).await;
    }
    if !reply.succeeded() {
        return reply;
    }
    changed.note(queue_manager, issuer, issued);
    if were_wanted || queue_manager.wants_configuration_events() {
        for (subject, before) in subjects.iter().zip(&before) {
            let after = subject.look(queue_manager);
            queue_manager.configuration_changed(issuer, before.as_ref(), after.as_ref()).await;
        }
    }
    if let Command::RefreshConfiguration(refresh) = command {
        refresh_configuration(queue_manager, issuer, refresh).await;
    }
    queue_manager.command_succeeded(issuer, number, number::only_reads(command), issued).await;
    reply
}

async fn refresh_configuration(queue_manager: &QueueManager, issuer: &Issuer<'_>, refresh: &RefreshConfiguration) {
    let is_wanted = |kind: Kind, name: &str| {
        refresh.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
            && refresh.name.as_ref().is_none_or(|wanted| wanted.matches(name))
    };
    let altered_since = refresh.within_minutes.map(|minutes| {
        let microseconds = u64::from(minutes) * 60_000_000;
        Timestamp(queue_manager.now().0.saturating_sub(microseconds))
    });
    queue_manager.refresh_configuration(issuer, &is_wanted, altered_since).await;
}

/// What a command may change.
enum Subject {
    Object(Kind, String),
    Record(AuthorityObject, String, Entity),
}

impl Subject {
    fn look(&self, queue_manager: &QueueManager) -> Option<Snapshot> {
        match self {
            Self::Object(kind, name) => queue_manager.snapshot(*kind, name),
            Self::Record(object, profile, entity) => {
                queue_manager.authority_record(*object, profile, entity).map(|record| Snapshot::of_record(&record))
            }
        }
    }
}

fn subjects(queue_manager: &QueueManager, command: &Command) -> Vec<Subject> {
    let records = |key: &AuthorityKey| {
        let profile = match (&key.profile, key.object) {
            (Some(profile), object) if object != AuthorityObject::QueueManager => profile.clone(),
            _ => queue_manager.name().to_string(),
        };
        let record = |entity: &Entity| Subject::Record(key.object, profile.clone(), entity.clone());
        key.entities.iter().map(record).collect()
    };
    match command {
        Command::Define(define) => vec![Subject::Object(define.kind, define.name.clone())],
        Command::Alter(alter) => vec![Subject::Object(alter.kind, alter.name.clone())],
        Command::Delete(delete) | Command::DeleteIfThere(delete) => {
            vec![Subject::Object(delete.kind, delete.name.clone())]
        }
        Command::AlterQueueManager(_) => {
            vec![Subject::Object(Kind::QueueManager, queue_manager.name().to_string())]
        }
        Command::SetAuthority(set) => records(&set.key),
        Command::DeleteAuthority(key) => records(key),
        _ => Vec::new(),
    }
}
