//! A client that does all that clients do, and writes down what it was told.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::{LockOwner, QueueId, Selection, Store, StoreError, block_on};

use crate::shared::group::{NOW, correlation, get, get_with, name, put};
use crate::shared::ledger::Line;

/// Queues of a group that clients share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Queues {
    /// Any client puts and gets.
    pub(crate) work: QueueId,
    /// Requests, which their senders get again by their identifiers.
    pub(crate) replies: QueueId,
    /// One client gets, in order.
    pub(crate) ordered: QueueId,
}

impl Queues {
    pub(crate) fn all(&self) -> [QueueId; 3] {
        [self.work, self.replies, self.ordered]
    }
}

pub(crate) struct Client<'a> {
    pub(crate) store: &'a Store,
    pub(crate) queues: Queues,
    /// In the first bits of the names of its messages; not 0.
    pub(crate) number: u64,
    pub(crate) write: Box<dyn FnMut(Line) + Send + 'a>,
    random: StdRng,
    next: u64,
    /// The last of each producer on the ordered queue.
    seen: HashMap<u64, u64>,
}

/// The verb answered `Unreachable` or `Closed`.
pub(crate) struct Away;

impl<'a> Client<'a> {
    pub(crate) fn new(
        store: &'a Store,
        queues: Queues,
        number: u64,
        seed: u64,
        write: Box<dyn FnMut(Line) + Send + 'a>,
    ) -> Self {
        let random = StdRng::seed_from_u64(seed ^ number << 32);
        Self { store, queues, number, write, random, next: 1, seen: HashMap::new() }
    }

    /// Until it is told to stop, or the database is away for too long.
    pub(crate) fn run(mut self, stop: &Arc<AtomicBool>, gets_in_order: bool) -> Result<(), Away> {
        while !stop.load(Ordering::Acquire) {
            if gets_in_order {
                self.get_in_order()?;
                continue;
            }
            match self.random.gen_range(0..10) {
                0..=2 => self.put_one(self.queues.work).map(drop)?,
                3 => self.put_one(self.queues.ordered).map(drop)?,
                4 => self.request()?,
                5 => self.get_one()?,
                6..=8 => self.unit()?,
                _ => self.look()?,
            }
        }
        Ok(())
    }

    fn name(&mut self) -> u64 {
        self.next += 1;
        self.number << 32 | self.next
    }

    fn put_one(&mut self, queue: QueueId) -> Result<u64, Away> {
        let (name, persistent) = (self.name(), self.random.gen_bool(0.7));
        (self.write)(Line::Putting(name, persistent));
        done(put(self.store, None, queue, name, persistent))?;
        (self.write)(Line::Put(name));
        Ok(name)
    }

    fn request(&mut self) -> Result<(), Away> {
        let name = self.put_one(self.queues.replies)?;
        let selection = Selection { correlation_id: Some(correlation(name)), ..Selection::default() };
        (self.write)(Line::Getting);
        let got = done(get_with(self.store, None, self.queues.replies, &selection))?;
        (self.write)(Line::Got(got));
        assert!(got.is_none_or(|got| got == name), "asked for {name} by its identifier, got {got:?}");
        Ok(())
    }

    fn get_one(&mut self) -> Result<(), Away> {
        (self.write)(Line::Getting);
        let got = done(get(self.store, None, self.queues.work))?;
        (self.write)(Line::Got(got));
        Ok(())
    }

    fn get_in_order(&mut self) -> Result<(), Away> {
        (self.write)(Line::Getting);
        let got = done(get(self.store, None, self.queues.ordered))?;
        (self.write)(Line::Got(got));
        if let Some(got) = got {
            let last = self.seen.insert(got >> 32, got).unwrap_or(0);
            assert!(last < got, "of one producer {got:x} comes after {last:x}");
        }
        Ok(())
    }

    fn unit(&mut self) -> Result<(), Away> {
        let unit = self.store.begin();
        let (mut gets, mut puts) = (Vec::new(), Vec::new());
        for _ in 0..self.random.gen_range(1..4) {
            if self.random.gen_bool(0.6) {
                gets.extend(done(get(self.store, Some(unit), self.queues.work))?);
            } else {
                let (name, persistent) = (self.name(), self.random.gen_bool(0.7));
                let queue = if self.random.gen_bool(0.3) { self.queues.ordered } else { self.queues.work };
                done(put(self.store, Some(unit), queue, name, persistent))?;
                puts.push((name, persistent));
            }
        }
        let names: Vec<u64> = puts.iter().map(|put| put.0).collect();
        if self.random.gen_bool(0.3) {
            (self.write)(Line::BackedOut(names));
            return done(block_on(self.store.back_out(unit)));
        }
        (self.write)(Line::Committing(gets, puts));
        match block_on(self.store.commit(unit)) {
            Err(StoreError::BackedOut) => (self.write)(Line::BackedOut(names)),
            answer => {
                done(answer)?;
                (self.write)(Line::Committed);
            }
        }
        Ok(())
    }

    /// Browses and locks; then takes what it has locked, or lets it go.
    fn look(&mut self) -> Result<(), Away> {
        let owner = LockOwner(self.number);
        let selection = Selection { lock_owner: Some(owner), ..Selection::default() };
        let queue = self.queues.work;
        let Some(seen) = done(block_on(self.store.browse(queue, None, &selection, NOW)))? else { return Ok(()) };
        if !done(block_on(self.store.lock(queue, seen.key, owner)))? {
            return Ok(());
        }
        if self.random.gen_bool(0.5) {
            self.store.unlock(queue, seen.key, owner);
            return Ok(());
        }
        (self.write)(Line::Getting);
        let taken = done(block_on(self.store.take_browsed(queue, &seen, owner, NOW)))?;
        (self.write)(Line::Got(taken.then(|| name(&seen))));
        self.store.unlock(queue, seen.key, owner);
        Ok(())
    }
}

fn done<T>(answer: Result<T, StoreError>) -> Result<T, Away> {
    match answer {
        Ok(done) => Ok(done),
        Err(StoreError::Unreachable | StoreError::Closed) => Err(Away),
        Err(error) => panic!("a verb answers {error:?}"),
    }
}
