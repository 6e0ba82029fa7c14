//! Transactions with GROUP disposition: prepared here, listed and ended by any member of the group.
//!
//! Each part says in which databases the others are. So a transaction ends although a database is away that has no part of it, and a
//! transaction with a part in one that is away is not taken for ended.

use std::collections::BTreeSet;

use futures_util::future::join_all;

use super::{Store, boxed};
use crate::shared::{EndedMessage, SharedStore};
use crate::{ClusterNumber, StoreError, UnitOfWorkId, Xid};

/// A transaction of the group that is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupUnit {
    pub xid: Xid,
    /// Name of the member that has prepared it; `None`: it is no member any more, or not known yet.
    pub member: Option<String>,
}

impl Store {
    /// Durable when it returns; afterwards any member may end it, and no unit of work of this store is left.
    ///
    /// # Errors
    /// `NotShared`: it has work on private queues; nothing has changed. Those of `SharedStore::prepare`: `back_out` ends it.
    pub async fn prepare_in_group(&self, unit: UnitOfWorkId, xid: &Xid) -> Result<(), StoreError> {
        let parts = self.parts(unit);
        if self.private.has_work(unit) {
            return Err(StoreError::NotShared);
        }
        let places: Vec<ClusterNumber> = parts.shared().iter().filter_map(|shared| shared.cluster()).collect();
        if places.len() < parts.shared().len() {
            return Err(StoreError::Unreachable);
        }
        for shared in parts.shared() {
            boxed(shared.prepare_in_group(unit, xid, &places)).await?;
        }
        parts.shared().iter().for_each(|shared| shared.leave_to_group(unit));
        Ok(())
    }

    /// Transactions of the group that are in doubt, each once.
    ///
    /// # Errors
    /// `Unreachable`: a database is away, and may have others. `Closed`.
    pub async fn in_doubt_in_group(&self) -> Result<Vec<GroupUnit>, StoreError> {
        let Some(group) = &self.group else { return Ok(Vec::new()) };
        let members = group.home().members();
        let name =
            |number: i32| members.iter().find(|member| member.number == number).map(|member| member.name.clone());
        let mut found: Vec<GroupUnit> = Vec::new();
        for units in boxed(join_all(group.all().map(SharedStore::units_of_group))).await {
            for (xid, member) in units? {
                if !found.iter().any(|unit| unit.xid == xid) {
                    found.push(GroupUnit { xid, member: name(member) });
                }
            }
        }
        Ok(found)
    }

    /// Commits or backs out a transaction of the group, whichever member has prepared it. `None`: there is none of that name, or another
    /// member has ended it.
    ///
    /// # Errors
    /// `Unreachable`: a database is away that has a part of it, or may have one. What could be ended has ended; it may be tried again.
    pub async fn end_in_group(&self, xid: &Xid, commits: bool) -> Result<Option<Vec<EndedMessage>>, StoreError> {
        let Some(group) = &self.group else { return Ok(None) };
        let (open, other): (Vec<_>, Vec<_>) = group.all().partition(|shared| shared.is_open());
        let mut ending = Ending::default();
        let mut failure = None;
        for shared in open.into_iter().chain(other) {
            if ending.may_be_at(shared)
                && let Err(error) = boxed(ending.end_at(shared, xid, commits)).await
            {
                failure = Some(error);
            }
        }
        match failure {
            Some(error) => Err(error),
            None if ending.places.is_subset(&ending.looked) => Ok(ending.found),
            // Parts are in a database that this member does not know.
            None => Err(StoreError::Unreachable),
        }
    }
}

/// What the databases have said so far of a transaction that ends.
#[derive(Default)]
struct Ending {
    found: Option<Vec<EndedMessage>>,
    /// Where it has parts.
    places: BTreeSet<ClusterNumber>,
    looked: BTreeSet<ClusterNumber>,
}

impl Ending {
    fn may_be_at(&self, shared: &SharedStore) -> bool {
        self.places.is_empty() || shared.cluster().is_none_or(|cluster| self.places.contains(&cluster))
    }

    async fn end_at(&mut self, shared: &SharedStore, xid: &Xid, commits: bool) -> Result<(), StoreError> {
        let parts = shared.parts_of_group(xid).await?;
        self.places.extend(parts.places);
        for part in parts.here {
            if let Some(messages) = shared.end_part_of_group(part, commits).await? {
                self.found.get_or_insert_default().extend(messages);
            }
        }
        self.looked.extend(shared.cluster());
        Ok(())
    }
}
