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

fn late(number: u8) -> Late {
    Late { key: key(number), user: User::Server(Cow::Owned(Principal::user("server"))), fate: Fate::Discard }
}

/// Those that are looked for first: time passes by itself.
async fn due(replies: &LateReplies) -> Vec<Key> {
    let due = tokio::time::timeout(LONGEST_LOOK, replies.missing.due()).await.unwrap_or_default();
    due.into_iter().map(|look| look.what.key).collect()
}

#[tokio::test(start_paused = true)]
async fn a_correlation_id_that_is_awaited_again_is_not_looked_for() {
    let replies = LateReplies::default();
    replies.missing.remember(late(1), None);
    replies.missing.remember(late(2), None);
    replies.claim(key(1));
    assert_eq!(due(&replies).await, [key(2)]);
    assert!(replies.is_claimed(&key(1)) && !replies.is_claimed(&key(2)));
}

#[tokio::test(start_paused = true)]
async fn a_look_that_was_under_way_when_its_correlation_id_was_claimed_is_not_repeated() {
    let replies = LateReplies::default();
    replies.missing.remember(late(1), None);
    let taken = replies.missing.due().await;
    replies.claim(key(1));
    taken.into_iter().for_each(|look| replies.put_back(look));
    assert_eq!(due(&replies).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_correlation_id_is_claimed_as_long_as_one_of_its_requests_waits() {
    let replies = LateReplies::default();
    replies.missing.remember(late(1), None);
    let mut taken = replies.missing.due().await;
    replies.claim(key(1));
    replies.claim(key(1));
    replies.give_up_claim(&key(1));
    assert!(replies.is_claimed(&key(1)));
    replies.give_up_claim(&key(1));
    assert!(!replies.is_claimed(&key(1)));
    replies.put_back(taken.pop().expect("it was missing"));
    assert_eq!(due(&replies).await, [key(1)]);
}
