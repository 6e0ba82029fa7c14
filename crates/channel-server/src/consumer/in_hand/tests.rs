use super::{InHand, Sent};

const X: u32 = 1;
const Y: u32 = 2;

fn sent(handle: u32, index: u32) -> Sent {
    Sent { handle, index }
}

#[test]
fn a_message_is_in_hand_until_its_consumer_asks_on_with_it_as_the_last() {
    let mut hand = InHand::Nothing;
    hand.send(sent(X, 7));
    assert!(hand.keeps_from(Y) && !hand.keeps_from(X));
    assert!(!hand.ask(Y, 7), "another consumer's request");
    assert!(!hand.ask(X, 6), "a request that crossed the message");
    assert!(hand.ask(X, 7));
    assert_eq!(hand, InHand::Nothing);
}

#[test]
fn a_back_out_of_a_message_sent_here_changes_nothing() {
    for before in [InHand::Nothing, InHand::Message(sent(X, 1))] {
        let mut hand = before;
        assert!(!hand.back_out());
        assert_eq!(hand, before);
    }
}

#[test]
fn after_a_back_out_that_follows_a_reconnection_only_a_request_lets_messages_go() {
    for before in [None, Some(sent(Y, 1))] {
        let mut hand = InHand::PerhapsOfLost(before);
        assert!(!hand.ask(X, 0), "requests that come with the reconnection say nothing");
        hand.start();
        assert!(hand.back_out());
        assert_eq!(hand, InHand::BackedOut);
        assert!(!hand.back_out());
        assert_eq!(hand, InHand::BackedOut);
        assert!(hand.ask(X, 0));
        assert_eq!(hand, InHand::Nothing);
    }
}

#[test]
fn a_client_that_commits_is_past_the_lost_conversation() {
    let mut hand = InHand::PerhapsOfLost(None);
    hand.send(sent(Y, 3));
    hand.send(sent(Y, 4));
    assert!(hand.keeps_from(X));
    hand.commit();
    assert_eq!(hand, InHand::Message(sent(Y, 3)));
    assert!(!hand.back_out());
    let mut hand = InHand::PerhapsOfLost(None);
    hand.commit();
    assert_eq!(hand, InHand::Nothing);
}

#[test]
fn a_request_for_a_message_that_is_passed_over_lets_others_go_on_and_says_nothing_else() {
    let mut hand = InHand::PerhapsOfLost(Some(sent(Y, 3)));
    assert!(!hand.ask(X, 2));
    assert!(hand.ask(Y, 3));
    assert!(!hand.keeps_from(X));
    assert!(hand.back_out());
    assert_eq!(hand, InHand::BackedOut);
}

#[test]
fn closing_the_consumer_that_backed_out_lets_others_go_on() {
    let mut hand = InHand::BackedOut;
    hand.close(X);
    assert_eq!(hand, InHand::Nothing);
    hand.send(sent(Y, 1));
    hand.close(X);
    assert_eq!(hand, InHand::Message(sent(Y, 1)));
    hand.close(Y);
    assert_eq!(hand, InHand::Nothing);
}

#[test]
fn indexes_begin_anew_after_the_highest() {
    let mut hand = InHand::Message(sent(X, u32::MAX));
    assert!(hand.ask(X, 2));
}
