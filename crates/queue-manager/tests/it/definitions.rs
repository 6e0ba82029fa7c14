//! Definitions: define, alter, delete, clear, with what handles and messages forbid.

use expect_test::expect;

use crate::script::check;

#[test]
fn define_refuses_a_name_that_is_taken_and_replace_keeps_messages() {
    check(
        "put A; define Q; define Q replace MAXDEPTH=7; get; define Q alias replace",
        expect!["already_exists A wrong_type"],
    );
}

#[test]
fn delete_refuses_queues_in_use_not_empty_or_unknown() {
    check(
        "define R; put1 A to=R; delete R; open r R output; delete R purge; close r; delete R purge; delete R; depth R",
        expect!["not_empty in_use not_found none"],
    );
}

#[test]
fn delete_refuses_a_queue_with_uncommitted_messages() {
    check("define R; put1 A to=R syncpoint; delete R purge; commit; delete R purge", expect!["in_use"]);
}

#[test]
fn clear_removes_every_message_of_a_queue_nobody_uses() {
    check(
        "define R; put1 A to=R; put1 B to=R; open r R output; clear R; close r; clear R; depth R; clear NONE; \
         put1 A to=R syncpoint; clear R; define A alias TARGET=R; clear A",
        expect!["in_use 0 not_found in_use wrong_type"],
    );
}

#[test]
fn changes_that_break_open_handles_need_force_and_then_break_them() {
    check(
        "define R; define A alias TARGET=Q; open a A output; alter A TARGET=R; alter A TARGET=R force; put X on=a; \
         close a; open a A output; put X on=a; depth R",
        expect!["in_use 2041 1"],
    );
}

#[test]
fn usage_cannot_change_while_there_are_messages() {
    check("define R; put1 A to=R; alter R USAGE=XMITQ; clear R; alter R USAGE=XMITQ", expect!["not_empty"]);
}

#[test]
fn an_unknown_queue_cannot_be_altered() {
    check("alter NONE MAXDEPTH=1", expect!["not_found"]);
}

#[test]
fn a_deleted_and_defined_queue_starts_empty() {
    check("define R; put1 A to=R; delete R purge; define R; depth R", expect!["0"]);
}
