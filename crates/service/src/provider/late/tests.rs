use model::authority::Principal;
use model::name::QueueName;

use super::*;

fn key(number: u8) -> Key {
    Key {
        target: Target::Local(String::new()),
        address: QueueAddress { queue: QueueName::literal("REPLIES"), queue_manager: Default::default() },
        correlation_id: CorrelationId::new([number; 24]),
    }
}

fn late(number: u8, now: Instant) -> Late {
    Late {
        key: key(number),
        user: User::Server(Cow::Owned(Principal::user("server"))),
        fate: Fate::Discard,
        next: now,
        pause: FIRST_LOOK,
        until: now + REMEMBERED_FOR,
    }
}

fn due(replies: &LateReplies, now: Instant) -> Vec<Key> {
    replies.due(now).0.into_iter().map(|late| late.key).collect()
}

#[test]
fn a_correlation_id_that_is_awaited_again_is_not_looked_for() {
    let (replies, now) = (LateReplies::default(), Instant::now());
    replies.remember(late(1, now));
    replies.remember(late(2, now));
    replies.claim(key(1));
    assert_eq!(due(&replies, now), [key(2)]);
    assert!(replies.is_claimed(&key(1)) && !replies.is_claimed(&key(2)));
}

#[test]
fn a_look_that_was_under_way_when_its_correlation_id_was_claimed_is_not_repeated() {
    let (replies, now) = (LateReplies::default(), Instant::now());
    replies.remember(late(1, now));
    let (taken, _) = replies.due(now);
    replies.claim(key(1));
    taken.into_iter().for_each(|late| replies.put_back(late));
    assert_eq!(due(&replies, now), []);
}

#[test]
fn a_correlation_id_is_claimed_as_long_as_one_of_its_requests_waits() {
    let (replies, now) = (LateReplies::default(), Instant::now());
    replies.claim(key(1));
    replies.claim(key(1));
    replies.give_up_claim(&key(1));
    assert!(replies.is_claimed(&key(1)));
    replies.give_up_claim(&key(1));
    assert!(!replies.is_claimed(&key(1)));
    replies.put_back(late(1, now));
    assert_eq!(due(&replies, now), [key(1)]);
}
