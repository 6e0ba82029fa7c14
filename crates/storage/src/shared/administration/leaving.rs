//! A member that goes for good: its row is removed, so that its number is free.
//!
//! Its lanes stay, fenced: the next member of that number begins in an epoch above them, and a process of the old one that wakes up
//! later changes nothing. What it has added to depths stays too, since their sum counts.

use crate::shared::administration::repair::back_out_lost_units;
use crate::shared::administration::{Administrator, refused, statements};
use crate::shared::error::SharedError;
use crate::shared::member::{self, MemberState};
use crate::shared::structure;

/// What became of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub number: i32,
    /// Messages that it held and that are free.
    pub returned: i64,
    /// Units of work in doubt that were backed out, and decisions that were forgotten.
    pub backed_out: i64,
    pub forgotten: i64,
}

/// Why a member stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeaveRefusal {
    #[error("the group has no member {name}")]
    Unknown { name: String },
    #[error("{name} lives: end its queue manager first")]
    Lives { name: String },
    #[error("{name} was not ended in order, and no peer has recovered it: run `group repair`, or use --force")]
    NotRecovered { name: String },
    #[error("{name} holds {messages} messages: run `group repair`, or use --force")]
    Holds { name: String, messages: i64 },
    #[error(
        "{name} has {units} units of work in doubt, which hold {messages} messages: start it and resolve them, or use --force, \
         which backs them out"
    )]
    InDoubt { name: String, units: i64, messages: i64 },
    #[error(
        "{name} has parts of units of work that another database decides: peers end them, so start a member and try again"
    )]
    Parts { name: String },
    #[error("what {name} holds cannot be told while the database of a structure is away: {structures}")]
    Away { name: String, structures: String },
    #[error(
        "{name} has decided {units} units of work that its recovery log has not yet followed: start it once, or use --force if \
         its recovery log is lost"
    )]
    Decided { name: String, units: i64 },
}

impl Administrator {
    /// Takes a member out that does not run. With `force` also one that holds something: what it has got goes back, what it has in
    /// doubt is backed out, and what it has decided is forgotten.
    ///
    /// # Errors
    /// Those of `connect`.
    pub async fn leave(&self, name: &str, force: bool) -> Result<Result<Left, LeaveRefusal>, SharedError> {
        let watched = self.watch(self.options.silence).await?;
        let name = name.to_owned();
        let Some(one) = watched.into_iter().find(|one| one.status.name == name) else {
            return Ok(Err(LeaveRefusal::Unknown { name }));
        };
        if one.beats && one.status.state == MemberState::Active {
            return Ok(Err(LeaveRefusal::Lives { name }));
        }
        if !self.away.is_empty() {
            let structures: Vec<&str> = self.away.iter().map(|(structure, _)| structure.as_str()).collect();
            return Ok(Err(LeaveRefusal::Away { name, structures: structures.join(", ") }));
        }
        let holds = self.holds(one.status.number).await?;
        if holds.parts > 0 {
            return Ok(Err(LeaveRefusal::Parts { name }));
        }
        if let Some(refusal) = refusal(&name, one.status.state, &holds).filter(|_| !force) {
            return Ok(Err(refusal));
        }
        let mut epoch = one.status.epoch;
        if one.status.state != MemberState::Inactive {
            let recovered =
                member::recover(&self.home.connected, &one.status, "").await.map_err(refused("recover a member"))?;
            if recovered.is_none() {
                // It is starting, or a peer recovers it at this moment.
                return Ok(Err(LeaveRefusal::NotRecovered { name }));
            }
            epoch += 1;
        }
        if !self.remove(one.status.number, epoch).await? {
            return Ok(Err(LeaveRefusal::Lives { name }));
        }
        Ok(Ok(Left {
            number: one.status.number,
            returned: holds.claims,
            backed_out: holds.in_doubt,
            forgotten: holds.decided,
        }))
    }

    async fn holds(&self, number: i32) -> Result<Holds, SharedError> {
        let action = "tell what the member holds";
        let mut holds = Holds::default();
        for place in self.places() {
            let client = place.client();
            let messages =
                client.query_one(statements::HELD_BY, &[&i64::from(number)]).await.map_err(refused(action))?;
            let units = client.query_one(statements::UNITS_OF, &[&number]).await.map_err(refused(action))?;
            holds.claims += messages.get::<_, i64>(0);
            holds.prepared_messages += messages.get::<_, i64>(1);
            holds.in_doubt += units.get::<_, i64>(0);
            holds.decided += units.get::<_, i64>(1);
            holds.parts += units.get::<_, i64>(2);
        }
        Ok(holds)
    }

    /// False: it has begun another epoch since. Structures first: a member that begins again finds what is left of it there.
    async fn remove(&self, number: i32, epoch: i64) -> Result<bool, SharedError> {
        let action = "remove a member";
        for place in &self.structures {
            structure::withdraw(&place.connected, number, epoch - 1).await.map_err(refused(action))?;
        }
        let client = self.home.client();
        client.batch_execute("BEGIN").await.map_err(refused(action))?;
        let removed = client.execute(statements::REMOVE_MEMBER, &[&number, &epoch]).await.map_err(refused(action))?;
        if removed == 0 {
            client.batch_execute("ROLLBACK").await.map_err(refused(action))?;
            return Ok(false);
        }
        client.execute(statements::FORGET_UNITS_OF, &[&number]).await.map_err(refused(action))?;
        back_out_lost_units(&self.home).await?;
        client.batch_execute("COMMIT").await.map_err(refused(action))?;
        for place in &self.structures {
            let client = place.client();
            client.batch_execute("BEGIN").await.map_err(refused(action))?;
            client.execute(statements::FORGET_UNITS_OF, &[&number]).await.map_err(refused(action))?;
            back_out_lost_units(place).await?;
            client.batch_execute("COMMIT").await.map_err(refused(action))?;
        }
        Ok(true)
    }
}

/// What still names a member.
#[derive(Default)]
struct Holds {
    claims: i64,
    prepared_messages: i64,
    in_doubt: i64,
    decided: i64,
    parts: i64,
}

fn refusal(name: &str, state: MemberState, holds: &Holds) -> Option<LeaveRefusal> {
    let name = name.to_owned();
    if matches!(state, MemberState::Active | MemberState::Recovering) {
        return Some(LeaveRefusal::NotRecovered { name });
    }
    if holds.in_doubt > 0 {
        return Some(LeaveRefusal::InDoubt { name, units: holds.in_doubt, messages: holds.prepared_messages });
    }
    if holds.claims > 0 {
        return Some(LeaveRefusal::Holds { name, messages: holds.claims });
    }
    (holds.decided > 0).then_some(LeaveRefusal::Decided { name, units: holds.decided })
}
