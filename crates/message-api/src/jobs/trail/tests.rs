//! The bounds of trails.

use model::descriptor::Expiry;

use super::*;

fn place(name: &'static str) -> Place {
    Place { name: QueueName::literal(name), resolved: QueueName::literal(name) }
}

/// So many messages that were replayed.
fn puts(count: usize) -> Vec<Put> {
    let message = Message { descriptor: MessageDescriptor::default(), body: vec![0; 200].into() };
    let put = |number: usize| Put {
        position: Some(Position(number as u64)),
        place: place("TO"),
        id: MessageId::default(),
        before: Some(Before::new(&message, 172, false)),
    };
    (0..count).map(put).collect()
}

fn bytes(trails: &Trails) -> usize {
    trails.bytes.load(Ordering::Relaxed)
}

/// A trail of a little less than the most that one may have.
fn long(trails: &Arc<Trails>) -> Arc<Trail> {
    let trail = Trail::begin(trails, place("Q"));
    trail.add(puts(100_000));
    trail
}

#[test]
fn a_trail_of_a_hundred_thousand_replayed_messages_is_kept_and_gives_its_memory_back() {
    let trails = Arc::default();
    let trail = long(&trails);
    assert_eq!(trail.check(), Ok(()));
    assert!(bytes(&trails) < MOST_BYTES && bytes(&trails) > MOST_BYTES / 2, "{}", bytes(&trails));
    drop(trail);
    assert_eq!(bytes(&trails), 0);
}

#[test]
fn a_trail_that_is_too_long_is_lost_whole_and_stays_lost() {
    let trails = Arc::default();
    let trail = long(&trails);
    trail.add(puts(100_000));
    assert_eq!((trail.check(), bytes(&trails)), (Err(NoUndo::TooMuch), 0));
    trail.add(puts(1));
    assert_eq!((trail.check(), bytes(&trails)), (Err(NoUndo::TooMuch), 0));
}

#[test]
fn the_oldest_trails_make_room_for_later_ones() {
    let trails = Arc::default();
    let all = [long(&trails), long(&trails), long(&trails), long(&trails)];
    assert!(bytes(&trails) <= MOST_BYTES_OF_ALL);
    let states = all.each_ref().map(|trail| trail.check());
    assert_eq!(states[3], Ok(()));
    assert_eq!(states[0], Err(NoUndo::Displaced));
}

#[test]
fn what_a_message_was_is_made_of_what_it_is_and_its_life_goes_on() {
    let descriptor = MessageDescriptor { priority: 7, expiry: Expiry(100), ..MessageDescriptor::default() };
    let message = Message {
        descriptor: MessageDescriptor { format: Format::DEAD_LETTER_HEADER, ..descriptor.clone() },
        body: "header+data".into(),
    };
    let before = Before::new(&message, 7, true);
    let changed = MessageDescriptor { priority: 1, expiry: Expiry(40), ..descriptor };
    let mut back = Message { descriptor: changed, body: "data".into() };
    before.restore(&mut back);
    let expected = MessageDescriptor { expiry: Expiry(40), ..message.descriptor };
    assert_eq!((back.descriptor, back.body), (expected, message.body));
}
