//! Parts of units of work that another database decides, left behind by members whose epoch is over: their peers end them.
//!
//! First the member's epochs end at the deciding database too, so that what is not decided by then never will be. Then the database is
//! asked: with its row the part commits, without one it backs out. What this member has left behind itself, `store/mixed.rs` ends.

use std::sync::Arc;

use tokio::time::timeout;
use tracing::{debug, info};

use crate::ClusterNumber;
use crate::shared::driver::{Driver, Session, connected};
use crate::shared::error::SharedError;
use crate::shared::lane::LASTING;
use crate::shared::member::MemberStatus;
use crate::shared::operation::{Operation, UnitNumber};
use crate::shared::structure;

/// Ends what can be ended now. What waits for a database that is away is there the next time.
///
/// # Errors
/// Of this database.
pub(super) async fn settle_parts(
    driver: &Arc<Driver>,
    session: &Session,
    members: &[MemberStatus],
) -> Result<(), tokio_postgres::Error> {
    let (client, s) = (&session.admin.client, &session.admin.statements);
    for row in client.query(&s.parts_decided_elsewhere, &[]).await? {
        let (number, unit) = (row.get::<_, i32>(0), UnitNumber(row.get(1)));
        let Some(decides) = ClusterNumber::of(row.get(2)) else { continue };
        let Some(member) = members.iter().find(|member| member.number == number) else { continue };
        if number != session.member && unit.epoch() < member.epoch {
            settle(driver, member, unit, decides).await;
        }
    }
    Ok(())
}

async fn settle(driver: &Driver, member: &MemberStatus, unit: UnitNumber, decides: ClusterNumber) {
    let Some(there) = driver.in_common.driver_of(decides).and_then(|driver| driver.open_session()) else { return };
    let commits = match timeout(driver.options.deadline, is_decided(driver, &there, member, unit)).await {
        Ok(Ok(commits)) => commits,
        Ok(Err(error)) => return debug!(%error, "the database that decides a unit of work does not answer"),
        Err(_) => return debug!("the database that decides a unit of work does not answer in time"),
    };
    let ends = Operation::FinishPrepared { member: Some(member.number), number: unit, commits };
    if let Ok(Ok(_)) = driver.inboxes[LASTING].submit(ends).await {
        let structure = driver.structure();
        info!(member = %member.name, structure, commits, "a part of a unit of work of a dead member has ended");
    }
}

/// Ends the member's epochs at the deciding database, unless a peer has done it, and asks for the row.
async fn is_decided(
    driver: &Driver,
    there: &Session,
    member: &MemberStatus,
    unit: UnitNumber,
) -> Result<bool, SharedError> {
    let refused = |source| SharedError::Refused { action: "say what it has decided", source };
    let present = structure::oldest_epoch(&there.reader, member.number).await.map_err(refused)?;
    if present.is_some_and(|present| present < member.epoch) {
        // On a connection of its own, whose commits are on disk when they are answered.
        let (helper, _) = connected(&there.primary, true, &driver.options.schema).await?;
        let ended = structure::end_epochs(&helper, member, &driver.options.member).await.map_err(refused)?;
        driver.gave_back(ended);
    }
    let (client, s) = (&there.reader.client, &there.reader.statements);
    Ok(client.query_opt(&s.is_decided, &[&member.number, &unit.0]).await.map_err(refused)?.is_some())
}
