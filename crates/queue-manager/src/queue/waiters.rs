//! Those who wait for a message on one queue, in the order in which they came.
//!
//! No polling and no lost wake-up: a waiter registers first and looks at the queue afterwards, unless it has not changed
//! meanwhile; whoever makes a message visible calls `arrived` afterwards. Each arrival wakes the longest waiter that may
//! want it, and every browser that may want it. A waiter that leaves with a wake-up it did not use (dropped, timed out,
//! took another message) hands it on. A waiter that looked in vain keeps its place. One that searches a long queue steps
//! aside: what arrives meanwhile wakes those behind it as well.
//!
//! Knows nothing of stores: a wake-up is a hint, and the waiter always looks again.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Poll, Waker};

use model::descriptor::MessageDescriptor;
use model::identifier::{CorrelationId, GroupId, MessageId};
use parking_lot::Mutex;
use slab::Slab;

/// What a waiter may want to know of a message before it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) message_id: MessageId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) group_id: GroupId,
}

impl Arrival {
    /// Some message: it wakes those who wait for any, and then, since they may refuse it, those behind them.
    pub(crate) fn unknown() -> Self {
        Self { message_id: MessageId::NONE, correlation_id: CorrelationId::NONE, group_id: GroupId::NONE }
    }

    pub(crate) fn of(descriptor: &MessageDescriptor) -> Self {
        Self {
            message_id: descriptor.message_id,
            correlation_id: descriptor.correlation_id,
            group_id: descriptor.group_id,
        }
    }
}

/// What a waiter waits for. `None` matches everything.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub(crate) message_id: Option<MessageId>,
    pub(crate) correlation_id: Option<CorrelationId>,
    /// Not looked at by arrivals; for people who ask.
    pub(crate) group_id: Option<GroupId>,
    /// `Handle::owner`, for people who ask.
    pub(crate) handle: u64,
    /// Browsers take nothing: an arrival wakes every one of them, and a getter besides.
    pub(crate) browses: bool,
    /// The identifiers say all there is to match; otherwise a message that looks right may still be refused.
    pub(crate) is_exact: bool,
}

/// Under which identifier a waiter is filed, so that an arrival need not visit all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Any,
    Message(MessageId),
    Correlation(CorrelationId),
}

impl Wanted {
    fn key(&self) -> Key {
        match (self.message_id, self.correlation_id) {
            (Some(id), _) => Key::Message(id),
            (None, Some(id)) => Key::Correlation(id),
            (None, None) => Key::Any,
        }
    }

    fn may_match(&self, arrival: &Arrival) -> bool {
        self.message_id.is_none_or(|id| id == arrival.message_id)
            && self.correlation_id.is_none_or(|id| id == arrival.correlation_id)
    }
}

/// How many reasons to look at a queue again there had been at a moment. Whatever becomes visible brings one more, if need be
/// a little later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes(u64);

#[derive(Debug, Clone, Copy)]
enum WakeUp {
    Arrived(Arrival),
    /// Something else changed: get inhibited, queue deleted, queue manager stopping.
    Changed,
}

struct Slot {
    wanted: Wanted,
    wake_up: Option<WakeUp>,
    waker: Option<Waker>,
    /// The message whose wake-up is being used by the look in progress.
    holding: Option<Arrival>,
    /// The look in progress takes long.
    is_aside: bool,
}

type Ticket = u64;

/// Browsers apart from getters, then by identifier, then in order of coming.
type Place = (bool, Key, Ticket);

#[derive(Default)]
struct Line {
    next: Ticket,
    /// A waiter knows the index of its own.
    slots: Slab<Slot>,
    order: BTreeMap<Place, usize>,
    /// How many are browsers, getters of anything, of a MsgId, and of a CorrelId: where there are none, an arrival need
    /// not look.
    browsers: usize,
    anybody: usize,
    of_message: usize,
    of_correlation: usize,
}

/// The waiters of one queue.
#[derive(Default)]
pub(crate) struct Waiters {
    /// How many are in line: read without the lock, so that a put nobody waits for costs nothing.
    count: AtomicU32,
    /// Grows with all that is a reason to look again.
    changes: AtomicU64,
    line: Mutex<Line>,
}

impl Waiters {
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }

    /// Another number than before a look in vain: there may be something now. The same one, asked for after `register`:
    /// nothing has come, and whatever comes will find the new waiter.
    pub(crate) fn changes(&self) -> Changes {
        Changes(self.changes.load(Ordering::SeqCst))
    }

    /// Takes a place in line. Look at the queue after this, unless `changes` says that it is as it was, and before each
    /// `woken`.
    pub(crate) fn register(&self, wanted: Wanted) -> Waiter<'_> {
        self.count.fetch_add(1, Ordering::SeqCst);
        let mut line = self.line.lock();
        let ticket = line.next;
        line.next += 1;
        let place = (wanted.browses, wanted.key(), ticket);
        *line.tally(&place) += 1;
        let slot = line.slots.insert(Slot { wanted, wake_up: None, waker: None, holding: None, is_aside: false });
        line.order.insert(place, slot);
        Waiter { waiters: self, place, slot, is_exact: wanted.is_exact }
    }

    /// What the first `maximum` of those who wait ask for.
    pub(crate) fn asked(&self, maximum: usize) -> Vec<Wanted> {
        self.line.lock().slots.iter().take(maximum).map(|(_, slot)| slot.wanted).collect()
    }

    /// A message became visible: wakes one getter and all browsers that may want it. Call after it is visible.
    pub(crate) fn arrived(&self, arrival: &Arrival) {
        self.arrived_for(arrival, 0);
    }

    /// As `arrived`, for those whose ticket is `first` or later.
    fn arrived_for(&self, arrival: &Arrival, first: Ticket) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        if self.count() == 0 {
            return;
        }
        let (getter, browsers) = self.line.lock().arrived(arrival, first);
        browsers.into_iter().chain(getter).for_each(Waker::wake);
    }

    /// Everybody is to look again.
    pub(crate) fn wake_all(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        if self.count() == 0 {
            return;
        }
        let mut line = self.line.lock();
        let mut woken = Vec::new();
        for (_, slot) in &mut line.slots {
            slot.wake_up.get_or_insert(WakeUp::Changed);
            woken.extend(slot.waker.take());
        }
        drop(line);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl Line {
    /// Marks who is to look: the wakers of one getter and of all browsers.
    fn arrived(&mut self, arrival: &Arrival, first: Ticket) -> (Option<Waker>, Vec<Waker>) {
        let [any, of_message, of_correlation] =
            [Key::Any, Key::Message(arrival.message_id), Key::Correlation(arrival.correlation_id)];
        let mut browsers = Vec::new();
        if self.browsers > 0 {
            for key in [any, of_message, of_correlation] {
                let found: Vec<usize> = self.candidates(true, key, first, arrival).map(|(_, slot)| slot).collect();
                for slot in found {
                    browsers.extend(self.slots[slot].wake(arrival));
                }
            }
        }
        let searched = [(any, self.anybody), (of_message, self.of_message), (of_correlation, self.of_correlation)];
        loop {
            let longest = searched
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .filter_map(|(key, _)| self.candidates(false, key, first, arrival).next())
                .min_by_key(|(ticket, _)| *ticket);
            let Some((_, slot)) = longest else { return (None, browsers) };
            let slot = &mut self.slots[slot];
            if !slot.is_aside {
                return (slot.wake(arrival), browsers);
            }
            slot.wake_up = Some(WakeUp::Changed);
        }
    }

    /// Where a place is counted.
    fn tally(&mut self, place: &Place) -> &mut usize {
        match place {
            (true, ..) => &mut self.browsers,
            (false, Key::Any, _) => &mut self.anybody,
            (false, Key::Message(_), _) => &mut self.of_message,
            (false, Key::Correlation(_), _) => &mut self.of_correlation,
        }
    }

    /// Waiters filed under `key` that are not awake yet and may want the message, longest waiting first.
    fn candidates(
        &self,
        browses: bool,
        key: Key,
        first: Ticket,
        arrival: &Arrival,
    ) -> impl Iterator<Item = (Ticket, usize)> {
        let behind = self.order.range((browses, key, first)..);
        let filed = behind.take_while(move |((browser, filed, _), _)| *browser == browses && *filed == key);
        let waiters = filed.map(|((_, _, ticket), slot)| (*ticket, *slot));
        waiters.filter(move |(_, slot)| {
            let slot = &self.slots[*slot];
            slot.wake_up.is_none() && slot.wanted.may_match(arrival)
        })
    }
}

impl Slot {
    /// Marks it as to look for the message.
    fn wake(&mut self, arrival: &Arrival) -> Option<Waker> {
        self.wake_up = Some(WakeUp::Arrived(*arrival));
        self.waker.take()
    }
}

/// A place in line. Dropping it leaves the line and hands an unused wake-up on.
pub(crate) struct Waiter<'a> {
    waiters: &'a Waiters,
    place: Place,
    slot: usize,
    is_exact: bool,
}

impl Waiter<'_> {
    /// Ends when there is reason to look again.
    pub(crate) async fn woken(&self) {
        poll_fn(|context| {
            let mut line = self.waiters.line.lock();
            let slot = &mut line.slots[self.slot];
            if slot.wake_up.is_some() {
                return Poll::Ready(());
            }
            slot.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Call before each look, so that what arrives during the look wakes again.
    pub(crate) fn begin_look(&self) {
        let mut line = self.waiters.line.lock();
        let slot = &mut line.slots[self.slot];
        if let Some(WakeUp::Arrived(arrival)) = slot.wake_up.take() {
            slot.holding = Some(arrival);
        }
    }

    /// The look takes long. Those behind in line need not wait for its end: they are told what this one was woken for and
    /// what arrives from now on, and this one looks again when anything has.
    pub(crate) fn step_aside(&self) {
        let (browses, _, ticket) = self.place;
        let mut line = self.waiters.line.lock();
        let slot = &mut line.slots[self.slot];
        if browses || slot.is_aside {
            return;
        }
        slot.is_aside = true;
        let held = slot.holding.take();
        let arrived = match slot.wake_up {
            Some(WakeUp::Arrived(arrival)) => Some(arrival),
            Some(WakeUp::Changed) | None => None,
        };
        if arrived.is_some() {
            slot.wake_up = Some(WakeUp::Changed);
        }
        drop(line);
        for arrival in held.into_iter().chain(arrived) {
            self.waiters.arrived_for(&arrival, ticket + 1);
        }
    }

    /// The look took this message; a wake-up for another one goes to the next in line when the place is given up.
    pub(crate) fn took(&self, message: &MessageId) {
        let mut line = self.waiters.line.lock();
        line.slots[self.slot].holding.take_if(|arrival| arrival.message_id == *message);
    }

    /// The look found nothing. The message is gone, or is not what this waiter wants although it looked so; then those
    /// behind it in line may want it.
    pub(crate) fn found_nothing(&self) {
        let mut line = self.waiters.line.lock();
        let slot = &mut line.slots[self.slot];
        slot.is_aside = false;
        let held = slot.holding.take();
        drop(line);
        if let Some(arrival) = held
            && !self.is_exact
        {
            self.waiters.arrived_for(&arrival, self.place.2 + 1);
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut line = self.waiters.line.lock();
        line.order.remove(&self.place);
        let slot = line.slots.remove(self.slot);
        *line.tally(&self.place) -= 1;
        drop(line);
        self.waiters.count.fetch_sub(1, Ordering::SeqCst);
        if let Some(arrival) = slot.holding {
            self.waiters.arrived(&arrival);
        }
        if let Some(WakeUp::Arrived(arrival)) = slot.wake_up {
            self.waiters.arrived(&arrival);
        }
    }
}
