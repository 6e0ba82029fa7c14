//! All databases of a group, as one member works with them: the home, and one for each structure that has its own.

use std::collections::HashMap;
use std::sync::Arc;

use crate::shared::administration::{GroupView, QueueOf, Reached, look};
use crate::shared::driver::Role;
use crate::shared::error::SharedError;
use crate::shared::in_common::{Enrolment, InCommon};
use crate::shared::options::SharedOptions;
use crate::shared::statistics::GroupStatistics;
use crate::shared::store::{SharedStore, StructureConnection};
use crate::{ClusterNumber, QueueId, StoreError, UnitOfWorkId};

/// Cheap to share. The queue's number says which of them has it.
#[derive(Clone)]
pub struct GroupStore {
    /// Left before the home: that ends the member's epoch.
    structures: Arc<[SharedStore]>,
    home: SharedStore,
}

impl From<SharedStore> for GroupStore {
    /// A group whose structures are all in the home.
    fn from(home: SharedStore) -> Self {
        Self { structures: Arc::default(), home }
    }
}

impl GroupStore {
    /// Starts to take part in the group. Its databases may come later.
    ///
    /// # Errors
    /// `Thread`.
    pub fn start(options: SharedOptions) -> Result<Self, SharedError> {
        let in_common = Arc::new(InCommon::default());
        let structures = options.structures.iter().map(|structure| {
            let role = Role::Structure(structure.structure.clone());
            SharedStore::start_as(structure.reached_as(&options), role, &in_common)
        });
        let structures = structures.collect::<Result<Vec<_>, _>>()?.into();
        let home = SharedStore::start_as(SharedOptions { structures: Vec::new(), ..options }, Role::Home, &in_common)?;
        Ok(Self { structures, home })
    }

    pub fn home(&self) -> &SharedStore {
        &self.home
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &SharedStore> {
        std::iter::once(&self.home).chain(self.structures.iter())
    }

    /// Where a unit of work has parts, in order of their numbers.
    pub(crate) fn with_work(&self, unit: UnitOfWorkId) -> Vec<&SharedStore> {
        let mut with_work: Vec<&SharedStore> = self.all().filter(|shared| shared.has_work(unit)).collect();
        with_work.sort_by_key(|shared| shared.cluster());
        with_work
    }

    /// This member's part in its group.
    pub(crate) fn statistics(&self) -> GroupStatistics {
        let in_common = &self.home.driver().in_common;
        let members = in_common.members();
        let own = match in_common.enrolment() {
            Enrolment::Enrolled(enrolled) => Some(enrolled.member),
            Enrolment::Unknown | Enrolment::TakenOver => None,
        };
        GroupStatistics {
            own: members.iter().find(|member| Some(member.number) == own).cloned(),
            members,
            databases: self.all().map(SharedStore::statistics).collect(),
            hints: in_common.hint_counts.statistics(),
            unheard: in_common.hints().map(|hints| hints.unheard()).unwrap_or_default(),
        }
    }

    /// How this member sees its group: see `administration::GroupView`.
    pub(crate) async fn view(&self, known: HashMap<QueueId, String>, queue_of: QueueOf) -> GroupView {
        let structures = self.structures.iter().map(|structure| Reached::new(structure.driver())).collect();
        look(Reached::new(self.home.driver()), structures, self.statistics(), known, queue_of).await
    }

    /// Waits for the home, and learns what is in doubt there and at the others that can be reached. Whether it is more than before.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`: the home cannot be reached.
    pub(crate) async fn learn(&self) -> Result<bool, StoreError> {
        let mut is_more = !self.home.has_learned();
        self.home.connected().await?;
        for shared in self.structures.iter().filter(|shared| !shared.has_learned() && shared.is_open()) {
            // One that is lost again is asked later.
            is_more |= shared.connected().await.is_ok();
        }
        Ok(is_more)
    }

    /// Those whose units in doubt are known.
    pub(crate) fn learned(&self) -> Vec<&SharedStore> {
        self.all().filter(|shared| shared.has_learned()).collect()
    }

    pub(crate) fn are_all_learned(&self) -> bool {
        self.all().all(SharedStore::has_learned)
    }

    /// # Errors
    /// `Unreachable`: this member does not know the database of that number.
    pub(crate) fn of(&self, cluster: ClusterNumber) -> Result<&SharedStore, StoreError> {
        if cluster == ClusterNumber::HOME {
            return Ok(&self.home);
        }
        self.structures.iter().find(|store| store.cluster() == Some(cluster)).ok_or(StoreError::Unreachable)
    }

    /// Where new queues of a structure go.
    ///
    /// # Errors
    /// `Unreachable`: it is in a database that this member does not know or reach.
    pub(crate) async fn of_structure(&self, structure: &str) -> Result<&SharedStore, StoreError> {
        match self.home.database_of(structure).await? {
            Some(cluster) => self.of(cluster),
            None => Ok(&self.home),
        }
    }

    /// As this member knows it: one that has no database of its own is in the home.
    pub(crate) fn with_structure(&self, structure: Option<&str>) -> &SharedStore {
        let own = self.structures.iter().find(|store| structure.is_some() && store.structure() == structure);
        own.unwrap_or(&self.home)
    }

    pub(crate) fn connection_to(&self, structure: &str) -> StructureConnection {
        let has_own = self.structures.iter().any(|store| store.structure() == Some(structure));
        if !has_own && self.home.gives_database_to(structure) {
            return StructureConnection::Never;
        }
        self.with_structure(Some(structure)).connection()
    }

    /// Where a shared queue is.
    ///
    /// # Errors
    /// As `of`.
    pub(crate) fn of_queue(&self, queue: QueueId) -> Result<&SharedStore, StoreError> {
        self.of(queue.cluster())
    }

    /// Leaves the group.
    pub(crate) fn close(&self) {
        self.structures.iter().for_each(SharedStore::begin_to_close);
        self.structures.iter().for_each(SharedStore::close);
        self.home.close();
    }
}
