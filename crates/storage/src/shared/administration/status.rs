//! How a group is: its database, its members, what they hold, its queues, and what of all that needs attention.

use std::collections::HashMap;
use std::time::Duration;

use model::timestamp::Timestamp;
use tokio_postgres::Row;

use crate::shared::administration::checks::{self, Check};
use crate::shared::administration::database::DatabaseFacts;
use crate::shared::administration::{Administrator, BEATS, Seen, View, Watched, refused, statements};
use crate::shared::batch::owner;
use crate::shared::error::SharedError;
use crate::shared::member::{MemberState, members};
use crate::shared::primary::chain;
use crate::shared::row::queue_id;
use crate::shared::schema;
use crate::shared::units::decode_xid;
use crate::{QueueId, Xid};

/// A group at one moment, as far as several statements see one.
#[derive(Debug, Clone)]
pub struct GroupStatus {
    pub group: String,
    /// Of the tables, and of what this program makes.
    pub schema_version: i32,
    pub supported_version: i32,
    /// Of the home.
    pub database: DatabaseFacts,
    /// Of structures with a database of their own.
    pub structures: Vec<(String, DatabaseFacts)>,
    /// Structures whose database does not answer, as checks say it.
    pub away: Vec<Check>,
    pub members: Vec<MemberLook>,
    pub in_doubt: Vec<UnitInDoubt>,
    pub recoveries: Vec<Recovery>,
    pub queues: Vec<SharedQueue>,
    /// Definitions of shared queues that this program cannot read.
    pub unreadable: usize,
    /// Messages that epochs hold which are no member's present one.
    pub lost_claims: i64,
}

#[derive(Debug, Clone)]
pub struct MemberLook {
    pub number: i32,
    pub name: String,
    pub state: MemberState,
    pub epoch: i64,
    pub address: String,
    /// Version of the tables that its program knows.
    pub level: i32,
    /// Of its program.
    pub program: String,
    /// The machine on which it runs.
    pub host: String,
    /// Since its beat was seen to change; `None`: it was not, for as long as `watched`.
    pub since_beat: Option<Duration>,
    pub watched: Duration,
    /// Messages that its units of work have got, or its browsers locked.
    pub claims: i64,
    /// Messages of its prepared units of work.
    pub prepared_messages: i64,
}

/// A prepared unit of work, whose coordinator decides it.
#[derive(Debug, Clone)]
pub struct UnitInDoubt {
    pub member: i32,
    pub number: i64,
    pub xid: Option<Xid>,
    pub messages: i64,
    /// Any member may end it, not only the one that has prepared it.
    pub is_of_group: bool,
}

/// The last time that a member's work was ended in a database.
#[derive(Debug, Clone)]
pub struct Recovery {
    /// `None`: in the home.
    pub structure: Option<String>,
    pub member: String,
    /// The member that has done it; empty: an operator.
    pub by: String,
    /// By the database's clock.
    pub at: Timestamp,
    /// That went back to their queues.
    pub messages: i64,
}

#[derive(Debug, Clone)]
pub struct SharedQueue {
    /// `None`: it is defined no more, and what is left of it is not yet removed.
    pub name: Option<String>,
    pub number: u32,
    pub messages: i64,
    pub bytes: i64,
}

impl Administrator {
    /// Takes up to three seconds when a member shows no life.
    ///
    /// # Errors
    /// Those of `connect`.
    pub async fn status(&self) -> Result<GroupStatus, SharedError> {
        let members = self.watch(BEATS).await?.into_iter().map(Watched::seen).collect();
        let home = (self.home.view(), self.home.view().facts().await);
        let mut structures = Vec::new();
        for place in &self.structures {
            structures.push((place.view(), place.view().facts().await));
        }
        let names = async |_: &[QueueId]| self.queues().await;
        GroupStatus::gather(home, structures, self.away(), members, names).await
    }

    /// Databases of structures that do not answer.
    pub(super) fn away(&self) -> Vec<Check> {
        self.away.iter().map(|(name, error)| checks::away(Some(name), &chain(error))).collect()
    }
}

impl GroupStatus {
    /// Of what the databases say that answer. `names`: those of all shared queues, and how many definitions cannot be read, when these
    /// queues have messages.
    pub(super) async fn gather(
        home: (View<'_>, DatabaseFacts),
        structures: Vec<(View<'_>, DatabaseFacts)>,
        away: Vec<Check>,
        members: Vec<Seen>,
        names: impl AsyncFnOnce(&[QueueId]) -> Result<(HashMap<QueueId, String>, usize), SharedError>,
    ) -> Result<Self, SharedError> {
        let (label, tables) = schema::read(home.0.client()).await?;
        let views: Vec<View<'_>> = std::iter::once(home.0).chain(structures.iter().map(|(view, _)| *view)).collect();
        let (mut claims, mut in_doubt, mut recoveries, mut depths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for view in views {
            claims.extend(view.claims().await?);
            in_doubt.extend(view.in_doubt().await?);
            recoveries.extend(view.recoveries().await?);
            depths.extend(view.depths().await?);
        }
        let lost_claims = lost(home.0, &claims).await?.iter().map(|held| held.claims).sum();
        // Depths first: a queue that has one then is defined when the definitions are read.
        let with_messages: Vec<QueueId> =
            depths.iter().filter(|(_, messages, _)| *messages != 0).map(|(queue, ..)| *queue).collect();
        let (names, unreadable) = names(&with_messages).await?;
        Ok(Self {
            group: label.group,
            schema_version: tables.version,
            supported_version: home.0.options.schema.version,
            database: home.1,
            structures: structures
                .into_iter()
                .map(|(view, facts)| (view.structure.unwrap_or_default().to_owned(), facts))
                .collect(),
            away,
            members: members.into_iter().map(|one| member(one, &claims)).collect(),
            in_doubt,
            recoveries,
            queues: shared_queues(&depths, names),
            unreadable,
            lost_claims,
        })
    }
}

/// Of what was found held before, that of owners which are no member in its present epoch. Epochs only rise, so these never come back.
pub(super) async fn lost<'a>(home: View<'_>, claims: &'a [Held]) -> Result<Vec<&'a Held>, SharedError> {
    let members = members(home.connected).await.map_err(refused("list the members"))?;
    let present: Vec<i64> = members.iter().map(|one| owner(one.number, one.epoch)).collect();
    Ok(claims.iter().filter(|held| held.claims > 0 && !present.contains(&held.owner)).collect())
}

/// Those that are defined or have messages, the deepest first.
fn shared_queues(depths: &[(QueueId, i64, i64)], mut names: HashMap<QueueId, String>) -> Vec<SharedQueue> {
    let mut queues: Vec<SharedQueue> = depths
        .iter()
        .map(|(queue, messages, bytes)| {
            let name = names.remove(queue);
            SharedQueue { name, number: queue.0, messages: *messages, bytes: *bytes }
        })
        .filter(|queue| queue.name.is_some() || queue.messages != 0)
        .collect();
    let empty = names.into_iter().map(|(queue, name)| (queue.0, Some(name)));
    queues.extend(empty.map(|(number, name)| SharedQueue { name, number, messages: 0, bytes: 0 }));
    queues.sort_unstable_by(|a, b| b.messages.cmp(&a.messages).then_with(|| a.name.cmp(&b.name)));
    queues
}

/// What an owner holds in one database.
pub(super) struct Held {
    pub(super) owner: i64,
    pub(super) claims: i64,
    pub(super) prepared: i64,
}

impl View<'_> {
    pub(super) async fn claims(self) -> Result<Vec<Held>, SharedError> {
        let rows = self.client().query(statements::CLAIMS, &[]).await.map_err(refused("count claims"))?;
        Ok(rows.iter().map(|row| Held { owner: row.get(0), claims: row.get(1), prepared: row.get(2) }).collect())
    }

    async fn in_doubt(self) -> Result<Vec<UnitInDoubt>, SharedError> {
        let rows = self.client().query(statements::UNITS, &[]).await.map_err(refused("list units of work"))?;
        let unit = |row: &Row| UnitInDoubt {
            member: row.get(0),
            number: row.get(1),
            xid: row.get::<_, Option<&[u8]>>(2).and_then(decode_xid),
            messages: row.get(3),
            is_of_group: row.get(4),
        };
        Ok(rows.iter().map(unit).collect())
    }

    async fn recoveries(self) -> Result<Vec<Recovery>, SharedError> {
        let rows = self.client().query(statements::RECOVERIES, &[]).await.map_err(refused("list recoveries"))?;
        let recovery = |row: &Row| Recovery {
            structure: self.structure.map(str::to_owned),
            member: row.get(0),
            by: row.get(1),
            at: Timestamp::from_millis(row.get::<_, i64>(2).unsigned_abs()),
            messages: row.get(3),
        };
        Ok(rows.iter().map(recovery).collect())
    }

    /// Queues with their messages and bytes.
    async fn depths(self) -> Result<Vec<(QueueId, i64, i64)>, SharedError> {
        let rows = self.client().query(statements::DEPTHS, &[]).await.map_err(refused("read depths"))?;
        Ok(rows.iter().map(|row| (queue_id(row.get(0)), row.get(1), row.get(2))).collect())
    }
}

pub(super) fn member(seen: Seen, claims: &[Held]) -> MemberLook {
    let Seen { status, since_beat, watched } = seen;
    let of_it = || claims.iter().filter(|held| held.owner >> 32 == i64::from(status.number));
    let (held, prepared) = (of_it().map(|held| held.claims).sum(), of_it().map(|held| held.prepared).sum());
    MemberLook {
        number: status.number,
        state: status.state,
        epoch: status.epoch,
        level: status.level,
        program: status.program,
        host: status.host,
        since_beat,
        watched,
        claims: held,
        prepared_messages: prepared,
        name: status.name,
        address: status.address,
    }
}

impl GroupStatus {
    /// Everything that was looked at; what is not fine comes with what to do.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks = checks::of(&self.database);
        for (name, facts) in &self.structures {
            checks.extend(checks::of(facts).into_iter().map(|check| check.at(Some(name))));
        }
        checks.extend(self.away.iter().cloned());
        checks.push(self.schema());
        checks.extend(self.members.iter().map(MemberLook::check));
        checks.extend(self.members.iter().filter_map(|member| member.level_check(self.schema_version)));
        checks.extend(self.units());
        checks.extend(self.queue_checks());
        checks
    }

    fn schema(&self) -> Check {
        let (has, knows) = (self.schema_version, self.supported_version);
        if has == knows {
            return Check::fine("schema", format!("the tables have version {has}"));
        }
        Check::warning("schema", format!("the tables have version {has}, and this program makes version {knows}"))
    }

    fn units(&self) -> Option<Check> {
        let count = self.in_doubt.len();
        let text = format!(
            "{count} units of work are in doubt, and hold {} messages: their coordinator decides them, or RESOLVE INDOUBT \
             at their member, and for those of the group at any member",
            self.in_doubt.iter().map(|unit| unit.messages).sum::<i64>()
        );
        (count > 0).then(|| Check::warning("in doubt", text))
    }

    fn queue_checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        if self.lost_claims > 0 {
            let text = format!(
                "{} messages are held by epochs that have ended: `quaymaster group repair` gives them back",
                self.lost_claims
            );
            checks.push(Check::warning("claims", text));
        }
        let dropped = self.queues.iter().filter(|queue| queue.name.is_none()).count();
        if dropped > 0 && self.unreadable == 0 {
            let text =
                format!("{dropped} queues that are deleted have messages: `quaymaster group repair` removes them");
            checks.push(Check::warning("queues", text));
        }
        if self.unreadable > 0 {
            let text =
                format!("{} definitions of queues cannot be read by this program: use a newer one", self.unreadable);
            checks.push(Check::warning("definitions", text));
        }
        checks
    }
}

impl MemberLook {
    /// It goes on as long as the tables say that it can.
    fn level_check(&self, version: i32) -> Option<Check> {
        let (name, level) = (&self.name, self.level);
        let text = format!(
            "{name} runs a program that knows version {level} of the tables, which have version {version}: replace it with the \
             program of the others"
        );
        let is_older = self.state == MemberState::Active && level < version;
        is_older.then(|| Check::warning("versions", text).about(name))
    }

    fn check(&self) -> Check {
        let name = &self.name;
        let check = match (self.state, self.since_beat) {
            (MemberState::Active, Some(_)) => Check::fine("member", format!("{name} lives")),
            (MemberState::Active, None) => Check::failure(
                "member",
                format!(
                    "{name} is ACTIVE and has shown no life for {:.1} s: a peer recovers it within ten seconds, else `quaymaster group repair`",
                    self.watched.as_secs_f32()
                ),
            ),
            (MemberState::Recovering, _) => Check::warning(
                "member",
                format!("{name} is being recovered; `quaymaster group repair` does it when this lasts"),
            ),
            (MemberState::Failed, _) => Check::warning(
                "member",
                format!(
                    "{name} has failed, and was recovered: start it, or take it out with `quaymaster group leave {name}`"
                ),
            ),
            (MemberState::Inactive, _) => Check::fine("member", format!("{name} has ended in order")),
        };
        check.about(name)
    }
}
