//! A random workload at two members, each answer compared with a naive model in memory.
//!
//! `QSG_SEEDS` says how many runs (default 6); each prints its seed, and `QSG_SEED` repeats one.

use std::collections::{BTreeMap, BTreeSet};

use model::descriptor::MessageDescriptor;
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use rand::rngs::StdRng;
use rand::seq::{IteratorRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use storage::{
    DeliveryKey, LockOwner, Placement, QueueId, Receipt, ReceiptKey, Selection, Store, StoreError, StoredMessage,
    UnitOfWorkId, Xid, block_on,
};

use crate::postgres::Database;
use crate::shared::group::{NOW, check_nothing_is_held, create_queue, know_queue, member, options};
use crate::shared::load::setting;
use crate::workload::body;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody,
    Put(Unit),
    Got(Unit),
    Locked(usize, LockOwner),
}

/// At which member, and its number there.
type Unit = (usize, UnitOfWorkId);

#[derive(Debug, Clone, Copy)]
struct Known {
    name: u64,
    backouts: u32,
    holder: Holder,
}

struct Run {
    stores: [Store; 2],
    queues: [QueueId; 2],
    random: StdRng,
    next: u64,
    messages: [BTreeMap<DeliveryKey, Known>; 2],
    /// True when prepared.
    units: BTreeMap<Unit, bool>,
    receipts: BTreeMap<[u8; 16], u8>,
}

fn correlation(name: u64) -> CorrelationId {
    CorrelationId::new([u8::try_from(1 + name % 3).expect("small"); 24])
}

fn message_id(name: u64) -> MessageId {
    let mut id = [7; 24];
    id[..8].copy_from_slice(&name.to_be_bytes());
    MessageId::new(id)
}

fn name(stored: &StoredMessage) -> u64 {
    let name = u64::from_le_bytes(stored.message.body[..8].try_into().expect("a body begins with its name"));
    assert_eq!(stored.message.body, body(name), "the body is as it was put");
    name
}

impl Run {
    fn step(&mut self) {
        let (at, queue) = (self.random.gen_range(0..2), self.random.gen_range(0..2));
        match self.random.gen_range(0..100) {
            0..=34 => self.put(at, queue),
            35..=59 => self.get(at, queue),
            60..=69 => self.end(),
            70..=74 => self.prepare(),
            75..=79 => self.take_browsed(at, queue),
            80..=86 => self.lock(at, queue),
            87..=91 => self.unlock(at),
            92 => self.clear(at, queue),
            93..=95 => self.together(at),
            _ => self.list(at, queue),
        }
    }

    /// An open unit of work at this member, a new one, or none.
    fn unit(&mut self, at: usize) -> Option<UnitOfWorkId> {
        let open =
            self.units.iter().filter(|((member, _), prepared)| *member == at && !**prepared).map(|(unit, _)| unit.1);
        match self.random.gen_range(0..5) {
            0 | 1 => None,
            2 => {
                let unit = self.stores[at].begin();
                self.units.insert((at, unit), false);
                Some(unit)
            }
            _ => open.choose(&mut self.random),
        }
    }

    fn put(&mut self, at: usize, queue: usize) {
        let (name, priority) = (self.next, self.random.gen_range(0..10));
        self.next += 1;
        let unit = self.unit(at);
        let persistent = self.random.gen_bool(0.8);
        let placement = Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent };
        let descriptor = MessageDescriptor {
            priority,
            message_id: message_id(name),
            correlation_id: correlation(name),
            ..MessageDescriptor::default()
        };
        let message = Message { descriptor, body: body(name) };
        let outcome = match self.random.gen_range(0..5) {
            0 if unit.is_none() => {
                let (key, value) = ([self.random.gen_range(0..6); 16], self.random.gen_range(0..=255));
                let receipt = |_| Receipt { key: ReceiptKey(key), expires: storage_later(), value: vec![value].into() };
                let answer =
                    block_on(self.stores[at].put_with_receipt(self.queues[queue], message, placement, &receipt, NOW));
                if self.receipts.contains_key(&key) {
                    assert!(matches!(answer, Err(StoreError::ReceiptTaken)), "{answer:?}");
                    return;
                }
                self.receipts.insert(key, value);
                answer.expect("puts")
            }
            _ => block_on(self.stores[at].put(unit, self.queues[queue], message, placement, NOW)).expect("puts"),
        };
        let holder = unit.map_or(Holder::Nobody, |unit| Holder::Put((at, unit)));
        self.messages[queue].insert(outcome.key, Known { name, backouts: 0, holder });
    }

    fn first(
        &self,
        queue: usize,
        owner: Option<(usize, LockOwner)>,
        fits: impl Fn(&DeliveryKey, u64) -> bool,
    ) -> Option<DeliveryKey> {
        let sees = |known: &Known| match known.holder {
            Holder::Nobody => true,
            Holder::Locked(at, holder) => owner == Some((at, holder)),
            Holder::Put(_) | Holder::Got(_) => false,
        };
        self.messages[queue].iter().find(|(key, known)| sees(known) && fits(key, known.name)).map(|(key, _)| *key)
    }

    fn get(&mut self, at: usize, queue: usize) {
        let unit = self.unit(at);
        let owner = self.random.gen_bool(0.4).then(|| LockOwner(self.random.gen_range(1..3)));
        let any = self.messages[queue].iter().choose(&mut self.random).map(|(key, known)| (*key, known.name));
        let (wanted_key, wanted) = any.map_or((None, 0), |(key, name)| (Some(key), name));
        let accept = move |candidate: &storage::Candidate<'_>| candidate.correlation_id == &correlation(wanted);
        let plain = Selection { lock_owner: owner, ..Selection::default() };
        let holder = owner.map(|owner| (at, owner));
        let (selection, expected) = match self.random.gen_range(0..6) {
            0 => (
                Selection { message_id: Some(message_id(wanted)), ..plain },
                self.first(queue, holder, |_, name| name == wanted),
            ),
            1 => (
                Selection { correlation_id: Some(correlation(wanted)), ..plain },
                self.first(queue, holder, |_, name| name % 3 == wanted % 3),
            ),
            2 => (
                Selection { accept: Some(&accept), ..plain },
                self.first(queue, holder, |_, name| name % 3 == wanted % 3),
            ),
            3 if wanted_key.is_some() => (
                Selection { position: wanted_key.map(|key| key.position), ..plain },
                self.first(queue, holder, |_, name| name == wanted),
            ),
            _ => (plain, self.first(queue, holder, |_, _| true)),
        };
        let got = block_on(self.stores[at].get(unit, self.queues[queue], &selection, NOW)).expect("gets");
        assert_eq!(got.as_ref().map(|got| got.key), expected, "the right message is got");
        let (Some(got), Some(key)) = (got, expected) else { return };
        let known = self.messages[queue][&key];
        assert_eq!((name(&got), got.message.descriptor.backout_count), (known.name, known.backouts));
        match unit {
            None => drop(self.messages[queue].remove(&key)),
            Some(unit) => self.messages[queue].get_mut(&key).expect("known").holder = Holder::Got((at, unit)),
        }
    }

    fn resolve(&mut self, unit: Unit, commits: bool) {
        self.units.remove(&unit);
        for messages in &mut self.messages {
            messages.retain(|_, known| match known.holder {
                Holder::Put(holder) if holder == unit => {
                    known.holder = Holder::Nobody;
                    commits
                }
                Holder::Got(holder) if holder == unit => {
                    known.holder = Holder::Nobody;
                    known.backouts += 1;
                    !commits
                }
                _ => true,
            });
        }
    }

    fn end(&mut self) {
        let Some(unit) = self.units.keys().copied().choose(&mut self.random) else { return };
        let commits = self.random.gen_bool(0.6);
        let store = &self.stores[unit.0];
        let ended = if commits { block_on(store.commit(unit.1)) } else { block_on(store.back_out(unit.1)) };
        ended.expect("ends");
        self.resolve(unit, commits);
    }

    fn prepare(&mut self) {
        let open: Vec<Unit> = self.units.iter().filter(|(_, prepared)| !**prepared).map(|(unit, _)| *unit).collect();
        let Some(unit) = open.choose(&mut self.random) else { return };
        let xid = Xid { format_id: 1, global_transaction: unit.1.0.to_be_bytes().to_vec(), branch: vec![] };
        block_on(self.stores[unit.0].prepare(unit.1, Some(xid))).expect("prepares");
        self.units.insert(*unit, true);
    }

    fn together(&mut self, at: usize) {
        let open =
            self.units.iter().filter(|((member, _), prepared)| *member == at && !**prepared).map(|(unit, _)| *unit);
        let units: Vec<Unit> = open.choose_multiple(&mut self.random, 3);
        let (key, value) = ([self.random.gen_range(0..6); 16], 1);
        let receipt = Receipt { key: ReceiptKey(key), expires: storage_later(), value: vec![value].into() };
        let numbers: Vec<UnitOfWorkId> = units.iter().map(|unit| unit.1).collect();
        let has_work = |unit: &Unit| {
            let holds = |known: &Known| known.holder == Holder::Put(*unit) || known.holder == Holder::Got(*unit);
            self.messages.iter().any(|messages| messages.values().any(holds))
        };
        // Without work in the group the receipt is the private store's.
        if !units.iter().any(has_work) {
            return;
        }
        let answer = block_on(self.stores[at].commit_together(&numbers, Some(&receipt), NOW));
        let is_new = !self.receipts.contains_key(&key);
        assert!(if is_new { answer.is_ok() } else { matches!(answer, Err(StoreError::ReceiptTaken)) }, "{answer:?}");
        self.receipts.entry(key).or_insert(value);
        units.into_iter().for_each(|unit| self.resolve(unit, is_new));
        // Its back out comes later than its answer.
        self.look(at);
    }

    /// What a member has given back is free once it has looked.
    fn look(&self, at: usize) {
        block_on(self.stores[at].browse(self.queues[0], None, &Selection::default(), NOW)).expect("browses");
    }

    fn take_browsed(&mut self, at: usize, queue: usize) {
        let owner = LockOwner(self.random.gen_range(1..3));
        let selection = Selection { lock_owner: Some(owner), ..Selection::default() };
        let seen = block_on(self.stores[at].browse(self.queues[queue], None, &selection, NOW)).expect("browses");
        let expected = self.first(queue, Some((at, owner)), |_, _| true);
        assert_eq!(seen.as_ref().map(|seen| seen.key), expected, "the right message is browsed");
        let Some(seen) = seen else { return };
        let taken = block_on(self.stores[at].take_browsed(self.queues[queue], &seen, owner, NOW)).expect("takes");
        assert!(taken, "nobody else is there");
        assert_eq!(self.messages[queue].remove(&seen.key).map(|known| known.name), Some(name(&seen)));
    }

    fn lock(&mut self, at: usize, queue: usize) {
        let owner = LockOwner(self.random.gen_range(1..3));
        let Some((key, known)) =
            self.messages[queue].iter().choose(&mut self.random).map(|(key, known)| (*key, *known))
        else {
            return;
        };
        // Of a staged put no one knows the place.
        if matches!(known.holder, Holder::Put(_)) {
            return;
        }
        let locked = block_on(self.stores[at].lock(self.queues[queue], key, owner)).expect("locks");
        let expected = known.holder == Holder::Nobody || known.holder == Holder::Locked(at, owner);
        assert_eq!(locked, expected, "{known:?} for {owner:?} at {at}");
        if locked {
            self.messages[queue].get_mut(&key).expect("known").holder = Holder::Locked(at, owner);
        }
    }

    fn unlock(&mut self, at: usize) {
        for (queue, messages) in self.queues.iter().zip(&mut self.messages) {
            for (key, known) in messages {
                let Holder::Locked(member, owner) = known.holder else { continue };
                if member == at {
                    assert!(!self.stores[at].unlock(*queue, *key, LockOwner(99)), "another's lock");
                    assert!(self.stores[at].unlock(*queue, *key, owner));
                    known.holder = Holder::Nobody;
                }
            }
        }
        self.look(at);
    }

    fn clear(&mut self, at: usize, queue: usize) {
        let holders: Vec<Holder> = self.messages[queue].values().map(|known| known.holder).collect();
        // What another member has put and not committed is not known here; and then nothing of it is touched.
        if holders.iter().any(|holder| matches!(holder, Holder::Put((member, _)) if *member != at)) {
            return;
        }
        match block_on(self.stores[at].clear(self.queues[queue])) {
            Ok(count) => {
                assert!(holders.iter().all(|holder| *holder == Holder::Nobody), "{holders:?}");
                assert_eq!(count as usize, holders.len());
                self.messages[queue].clear();
            }
            Err(StoreError::Uncommitted) => assert!(holders.iter().any(|holder| *holder != Holder::Nobody)),
            Err(error) => panic!("clear answers {error}"),
        }
    }

    fn list(&mut self, at: usize, queue: usize) {
        let (mut found, mut after) = (Vec::new(), None);
        let store = &self.stores[at];
        while let Some(stored) =
            block_on(store.browse(self.queues[queue], after, &Selection::default(), NOW)).expect("browses")
        {
            after = Some(stored.key);
            found.push((name(&stored), stored.message.descriptor.backout_count));
        }
        let free = self.messages[queue].values().filter(|known| known.holder == Holder::Nobody);
        assert_eq!(found, free.map(|known| (known.name, known.backouts)).collect::<Vec<_>>());
        let in_doubt: BTreeSet<UnitOfWorkId> = store.in_doubt().into_iter().map(|(unit, _)| unit).collect();
        let prepared = self.units.iter().filter(|((member, unit), prepared)| {
            // One without work in the group is the private store's alone, and in doubt there.
            *member == at && **prepared && in_doubt.contains(unit)
        });
        assert_eq!(prepared.count(), in_doubt.len(), "no unit is in doubt that was not prepared");
        for (key, value) in &self.receipts {
            let found = block_on(store.receipt(&ReceiptKey(*key), NOW)).expect("looks");
            assert_eq!(found.as_deref(), Some(&[*value][..]));
        }
    }
}

fn storage_later() -> model::timestamp::Timestamp {
    model::timestamp::Timestamp(1 << 60)
}

fn check(seed: u64) {
    println!("QSG_SEED={seed}");
    let database = Database::of_group("QSG1");
    let stores = ["QM1", "QM2"].map(|name| member(options(&database.url, name)));
    let queues = [(); 2].map(|()| create_queue(&stores[0]));
    queues.iter().for_each(|queue| know_queue(&stores[1], *queue));
    let random = StdRng::seed_from_u64(seed);
    let (messages, units, receipts) = (Default::default(), BTreeMap::new(), BTreeMap::new());
    let mut run = Run { stores, queues, random, next: 1, messages, units, receipts };
    (0..300).for_each(|_| run.step());
    (0..2).for_each(|at| run.unlock(at));
    while !run.units.is_empty() {
        run.end();
    }
    (0..2).for_each(|queue| run.list(queue, queue));
    check_nothing_is_held(&database);
}

#[test]
fn two_members_answer_as_a_naive_model_does() {
    if let Ok(seed) = std::env::var("QSG_SEED") {
        return check(seed.parse().expect("a number"));
    }
    (1..=setting("QSG_SEEDS", 6)).for_each(check);
}
