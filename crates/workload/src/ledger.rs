//! The ledger: what was put, what was answered, what was got, and the verdict over it.
//!
//! Every put has an identifier of its own in its body. A request whose connection died before the answer may or may
//! not have taken effect: such a put may be found or not, and such a get explains one message that is gone. Nothing
//! else is excused: an answered put that is neither got nor left nor explained is lost, and a message got twice is
//! duplicated whatever its put was answered.
//!
//! A request that is repeated under its key until it is answered has no unknown effect in the end: its last answer counts. A
//! delivery is got when its completion is answered, alone or in a transaction, and from there on must not be seen again.
//!
//! Invariants
//! - One byte a message: millions cost megabytes. A client's entries sit in order of their sequence.
//! - Recording is a store under the lock of the client that put the message; nothing else is shared.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::client::Effect;
use crate::payload::PutId;

/// Bits of an entry.
const ANSWERED: u8 = 0b0000_0001;
const REFUSED: u8 = 0b0000_0010;
const UNKNOWN: u8 = 0b0000_0100;
/// A get aimed at this very message lost its answer.
const GET_UNKNOWN: u8 = 0b0000_1000;
const DAMAGED: u8 = 0b0001_0000;
/// A request without an answer: it was still on its queue.
const LEFT: u8 = 0b0010_0000;
/// How often it was got: 0 to 3, counting no further.
const GOT_SHIFT: u8 = 6;
const GOT_ONE: u8 = 1 << GOT_SHIFT;
const GOT_MOST: u8 = 3;

/// Shared by all clients of a run.
pub struct Ledger {
    run: u64,
    clients: Vec<Mutex<Vec<u8>>>,
    /// Messages of other runs, and how often each was got here.
    foreign: Mutex<HashMap<PutId, u32>>,
    /// Messages without an identifier of ours.
    unmarked: AtomicU64,
    /// Gets of just any message that lost their answer.
    unknown_gets: AtomicU64,
    /// Answers that were not those of their requests.
    misdelivered: AtomicU64,
}

/// What became of every message, in counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Verdict {
    pub answered_puts: u64,
    pub refused_puts: u64,
    /// Puts whose answer was lost, and how many of them took effect.
    pub unknown_puts: u64,
    pub unknown_puts_found: u64,
    /// Messages got, each counted once.
    pub got: u64,
    /// Gets whose answer was lost.
    pub unknown_gets: u64,
    /// Answered puts that are gone and that a get without an answer may have taken.
    pub explained: u64,
    /// Requests without an answer at the end of the run: they were still on their queue.
    pub left: u64,
    /// Answered puts neither got nor left although the queues were emptied. `None`: not examined.
    pub lost: Option<u64>,
    /// Messages got more than once.
    pub duplicated: u64,
    /// Messages got although their put was refused.
    pub refused_but_found: u64,
    /// Messages whose body came back changed.
    pub damaged: u64,
    /// Messages and replies that were returned to a request for another one.
    pub misdelivered: u64,
    /// Messages got that this run did not put.
    pub foreign: u64,
}

impl Verdict {
    /// Nothing lost, doubled, damaged, given to the wrong one, or there against the server's word.
    pub fn is_clean(&self) -> bool {
        let breaches = [self.duplicated, self.damaged, self.misdelivered, self.refused_but_found];
        self.lost.unwrap_or(0) == 0 && breaches == [0; 4]
    }

    /// Of two ledgers together: what is lost is known when both know.
    #[must_use]
    pub(crate) fn merged(first: Option<Self>, second: Self) -> Self {
        let Some(first) = first else { return second };
        Self {
            answered_puts: first.answered_puts + second.answered_puts,
            refused_puts: first.refused_puts + second.refused_puts,
            unknown_puts: first.unknown_puts + second.unknown_puts,
            unknown_puts_found: first.unknown_puts_found + second.unknown_puts_found,
            got: first.got + second.got,
            unknown_gets: first.unknown_gets + second.unknown_gets,
            explained: first.explained + second.explained,
            left: first.left + second.left,
            lost: first.lost.zip(second.lost).map(|(first, second)| first + second),
            duplicated: first.duplicated + second.duplicated,
            refused_but_found: first.refused_but_found + second.refused_but_found,
            damaged: first.damaged + second.damaged,
            misdelivered: first.misdelivered + second.misdelivered,
            foreign: first.foreign + second.foreign,
        }
    }
}

impl Ledger {
    /// `run` should differ from that of any run whose messages may still be on the queue.
    pub fn new(run: u64, clients: u32) -> Self {
        Self {
            run,
            clients: (0..clients).map(|_| Mutex::new(Vec::new())).collect(),
            foreign: Mutex::new(HashMap::new()),
            unmarked: AtomicU64::new(0),
            unknown_gets: AtomicU64::new(0),
            misdelivered: AtomicU64::new(0),
        }
    }

    /// A new identifier for a put about to be sent. Until told otherwise its effect is unknown.
    ///
    /// # Panics
    /// When `client` is not below the number given to `new`.
    pub fn begin_put(&self, client: u32) -> PutId {
        let mut entries = lock(&self.clients[client as usize]);
        let sequence = entries.len() as u64;
        entries.push(UNKNOWN);
        PutId { run: self.run, client, sequence }
    }

    /// Also of a request that was repeated under its key: whatever its first answer was, this one is the same.
    pub fn put_answered(&self, id: PutId) {
        self.change(id, |entry| *entry = *entry & !UNKNOWN | ANSWERED);
    }

    pub fn put_failed(&self, id: PutId, effect: Effect) {
        if effect == Effect::None {
            self.change(id, |entry| *entry = *entry & !UNKNOWN | REFUSED);
        }
    }

    /// A get was answered with this body. Says which of this run's messages it was.
    pub fn got(&self, body: &[u8], intact: bool) -> Option<PutId> {
        self.seen(body, intact, count_once)
    }

    /// A client holds this message and has not said yet what becomes of it. One that was got before is now seen twice.
    pub fn delivered(&self, body: &[u8], intact: bool) -> Option<PutId> {
        self.seen(body, intact, |entry| {
            if *entry >> GOT_SHIFT > 0 {
                count_once(entry);
            }
        })
    }

    /// The completion of a delivery was answered: the message is got.
    pub fn completed(&self, id: PutId) {
        self.change(id, count_once);
    }

    fn seen(&self, body: &[u8], intact: bool, count: impl FnOnce(&mut u8)) -> Option<PutId> {
        let Some(id) = PutId::of(body) else {
            self.unmarked.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        let known = self.change(id, |entry| {
            count(entry);
            if !intact {
                *entry |= DAMAGED;
            }
        });
        if !known {
            *lock(&self.foreign).entry(id).or_default() += 1;
        }
        known.then_some(id)
    }

    /// A message or a reply came that was not the one asked for.
    pub fn misdelivered(&self) {
        self.misdelivered.fetch_add(1, Ordering::Relaxed);
    }

    /// A get failed. `aimed_at` is the message it selected, `None` when any message would have done.
    pub fn get_failed(&self, aimed_at: Option<PutId>, effect: Effect) {
        match (effect, aimed_at) {
            (Effect::None, _) => {}
            (Effect::Unknown, Some(id)) => {
                self.change(id, |entry| *entry |= GET_UNKNOWN);
            }
            (Effect::Unknown, None) => {
                self.unknown_gets.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// A request was found on its queue and removed: it will not be answered.
    pub fn left(&self, id: PutId) {
        self.change(id, |entry| *entry |= LEFT);
    }

    /// A client's messages that may still be on the queue, oldest first.
    pub fn outstanding(&self, client: u32) -> Vec<PutId> {
        let entries = lock(&self.clients[client as usize]);
        let there = |entry: u8| entry & (ANSWERED | UNKNOWN) != 0 && entry & LEFT == 0 && entry >> GOT_SHIFT == 0;
        (0..)
            .zip(entries.iter())
            .filter(|&(_, &entry)| there(entry))
            .map(|(sequence, _)| PutId { run: self.run, client, sequence })
            .collect()
    }

    /// The counts. `emptied`: every message that was still on the queues has been got and recorded before.
    pub fn verdict(&self, emptied: bool) -> Verdict {
        let mut verdict = Verdict {
            unknown_gets: self.unknown_gets.load(Ordering::Relaxed),
            misdelivered: self.misdelivered.load(Ordering::Relaxed),
            ..Verdict::default()
        };
        let any_message_gets = verdict.unknown_gets;
        let mut missing = 0;
        for client in &self.clients {
            for &entry in lock(client).iter() {
                missing += count(&mut verdict, entry);
            }
        }
        let excused = missing.min(any_message_gets);
        if emptied {
            verdict.explained += excused;
            verdict.lost = Some(missing - excused);
        }
        let foreign = lock(&self.foreign);
        verdict.foreign = foreign.len() as u64 + self.unmarked.load(Ordering::Relaxed);
        verdict.duplicated += foreign.values().filter(|&&times| times > 1).count() as u64;
        verdict
    }

    /// False when the message is not one of this run.
    fn change(&self, id: PutId, change: impl FnOnce(&mut u8)) -> bool {
        if id.run != self.run {
            return false;
        }
        let Some(client) = self.clients.get(id.client as usize) else { return false };
        let mut entries = lock(client);
        let Some(entry) = usize::try_from(id.sequence).ok().and_then(|sequence| entries.get_mut(sequence)) else {
            return false;
        };
        change(entry);
        true
    }
}

fn count_once(entry: &mut u8) {
    if *entry >> GOT_SHIFT < GOT_MOST {
        *entry += GOT_ONE;
    }
}

/// Adds one entry to the counts; 1 when its message is missing without an explanation of its own.
fn count(verdict: &mut Verdict, entry: u8) -> u64 {
    let (got, is_left) = (entry >> GOT_SHIFT, entry & LEFT != 0);
    verdict.got += u64::from(got > 0);
    verdict.left += u64::from(is_left);
    // Whoever answered a request had taken it.
    verdict.duplicated += u64::from(got > 1 || (got > 0 && is_left));
    verdict.damaged += u64::from(entry & DAMAGED != 0);
    verdict.unknown_gets += u64::from(entry & GET_UNKNOWN != 0);
    if entry & REFUSED != 0 {
        verdict.refused_puts += 1;
        verdict.refused_but_found += u64::from(got > 0 || is_left);
    } else if entry & UNKNOWN != 0 {
        verdict.unknown_puts += 1;
        verdict.unknown_puts_found += u64::from(got > 0 || is_left);
    } else {
        verdict.answered_puts += 1;
        if got == 0 && !is_left {
            verdict.explained += u64::from(entry & GET_UNKNOWN != 0);
            return u64::from(entry & GET_UNKNOWN == 0);
        }
    }
    0
}

/// A panicking client must not hide the counts of the others.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
