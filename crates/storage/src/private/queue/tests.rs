//! The queue against a naive model: a sorted list that is searched from the front.

use model::descriptor::MessageFlags;
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::timestamp::Timestamp;
use proptest::prelude::*;

use super::{Entry, GroupPart, Holder, Home, Key, Queue};
use crate::private::message_count::MessageCounts;
use crate::{LockOwner, Position, QueueId, Selection, UnitOfWorkId};

const UNIT: UnitOfWorkId = UnitOfWorkId(5);

#[derive(Debug, Clone)]
enum Step {
    Insert {
        rank: u8,
        message: u8,
        correlation: u8,
        group: u8,
        expires: Option<u8>,
        put_in_unit: bool,
    },
    /// Holds, and later perhaps releases or removes, the first that matches.
    Hold(Query),
    Release(u8),
    SetAside(u8),
    Remove(u8),
    Find(Query, Option<u8>, u8),
    Lock(u8, u8),
    Unlock(u8, u8),
    Expired(u8),
    Drain,
}

#[derive(Debug, Clone, Default)]
struct Query {
    message: Option<u8>,
    correlation: Option<u8>,
    group: Option<u8>,
    /// The n-th message ever inserted.
    position: Option<u8>,
    owner: Option<u8>,
    /// Accepts every message, or those at even positions.
    even_only: bool,
}

/// 0 is "none".
fn bytes(number: u8) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[3] = number;
    bytes
}

#[derive(Debug, Clone)]
struct Naive {
    key: Key,
    message: u8,
    correlation: u8,
    group: u8,
    expires: u64,
    holder: Holder,
    lock: Option<u8>,
}

fn identifier() -> impl Strategy<Value = u8> {
    0_u8..4
}

fn query() -> impl Strategy<Value = Query> {
    (
        prop::option::of(identifier()),
        prop::option::of(identifier()),
        prop::option::of(identifier()),
        prop::option::weighted(0.1, 1_u8..40),
        prop::option::of(0_u8..3),
        any::<bool>(),
    )
        .prop_map(|(message, correlation, group, position, owner, even_only)| Query {
            message,
            correlation,
            group,
            position,
            owner,
            even_only,
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..10, identifier(), identifier(), identifier(), prop::option::of(any::<u8>()), prop::bool::weighted(0.2))
            .prop_map(|(rank, message, correlation, group, expires, put_in_unit)| Step::Insert {
                rank, message, correlation, group, expires, put_in_unit
            }),
        2 => query().prop_map(Step::Hold),
        2 => any::<u8>().prop_map(Step::Release),
        1 => any::<u8>().prop_map(Step::SetAside),
        2 => any::<u8>().prop_map(Step::Remove),
        6 => (query(), prop::option::of(any::<u8>()), any::<u8>()).prop_map(|(query, after, now)| Step::Find(query, after, now)),
        1 => (any::<u8>(), 0_u8..3).prop_map(|(which, owner)| Step::Lock(which, owner)),
        1 => (any::<u8>(), 0_u8..3).prop_map(|(which, owner)| Step::Unlock(which, owner)),
        1 => any::<u8>().prop_map(Step::Expired),
        1 => Just(Step::Drain),
    ]
}

struct Pair {
    queue: Queue,
    naive: Vec<Naive>,
    next: u64,
}

impl Pair {
    fn pick(&self, which: u8) -> Option<usize> {
        (!self.naive.is_empty()).then(|| usize::from(which) % self.naive.len())
    }

    fn insert(&mut self, message: Naive) {
        let group = GroupId::new(bytes(message.group));
        let part = GroupPart { id: group, sequence_number: 1, offset: 0, flags: MessageFlags::empty() };
        self.queue.insert(Entry {
            key: message.key,
            arrived: self.next,
            expires: message.expires,
            message_id: MessageId::new(bytes(message.message)),
            correlation_id: CorrelationId::new(bytes(message.correlation)),
            group: (message.group > 0).then(|| Box::new(part)),
            cached: None,
            home: Home::Memory,
            body_file: None,
            body_bytes: 10,
            backout_count: 0,
            priority: 0,
            persistent: false,
            holder: message.holder,
        });
        self.naive.push(message);
        self.naive.sort_by_key(|message| message.key);
    }

    fn expected(&self, query: &Query, after: Option<Key>, now: u64) -> Option<Key> {
        let fits = |message: &&Naive| {
            message.holder == Holder::Nobody
                && after.is_none_or(|after| message.key > after)
                && message.expires > now
                && query.message.is_none_or(|id| id == message.message)
                && query.correlation.is_none_or(|id| id == message.correlation)
                && query.group.is_none_or(|id| id == message.group)
                && query.position.is_none_or(|position| message.key.position() == Position(u64::from(position)))
                && message.lock.is_none_or(|owner| Some(owner) == query.owner)
                && (!query.even_only || message.key.position().0.is_multiple_of(2))
        };
        self.naive.iter().find(fits).map(|message| message.key)
    }

    fn found(&self, query: &Query, after: Option<Key>, now: u64) -> Option<Key> {
        let even = |candidate: &crate::Candidate<'_>| candidate.position.0.is_multiple_of(2);
        let selection = Selection {
            message_id: query.message.map(|id| MessageId::new(bytes(id))),
            correlation_id: query.correlation.map(|id| CorrelationId::new(bytes(id))),
            group_id: query.group.map(|id| GroupId::new(bytes(id))),
            position: query.position.map(|position| Position(u64::from(position))),
            accept: query.even_only.then_some(&even),
            lock_owner: query.owner.map(|owner| LockOwner(u64::from(owner))),
            ..Selection::default()
        };
        self.queue.find(&selection, after, Timestamp(now)).map(|slot| self.queue.entry(slot).key)
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Insert { rank, message, correlation, group, expires, put_in_unit } => {
                let key = Key::new(rank, Position(self.next));
                self.next += 1;
                let expires = expires.map_or(Entry::NEVER, |expires| u64::from(expires) + 1);
                let holder = if put_in_unit { Holder::Put(UNIT) } else { Holder::Nobody };
                self.insert(Naive { key, message, correlation, group, expires, holder, lock: None });
            }
            Step::Hold(query) => {
                let key = self.found(&query, None, 0);
                assert_eq!(key, self.expected(&query, None, 0));
                if let Some(key) = key {
                    let slot = self.queue.slot(key).expect("it was found");
                    self.queue.hold(slot, Holder::Got(UNIT));
                    let message = self.naive.iter_mut().find(|message| message.key == key).expect("the same");
                    (message.holder, message.lock) = (Holder::Got(UNIT), None);
                }
            }
            Step::Release(which) => {
                let Some(index) = self.pick(which) else { return };
                let message = &mut self.naive[index];
                if !matches!(message.holder, Holder::Nobody | Holder::Quarantine) {
                    message.holder = Holder::Nobody;
                    let slot = self.queue.slot(message.key).expect("it is held");
                    self.queue.release(slot);
                }
            }
            Step::SetAside(which) => {
                let Some(index) = self.pick(which) else { return };
                let message = &mut self.naive[index];
                if message.holder != Holder::Quarantine {
                    (message.holder, message.lock) = (Holder::Quarantine, None);
                    let slot = self.queue.slot(message.key).expect("it is there");
                    self.queue.set_aside(slot);
                }
            }
            Step::Remove(which) => {
                let Some(index) = self.pick(which) else { return };
                let message = self.naive.remove(index);
                let slot = self.queue.slot(message.key).expect("it is there");
                assert_eq!(self.queue.remove(slot).message_id, MessageId::new(bytes(message.message)));
            }
            Step::Find(query, after, now) => {
                let after = after.and_then(|which| self.pick(which)).map(|index| self.naive[index].key);
                assert_eq!(self.found(&query, after, u64::from(now)), self.expected(&query, after, u64::from(now)));
            }
            Step::Lock(which, owner) => {
                let Some(index) = self.pick(which) else { return };
                let message = &mut self.naive[index];
                let may = message.holder == Holder::Nobody && message.lock.is_none_or(|locker| locker == owner);
                assert_eq!(self.queue.lock(message.key, LockOwner(u64::from(owner))), may);
                if may {
                    message.lock = Some(owner);
                }
            }
            Step::Unlock(which, owner) => {
                let Some(index) = self.pick(which) else { return };
                let message = &mut self.naive[index];
                let may = message.lock == Some(owner);
                assert_eq!(self.queue.unlock(message.key, LockOwner(u64::from(owner))), may);
                if may {
                    message.lock = None;
                }
            }
            Step::Expired(now) => {
                let soonest = |messages: &[Naive]| {
                    let available = messages.iter().filter(|message| message.holder == Holder::Nobody);
                    available.map(|message| (message.expires, message.key)).min()
                };
                let expected = soonest(&self.naive).filter(|(expires, _)| *expires <= u64::from(now));
                let found = self.queue.expired(Timestamp(u64::from(now))).map(|slot| self.queue.entry(slot).key);
                assert_eq!(found, expected.map(|(_, key)| key));
                let next = soonest(&self.naive).filter(|(expires, _)| *expires != Entry::NEVER);
                assert_eq!(self.queue.next_expiry(), next.map(|(expires, _)| Timestamp(expires)));
            }
            Step::Drain => {
                let emptied = self.queue.empty();
                assert_eq!(emptied.len(), self.naive.len());
                assert_eq!(emptied.into_entries().count(), self.naive.len());
                self.naive.clear();
            }
        }
        let depth = self.queue.depth();
        let aside = self.naive.iter().filter(|message| message.holder == Holder::Quarantine).count();
        let there = self.naive.len() - aside;
        assert_eq!((depth.current as usize, depth.quarantined as usize), (there, aside));
        let held = self.naive.iter().filter(|message| message.holder != Holder::Nobody).count() - aside;
        assert_eq!((depth.uncommitted as usize, depth.bytes), (held, 10 * there as u64));
    }
}

proptest! {
    #[test]
    fn the_queue_does_what_a_sorted_list_does(steps in prop::collection::vec(step(), 1..120)) {
        let mut pair = Pair { queue: Queue::new(MessageCounts::default().of(QueueId(1))), naive: Vec::new(), next: 1 };
        for step in steps {
            pair.apply(step);
        }
    }
}

#[test]
fn a_group_lists_its_available_members_in_order() {
    let mut pair = Pair { queue: Queue::new(MessageCounts::default().of(QueueId(1))), naive: Vec::new(), next: 1 };
    for (position, sequence_number) in [(1, 3), (2, 1), (3, 2)] {
        let part = GroupPart { id: GroupId::new(bytes(1)), sequence_number, offset: 0, flags: MessageFlags::empty() };
        pair.queue.insert(Entry {
            key: Key::new(0, Position(position)),
            arrived: position,
            expires: Entry::NEVER,
            message_id: MessageId::NONE,
            correlation_id: CorrelationId::NONE,
            group: Some(Box::new(part)),
            cached: None,
            home: Home::Memory,
            body_file: None,
            body_bytes: 4,
            backout_count: 0,
            priority: 0,
            persistent: true,
            holder: if position == 1 { Holder::Put(UNIT) } else { Holder::Nobody },
        });
    }
    let seen = std::sync::Mutex::new(Vec::new());
    let accept = |candidate: &crate::Candidate<'_>| {
        let members: Vec<u32> = (candidate.group)().iter().map(|member| member.sequence_number).collect();
        seen.lock().expect("one thread").push(members);
        false
    };
    let selection = Selection { accept: Some(&accept), ..Selection::default() };
    assert!(pair.queue.find(&selection, None, Timestamp(0)).is_none());
    assert_eq!(*seen.lock().expect("one thread"), [vec![1, 2], vec![1, 2]]);
}
