use model::identifier::{CorrelationId, GroupId, MessageId};
use model::name::ObjectName;
use queue_manager::UnitOfWorkId;
use queue_manager::insight::{HeldByUnit, NotYetDue, Program, Survey};

use super::*;

fn bytes(text: &[u8]) -> [u8; 24] {
    let mut id = [0; 24];
    id[..text.len()].copy_from_slice(text);
    id
}

fn message(position: u64, id: &[u8], correlation: &[u8]) -> Surveyed {
    Surveyed {
        position: Position(position),
        message_id: MessageId::new(bytes(id)),
        correlation_id: CorrelationId::new(bytes(correlation)),
        group_id: GroupId::NONE,
        has_expired: false,
        is_locked: false,
    }
}

fn insight(messages: Vec<Surveyed>) -> Insight {
    Insight {
        queue: ObjectName::literal("Q"),
        inhibited: Vec::new(),
        survey: Survey { available: messages.len(), first: messages, ..Survey::default() },
        holders: Vec::new(),
        readers: Vec::new(),
        readers_are_cut: false,
        writers: 1,
        last_put: None,
        last_get: None,
        not_yet_due: NotYetDue::default(),
    }
}

fn reader(selector: &str) -> Reader {
    let text = String::new;
    let program = Program { application: text(), user: text(), channel: text(), connection_name: text() };
    Reader { program, takes: true, browses: false, selector: selector.to_owned(), waits: Vec::new() }
}

fn by_correlation(id: &[u8]) -> Wait {
    Wait { correlation_id: Some(CorrelationId::new(bytes(id))), ..Wait::default() }
}

fn difference(insight: &Insight, wait: &Wait) -> Difference {
    let look_up = |kind, id: [u8; 24]| {
        let found = insight.survey.first.iter().find(|message| of_kind(message, kind) == &id);
        found.map(|message| message.position)
    };
    first_difference(insight, &reader(""), wait, look_up)
}

#[test]
fn what_misses_by_a_hair_is_named() {
    for (asked, there, text) in [
        (
            &b"order 17"[..],
            &b"order 17  "[..],
            "the correlation id of the message at position 5 differs in trailing blanks or zeros only",
        ),
        (
            b"Order-17",
            b"order-17",
            "the correlation id of the message at position 5 differs in upper and lower case only",
        ),
        (
            b"414d5120514d3120",
            b"AMQ QM1 \x01\x02",
            "the correlation id of the message at position 5 has as bytes what the get sends as hexadecimal digits",
        ),
        (
            b"ID:414D5120514d3120",
            b"AMQ QM1 \x01\x02",
            "the correlation id of the message at position 5 has as bytes what the get sends as hexadecimal digits",
        ),
        (
            b"AMQ QM1 ",
            b"414d5120514d3120",
            "the correlation id of the message at position 5 has as hexadecimal digits what the get sends as bytes",
        ),
    ] {
        let found = difference(&insight(vec![message(5, b"id", there)]), &by_correlation(asked));
        assert_eq!((found.kind, &*found.near_misses[0].text), ("identifier", text), "{found:?}");
        assert_eq!(found.text, format!("it asks by correlation id; {text}"));
    }
}

#[test]
fn the_right_bytes_in_the_wrong_field_are_found_by_the_index() {
    let found = difference(&insight(vec![message(7, b"AMQ QM1 0001", b"")]), &by_correlation(b"AMQ QM1 0001"));
    assert_eq!(
        found.text,
        "it asks by correlation id; a message with these bytes as its message id is there, at position 7: it may have to ask \
         by message id in place of correlation id"
    );
}

#[test]
fn identifiers_that_have_nothing_in_common_are_no_near_miss() {
    for there in [&b"another"[..], b"", b"41"] {
        let found = difference(&insight(vec![message(5, there, there)]), &by_correlation(b"AMQ QM1 0001"));
        assert_eq!((found.kind, found.near_misses.len()), ("identifier", 0), "{found:?}");
    }
}

#[test]
fn the_first_difference_is_what_keeps_every_get() {
    let any = Wait::default();
    let mut there = insight(vec![message(1, b"a", b"b")]);
    there.inhibited = vec![ObjectName::literal("Q")];
    assert_eq!(difference(&there, &any).kind, "inhibited");
    let held = |put, got| {
        let mut empty = insight(Vec::new());
        empty.survey.held = vec![HeldByUnit { unit: UnitOfWorkId(1), put, got }];
        empty
    };
    assert_eq!(difference(&held(2, 0), &any).kind, "uncommitted");
    assert_eq!(difference(&held(0, 2), &any).kind, "taken");
    let mut staged = insight(Vec::new());
    staged.not_yet_due.count = 3;
    assert_eq!(difference(&staged, &any).kind, "notYetDue");
    let mut nobody = insight(Vec::new());
    assert_eq!(difference(&nobody, &any).kind, "empty");
    nobody.writers = 0;
    assert_eq!(difference(&nobody, &any).kind, "nobodyPuts");
}

#[test]
fn a_message_that_fits_is_expired_locked_or_not_selected() {
    let any = Wait::default();
    let one = message(1, b"a", b"b");
    let expired = insight(vec![Surveyed { has_expired: true, ..one }]);
    assert_eq!(difference(&expired, &any).kind, "expired");
    let locked = insight(vec![Surveyed { is_locked: true, ..one }]);
    assert_eq!(difference(&locked, &any).kind, "locked");
    let there = insight(vec![one]);
    assert_eq!(first_difference(&there, &reader("colour = 'red'"), &any, |_, _| None).kind, "selector");
    assert_eq!(difference(&there, &any).kind, "options");
    let mut taken = insight(vec![message(2, b"x", b"y")]);
    taken.survey.got = vec![one];
    assert_eq!(difference(&taken, &by_correlation(b"b")).kind, "taken");
}
