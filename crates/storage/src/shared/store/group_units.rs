//! Units of work with GROUP disposition at one database: prepared by one member, listed and ended by any.
//!
//! Invariant: once all parts of such a unit are known to be prepared, the database alone knows of it. No member has anything to forget when another one
//! ends it.

use super::SharedStore;
use super::syncpoint::Preparing;
use crate::shared::operation::{Answer, EndedMessage, Finished, Operation, UnitNumber};
use crate::shared::units::{decode_xid, encode_xid};
use crate::{ClusterNumber, StoreError, UnitOfWorkId, Xid};

/// A part of a unit of work of the group, in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupPart {
    member: i32,
    number: UnitNumber,
}

/// The parts of a transaction at one database, and where the others are.
pub(crate) struct GroupParts {
    pub(crate) here: Vec<GroupPart>,
    pub(crate) places: Vec<ClusterNumber>,
}

impl SharedStore {
    /// As `prepare`, for a unit that any member may end. `places`: the databases that have a part of it.
    ///
    /// # Errors
    /// As `prepare`. `Unreachable`: this member can still back it out.
    pub(crate) async fn prepare_in_group(
        &self,
        unit: UnitOfWorkId,
        xid: &Xid,
        places: &[ClusterNumber],
    ) -> Result<(), StoreError> {
        self.running.units.check(unit)?;
        let session = self.session().await?;
        let number = self.running.driver.in_common.unit_number(session.epoch);
        let places = places.iter().map(|place| place.number()).collect();
        self.prepare_as(unit, Preparing { number, xid: Some(xid.clone()), decided_by: None, places: Some(places) })
            .await
    }

    /// Every part of the unit is prepared: from now on another member may end it, and this one knows nothing of it.
    pub(crate) fn leave_to_group(&self, unit: UnitOfWorkId) {
        if let Some(in_doubt) = self.running.units.in_doubt_of(unit) {
            self.running.units.resolved(unit);
            self.note_prepared(&in_doubt, -1);
        }
    }

    /// Transactions of the group with a part here, with the number of the member that has prepared each.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub(crate) async fn units_of_group(&self) -> Result<Vec<(Xid, i32)>, StoreError> {
        let rows =
            self.look(|session| async move {
                session.reader.client.query(&session.reader.statements.units_of_group, &[]).await
            })
            .await?;
        Ok(rows.iter().filter_map(|row| Some((decode_xid(row.get(0))?, row.get(1)))).collect())
    }

    /// # Errors
    /// `Unreachable`, `Closed`.
    pub(crate) async fn parts_of_group(&self, xid: &Xid) -> Result<GroupParts, StoreError> {
        let xid = encode_xid(xid);
        let rows = self
            .look(|session| {
                let xid = &xid;
                async move { session.reader.client.query(&session.reader.statements.unit_of_group, &[xid]).await }
            })
            .await?;
        let mut parts = GroupParts { here: Vec::new(), places: Vec::new() };
        for row in rows {
            parts.here.push(GroupPart { member: row.get(0), number: UnitNumber(row.get(1)) });
            parts.places.extend(row.get::<_, Vec<i32>>(2).into_iter().filter_map(ClusterNumber::of));
        }
        Ok(parts)
    }

    /// Commits or backs out a part. `None`: another has ended it meanwhile.
    ///
    /// # Errors
    /// `Unreachable`: open. `Database`, `Closed`.
    pub(crate) async fn end_part_of_group(
        &self,
        part: GroupPart,
        commits: bool,
    ) -> Result<Option<Vec<EndedMessage>>, StoreError> {
        let GroupPart { member, number } = part;
        match self.submit(Operation::FinishPrepared { member: Some(member), number, commits }).await? {
            Answer::Finished(Finished { was_prepared, messages }) => Ok(was_prepared.then_some(messages)),
            _ => Ok(None),
        }
    }
}
