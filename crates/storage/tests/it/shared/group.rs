//! Members of a group for tests, and what they say in short.

use std::time::Duration;

use bytes::Bytes;
use model::descriptor::{MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::timestamp::Timestamp;
use storage::{
    GroupStore, Placement, QueueId, Selection, SharedOptions, Store, StoreError, StoreOptions, StoredMessage,
    UnitOfWorkId, block_on,
};

use crate::postgres::Asked;

pub(crate) use group_harness::waiting::{PATIENCE, eventually, now, within};

/// Nothing expires unless a test says so.
pub(crate) const NOW: Timestamp = Timestamp(1_000_000);

/// Short times, so that a test sees what they lead to.
pub(crate) fn options(url: &str, name: &str) -> SharedOptions {
    SharedOptions { silence: Duration::from_secs(60), ..SharedOptions::new(url.to_owned(), name.to_owned()) }
}

/// A member without anything on disk of its own. Its first connection may take longer than its verbs wait.
pub(crate) fn member(options: SharedOptions) -> Store {
    let store = Store::ephemeral(StoreOptions::default()).in_group(GroupStore::start(options).expect("starts"));
    eventually("it meets its group", || match block_on(store.meet_group()) {
        Err(StoreError::Unreachable) => false,
        met => met.map(|()| true).expect("meets its group"),
    });
    store
}

pub(crate) fn create_queue(store: &Store) -> QueueId {
    create_queue_in(store, "APP1")
}

pub(crate) fn create_queue_in(store: &Store, structure: &str) -> QueueId {
    block_on(store.create_shared_queue(structure)).expect("makes a shared queue")
}

/// The queue of another member.
pub(crate) fn know_queue(store: &Store, queue: QueueId) {
    block_on(store.know_queue(queue)).expect("learns of the queue");
}

pub(crate) fn message(name: u64, body: impl Into<Bytes>, persistent: bool) -> Message {
    let mut id = [0; 24];
    id[..8].copy_from_slice(&name.to_be_bytes());
    id[23] = 1;
    let descriptor = MessageDescriptor {
        message_id: MessageId::new(id),
        correlation_id: CorrelationId::new(id),
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        ..MessageDescriptor::default()
    };
    Message { descriptor, body: body.into() }
}

pub(crate) fn correlation(name: u64) -> CorrelationId {
    message(name, Bytes::new(), true).descriptor.correlation_id
}

pub(crate) fn placement(persistent: bool) -> Placement {
    Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent }
}

/// The body is the name.
pub(crate) fn put(
    store: &Store,
    unit: Option<UnitOfWorkId>,
    queue: QueueId,
    name: u64,
    persistent: bool,
) -> Result<(), StoreError> {
    let message = message(name, name.to_be_bytes().to_vec(), persistent);
    block_on(store.put(unit, queue, message, placement(persistent), NOW)).map(|_| ())
}

pub(crate) fn get(store: &Store, unit: Option<UnitOfWorkId>, queue: QueueId) -> Result<Option<u64>, StoreError> {
    get_with(store, unit, queue, &Selection::default())
}

pub(crate) fn get_with(
    store: &Store,
    unit: Option<UnitOfWorkId>,
    queue: QueueId,
    selection: &Selection<'_>,
) -> Result<Option<u64>, StoreError> {
    Ok(block_on(store.get(unit, queue, selection, NOW))?.as_ref().map(name))
}

pub(crate) fn name(stored: &StoredMessage) -> u64 {
    u64::from_be_bytes(stored.message.body[..8].try_into().expect("a body begins with its name"))
}

/// All that is left, in order, taken away.
pub(crate) fn drain(store: &Store, queue: QueueId) -> Vec<u64> {
    let mut names = Vec::new();
    while let Some(name) = get(store, None, queue).expect("gets") {
        names.push(name);
    }
    names
}

/// Names and backout counts of all that can be browsed.
pub(crate) fn browse(store: &Store, queue: QueueId) -> Vec<(u64, i32)> {
    let (mut found, mut after) = (Vec::new(), None);
    while let Some(stored) = block_on(store.browse(queue, after, &Selection::default(), NOW)).expect("browses") {
        after = Some(stored.key);
        found.push((name(&stored), i32::try_from(stored.message.descriptor.backout_count).expect("a small count")));
    }
    found
}

/// One number from the database.
pub(crate) fn count(database: &impl Asked, sql: &str) -> i64 {
    database.run(sql)[0][0].as_deref().expect("a value").parse().expect("a number")
}

/// Nothing is left that no program can reach: no held message, no part without its message.
pub(crate) fn check_nothing_is_held(database: &impl Asked) {
    eventually("every message is free", || {
        count(database, "SELECT count(*) FROM message WHERE owner IS NOT NULL") == 0
    });
    let orphans = "SELECT count(*) FROM message_part p WHERE NOT EXISTS (SELECT FROM message m WHERE m.queue = p.queue AND m.position = p.position)";
    assert_eq!(count(database, orphans), 0, "parts have their message");
    let wrong = "SELECT count(*) FROM (SELECT queue, sum(messages) AS m, sum(bytes) AS b FROM queue_depth GROUP BY queue) d \
                 FULL JOIN (SELECT queue, count(*) AS m, sum(length) AS b FROM message GROUP BY queue) t USING (queue) \
                 WHERE coalesce(d.m, 0) <> coalesce(t.m, 0) OR coalesce(d.b, 0) <> coalesce(t.b, 0)";
    assert_eq!(count(database, wrong), 0, "depths are what the table holds");
}
