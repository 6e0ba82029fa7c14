//! How a member takes part at the database of a structure: in the epoch that the home has given, and in no other.
//!
//! The home alone says which epoch of a member is over. Each member compares that with the lanes here: what a dead member still holds is
//! given back as soon as one of its peers reaches this database, however long it was away.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tracing::warn;

use crate::shared::batch::Connected;
use crate::shared::decided::settle_parts;
use crate::shared::driver::{Driver, Session, recover};
use crate::shared::error::SharedError;
use crate::shared::member::{self, GivenBack, MemberState, MemberStatus, Membership};

/// Between two looks at the lanes of the others.
const LOOK: Duration = Duration::from_secs(1);

/// From now on the member's lanes belong to this epoch, and what it held before is free.
///
/// # Errors
/// `EpochOver`: a peer has ended it; the home gives another one. `Refused`.
pub(super) async fn enter(admin: &Connected, member: i32, epoch: i64) -> Result<Membership, SharedError> {
    let refused = |source| SharedError::Refused { action: "let the member take part", source };
    admin.client.batch_execute("BEGIN; SET LOCAL synchronous_commit = on").await.map_err(refused)?;
    let is_new = oldest_epoch(admin, member).await.map_err(refused)? != Some(epoch);
    if !member::take_lanes(admin, member, epoch).await.map_err(refused)? {
        return Err(SharedError::EpochOver);
    }
    if is_new {
        member::give_back(admin, member, epoch).await.map_err(refused)?;
    }
    let clock = member::clock(admin).await.map_err(refused)?;
    admin.client.batch_execute("COMMIT").await.map_err(refused)?;
    Ok(Membership { number: member, epoch, clock })
}

/// The member holds nothing here while it is away, and nothing of this epoch can be done any more.
pub(super) async fn withdraw(admin: &Connected, member: i32, epoch: i64) -> Result<bool, tokio_postgres::Error> {
    fence(admin, member, epoch + 1, None).await.map(|_| true)
}

/// What a dead member did in epochs before its present one is over here. `by`: who does it, a member, or nothing for an operator. `None`:
/// the member is in this epoch already, or a later one, and keeps what it has.
pub(super) async fn end_epochs(
    connected: &Connected,
    dead: &MemberStatus,
    by: &str,
) -> Result<Option<GivenBack>, tokio_postgres::Error> {
    fence(connected, dead.number, dead.epoch, Some((&dead.name, by))).await
}

/// In one transaction; waits for those of the member that are under way.
async fn fence(
    connected: &Connected,
    member: i32,
    epoch: i64,
    recovery: Option<(&str, &str)>,
) -> Result<Option<GivenBack>, tokio_postgres::Error> {
    let client = &connected.client;
    client.batch_execute("BEGIN").await?;
    if client.execute(&connected.statements.fence_lanes, &[&member, &epoch]).await? == 0 {
        return client.batch_execute("ROLLBACK").await.map(|()| None);
    }
    let given_back = member::give_back(connected, member, epoch).await?;
    if let Some((name, by)) = recovery {
        member::note_recovery(connected, (member, name), epoch, by, &given_back).await?;
    }
    client.batch_execute("COMMIT").await.map(|()| Some(given_back))
}

/// Of a member's lanes here; `None`: it never took part.
pub(super) async fn oldest_epoch(connected: &Connected, member: i32) -> Result<Option<i64>, tokio_postgres::Error> {
    let rows = connected.client.query(&connected.statements.epochs_of_lanes, &[&member]).await?;
    Ok(rows.iter().map(|row| row.get(0)).min())
}

/// Looks whose epochs are over, and gives back what they held. Returns when the session is lost.
pub(super) async fn follow_members(driver: &Arc<Driver>, session: &Arc<Session>) {
    let mut behind = Behind { silence: driver.options.silence, since: HashMap::new() };
    loop {
        let (client, s) = (&session.admin.client, &session.admin.statements);
        let began = Instant::now();
        let lanes = match timeout(driver.options.deadline, client.query(&s.lane_epochs, &[])).await {
            Ok(Ok(rows)) => rows.iter().map(|row| (row.get(0), row.get(1))).collect::<Vec<(i32, i64)>>(),
            Ok(Err(error)) => return driver.broken(session.generation, &error),
            Err(_) => return driver.too_slow(session.generation),
        };
        driver.counts.round_trip(began.elapsed());
        if lanes.iter().any(|(member, epoch)| *member == session.member && *epoch > session.epoch) {
            warn!(structure = driver.structure(), "a peer has recovered this member: its open units of work are lost");
            return driver.fenced(session.generation);
        }
        let members = driver.in_common.members();
        let others: Vec<&MemberStatus> = members.iter().filter(|member| member.number != session.member).collect();
        for member in behind.look(&others, &lanes) {
            recover(driver, member);
        }
        if let Err(error) = settle_parts(driver, session, &members).await {
            return driver.broken(session.generation, &error);
        }
        sleep(LOOK).await;
    }
}

/// Members whose lanes here belong to an epoch that the home has ended.
struct Behind {
    silence: Duration,
    since: HashMap<i32, Instant>,
}

impl Behind {
    /// Those whose work has to be ended. One that lives does it by itself, if it reaches this database within `silence`.
    fn look(&mut self, members: &[&MemberStatus], lanes: &[(i32, i64)]) -> Vec<MemberStatus> {
        let is_behind = |member: &&MemberStatus| {
            lanes.iter().any(|(number, epoch)| *number == member.number && *epoch < member.epoch)
        };
        let late: Vec<&&MemberStatus> = members.iter().filter(|member| is_behind(member)).collect();
        self.since.retain(|number, _| late.iter().any(|member| member.number == *number));
        let mut over = Vec::new();
        for member in late {
            let since = *self.since.entry(member.number).or_insert_with(Instant::now);
            if member.state != MemberState::Active || since.elapsed() >= self.silence {
                over.push((*member).clone());
            }
        }
        over
    }
}
