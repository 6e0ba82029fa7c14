//! What is stuck in a group, and how it is mended. Nothing here happens in a group whose members do their work; it is for the day on
//! which none lives, or a fault has left something behind.
//!
//! Each repair is safe beside members that run: it takes hold only of what no member that lives names.

use std::time::Duration;

use tokio_postgres::{Client, Row};

use crate::QueueId;
use crate::shared::administration::status::lost;
use crate::shared::administration::{Administrator, Place, Watched, refused, statements};
use crate::shared::error::SharedError;
use crate::shared::member;
use crate::shared::row::{queue_id, queue_number};
use crate::shared::structure;

const MEND: &str = "mend what is stuck";
/// What an operator does to depths stands in rows of this number, which no member has.
const NO_MEMBER: i32 = 0;
/// Messages removed by one step.
const STEP: i64 = 10_000;
/// Beyond the silence after which a peer would recover a member: its recovery is under way by then if a peer lives.
const PATIENCE: Duration = Duration::from_secs(4);

/// What kind of thing is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// A member shows no life, and no peer recovers it.
    Member,
    /// Messages are held by epochs that have ended.
    Claims,
    /// Messages are held by units of work that are not there.
    Units,
    /// Decisions of members that are gone.
    Decisions,
    /// The depth of a queue is not what the table holds.
    Depths,
    /// Queues that are deleted have messages.
    Queues,
    /// Parts of bodies have no message.
    Parts,
    /// Receipts are over, and no member forgets them.
    Receipts,
}

impl Stuck {
    pub const ALL: [Self; 8] = [
        Self::Member,
        Self::Claims,
        Self::Units,
        Self::Decisions,
        Self::Queues,
        Self::Parts,
        Self::Depths,
        Self::Receipts,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Member => "members",
            Self::Claims => "claims",
            Self::Units => "units",
            Self::Decisions => "decisions",
            Self::Depths => "depths",
            Self::Queues => "queues",
            Self::Parts => "parts",
            Self::Receipts => "receipts",
        }
    }
}

/// Something to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub stuck: Stuck,
    pub count: i64,
    /// What is the matter, and what the repair does about it.
    pub text: String,
}

impl Administrator {
    /// Looks for what is stuck, of these kinds. Takes ten seconds when a member shows no life.
    ///
    /// # Errors
    /// Those of `connect`.
    pub async fn find_stuck(&self, kinds: &[Stuck]) -> Result<Vec<Finding>, SharedError> {
        let mut findings = Vec::new();
        for kind in Stuck::ALL.into_iter().filter(|kind| kinds.contains(kind)) {
            match kind {
                Stuck::Member => findings.extend(self.silent_members().await?),
                _ => {
                    for place in self.places() {
                        findings.extend(self.find(kind, place).await?);
                    }
                }
            }
        }
        Ok(findings)
    }

    /// Mends what is stuck, of this kind. Says how much.
    ///
    /// # Errors
    /// Those of `connect`.
    pub async fn mend(&self, kind: Stuck) -> Result<i64, SharedError> {
        if kind == Stuck::Member {
            return self.recover_silent().await;
        }
        let mut mended = 0;
        for place in self.places() {
            let client = place.client();
            mended += match kind {
                Stuck::Member => 0,
                Stuck::Claims => {
                    let owners: Vec<i64> = lost(self.home.view(), &place.view().claims().await?)
                        .await?
                        .iter()
                        .map(|held| held.owner)
                        .collect();
                    begin(client).await?;
                    let rows = client.query(statements::RETURN_LOST_CLAIMS, &[&owners]).await;
                    let returned = free_again(place, &rows.map_err(refused(MEND))?).await?;
                    commit(client).await?;
                    returned
                }
                Stuck::Units => {
                    begin(client).await?;
                    let ended = back_out_lost_units(place).await?;
                    commit(client).await?;
                    ended
                }
                Stuck::Decisions => {
                    let gone: Vec<i32> = self.orphan_decisions(place).await?.iter().map(|one| one.0).collect();
                    changed(client.execute(statements::FORGET_DECISIONS, &[&gone]).await)?
                }
                Stuck::Depths => {
                    execute(client, statements::FIGURES_OF_REPAIRS).await?;
                    execute(client, statements::MEND_DEPTHS).await?
                }
                Stuck::Queues => self.remove_dropped(place).await?,
                Stuck::Parts => execute(client, statements::REMOVE_ORPHAN_PARTS).await?,
                Stuck::Receipts => execute(client, statements::FORGET_OLD_RECEIPTS).await?,
            };
        }
        Ok(mended)
    }

    async fn find(&self, kind: Stuck, place: &Place) -> Result<Vec<Finding>, SharedError> {
        let client = place.client();
        let one = |count: i64, text: String| (count > 0).then_some(Finding { stuck: kind, count, text });
        let finding = match kind {
            Stuck::Member => None,
            Stuck::Depths => return self.wrong_depths(client).await,
            Stuck::Queues => return self.dropped_queues(client).await,
            Stuck::Claims => {
                let count =
                    lost(self.home.view(), &place.view().claims().await?).await?.iter().map(|held| held.claims).sum();
                one(count, format!("{count} messages are held by epochs that have ended: give them back"))
            }
            Stuck::Units => {
                let count = number(client, statements::LOST_UNITS).await?;
                one(count, format!("{count} messages are held by units of work that are not there: back them out"))
            }
            Stuck::Decisions => {
                let count = self.orphan_decisions(place).await?.iter().map(|one| one.1).sum();
                one(count, format!("{count} decisions are of members that are gone: forget them"))
            }
            Stuck::Parts => {
                let count = number(client, statements::ORPHAN_PARTS).await?;
                one(count, format!("the parts of {count} bodies have no message: remove them"))
            }
            Stuck::Receipts => {
                let count = number(client, statements::OLD_RECEIPTS).await?;
                one(count, format!("{count} receipts of requests are over: forget them"))
            }
        };
        Ok(finding.into_iter().collect())
    }

    /// By member that is gone. Decisions are read first: a member is there before it decides. None while a database is away, which may
    /// have a part that is not ended.
    async fn orphan_decisions(&self, place: &Place) -> Result<Vec<(i32, i64)>, SharedError> {
        if !self.away.is_empty() {
            return Ok(Vec::new());
        }
        let rows = place.client().query(statements::DECISIONS, &[]).await.map_err(refused("list decisions"))?;
        let members = self.members().await?;
        let is_gone = |number: i32| members.iter().all(|member| member.number != number);
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).filter(|(number, _)| is_gone(*number)).collect())
    }

    async fn silent_members(&self) -> Result<Vec<Finding>, SharedError> {
        let silent = self.watch(self.options.silence + PATIENCE).await?.into_iter().filter(Watched::is_silent);
        let finding = |name: &str| Finding {
            stuck: Stuck::Member,
            count: 1,
            text: format!(
                "member {name} shows no life, and no peer recovers it: end its epoch, and give back what it holds"
            ),
        };
        Ok(silent.map(|one| finding(&one.status.name)).collect())
    }

    async fn recover_silent(&self) -> Result<i64, SharedError> {
        let mut recovered = 0;
        for one in self.watch(self.options.silence + PATIENCE).await?.into_iter().filter(Watched::is_silent) {
            let done =
                member::recover(&self.home.connected, &one.status, "").await.map_err(refused("recover a member"))?;
            for place in &self.structures {
                let over = one.status.after_recovery();
                let ended = structure::end_epochs(&place.connected, &over, "").await;
                ended.map_err(refused("recover a member"))?;
            }
            recovered += i64::from(done.is_some());
        }
        Ok(recovered)
    }

    async fn wrong_depths(&self, client: &Client) -> Result<Vec<Finding>, SharedError> {
        let rows = client.query(statements::WRONG_DEPTHS, &[]).await.map_err(refused("compare depths"))?;
        let (names, _) = self.queues().await?;
        let finding = |queue: QueueId, messages: i64, bytes: i64| {
            let name = names.get(&queue).map_or_else(|| format!("queue {}", queue_number(queue)), Clone::clone);
            let text = format!("the depth of {name} is wrong by {} messages and {} bytes: count it", -messages, -bytes);
            Finding { stuck: Stuck::Depths, count: 1, text }
        };
        Ok(rows.iter().map(|row| finding(queue_id(row.get(0)), row.get(1), row.get(2))).collect())
    }

    async fn dropped_queues(&self, client: &Client) -> Result<Vec<Finding>, SharedError> {
        let finding = |(queue, messages): (QueueId, i64)| Finding {
            stuck: Stuck::Queues,
            count: messages,
            text: format!("queue {} is deleted, and has {messages} messages: remove them", queue_number(queue)),
        };
        Ok(self.dropped(client).await?.into_iter().map(finding).collect())
    }

    /// Queues with messages and without a definition. Messages are looked at first: a queue is defined before it has any.
    async fn dropped(&self, client: &Client) -> Result<Vec<(QueueId, i64)>, SharedError> {
        let rows = client.query(statements::QUEUES_WITH_MESSAGES, &[]).await.map_err(refused("list queues"))?;
        let (names, unreadable) = self.queues().await?;
        // One of them may be what cannot be read.
        if unreadable > 0 {
            return Ok(Vec::new());
        }
        let with_messages = rows.iter().map(|row| (queue_id(row.get(0)), row.get(1)));
        Ok(with_messages.filter(|(queue, _)| !names.contains_key(queue)).collect())
    }

    async fn remove_dropped(&self, place: &Place) -> Result<i64, SharedError> {
        let client = place.client();
        let action = "remove messages of deleted queues";
        let mut removed = 0;
        for (queue, _) in self.dropped(client).await? {
            let queue = queue_number(queue);
            loop {
                let row = client.query_one(statements::REMOVE_STEP, &[&queue, &STEP]).await.map_err(refused(action))?;
                let step: i64 = row.get(0);
                removed += step;
                if step == 0 {
                    break;
                }
            }
            client.execute(statements::FORGET_QUEUE, &[&queue]).await.map_err(refused(action))?;
        }
        Ok(removed)
    }
}

/// Backs out what units of work hold that no row of `unit` names, in a transaction of the caller's.
pub(super) async fn back_out_lost_units(place: &Place) -> Result<i64, SharedError> {
    let client = place.client();
    let gets = client.query(statements::BACK_OUT_LOST_GETS, &[]).await.map_err(refused(MEND))?;
    let gets = free_again(place, &gets).await?;
    execute(client, statements::FIGURES_OF_REPAIRS).await?;
    let puts = client.query(statements::REMOVE_LOST_PUTS, &[]).await.map_err(refused(MEND))?;
    let puts: i64 = puts.iter().map(|row| row.get::<_, i64>(0)).sum();
    execute(client, statements::REMOVE_ORPHAN_PARTS).await?;
    Ok(gets + puts)
}

/// Messages of these queues, one row each, are free at any place: members look for them below what they have last seen. Says how many.
async fn free_again(place: &Place, rows: &[Row]) -> Result<i64, SharedError> {
    let mut queues: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
    queues.sort_unstable();
    queues.dedup();
    member::open_again(&place.connected, &queues, NO_MEMBER).await.map_err(refused(MEND))?;
    Ok(i64::try_from(rows.len()).unwrap_or(i64::MAX))
}

async fn begin(client: &Client) -> Result<(), SharedError> {
    client.batch_execute("BEGIN").await.map_err(refused(MEND))
}

async fn commit(client: &Client) -> Result<(), SharedError> {
    client.batch_execute("COMMIT").await.map_err(refused(MEND))
}

async fn number(client: &Client, sql: &str) -> Result<i64, SharedError> {
    Ok(client.query_one(sql, &[]).await.map_err(refused("look for what is stuck"))?.get(0))
}

async fn execute(client: &Client, sql: &str) -> Result<i64, SharedError> {
    changed(client.execute(sql, &[]).await)
}

fn changed(answer: Result<u64, tokio_postgres::Error>) -> Result<i64, SharedError> {
    let changed = answer.map_err(refused(MEND))?;
    Ok(i64::try_from(changed).unwrap_or(i64::MAX))
}
