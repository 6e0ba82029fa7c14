//! A survey of a queue: states, holders and identifiers, bounded, and without effect.

use bytes::Bytes;
use model::descriptor::MessageDescriptor;
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::timestamp::Timestamp;
use storage::{
    DeliveryKey, LockOwner, Placement, PrivateStore, QueueId, Selection, StoreOptions, UnitOfWorkId, block_on,
};

const NOW: Timestamp = Timestamp(100);

fn put(
    store: &PrivateStore,
    unit: Option<UnitOfWorkId>,
    queue: QueueId,
    number: u8,
    expires: Option<u64>,
) -> DeliveryKey {
    let descriptor = MessageDescriptor {
        message_id: MessageId::new([number; 24]),
        correlation_id: CorrelationId::new([number + 100; 24]),
        ..MessageDescriptor::default()
    };
    let message = Message { descriptor, body: Bytes::from_static(b"x") };
    let expires = expires.map(Timestamp);
    let placement = Placement { by_priority: false, maximum_depth: 1000, expires, persistent: false };
    block_on(store.put(unit, queue, message, placement, Timestamp(1))).unwrap().key
}

#[test]
fn a_survey_tells_states_holders_and_identifiers_and_changes_nothing() {
    let store = PrivateStore::ephemeral(StoreOptions::default());
    let queue = store.create_queue();
    let [one, two] = [store.begin(), store.begin()];
    put(&store, None, queue, 1, None);
    put(&store, None, queue, 2, Some(50));
    let locked = put(&store, None, queue, 3, None);
    for _ in 0..3 {
        put(&store, Some(one), queue, 4, None);
    }
    put(&store, Some(two), queue, 5, None);
    let first = Selection { message_id: Some(MessageId::new([1; 24])), ..Selection::default() };
    assert!(block_on(store.get(Some(two), queue, &first, Timestamp(1))).unwrap().is_some());
    assert!(store.lock(queue, locked, LockOwner(7)));
    for _ in 0..2 {
        let survey = store.survey(queue, 100, NOW).unwrap();
        assert_eq!((survey.available, survey.being_read, survey.quarantined), (2, 0, 0));
        let facts: Vec<_> = survey.first.iter().map(|one| (one.message_id, one.has_expired, one.is_locked)).collect();
        assert_eq!(facts, [(MessageId::new([2; 24]), true, false), (MessageId::new([3; 24]), false, true)]);
        let held: Vec<_> = survey.held.iter().map(|held| (held.unit, held.put, held.got)).collect();
        assert_eq!(held, [(one, 3, 0), (two, 1, 1)]);
        assert_eq!(survey.got[0].correlation_id, CorrelationId::new([101; 24]));
    }
    assert_eq!(store.depth(queue).current, 7);
    let bounded = store.survey(queue, 1, NOW).unwrap();
    assert_eq!((bounded.available, bounded.first.len(), bounded.held.len()), (2, 1, 1));
    assert_eq!(store.survey(QueueId(999), 1, NOW), None);
}

#[test]
fn the_first_message_that_fits_is_found_by_its_identifier_without_being_read() {
    let store = PrivateStore::ephemeral(StoreOptions::default());
    let queue = store.create_queue();
    let key = put(&store, None, queue, 1, None);
    put(&store, None, queue, 1, None);
    let by_correlation = Selection { correlation_id: Some(CorrelationId::new([101; 24])), ..Selection::default() };
    assert_eq!(store.first_fitting(queue, &by_correlation, NOW), Some(key));
    let other = Selection { correlation_id: Some(CorrelationId::new([1; 24])), ..Selection::default() };
    assert_eq!(store.first_fitting(queue, &other, NOW), None);
}
