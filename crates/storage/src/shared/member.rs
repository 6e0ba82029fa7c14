//! A member's place in its group: joining, showing that it lives, and recovering those that do not.
//!
//! Clocks of two machines are never compared: a peer is dead when its beat does not change for `silence` by this member's own clock,
//! seen in at least five looks.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::Row;

use crate::QueueId;
use crate::shared::batch::{Connected, owner};
use crate::shared::error::SharedError;
use crate::shared::lane::LANES;
use crate::shared::position::JUMP;
use crate::shared::row::{queue_id, queue_number};

/// Looks at the same beat before a peer is thought dead.
const LOOKS: u32 = 5;
const MOST_MEMBERS: i32 = 1023;

/// What this member is in the group.
#[derive(Debug, Clone)]
pub(super) struct Membership {
    pub(super) number: i32,
    pub(super) epoch: i64,
    /// The database's clock in milliseconds since 1970.
    pub(super) clock: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberState {
    Active,
    /// It has left in order.
    Inactive,
    /// A peer recovers it.
    Recovering,
    /// A peer has recovered it.
    Failed,
}

impl MemberState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Inactive => "INACTIVE",
            Self::Recovering => "RECOVERING",
            Self::Failed => "FAILED",
        }
    }
}

/// A member as the group sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberStatus {
    pub number: i32,
    pub name: String,
    pub state: MemberState,
    pub address: String,
    /// Version of the tables that its program makes.
    pub level: i32,
    /// Of its program.
    pub program: String,
    /// The machine on which it runs.
    pub host: String,
    /// Of its present life; rises with each one.
    pub epoch: i64,
    beat: i64,
}

impl MemberStatus {
    #[cfg(test)]
    pub(super) fn active(number: i32, epoch: i64, address: String) -> Self {
        Self {
            number,
            name: format!("QM{number}"),
            state: MemberState::Active,
            address,
            level: 1,
            program: String::new(),
            host: String::new(),
            epoch,
            beat: 0,
        }
    }

    /// As it is once its epoch has been ended.
    pub(super) fn after_recovery(&self) -> Self {
        Self { epoch: self.epoch + 1, ..self.clone() }
    }

    /// Differs as soon as the member has shown life.
    pub(super) fn life(&self) -> (i64, i64) {
        (self.epoch, self.beat)
    }
}

/// Tells the others where this member hears hints.
pub(super) async fn tell_address(
    admin: &Connected,
    number: i32,
    epoch: i64,
    address: &str,
) -> Result<(), tokio_postgres::Error> {
    admin.client.execute(&admin.statements.set_address, &[&number, &epoch, &address]).await.map(|_| ())
}

/// A process, and which member it is.
pub(super) struct Identity {
    /// Tells it from all others that take the same name.
    process: i64,
    /// Version of the tables that this program makes.
    level: i32,
    membership: Option<Membership>,
}

impl Identity {
    pub(super) fn new(level: i32) -> Self {
        Self { process: rand::random(), level, membership: None }
    }
}

/// Takes part under this name, in an epoch later than all before unless nothing has ended the one that this process was in. `None`:
/// another process has become this member since.
///
/// One transaction, on disk before it is answered: an epoch is never given twice, and a half of it never done. It waits for
/// transactions of an older life that are under way; after it nothing of that can commit.
pub(super) async fn join(
    admin: &Connected,
    name: &str,
    identity: &mut Identity,
) -> Result<Option<Membership>, SharedError> {
    let refused = |source| SharedError::Refused { action: "let the member join", source };
    let client = &admin.client;
    client.batch_execute("BEGIN; SET LOCAL synchronous_commit = on").await.map_err(refused)?;
    // A migration that this program could not follow waits for it, or is seen here.
    let readable = "SELECT schema_version, readable_from FROM group_state FOR SHARE";
    let tables = client.query_one(readable, &[]).await.map_err(refused)?;
    if tables.get::<_, i32>(1) > identity.level {
        return Err(SharedError::Version { found: tables.get(0), supported: identity.level });
    }
    let query = "SELECT number, epoch, process FROM member WHERE name = $1 FOR UPDATE";
    let row = client.query_opt(query, &[&name]).await.map_err(refused)?;
    let row = row.map(|row| (row.get::<_, i32>(0), row.get::<_, i64>(1), row.get::<_, i64>(2)));
    let was_here = identity.membership.is_some();
    let (number, epoch) = match row {
        Some((_, _, process)) if was_here && process != identity.process => return Ok(None),
        Some((number, epoch, _)) if identity.membership.as_ref().is_some_and(|known| known.epoch == epoch) => {
            (number, epoch)
        }
        Some((number, epoch, _)) => {
            begin_epoch(admin, number, epoch + 1, identity).await.map_err(refused)?;
            (number, epoch + 1)
        }
        None => {
            let (number, epoch) = insert(admin, name, identity).await?;
            begin_epoch(admin, number, epoch + 1, identity).await.map_err(refused)?;
            (number, epoch + 1)
        }
    };
    let clock = clock(admin).await.map_err(refused)?;
    client.batch_execute("COMMIT").await.map_err(refused)?;
    let joined = Membership { number, epoch, clock };
    identity.membership = Some(joined.clone());
    Ok(Some(joined))
}

/// The lanes of a member belong to this epoch, unless one belongs to a later one. False: so it is.
pub(super) async fn take_lanes(admin: &Connected, number: i32, epoch: i64) -> Result<bool, tokio_postgres::Error> {
    let lanes: Vec<i32> = (0..LANES).map(|lane| i32::try_from(lane).expect("there are few lanes")).collect();
    let taken = admin
        .client
        .execute(
            "WITH u AS (UPDATE lane SET epoch = $2 WHERE member = $1 AND epoch <= $2 RETURNING lane), \
             i AS (INSERT INTO lane (member, lane, epoch, batch) SELECT $1, n, $2, 0 FROM unnest($3::int4[]) AS t(n) \
             WHERE NOT EXISTS (SELECT FROM lane l WHERE l.member = $1 AND l.lane = n) RETURNING lane) \
             SELECT lane FROM u UNION ALL SELECT lane FROM i",
            &[&number, &epoch, &lanes],
        )
        .await?;
    Ok(taken == LANES as u64)
}

/// Keeps the lowest free number for a member that has not begun. Answers it.
pub(super) async fn reserve(admin: &Connected, name: &str) -> Result<i32, SharedError> {
    let reserved = Identity { process: 0, level: 0, membership: None };
    insert(admin, name, &reserved).await.map(|(number, _)| number)
}

async fn begin_epoch(
    admin: &Connected,
    number: i32,
    epoch: i64,
    identity: &Identity,
) -> Result<(), tokio_postgres::Error> {
    let client = &admin.client;
    client
        .execute(
            "UPDATE member SET epoch = $2, process = $3, level = $4, program = $5, host = $6, state = 'ACTIVE' WHERE number = $1",
            &[&number, &epoch, &identity.process, &identity.level, &env!("CARGO_PKG_VERSION"), &host()],
        )
        .await?;
    take_lanes(admin, number, epoch).await?;
    give_back(admin, number, epoch).await.map(|_| ())
}

/// What a member held that has ended.
pub(super) struct GivenBack {
    /// Where messages may have become available, each once.
    pub(super) queues: Vec<QueueId>,
    pub(super) messages: usize,
}

/// Of this machine.
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// What the member held before this epoch is free, messages, open queues and duties; its prepared units of work are of this epoch.
pub(super) async fn give_back(admin: &Connected, number: i32, epoch: i64) -> Result<GivenBack, tokio_postgres::Error> {
    let (client, s) = (&admin.client, &admin.statements);
    let (from, present) = (owner(number, 0), owner(number, epoch));
    let rows = client.query(&s.return_claims, &[&from, &present]).await?;
    client.execute(&s.keep_prepared, &[&from, &present]).await?;
    let open = client.query(&s.close_all, &[&number]).await?;
    client.execute(&s.leave_duties, &[&number]).await?;
    client.execute(&s.forget_triggers, &[&number]).await?;
    client.execute(&s.forget_requests, &[&number, &Vec::<i64>::new()]).await?;
    client.execute(&s.requests_to, &[&number]).await?;
    // Last: a tag is free when the work that was done under it has ended.
    client.execute(&s.release_tags, &[&number]).await?;
    // Also what it was about to take comes back: a transaction that was rolled back has told nobody.
    let mut queues: Vec<QueueId> = rows.iter().chain(&open).map(|row| queue_id(row.get(0))).collect();
    queues.sort_unstable();
    queues.dedup();
    let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
    open_again(admin, &numbers, number).await?;
    Ok(GivenBack { queues, messages: rows.len() })
}

/// Who has ended a member's work, for those who look at the group.
pub(super) async fn note_recovery(
    admin: &Connected,
    (number, name): (i32, &str),
    epoch: i64,
    by: &str,
    given_back: &GivenBack,
) -> Result<(), tokio_postgres::Error> {
    let messages = i64::try_from(given_back.messages).unwrap_or(i64::MAX);
    admin.client.execute(&admin.statements.note_recovery, &[&number, &name, &epoch, &by, &messages]).await.map(|_| ())
}

/// Messages of these queues that the member held can be taken again, at any place: its first lane has made something available, and says
/// nothing of where.
pub(super) async fn open_again(admin: &Connected, queues: &[i32], member: i32) -> Result<(), tokio_postgres::Error> {
    let (client, s) = (&admin.client, &admin.statements);
    let lane = 0_i32;
    client.execute(&s.depth_rows, &[&queues, &member, &lane]).await?;
    client.execute(&s.open_again, &[&queues, &member, &lane]).await.map(|_| ())
}

/// The lowest number that is free, and the last epoch of it: that of the lanes which an earlier member of this number has left.
async fn insert(admin: &Connected, name: &str, identity: &Identity) -> Result<(i32, i64), SharedError> {
    let refused = |source| SharedError::Refused { action: "add a member", source };
    for _ in 0..MOST_MEMBERS {
        let inserted = admin
            .client
            .query_opt(
                "INSERT INTO member (number, name, epoch, process, state, address, level) \
                 SELECT n, $1, (SELECT coalesce(max(l.epoch), 0) FROM lane l WHERE l.member = n), $3, 'INACTIVE', '', $2 \
                 FROM generate_series(1, 1023) AS t(n) WHERE NOT EXISTS (SELECT FROM member m WHERE m.number = n) \
                 ORDER BY n LIMIT 1 ON CONFLICT DO NOTHING RETURNING number, epoch",
                &[&name, &identity.level, &identity.process],
            )
            .await
            .map_err(refused)?;
        if let Some(row) = inserted {
            return Ok((row.get(0), row.get(1)));
        }
        let count: i64 = admin.client.query_one("SELECT count(*) FROM member", &[]).await.map_err(refused)?.get(0);
        if count >= i64::from(MOST_MEMBERS) {
            return Err(SharedError::TooManyMembers);
        }
    }
    Err(SharedError::TooManyMembers)
}

/// The group's time: the database's clock. Behind a failover it may be far behind what members have gone by: then time goes on.
pub(super) async fn clock(admin: &Connected) -> Result<u64, tokio_postgres::Error> {
    let row = admin.client.query_one(&admin.statements.clock, &[]).await?;
    let last = admin.client.query_one("SELECT coalesce(max(clock), 0) FROM lane", &[]).await?;
    let (clock, last) = (row.get::<_, i64>(0).unsigned_abs(), last.get::<_, i64>(0).unsigned_abs());
    Ok(if last.saturating_sub(clock) < JUMP { clock } else { last })
}

/// Shows life and looks at the others. `None`: this member's epoch is over.
pub(super) async fn beat(
    admin: &Connected,
    number: i32,
    epoch: i64,
    watch: &mut Watch,
) -> Result<Option<Beaten>, tokio_postgres::Error> {
    let s = &admin.statements;
    let client = &admin.client;
    let (beaten, version, duty, rows) = tokio::try_join!(
        async { client.execute(&s.beat, &[&number, &epoch]).await },
        async { client.query_one(&s.definition_version, &[]).await },
        async { client.query_opt(&s.expiry_duty, &[&number, &epoch]).await },
        async { client.query(&s.members, &[]).await },
    )?;
    if beaten == 0 {
        return Ok(None);
    }
    let members: Vec<MemberStatus> = rows.iter().map(status).collect();
    watch.look(&members);
    let has_expiry_duty = duty.is_some_and(|row| row.get::<_, i32>(0) == number);
    Ok(Some(Beaten { members, definition_version: version.get(0), has_expiry_duty }))
}

/// All of the group.
pub(super) async fn members(admin: &Connected) -> Result<Vec<MemberStatus>, tokio_postgres::Error> {
    Ok(admin.client.query(&admin.statements.members, &[]).await?.iter().map(status).collect())
}

/// A row of `members`.
fn status(row: &Row) -> MemberStatus {
    MemberStatus {
        number: row.get(0),
        name: row.get(1),
        epoch: row.get(2),
        beat: row.get(3),
        state: state(row.get(4)),
        address: row.get(5),
        level: row.get(6),
        program: row.get(7),
        host: row.get(8),
    }
}

/// What a beat has seen.
pub(super) struct Beaten {
    pub(super) members: Vec<MemberStatus>,
    pub(super) definition_version: i64,
    pub(super) has_expiry_duty: bool,
}

fn state(text: &str) -> MemberState {
    match text {
        "ACTIVE" => MemberState::Active,
        "INACTIVE" => MemberState::Inactive,
        "RECOVERING" => MemberState::Recovering,
        _ => MemberState::Failed,
    }
}

/// Since when each member's beat is the same.
pub(super) struct Watch {
    silence: Duration,
    seen: HashMap<i32, Seen>,
}

struct Seen {
    life: (i64, i64),
    since: Instant,
    looks: u32,
}

impl Watch {
    pub(super) fn new(silence: Duration) -> Self {
        Self { silence, seen: HashMap::new() }
    }

    fn look(&mut self, members: &[MemberStatus]) {
        for member in members {
            let life = member.life();
            let seen = self.seen.entry(member.number).or_insert(Seen { life, since: Instant::now(), looks: 0 });
            if seen.life == life {
                seen.looks += 1;
            } else {
                *seen = Seen { life, since: Instant::now(), looks: 1 };
            }
        }
    }

    /// Peers that should live and show no life, and those whose recovery was left half-way.
    pub(super) fn dead(&self, members: &[MemberStatus], own: i32) -> Vec<MemberStatus> {
        let is_silent = |member: &MemberStatus| {
            self.seen
                .get(&member.number)
                .is_some_and(|seen| seen.looks >= LOOKS && seen.since.elapsed() >= self.silence)
        };
        let should_live = |member: &MemberStatus| matches!(member.state, MemberState::Active | MemberState::Recovering);
        members
            .iter()
            .filter(|member| member.number != own && should_live(member) && is_silent(member))
            .cloned()
            .collect()
    }
}

/// Ends a dead member's epoch and gives back what it held. `by`: who does it, a member, or nothing for an operator. `None`: another peer
/// does it.
pub(super) async fn recover(
    admin: &Connected,
    dead: &MemberStatus,
    by: &str,
) -> Result<Option<GivenBack>, tokio_postgres::Error> {
    let (client, s) = (&admin.client, &admin.statements);
    if client.execute(&s.fence_member, &[&dead.number, &dead.epoch]).await? == 0 {
        return Ok(None);
    }
    let epoch = dead.epoch + 1;
    client.execute(&s.fence_lanes, &[&dead.number, &epoch]).await?;
    client.batch_execute("BEGIN").await?;
    let given_back = give_back(admin, dead.number, epoch).await?;
    note_recovery(admin, (dead.number, &dead.name), epoch, by, &given_back).await?;
    client.execute(&s.recovered, &[&dead.number, &epoch]).await?;
    client.batch_execute("COMMIT").await?;
    Ok(Some(given_back))
}

/// Ends the member's epoch as a peer would, so that it holds nothing while it is away. False: a peer was faster.
pub(super) async fn leave(admin: &Connected, number: i32, epoch: i64) -> Result<bool, tokio_postgres::Error> {
    let (client, s) = (&admin.client, &admin.statements);
    client.batch_execute("BEGIN").await?;
    if client.execute(&s.leave, &[&number, &epoch]).await? == 0 {
        return client.batch_execute("ROLLBACK").await.map(|()| false);
    }
    client.execute(&s.fence_lanes, &[&number, &(epoch + 1)]).await?;
    give_back(admin, number, epoch + 1).await?;
    client.batch_execute("COMMIT").await.map(|()| true)
}
