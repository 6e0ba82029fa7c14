//! Following a queue: a browse that goes on, and shows each message once, in whatever order messages become visible.
//!
//! The browse cursor of MQI goes one way. A message of a higher priority comes before it, and so does one that was put before others
//! and committed after them. A follower remembers for each rank how far it has come, and what it passed uncommitted.
//!
//! What other programs take is left out; so is what they hold when the follower passes, also when they give it back.
//!
//! Invariants
//! - Behind a place in `seen` the follower has shown no message of that rank.
//! - A message in `late` was not shown, and is not behind the place of its rank.

use std::collections::BTreeSet;

use model::options::{GetFlags, GetOptions, MatchOptions};
use model::reason::Reason;
use storage::{DeliveryKey, Position, StoreError};

use crate::queue::Queue;
use crate::queue::waiters::Wanted;
use crate::reason;
use crate::selection::matching;
use crate::verb::connection::{Connection, GetResult, ObjectHandle};
use crate::verb::get::Terms;

/// One for each priority.
const RANKS: usize = 10;
/// Most messages that are remembered because they were not committed. Beyond it the oldest are forgotten.
const MOST_LATE: usize = 10_000;

/// How far a queue has been followed.
#[derive(Debug, Clone)]
pub struct Follower {
    /// By rank, the position of the last message shown.
    seen: [Position; RANKS],
    /// What was passed before it was committed.
    late: BTreeSet<DeliveryKey>,
    pass: Option<Pass>,
}

/// One way through the queue, past the messages that were there when it began.
#[derive(Debug, Clone)]
struct Pass {
    /// What came later has this position or a higher one.
    bound: Position,
    /// Put and not committed at its beginning.
    uncommitted: Vec<DeliveryKey>,
}

impl Default for Follower {
    fn default() -> Self {
        Self { seen: [Position(0); RANKS], late: BTreeSet::new(), pass: None }
    }
}

impl Follower {
    /// One that goes on behind a place of a browse that began before. Of the ranks before that, it shows what gets this position
    /// or a later one.
    pub fn behind(place: DeliveryKey, next: Position) -> Self {
        let mut follower = Self::default();
        for rank in 0..RANKS.min(usize::from(place.rank)) {
            follower.seen[rank] = Position(next.0.saturating_sub(1));
        }
        if let Some(seen) = follower.seen.get_mut(usize::from(place.rank)) {
            *seen = place.position;
        }
        follower
    }

    /// One that goes on where another was: see `seen` and `late`. What gets this position or a later one is new: positions of messages
    /// that did not survive a crash are given again.
    pub fn resumed(
        seen: impl Iterator<Item = DeliveryKey>,
        late: impl Iterator<Item = DeliveryKey>,
        next: Position,
    ) -> Self {
        let mut follower = Self { late: late.take(MOST_LATE).collect(), ..Self::default() };
        for place in seen {
            if let Some(seen) = follower.seen.get_mut(usize::from(place.rank)) {
                *seen = Position(place.position.0.min(next.0.saturating_sub(1)));
            }
        }
        follower
    }

    /// The last message shown of each rank of which any was.
    pub fn seen(&self) -> impl Iterator<Item = DeliveryKey> {
        self.places().filter(|place| place.position.0 > 0)
    }

    /// What was passed before it was committed, and not shown since.
    pub fn late(&self) -> impl Iterator<Item = DeliveryKey> {
        self.late.iter().copied()
    }

    fn places(&self) -> impl Iterator<Item = DeliveryKey> {
        (0..).zip(self.seen).map(|(rank, position)| DeliveryKey { rank, position })
    }

    /// Notes that the message at the place is shown, and what is passed with it.
    fn show(&mut self, place: DeliveryKey) {
        let seen = &mut self.seen[usize::from(place.rank)];
        let before = std::mem::replace(seen, place.position);
        if let Some(pass) = &self.pass {
            let is_passed = |late: &&DeliveryKey| late.rank == place.rank && late.position > before && **late < place;
            self.late.extend(pass.uncommitted.iter().filter(is_passed));
        }
        while self.late.len() > MOST_LATE {
            self.late.pop_first();
        }
    }
}

impl Connection {
    /// Browses the next message that the follower has not shown, and waits for one if the options say so. The handle is open for
    /// browsing. A future that is dropped may have left out a message: the follower is of no further use then.
    ///
    /// # Errors
    /// Those of `get_on`; `NoMsgAvailable` (2033) also when the door closes; `FunctionNotSupported` (2298) of a shared queue.
    pub async fn follow(
        &self,
        handle: ObjectHandle,
        follower: &mut Follower,
        options: &GetOptions,
        terms: &Terms<'_>,
    ) -> Result<Box<GetResult>, Reason> {
        let open = self.state.handle(handle)?;
        let source = open.source()?;
        let queue = source.queue;
        if queue.id.is_shared() {
            // Positions of several members grow side by side: what was passed cannot be told from what is to come.
            return Err(Reason::FunctionNotSupported);
        }
        let mut look = options.clone();
        look.flags -= GetFlags::WAIT;
        let following = Following { connection: self, handle, queue, options: look };
        loop {
            let before = queue.waiters.changes();
            self.engine.admit(options.flags.contains(GetFlags::FAIL_IF_QUIESCING))?;
            self.state.check()?;
            open.check_unchanged()?;
            source.opened.check_get_enabled()?;
            queue.check_get_enabled()?;
            if let Some(result) = following.look(follower).await? {
                return Ok(result);
            }
            if !options.flags.contains(GetFlags::WAIT) || terms.end_the_wait() {
                return Err(Reason::NoMsgAvailable);
            }
            let waiter = queue.waiters.register(Wanted { browses: true, ..Wanted::default() });
            if queue.waiters.changes() == before {
                waiter.woken().await;
            }
        }
    }
}

struct Following<'a> {
    connection: &'a Connection,
    handle: ObjectHandle,
    queue: &'a Queue,
    /// Without waiting.
    options: GetOptions,
}

impl Following<'_> {
    async fn look(&self, follower: &mut Follower) -> Result<Option<Box<GetResult>>, Reason> {
        if !follower.late.is_empty()
            && let Some(result) = self.look_for_late(follower).await?
        {
            return Ok(Some(result));
        }
        let store = &self.connection.engine.store;
        loop {
            let bound = match &follower.pass {
                Some(pass) => pass.bound,
                None => {
                    // In this order: what comes in between is committed, or behind the bound.
                    let bound = store.next_position();
                    let uncommitted = store.uncommitted_puts(self.queue.id, follower.places()).await;
                    let uncommitted = uncommitted.map_err(|error| self.refused(&error))?;
                    follower.pass = Some(Pass { bound, uncommitted });
                    bound
                }
            };
            let Some(result) = self.first_unseen(follower).await? else {
                follower.pass = None;
                return Ok(None);
            };
            if result.position() < bound {
                follower.show(result.place());
                return Ok(Some(result));
            }
            // What was put before it may have come meanwhile, too: it is looked for on a new way.
            follower.pass = None;
        }
    }

    /// One that was passed, and is committed now.
    async fn look_for_late(&self, follower: &mut Follower) -> Result<Option<Box<GetResult>>, Reason> {
        let known: Vec<DeliveryKey> = follower.late.iter().copied().collect();
        for place in known {
            let is_available = self.connection.engine.store.is_available(self.queue.id, place).await;
            let is_available = is_available.map_err(|error| self.refused(&error))?;
            if is_available == Some(false) {
                continue;
            }
            follower.late.remove(&place);
            if is_available == Some(true)
                && let Some(result) = self.browse_at(place).await?
            {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    async fn browse_at(&self, place: DeliveryKey) -> Result<Option<Box<GetResult>>, Reason> {
        let mut options = self.options.clone();
        options.flags |= GetFlags::BROWSE_FIRST;
        options.match_options |= MatchOptions::MSG_TOKEN;
        options.message_token = matching::token(self.queue.id, place);
        self.browse(&options).await
    }

    /// The first message in delivery order that is behind the place of its rank.
    async fn first_unseen(&self, follower: &Follower) -> Result<Option<Box<GetResult>>, Reason> {
        let mut options = self.options.clone();
        options.flags |= GetFlags::BROWSE_NEXT;
        let mut from = 0;
        loop {
            let places = follower.places().skip(from);
            let next = self.connection.engine.store.first_behind(self.queue.id, places).await;
            let next = next.map_err(|error| self.refused(&error))?;
            let Some(next) = next.map(|next| usize::from(next.rank)) else { return Ok(None) };
            let Some(place) = follower.places().nth(next) else { return Ok(None) };
            self.connection.browse_from(self.handle, place)?;
            let Some(result) = self.browse(&options).await? else { return Ok(None) };
            let place = result.place();
            let rank = usize::from(place.rank);
            if follower.seen.get(rank).is_some_and(|seen| place.position > *seen) {
                return Ok(Some(result));
            }
            // Of the ranks before it there is nothing that matches, and of its own what was shown.
            from = rank.max(next + 1);
        }
    }

    fn refused(&self, error: &StoreError) -> Reason {
        reason::of_store(&self.connection.engine, error)
    }

    async fn browse(&self, options: &GetOptions) -> Result<Option<Box<GetResult>>, Reason> {
        match self.connection.get_on(self.handle, options, &Terms::default()).await {
            Ok(result) => Ok(Some(result)),
            Err(Reason::NoMsgAvailable) => Ok(None),
            Err(reason) => Err(reason),
        }
    }
}
