//! Commands as events tell of them: who issued one, what it changed, whether it was allowed.
//!
//! Around each command stands a look at what it is about, before and after. While nobody wants events that costs a look
//! at the switches.

use ::queue_manager::QueueManager;
use ::queue_manager::event::command::{Issued, Issuer};
use ::queue_manager::event::configuration::Snapshot;
use model::definition::attribute::Kind;
use model::reason::Reason;
use model::timestamp::Timestamp;

use crate::changed::Changed;
use crate::command::group::Scope;
use crate::command::{Command, RefreshConfiguration};
use crate::execute::execute as run;
use crate::number;
use crate::reply::Reply;
use crate::scope;
use crate::subject::{Subject, subjects};

/// Runs one command for `issuer`, and tells of it.
pub async fn execute_issued(
    queue_manager: &QueueManager,
    issuer: &Issuer<'_>,
    issued: Issued<'_>,
    command: &Command,
) -> Reply {
    let (scope, text, command) = match command {
        Command::Scoped { scope, text, command } => (scope, text.as_str(), &**command),
        command => (&Scope::Here, "", command),
    };
    let of_all = if *scope == Scope::Here { scope::of_shared_channel(queue_manager, command) } else { None };
    let (scope, text) = of_all.as_ref().map_or((scope, text), |text| (&Scope::All, text.as_str()));
    match scope {
        Scope::Here => execute_here(queue_manager, issuer, issued, command).await,
        scope => Box::pin(scope::run(queue_manager, issuer, issued, scope, text, command)).await,
    }
}

/// As `execute_issued`, of this queue manager alone.
pub(crate) async fn execute_here(
    queue_manager: &QueueManager,
    issuer: &Issuer<'_>,
    issued: Issued<'_>,
    command: &Command,
) -> Reply {
    let were_wanted = queue_manager.wants_configuration_events();
    // ALTER QMGR may switch configuration events on or off; either way it is one.
    let watches = were_wanted || matches!(command, Command::AlterQueueManager(_));
    let subjects = subjects(queue_manager, command);
    let watched = || subjects.iter().filter(|subject| watches && subject.has_events());
    let before: Vec<_> = watched().map(|subject| subject.snapshot(queue_manager)).collect();
    let changed = Changed::before(queue_manager, &subjects);
    // Boxed: what a command may lead to nests deeper than a future of its caller may.
    let reply = Box::pin(run(queue_manager, issuer.principal, command)).await;
    let number = number::of(command);
    if reply.items.iter().any(|item| item.reason == Reason::NotAuthorized.number()) {
        queue_manager.command_refused(issuer.user, number).await;
    }
    if !reply.succeeded() {
        return reply;
    }
    changed.note(queue_manager, issuer, issued, &subjects);
    if were_wanted || queue_manager.wants_configuration_events() {
        for (subject, before) in watched().zip(&before) {
            let after = subject.snapshot(queue_manager);
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

impl Subject {
    fn snapshot(&self, queue_manager: &QueueManager) -> Option<Snapshot> {
        match self {
            Self::Object(kind, name) => queue_manager.snapshot(*kind, name),
            Self::Record(object, profile, entity) => {
                queue_manager.authority_record(*object, profile, entity).map(|record| Snapshot::of_record(&record))
            }
            // No event tells of them.
            Self::ChannelAuthentication(_) => None,
        }
    }

    fn has_events(&self) -> bool {
        !matches!(self, Self::ChannelAuthentication(_))
    }
}
