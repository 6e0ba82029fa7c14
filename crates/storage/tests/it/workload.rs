//! A seeded random workload on one store, with the oracle beside it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use model::descriptor::{MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::timestamp::Timestamp;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::{IteratorRandom, SliceRandom};
use storage::{
    DefinitionChange, DeliveryKey, LockOwner, Placement, Position, PrivateStore, QueueId, Receipt, Selection,
    StoreError, StoredMessage, UnitOfWorkId, Xid, block_on,
};

use crate::oracle::{Holder, Known, Oracle, RECEIPT_KEYS};

/// Nothing in the workload expires.
pub(crate) const FOREVER: Timestamp = Timestamp(1_000_000);
/// When its receipts expire.
const LATER: Timestamp = Timestamp(100_000_000);

/// The body of a message: its name, then bytes that follow from it. Some are short, some long.
pub(crate) fn body(name: u64) -> Bytes {
    let length = match name % 7 {
        0..=3 => 8 + name % 60,
        4 | 5 => 300 + name % 500,
        _ => 1_200 + name % 3_000,
    };
    let mut bytes = name.to_le_bytes().to_vec();
    bytes.extend((8..length).map(|at| u8::try_from((at ^ name) & 0xFF).expect("one byte")));
    bytes.into()
}

pub(crate) fn message(name: u64, persistent: bool, priority: i32) -> Message {
    let mut id = [0; 24];
    id[..8].copy_from_slice(&name.to_be_bytes());
    id[23] = 1;
    let descriptor = MessageDescriptor {
        priority,
        message_id: MessageId::new(id),
        // Few correlation ids, so that many messages share one.
        correlation_id: CorrelationId::new([u8::try_from(1 + name % 3).expect("small"); 24]),
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        ..MessageDescriptor::default()
    };
    Message { descriptor, body: body(name) }
}

/// How a run ended.
pub(crate) enum Ended {
    /// All steps were answered.
    Done,
    /// The log failed during an operation: the second state is what it would have led to.
    Failed { after: Box<Oracle> },
}

pub(crate) struct Workload<'a> {
    pub(crate) store: &'a PrivateStore,
    pub(crate) oracle: &'a mut Oracle,
    pub(crate) random: &'a mut StdRng,
    pub(crate) next_name: &'a mut u64,
}

/// An operation that was not answered, and the state it would have led to.
type Unanswered = Box<Oracle>;

impl Workload<'_> {
    pub(crate) fn run(&mut self, steps: u32) -> Ended {
        for _ in 0..steps {
            if let Err(after) = self.step() {
                return Ended::Failed { after };
            }
        }
        Ended::Done
    }

    fn step(&mut self) -> Result<(), Unanswered> {
        let queue = self.oracle.queues.keys().copied().choose(self.random);
        let Some(queue) = queue.filter(|_| self.random.gen_range(0..100) > 1) else {
            let id = self.store.create_queue();
            self.oracle.queues.insert(id, BTreeMap::new());
            return Ok(());
        };
        match self.random.gen_range(0..100) {
            0..=37 => self.put(queue),
            38..=62 => self.get(queue),
            63..=69 => self.get_one(queue),
            70..=77 => self.resolve(),
            78..=80 => self.commit_together(),
            81..=83 => self.prepare(),
            84..=93 => self.define(),
            94..=95 => self.clear(queue),
            96 => self.drop_queue(queue),
            _ => self.begin(),
        }
    }

    fn begin(&mut self) -> Result<(), Unanswered> {
        self.oracle.units.insert(self.store.begin(), false);
        Ok(())
    }

    /// An open unit of work, or none: half of the time.
    fn unit(&mut self) -> Option<UnitOfWorkId> {
        let open = self.oracle.units.iter().filter(|(_, prepared)| !**prepared).map(|(id, _)| *id);
        open.choose(self.random).filter(|_| self.random.gen_bool(0.6))
    }

    fn put(&mut self, queue: QueueId) -> Result<(), Unanswered> {
        let name = *self.next_name;
        *self.next_name += 1;
        let persistent = self.random.gen_bool(0.85);
        let priority = self.random.gen_range(0..10);
        let unit = self.unit();
        let placement = Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent };
        let holder = unit.map_or(Holder::Nobody, Holder::Put);
        let known = Known { name, persistent, backout_count: 0, holder };
        let message = message(name, persistent, priority);
        let receipt = unit.is_none().then(|| self.receipt()).filter(|_| self.random.gen_bool(0.3));
        let answer = match &receipt {
            None => block_on(self.store.put(unit, queue, message, placement, FOREVER)),
            Some(receipt) => {
                let told = Mutex::new(None);
                let of_put = |position| {
                    *told.lock().expect("not poisoned") = Some(position);
                    receipt.clone()
                };
                let outcome = block_on(self.store.put_with_receipt(queue, message, placement, &of_put, FOREVER));
                if let Ok(outcome) = &outcome {
                    let told = told.into_inner().expect("not poisoned");
                    assert_eq!(told, Some(outcome.key.position), "the receipt is made for where the message is");
                }
                outcome
            }
        };
        match answer {
            Ok(outcome) => {
                if let Some(receipt) = receipt {
                    self.oracle.receipts.insert(receipt.key, receipt.value.to_vec());
                }
                let messages = self.oracle.queues.get_mut(&queue).expect("the queue is known");
                assert_eq!(outcome.depth_before as usize, messages.len());
                messages.insert(outcome.key, known);
                Ok(())
            }
            // The file of its body: nothing has changed.
            Err(StoreError::File(_)) => Err(Box::new(self.oracle.clone())),
            Err(StoreError::LogFailed(_)) => {
                let mut after = self.oracle.clone();
                let rank = u8::try_from(9 - priority).expect("a digit");
                let last = DeliveryKey { rank, position: Position(u64::MAX >> 4) };
                after.queues.get_mut(&queue).expect("the queue is known").insert(last, known);
                if let Some(receipt) = receipt {
                    after.receipts.insert(receipt.key, receipt.value.to_vec());
                }
                Err(Box::new(after))
            }
            Err(other) => panic!("put answered {other}"),
        }
    }

    fn get(&mut self, queue: QueueId) -> Result<(), Unanswered> {
        let first = self.oracle.first(queue);
        self.take(queue, &Selection::default(), first)
    }

    /// Gets a message from the middle, by one of its identifiers.
    fn get_one(&mut self, queue: QueueId) -> Result<(), Unanswered> {
        let available = self.oracle.queues[&queue].iter().filter(|(_, known)| known.holder == Holder::Nobody);
        let Some((key, known)) = available.choose(self.random) else { return Ok(()) };
        let (key, name) = (*key, known.name);
        let sought = message(name, true, 0).descriptor;
        match self.random.gen_range(0..3) {
            0 => self.take(
                queue,
                &Selection { message_id: Some(sought.message_id), ..Selection::default() },
                Some((key, name)),
            ),
            1 => {
                self.take(queue, &Selection { position: Some(key.position), ..Selection::default() }, Some((key, name)))
            }
            _ => {
                let expected = self.oracle.queues[&queue]
                    .iter()
                    .find(|(_, other)| other.holder == Holder::Nobody && other.name % 3 == name % 3)
                    .map(|(key, known)| (*key, known.name));
                let selection = Selection { correlation_id: Some(sought.correlation_id), ..Selection::default() };
                self.take(queue, &selection, expected)
            }
        }
    }

    /// As a get outside a unit of work.
    fn browse_and_take(&self, queue: QueueId, selection: &Selection<'_>) -> Result<Option<StoredMessage>, StoreError> {
        block_on(async {
            let Some(seen) = self.store.browse(queue, None, selection, FOREVER).await? else { return Ok(None) };
            let is_ours = self.store.take_browsed(queue, &seen, LockOwner(1), FOREVER).await?;
            assert!(is_ours, "nobody else is there");
            Ok(Some(seen))
        })
    }

    fn take(
        &mut self,
        queue: QueueId,
        selection: &Selection<'_>,
        expected: Option<(DeliveryKey, u64)>,
    ) -> Result<(), Unanswered> {
        let unit = self.unit();
        let answer = match (unit, selection.position) {
            (None, Some(_)) if self.random.gen_bool(0.5) => self.browse_and_take(queue, selection),
            _ => block_on(self.store.get(unit, queue, selection, FOREVER)),
        };
        let mut after = self.oracle.clone();
        if let Some((key, _)) = expected {
            let messages = after.queues.get_mut(&queue).expect("the queue is known");
            match unit {
                None => drop(messages.remove(&key)),
                Some(unit) => messages.get_mut(&key).expect("it is there").holder = Holder::Got(unit),
            }
        }
        match answer {
            Ok(got) => {
                check_got(got.as_ref(), expected);
                *self.oracle = after;
                Ok(())
            }
            Err(StoreError::LogFailed(_)) => Err(Box::new(after)),
            Err(other) => panic!("get answered {other}"),
        }
    }

    fn resolve(&mut self) -> Result<(), Unanswered> {
        let Some(unit) = self.oracle.units.keys().copied().choose(self.random) else { return self.begin() };
        let commit = self.random.gen_bool(0.7);
        let answer = if commit { block_on(self.store.commit(unit)) } else { block_on(self.store.back_out(unit)) };
        let mut after = self.oracle.clone();
        after.resolve(unit, commit);
        self.settle(answer, after)
    }

    /// Any open units of work as one, with a receipt most of the time.
    fn commit_together(&mut self) -> Result<(), Unanswered> {
        let open = self.oracle.units.iter().filter(|(_, prepared)| !**prepared).map(|(id, _)| *id);
        let count = self.random.gen_range(0..4);
        let units = open.choose_multiple(self.random, count);
        let receipt = self.receipt();
        let receipt = self.random.gen_bool(0.8).then_some(receipt);
        let mut after = self.oracle.clone();
        for unit in &units {
            after.resolve(*unit, true);
        }
        if let Some(receipt) = &receipt {
            after.receipts.insert(receipt.key, receipt.value.to_vec());
        }
        match block_on(self.store.commit_together(&units, receipt.as_ref())) {
            // The log has parts of two of them: nothing has changed.
            Err(StoreError::UnknownUnitOfWork) if units.len() > 1 => Ok(()),
            answer => self.settle(answer, after),
        }
    }

    fn receipt(&mut self) -> Receipt {
        let key = *RECEIPT_KEYS.choose(self.random).expect("there are some");
        let value = vec![self.random.r#gen(); self.random.gen_range(0..300)];
        Receipt { key, expires: LATER, value: value.into() }
    }

    fn prepare(&mut self) -> Result<(), Unanswered> {
        let Some(unit) = self.unit() else { return Ok(()) };
        let xid = Xid { format_id: 1, global_transaction: unit.0.to_be_bytes().to_vec(), branch: vec![9] };
        let answer = block_on(self.store.prepare(unit, Some(xid)));
        let mut after = self.oracle.clone();
        after.units.insert(unit, true);
        self.settle(answer, after)
    }

    fn define(&mut self) -> Result<(), Unanswered> {
        let mut after = self.oracle.clone();
        let mut changes = Vec::new();
        for _ in 0..self.random.gen_range(1..4) {
            let key = format!("queue/Q{}", self.random.gen_range(0..12));
            if self.random.gen_bool(0.7) {
                let value = vec![self.random.r#gen(); self.random.gen_range(0..200)];
                after.definitions.insert(key.clone(), value.clone());
                changes.push(DefinitionChange::Save { key, value });
            } else {
                after.definitions.remove(&key);
                changes.push(DefinitionChange::Delete { key });
            }
        }
        let answer = block_on(self.store.change_definitions(changes));
        self.settle(answer, after)
    }

    fn clear(&mut self, queue: QueueId) -> Result<(), Unanswered> {
        let held = self.oracle.queues[&queue].values().any(|known| known.holder != Holder::Nobody);
        let count = self.oracle.queues[&queue].len();
        let mut after = self.oracle.clone();
        after.queues.insert(queue, BTreeMap::new());
        match block_on(self.store.clear(queue)) {
            Ok(cleared) => {
                assert!(!held && cleared as usize == count, "clear counts what it removes, and nothing uncommitted");
                self.settle(Ok(()), after)
            }
            Err(StoreError::Uncommitted) if held => Ok(()),
            Err(error) => self.settle(Err(error), after),
        }
    }

    fn drop_queue(&mut self, queue: QueueId) -> Result<(), Unanswered> {
        let mut after = self.oracle.clone();
        after.queues.remove(&queue);
        let answer = block_on(self.store.change_definitions(vec![DefinitionChange::DropQueue(queue)]));
        self.settle(answer, after)
    }

    fn settle(&mut self, answer: Result<(), StoreError>, after: Oracle) -> Result<(), Unanswered> {
        match answer {
            Ok(()) => {
                *self.oracle = after;
                Ok(())
            }
            Err(StoreError::LogFailed(_)) => Err(Box::new(after)),
            Err(other) => panic!("answered {other}"),
        }
    }
}

fn check_got(got: Option<&StoredMessage>, expected: Option<(DeliveryKey, u64)>) {
    match (got, expected) {
        (None, None) => {}
        (Some(got), Some((key, name))) => {
            assert_eq!(got.key, key, "the right message is got");
            assert_eq!(got.message.body, body(name), "its body is as it was put");
        }
        (got, expected) => panic!("got {got:?}, expected {expected:?}"),
    }
}

/// Waits, with a bound, until `condition` holds.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    #[expect(clippy::disallowed_methods, reason = "bounds the wait of a test")]
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(300), "{what} did not come about");
        std::thread::yield_now();
    }
}
