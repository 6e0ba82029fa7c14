//! What a store must hold, told by the answers it gave: the model that the crash tests compare a recovered store with.
//!
//! The driver does one thing at a time, so when the disk stops, at most one operation is unanswered; what is found
//! afterwards must be the state before it or the state after it, whole.

use std::collections::BTreeMap;

use storage::{DeliveryKey, PrivateStore, QueueId, ReceiptKey, Selection, UnitOfWorkId, block_on};

use crate::workload::{FOREVER, body};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    Put(UnitOfWorkId),
    Got(UnitOfWorkId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// Also decides the body.
    pub(crate) name: u64,
    pub(crate) persistent: bool,
    /// The highest backout count it can have.
    pub(crate) backout_count: u32,
    pub(crate) holder: Holder,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Oracle {
    pub(crate) queues: BTreeMap<QueueId, BTreeMap<DeliveryKey, Known>>,
    pub(crate) definitions: BTreeMap<String, Vec<u8>>,
    /// True when prepared.
    pub(crate) units: BTreeMap<UnitOfWorkId, bool>,
    pub(crate) receipts: BTreeMap<ReceiptKey, Vec<u8>>,
}

impl Oracle {
    /// The first message that a get of anybody finds.
    pub(crate) fn first(&self, queue: QueueId) -> Option<(DeliveryKey, u64)> {
        let messages = self.queues.get(&queue)?;
        messages.iter().find(|(_, known)| known.holder == Holder::Nobody).map(|(key, known)| (*key, known.name))
    }

    pub(crate) fn resolve(&mut self, unit: UnitOfWorkId, commit: bool) {
        self.units.remove(&unit);
        for messages in self.queues.values_mut() {
            messages.retain(|_, known| match known.holder {
                Holder::Put(holder) if holder == unit => {
                    known.holder = Holder::Nobody;
                    commit
                }
                Holder::Got(holder) if holder == unit => {
                    known.holder = Holder::Nobody;
                    known.backout_count += 1;
                    !commit
                }
                _ => true,
            });
        }
    }

    /// What a restart leaves: no nonpersistent message, no unit that was not prepared.
    pub(crate) fn restarted(&self) -> Self {
        let mut after = self.clone();
        let open: Vec<UnitOfWorkId> =
            self.units.iter().filter(|(_, prepared)| !**prepared).map(|(id, _)| *id).collect();
        for unit in open {
            after.resolve(unit, false);
        }
        for messages in after.queues.values_mut() {
            messages.retain(|_, known| known.persistent);
        }
        after
    }

    /// What differs between this and the store, in words; empty when nothing does.
    pub(crate) fn differences(&self, store: &PrivateStore, definitions: &[(String, Vec<u8>)]) -> Vec<String> {
        let mut differences = Vec::new();
        for (queue, messages) in &self.queues {
            let visible: Vec<u64> =
                messages.values().filter(|known| known.holder == Holder::Nobody).map(|known| known.name).collect();
            let found = list(store, *queue);
            let names: Vec<u64> = found.iter().map(|(name, _)| *name).collect();
            if names != visible {
                differences.push(format!("{queue:?} holds {names:?}, expected {visible:?}"));
            }
            let depth = store.depth(*queue);
            if depth.current as usize != messages.len() {
                differences.push(format!("{queue:?} has depth {depth:?}, expected {}", messages.len()));
            }
            for (name, count) in found {
                let highest = messages.values().find(|known| known.name == name).map(|known| known.backout_count);
                if highest.is_some_and(|highest| count > highest) {
                    differences.push(format!("message {name} was backed out {count} times, expected {highest:?}"));
                }
            }
        }
        let in_doubt: Vec<UnitOfWorkId> = store.in_doubt().into_iter().map(|(unit, _)| unit).collect();
        let expected: Vec<UnitOfWorkId> = self.units.keys().copied().collect();
        if in_doubt != expected {
            differences.push(format!("in doubt {in_doubt:?}, expected {expected:?}"));
        }
        let definitions: BTreeMap<String, Vec<u8>> = definitions.iter().cloned().collect();
        if definitions != self.definitions {
            differences.push(format!("definitions {:?}, expected {:?}", definitions.keys(), self.definitions.keys()));
        }
        for key in RECEIPT_KEYS {
            let found = block_on(store.receipt(&key, FOREVER)).expect("a recovered receipt is readable");
            let expected = self.receipts.get(&key);
            if found.as_deref() != expected.map(Vec::as_slice) {
                differences.push(format!("receipt {key:?} says {found:?}, expected {expected:?}"));
            }
        }
        differences
    }
}

/// All that the workload uses.
pub(crate) const RECEIPT_KEYS: [ReceiptKey; 6] = [
    ReceiptKey([1; 16]),
    ReceiptKey([2; 16]),
    ReceiptKey([3; 16]),
    ReceiptKey([4; 16]),
    ReceiptKey([5; 16]),
    ReceiptKey([6; 16]),
];

/// Names of all that can be browsed.
pub(crate) fn names(store: &PrivateStore, queue: QueueId) -> Vec<u64> {
    list(store, queue).into_iter().map(|(name, _)| name).collect()
}

/// Where the message with this name is, if it can be browsed.
pub(crate) fn key_of(store: &PrivateStore, queue: QueueId, name: u64) -> Option<DeliveryKey> {
    let mut after = None;
    while let Some(stored) = block_on(store.browse(queue, after, &Selection::default(), FOREVER)).expect("readable") {
        after = Some(stored.key);
        if stored.message.body[..8] == name.to_le_bytes() {
            return after;
        }
    }
    None
}

/// Names and backout counts of all that can be browsed; every body is checked.
fn list(store: &PrivateStore, queue: QueueId) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let mut after = None;
    while let Some(stored) =
        block_on(store.browse(queue, after, &Selection::default(), FOREVER)).expect("a recovered message is readable")
    {
        after = Some(stored.key);
        let name = u64::from_le_bytes(stored.message.body[..8].try_into().expect("a body begins with its name"));
        assert_eq!(stored.message.body, body(name), "the body of message {name} is as it was put");
        found.push((name, stored.message.descriptor.backout_count));
    }
    found
}
