//! One caller of a store on a disk that refuses or stalls, and what the answers that it got say a start must find.
//!
//! Invariant: what a call may have changed is noted as open before the call, and settled by its answer. So the notes are
//! true at every moment, also while a call is under way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use model::identifier::MessageId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::{DefinitionChange, Placement, PrivateStore, QueueId, Selection, StoreError, block_on};

use crate::workload::{FOREVER, message};

const PLACEMENT: Placement = Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent: true };

/// What the answers of a store say that a start must find.
#[derive(Clone, Default)]
pub(super) struct Answered {
    present: BTreeSet<u64>,
    absent: BTreeSet<u64>,
    /// Each group is all there or not there at all: its call has no answer, or the store failed before it answered.
    open: Vec<Vec<u64>>,
    definitions: BTreeMap<String, Vec<u8>>,
    /// Perhaps the last one is there.
    open_definition: Option<(String, Vec<u8>)>,
}

impl Answered {
    /// The last call that was begun has this answer.
    fn settle(&mut self, is_there: bool) {
        let names = self.open.pop().expect("a call was begun");
        if is_there { self.present.extend(names) } else { self.absent.extend(names) }
    }

    pub(super) fn check(&self, case: &str, names: &[u64], definitions: Vec<(String, Vec<u8>)>) {
        let found: BTreeSet<u64> = names.iter().copied().collect();
        assert_eq!(found.len(), names.len(), "{case}: something is there twice");
        let lost: Vec<_> = self.present.difference(&found).collect();
        assert!(lost.is_empty(), "{case}: lost {lost:?}");
        let back: Vec<_> = self.absent.intersection(&found).collect();
        assert!(back.is_empty(), "{case}: back, or there although refused: {back:?}");
        for group in &self.open {
            let there = group.iter().filter(|name| found.contains(name)).count();
            assert!(there == 0 || there == group.len(), "{case}: half of a unit of work: {group:?}");
        }
        let definitions: BTreeMap<String, Vec<u8>> = definitions.into_iter().collect();
        let mut with_open = self.definitions.clone();
        with_open.extend(self.open_definition.clone());
        assert!(definitions == self.definitions || definitions == with_open, "{case}: definitions differ");
    }
}

pub(super) struct Caller {
    store: Arc<PrivateStore>,
    queue: QueueId,
    answered: Arc<Mutex<Answered>>,
    random: StdRng,
    next: u64,
    /// What the disk says when it refuses; `None` when it refuses nothing.
    error: Option<i32>,
}

/// The store takes no more.
#[derive(Debug)]
pub(super) struct Failed;

impl Caller {
    pub(super) fn new(store: &Arc<PrivateStore>, seed: u64, error: Option<i32>) -> Self {
        let (store, queue) = (Arc::clone(store), store.create_queue());
        Self { store, queue, answered: Arc::default(), random: StdRng::seed_from_u64(seed), next: 0, error }
    }

    pub(super) fn queue(&self) -> QueueId {
        self.queue
    }

    pub(super) fn answered(&self) -> Arc<Mutex<Answered>> {
        Arc::clone(&self.answered)
    }

    pub(super) fn run(&mut self, steps: u32) -> Result<(), Failed> {
        for _ in 0..steps {
            match self.random.gen_range(0..10) {
                0..=3 => drop(self.put()?),
                4..=5 => self.pair()?,
                6..=8 => self.get()?,
                _ => self.define()?,
            }
        }
        Ok(())
    }

    fn notes(&self) -> MutexGuard<'_, Answered> {
        self.answered.lock().unwrap()
    }

    fn name(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn put_in(&self, unit: Option<storage::UnitOfWorkId>, name: u64) -> Result<(), StoreError> {
        let priority = i32::try_from(name % 10).expect("a digit");
        block_on(self.store.put(unit, self.queue, message(name, true, priority), PLACEMENT, FOREVER)).map(drop)
    }

    /// False when it was refused: then it must not be there later. Of a log that failed nobody knows.
    pub(super) fn put(&mut self) -> Result<bool, Failed> {
        let name = self.name();
        self.notes().open.push(vec![name]);
        let is_put = match self.put_in(None, name) {
            Ok(()) => true,
            Err(error) => self.refused(&error).map(|()| false)?,
        };
        self.notes().settle(is_put);
        Ok(is_put)
    }

    /// Two messages in one unit of work.
    fn pair(&mut self) -> Result<(), Failed> {
        let names = [self.name(), self.name()];
        let unit = self.store.begin();
        self.notes().open.push(Vec::new());
        for name in names {
            match self.put_in(Some(unit), name) {
                Ok(()) => self.notes().open.last_mut().expect("of this unit").push(name),
                Err(error) => {
                    self.notes().absent.insert(name);
                    if self.refused(&error).is_err() {
                        // No commit was asked for.
                        self.notes().settle(false);
                        return Err(Failed);
                    }
                }
            }
        }
        let is_committed = match block_on(self.store.commit(unit)) {
            Ok(()) => true,
            Err(error) => self.refused(&error).map(|()| false)?,
        };
        self.notes().settle(is_committed);
        if !is_committed && matches!(block_on(self.store.back_out(unit)), Err(StoreError::LogFailed(_))) {
            return Err(Failed);
        }
        Ok(())
    }

    fn get(&mut self) -> Result<(), Failed> {
        let name = {
            let mut notes = self.notes();
            let Some(name) = notes.present.pop_first() else { return Ok(()) };
            notes.open.push(vec![name]);
            name
        };
        let message_id: MessageId = message(name, true, 0).descriptor.message_id;
        let selection = Selection { message_id: Some(message_id), ..Selection::default() };
        let is_left = match block_on(self.store.get(None, self.queue, &selection, FOREVER)) {
            Ok(Some(got)) => {
                assert_eq!(got.message.body, message(name, true, 0).body, "a body is right or not given");
                false
            }
            // It could not be read: it is in quarantine, and there again after a start.
            Ok(None) => {
                let quarantined = self.store.quarantine();
                assert!(quarantined.iter().any(|one| one.message_id == message_id), "message {name} is lost");
                true
            }
            Err(error) => self.refused(&error).map(|()| true)?,
        };
        self.notes().settle(is_left);
        Ok(())
    }

    fn define(&mut self) -> Result<(), Failed> {
        let key = format!("queue/Q{}", self.random.gen_range(0..8));
        let value = vec![self.random.r#gen(); self.random.gen_range(1..200)];
        let change = DefinitionChange::Save { key: key.clone(), value: value.clone() };
        self.notes().open_definition = Some((key.clone(), value.clone()));
        let is_changed = match block_on(self.store.change_definitions(vec![change])) {
            Ok(()) => true,
            Err(error) => self.refused(&error).map(|()| false)?,
        };
        let mut notes = self.notes();
        notes.open_definition = None;
        if is_changed {
            notes.definitions.insert(key, value);
        }
        Ok(())
    }

    /// One call was refused, with the error of the disk, and nothing has changed; `Failed` when the outcome is open.
    fn refused(&self, error: &StoreError) -> Result<(), Failed> {
        match error {
            StoreError::NoSpace => assert!(self.error.is_some(), "refused for space"),
            StoreError::File(cause) => {
                let said = cause.io().and_then(std::io::Error::raw_os_error);
                assert!(said.is_none() || said == self.error, "{cause}");
            }
            StoreError::LogFailed(_) => {
                assert!(self.store.statistics().log_failed, "a failed log says so");
                return Err(Failed);
            }
            other => panic!("answered {other}"),
        }
        Ok(())
    }
}
