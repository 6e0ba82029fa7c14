use super::*;
use crate::payload::Payload;

/// One client's story, then the verdict with the queues emptied. Words: `put` `put?` `put!` (answered, answer lost,
/// refused), and on the n-th put: `get N`, `damaged N`, `aim N` (an aimed get lost its answer), `any` (any get did), `left N`
/// (found where it was put, unanswered), `hold N` (delivered), `complete N` (its completion was answered), `again N` (answered when
/// it was repeated).
fn check(story: &str) -> Verdict {
    let ledger = Ledger::new(5, 1);
    let payload = Payload::new(64);
    let mut ids = Vec::new();
    for step in story.split(';').map(str::trim) {
        let (word, number) = step.split_once(' ').unwrap_or((step, "0"));
        let number: usize = number.parse().unwrap();
        match word {
            "put" | "put?" | "put!" => {
                let id = ledger.begin_put(0);
                ids.push(id);
                match word {
                    "put" => ledger.put_answered(id),
                    "put!" => ledger.put_failed(id, Effect::None),
                    _ => ledger.put_failed(id, Effect::Unknown),
                }
            }
            "get" | "damaged" => {
                let body = payload.body(&ids[number].to_hex());
                assert_eq!(ledger.got(&body, word == "get"), Some(ids[number]));
            }
            "aim" => ledger.get_failed(Some(ids[number]), Effect::Unknown),
            "hold" => assert_eq!(ledger.delivered(&payload.body(&ids[number].to_hex()), true), Some(ids[number])),
            "complete" => ledger.completed(ids[number]),
            "again" => ledger.put_answered(ids[number]),
            "any" => ledger.get_failed(None, Effect::Unknown),
            "left" => ledger.left(ids[number]),
            _ => panic!("unknown word {word}"),
        }
    }
    ledger.verdict(true)
}

#[test]
fn what_is_put_and_got_once_is_clean() {
    let verdict = check("put; put; get 1; get 0");
    assert_eq!((verdict.answered_puts, verdict.got, verdict.lost, verdict.duplicated), (2, 2, Some(0), 0));
    assert!(verdict.is_clean());
}

#[test]
fn an_answered_put_that_is_gone_is_lost() {
    let verdict = check("put; put; get 0");
    assert_eq!(verdict.lost, Some(1));
    assert!(!verdict.is_clean());
}

#[test]
fn a_request_that_nobody_answered_is_left_and_not_lost() {
    let verdict = check("put; put; get 0; left 1");
    assert_eq!((verdict.got, verdict.left, verdict.lost), (1, 1, Some(0)));
    assert!(verdict.is_clean());
    assert_eq!(check("put?; left 0").unknown_puts_found, 1);
    assert_eq!(check("put!; left 0").refused_but_found, 1);
    assert_eq!(check("put; get 0; left 0").duplicated, 1, "answered and still there");
}

#[test]
fn a_message_got_twice_is_duplicated_even_when_its_put_was_not_answered() {
    assert_eq!(check("put; get 0; get 0").duplicated, 1);
    assert_eq!(check("put?; get 0; get 0").duplicated, 1);
}

#[test]
fn a_put_without_an_answer_may_be_found_or_not() {
    let found = check("put?; get 0");
    let absent = check("put?");
    assert_eq!((found.unknown_puts, found.unknown_puts_found), (1, 1));
    assert_eq!((absent.unknown_puts, absent.unknown_puts_found), (1, 0));
    assert!(found.is_clean() && absent.is_clean());
}

#[test]
fn a_get_without_an_answer_explains_only_its_own_message() {
    let own = check("put; aim 0");
    let other = check("put; put; aim 0; get 0");
    assert_eq!((own.lost, own.explained), (Some(0), 1));
    assert_eq!(other.lost, Some(1));
}

#[test]
fn a_get_of_any_message_without_an_answer_explains_one_and_no_more() {
    let verdict = check("put; put; any");
    assert_eq!((verdict.explained, verdict.lost), (1, Some(1)));
}

#[test]
fn a_refused_put_that_is_found_and_a_damaged_body_are_not_clean() {
    assert!(!check("put!; get 0").is_clean());
    assert!(!check("put; damaged 0").is_clean());
    assert!(check("put!").is_clean());
}

#[test]
fn messages_of_other_runs_are_counted_apart_and_still_not_twice() {
    let ledger = Ledger::new(1, 1);
    let theirs = Payload::new(64).body(&PutId { run: 2, client: 0, sequence: 0 }.to_hex());
    assert_eq!(ledger.got(&theirs, true), None);
    assert_eq!(ledger.got(b"hello", true), None);
    assert_eq!((ledger.verdict(true).foreign, ledger.verdict(true).duplicated), (2, 0));
    ledger.got(&theirs, true);
    assert_eq!(ledger.verdict(true).duplicated, 1);
}

#[test]
fn outstanding_messages_are_those_that_may_still_be_there() {
    let ledger = Ledger::new(1, 1);
    let ids: Vec<_> = (0..4).map(|_| ledger.begin_put(0)).collect();
    ledger.put_answered(ids[0]);
    ledger.put_answered(ids[1]);
    ledger.put_failed(ids[3], Effect::None);
    ledger.got(&Payload::new(48).body(&ids[0].to_hex()), true);
    assert_eq!(ledger.outstanding(0), [ids[1], ids[2]]);
    assert_eq!(ledger.verdict(false).lost, None);
}

#[test]
fn a_message_that_came_to_the_wrong_one_is_not_clean() {
    let ledger = Ledger::new(1, 1);
    let id = ledger.begin_put(0);
    ledger.put_answered(id);
    ledger.got(&Payload::new(48).body(&id.to_hex()), true);
    assert!(ledger.verdict(true).is_clean());
    ledger.misdelivered();
    let verdict = ledger.verdict(true);
    assert_eq!((verdict.misdelivered, verdict.lost), (1, Some(0)));
    assert!(!verdict.is_clean());
    assert_eq!(Verdict::merged(Some(verdict.clone()), verdict).misdelivered, 2);
}

#[test]
fn a_delivery_counts_when_it_is_completed_and_must_not_come_again() {
    let verdict = check("put; hold 0; hold 0; complete 0");
    assert_eq!((verdict.got, verdict.duplicated, verdict.lost), (1, 0, Some(0)));
    assert_eq!(check("put; hold 0; complete 0; hold 0").duplicated, 1);
    assert_eq!(check("put; hold 0").lost, Some(1), "in no hand and on no queue");
    let unanswered = check("put; hold 0; aim 0");
    assert_eq!((unanswered.lost, unanswered.explained), (Some(0), 1));
    assert_eq!(check("put; hold 0; aim 0; hold 0; complete 0").duplicated, 0);
}

#[test]
fn a_put_that_was_answered_when_it_was_repeated_is_there_once() {
    assert_eq!(check("put?; again 0").lost, Some(1));
    assert_eq!(check("put?; again 0; get 0; get 0").duplicated, 1);
    assert!(check("put?; again 0; get 0").is_clean());
}
