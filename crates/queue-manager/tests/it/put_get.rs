//! Put, get and browse on one local queue.

use expect_test::expect;

use crate::script::check;

#[test]
fn higher_priority_leaves_first_then_arrival_order() {
    check("put A pri=1; put B pri=9; put C pri=9; get; get; get; get", expect!["B C A 2033"]);
}

#[test]
fn fifo_queue_ignores_priority() {
    check("alter Q MSGDLVSQ=FIFO; put A pri=1; put B pri=9; get; get", expect!["A B"]);
}

#[test]
fn backed_out_message_returns_to_its_place_with_its_count_raised() {
    check("put A; put B; get syncpoint; back_out; get first show=bc; get next show=bc", expect!["A A bc=1 B bc=0"]);
}

#[test]
fn uncommitted_messages_are_seen_by_nobody_until_commit() {
    check("put A syncpoint; @2 get; get; get first; depth Q; commit; @2 get; depth Q", expect!["2033 2033 2033 1 A 0"]);
}

#[test]
fn backed_out_put_never_was() {
    check("put A syncpoint; back_out; get; depth Q", expect!["2033 0"]);
}

#[test]
fn uncommitted_get_hides_the_message_and_commit_removes_it() {
    check("put A; get syncpoint; @2 get; depth Q; commit; depth Q; get", expect!["A 2033 1 0 2033"]);
}
