//! What an operator does with a group from outside: look at it, check a member to be, take a member out, mend what is stuck.
//!
//! It works on the databases alone. No member needs to run, and those that run go on: each change is one that a member may meet at any
//! time. `database.rs` says what the database is like, `checks.rs` what of it needs attention, `status.rs` how the group is,
//! `view.rs` what looks see a database by, `seen.rs` how a member sees its group, `joining.rs` whether a member can take part, `leaving.rs` how one goes for good, `repair.rs` what is stuck and how it is mended.
//!
//! Never: takes part as a member, or changes what a member that lives holds.

mod checks;
mod database;
mod joining;
mod leaving;
mod repair;
mod seen;
mod statements;
mod status;
mod view;

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::QueueId;
use crate::shared::batch::Connected;
use crate::shared::definitions::{GroupDefinition, GroupDisposition, definition};
use crate::shared::driver::connected;
use crate::shared::error::SharedError;
use crate::shared::member::{self, MemberState, MemberStatus};
use crate::shared::options::SharedOptions;
use crate::shared::primary::{self, HighestTimeline, Primary};
use crate::shared::schema::{Label, SchemaVersions};

pub use crate::shared::administration::checks::{Check, Verdict};
pub(super) use crate::shared::administration::database::may_vacuum;
pub use crate::shared::administration::database::{DatabaseFacts, Holder, Host, HostRole, Standby};
pub use crate::shared::administration::joining::Reserved;
pub use crate::shared::administration::leaving::{LeaveRefusal, Left};
pub use crate::shared::administration::repair::{Finding, Stuck};
pub use crate::shared::administration::seen::{DatabaseView, GroupView};
pub(super) use crate::shared::administration::seen::{Reached, look};
pub use crate::shared::administration::status::{GroupStatus, MemberLook, Recovery, SharedQueue, UnitInDoubt};
pub(super) use crate::shared::administration::view::View;

/// Name and number of the queue that a definition of the group is of, of each place while it moves; none: this program cannot read it.
pub type QueueOf = fn(&GroupDefinition) -> Vec<(String, QueueId)>;

/// Between two looks at beats.
const LOOK: Duration = Duration::from_millis(100);
/// A member that lives beats once a second.
const BEATS: Duration = Duration::from_secs(3);

/// An operator's connections to the group's databases.
pub struct Administrator {
    home: Place,
    /// Databases of structures that answer.
    structures: Vec<Place>,
    /// Those that do not, and why.
    away: Vec<(String, SharedError)>,
    options: SharedOptions,
    queue_of: QueueOf,
}

/// One database of the group.
struct Place {
    /// `None`: the home.
    structure: Option<String>,
    connected: Connected,
    primary: Primary,
    options: SharedOptions,
}

impl Place {
    async fn connect(
        options: SharedOptions,
        group: &str,
        structure: Option<&str>,
        known: &SchemaVersions,
    ) -> Result<Self, SharedError> {
        let primary = primary::find(&options, &HighestTimeline::default()).await?;
        let (connected, label) = connected(&primary, true, known).await?;
        let structure = structure.map(str::to_owned);
        label.expect(&Label { group: group.to_owned(), structure: structure.clone(), ..label.clone() })?;
        Ok(Self { structure, connected, primary, options })
    }

    fn client(&self) -> &Client {
        &self.connected.client
    }

    fn view(&self) -> View<'_> {
        View {
            structure: self.structure.as_deref(),
            connected: &self.connected,
            primary: &self.primary,
            options: &self.options,
        }
    }
}

/// What `Administrator::connect` has failed with, as a check: whether the home does not answer, or is not what it should be.
pub fn not_connected(error: &SharedError) -> Check {
    match error {
        SharedError::Connect(_) | SharedError::NoPrimary | SharedError::OldTimeline { .. } => {
            checks::away(None, &primary::chain(error))
        }
        _ => Check::failure("group", primary::chain(error)),
    }
}

impl Administrator {
    /// Connects to the home, and to the databases of structures as far as they answer.
    ///
    /// # Errors
    /// Those of `create_group`, and `NoGroup`.
    pub async fn connect(options: &SharedOptions, group: &str, queue_of: QueueOf) -> Result<Self, SharedError> {
        let home = Place::connect(options.clone(), group, None, &options.schema).await?;
        let (mut structures, mut away) = (Vec::new(), Vec::new());
        for structure in &options.structures {
            let name = &structure.structure;
            match Place::connect(structure.reached_as(options), group, Some(name), &options.schema).await {
                Ok(place) => structures.push(place),
                Err(error) => away.push((name.clone(), error)),
            }
        }
        Ok(Self { home, structures, away, options: options.clone(), queue_of })
    }

    /// Every database that answers, the home first.
    fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.home).chain(&self.structures)
    }

    /// Looks at the beats of all members until each that should live was seen to beat, or until `limit`.
    async fn watch(&self, limit: Duration) -> Result<Vec<Watched>, SharedError> {
        let began = Instant::now();
        let mut watched: HashMap<i32, Watched> = HashMap::new();
        loop {
            let members = self.members().await?;
            watched.retain(|number, _| members.iter().any(|member| member.number == *number));
            for member in members {
                match watched.get_mut(&member.number) {
                    Some(known) => known.look(member),
                    None => drop(watched.insert(member.number, Watched::new(member))),
                }
            }
            let is_settled = watched.values().all(|one| one.beats || one.status.state != MemberState::Active);
            if is_settled || began.elapsed() >= limit {
                break;
            }
            sleep(LOOK).await;
        }
        let mut watched: Vec<Watched> = watched.into_values().collect();
        watched.sort_unstable_by_key(|one| one.status.number);
        Ok(watched)
    }

    async fn members(&self) -> Result<Vec<MemberStatus>, SharedError> {
        member::members(&self.home.connected).await.map_err(refused("list the members"))
    }

    /// All shared queues by number, and how many definitions this program cannot read.
    async fn queues(&self) -> Result<(HashMap<QueueId, String>, usize), SharedError> {
        queues(self.home.view(), self.queue_of).await
    }
}

/// All shared queues by number, and how many definitions this program cannot read.
async fn queues(home: View<'_>, queue_of: QueueOf) -> Result<(HashMap<QueueId, String>, usize), SharedError> {
    let (client, s) = (home.client(), &home.connected.statements);
    let rows = client.query(&s.definitions_after, &[&0_i64]).await.map_err(refused("list the definitions"))?;
    let shared = rows.iter().map(definition).filter(|one| {
        one.disposition == GroupDisposition::Shared && one.key.starts_with("queue/") && one.value.is_some()
    });
    let (mut queues, mut unreadable) = (HashMap::new(), 0);
    for definition in shared {
        let places = queue_of(&definition);
        unreadable += usize::from(places.is_empty());
        queues.extend(places.into_iter().map(|(name, queue)| (queue, name)));
    }
    Ok((queues, unreadable))
}

/// What a look has found of a member's life.
struct Seen {
    status: MemberStatus,
    /// `None`: it shows none.
    since_beat: Option<Duration>,
    /// How long it was looked at, or has been silent.
    watched: Duration,
}

/// A member, looked at for a while.
struct Watched {
    status: MemberStatus,
    began: Instant,
    /// Its beat was seen to change, at this moment for the last time.
    beat_at: Instant,
    beats: bool,
    looks: u32,
}

impl Watched {
    fn new(status: MemberStatus) -> Self {
        let now = Instant::now();
        Self { status, began: now, beat_at: now, beats: false, looks: 1 }
    }

    fn look(&mut self, status: MemberStatus) {
        self.looks += 1;
        if status.life() != self.status.life() {
            (self.beat_at, self.beats) = (Instant::now(), true);
        }
        self.status = status;
    }

    fn seen(self) -> Seen {
        let is_silent = self.is_silent();
        let since_beat = (self.beats && !is_silent).then(|| self.beat_at.elapsed());
        Seen { since_beat, watched: self.began.elapsed(), status: self.status }
    }

    /// It says that it lives, or half of a recovery, and nothing has moved for as long as was looked.
    fn is_silent(&self) -> bool {
        !self.beats && matches!(self.status.state, MemberState::Active | MemberState::Recovering)
    }
}

/// For `map_err`.
fn refused(action: &'static str) -> impl Fn(tokio_postgres::Error) -> SharedError {
    move |source| SharedError::Refused { action, source }
}
