//! How a member sees its group: what it knows by itself, and what its sessions find in the databases. The judgement is that of `group
//! status` and `doctor`: the same checks, of the same facts.
//!
//! Never: opens a connection, or waits for a database that is away.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::QueueId;
use crate::shared::administration::checks::{self, Check};
use crate::shared::administration::database::DatabaseFacts;
use crate::shared::administration::status::{GroupStatus, MemberLook, member};
use crate::shared::administration::{BEATS, QueueOf, Seen, View, queues};
use crate::shared::driver::{Driver, Session};
use crate::shared::error::SharedError;
use crate::shared::primary::chain;
use crate::shared::statistics::{DatabaseStatistics, GroupStatistics};

/// A group as one of its members sees it.
#[derive(Debug, Clone)]
pub struct GroupView {
    /// `None`: the home does not answer, and the group is shown as it was seen last.
    pub status: Option<GroupStatus>,
    /// As seen last.
    pub members: Vec<MemberLook>,
    pub statistics: GroupStatistics,
    /// The home first.
    pub databases: Vec<DatabaseView>,
    /// What is not fine comes with what to do.
    pub checks: Vec<Check>,
}

/// A database of the group.
#[derive(Debug, Clone)]
pub struct DatabaseView {
    /// `None`: the home.
    pub structure: Option<String>,
    /// Why it does not answer; `None`: it does.
    pub trouble: Option<String>,
    /// As it was looked at last, and how long ago that was.
    pub facts: Option<(Duration, DatabaseFacts)>,
    pub statistics: DatabaseStatistics,
}

/// A database of the member, and its session as long as there is one.
pub(in crate::shared) struct Reached {
    driver: Arc<Driver>,
    session: Option<Arc<Session>>,
}

impl Reached {
    pub(in crate::shared) fn new(driver: &Arc<Driver>) -> Self {
        Self { driver: Arc::clone(driver), session: driver.open_session() }
    }

    /// With what the database was like when it was looked at last.
    async fn view(&self) -> Option<(View<'_>, DatabaseFacts)> {
        let view = View::of_member(&self.driver, self.session.as_ref()?);
        let facts = match self.driver.counts.facts() {
            Some((_, facts)) => facts,
            None => view.facts().await,
        };
        Some((view, facts))
    }

    fn why(&self) -> String {
        self.driver.trouble().unwrap_or_else(|| "it is being connected to".to_owned())
    }

    fn away(&self) -> Option<Check> {
        self.session.is_none().then(|| checks::away(self.driver.structure(), &self.why()))
    }

    fn shown(&self, statistics: DatabaseStatistics) -> DatabaseView {
        DatabaseView {
            structure: self.driver.structure().map(str::to_owned),
            trouble: self.session.is_none().then(|| self.why()),
            facts: self.driver.counts.facts(),
            statistics,
        }
    }
}

/// `known`: the shared queues that the member knows, by number. Definitions are read only when another one has messages.
pub(in crate::shared) async fn look(
    home: Reached,
    structures: Vec<Reached>,
    statistics: GroupStatistics,
    known: HashMap<QueueId, String>,
    queue_of: QueueOf,
) -> GroupView {
    let unheard: Vec<String> = statistics
        .members
        .iter()
        .filter(|member| statistics.unheard.contains(&member.number))
        .map(|member| member.name.clone())
        .collect();
    let asked = timeout(BEATS, status(&home, &structures, known, queue_of)).await;
    let looked = match asked {
        Ok(asked) => asked.map_err(|error| chain(&error)),
        Err(_) => Err("no answer in time".to_owned()),
    };
    let mut checks = match &looked {
        Ok(Some(status)) => status.checks(),
        Ok(None) => std::iter::once(&home).chain(&structures).filter_map(Reached::away).collect(),
        Err(why) => vec![checks::away(None, why)],
    };
    checks.extend(checks::unheard(&unheard));
    let status = looked.ok().flatten();
    let members = match &status {
        Some(status) => status.members.clone(),
        None => seen(&home).into_iter().map(|one| member(one, &[])).collect(),
    };
    let databases = std::iter::once(&home).chain(&structures).zip(&statistics.databases);
    let databases = databases.map(|(reached, statistics)| reached.shown(statistics.clone())).collect();
    GroupView { status, members, databases, statistics, checks }
}

/// `None`: the home does not answer.
async fn status(
    home: &Reached,
    structures: &[Reached],
    known: HashMap<QueueId, String>,
    queue_of: QueueOf,
) -> Result<Option<GroupStatus>, SharedError> {
    let Some(at_home) = home.view().await else { return Ok(None) };
    let mut views = Vec::new();
    for structure in structures {
        views.extend(structure.view().await);
    }
    let away = structures.iter().filter_map(Reached::away).collect();
    let of_home = at_home.0;
    let names = async |with_messages: &[QueueId]| {
        if with_messages.iter().all(|queue| known.contains_key(queue)) {
            return Ok((known, 0));
        }
        queues(of_home, queue_of).await
    };
    GroupStatus::gather(at_home, views, away, seen(home), names).await.map(Some)
}

fn seen(home: &Reached) -> Vec<Seen> {
    let beats = home.driver.in_common.beats().into_iter();
    let mut seen: Vec<Seen> = beats
        .map(|(status, silent)| Seen { status, since_beat: (silent < BEATS).then_some(silent), watched: silent })
        .collect();
    seen.sort_by_key(|one| one.status.number);
    seen
}
