//! Units of work off their connection: what they hide, how they end alone and together, and what ends them.

use expect_test::expect;

use crate::script::check;

#[test]
fn a_detached_unit_of_work_keeps_its_message_while_its_connection_goes_on() {
    check(
        "put A; put B; get syncpoint; detach a; get syncpoint; commit; depth Q; @2 get; settle a; depth Q",
        expect!["A B 1 2033 0"],
    );
}

#[test]
fn a_detached_unit_of_work_that_is_backed_out_returns_its_message_and_wakes_a_getter() {
    check(
        "put A; get syncpoint; detach a; start T get wait=60000 show=bc; settle a back_out; join T",
        expect!["A A bc=1"],
    );
}

#[test]
fn a_detached_unit_of_work_is_backed_out_when_its_handle_is_dropped() {
    check("put A; get syncpoint; detach a; depth Q; forget a; get show=bc", expect!["A 1 A bc=1"]);
}

#[test]
fn a_detached_unit_of_work_outlives_its_connection_and_ends_with_the_queue_manager() {
    check("put A; @2 get syncpoint; @2 detach a; @2 drop; get; settle a; depth Q", expect!["A 2033 0"]);
    check("put A; get syncpoint; detach a; stop; settle a", expect!["A 2003"]);
}

#[test]
fn there_is_nothing_to_detach_before_something_was_done() {
    check("detach a; put A; get syncpoint; back_out; detach a", expect!["nothing A nothing"]);
}

#[test]
fn a_unit_of_work_is_attached_to_a_connection_that_has_none() {
    check(
        "define R; put A; get syncpoint; detach a; @2 attach a; @2 put1 B to=R syncpoint; depth R; @2 commit; depth Q; depth R",
        expect!["A 1 0 1"],
    );
    check("put A; put B; get syncpoint; detach a; get syncpoint; attach a", expect!["A B 2128"]);
}

#[test]
fn units_of_work_are_committed_together_with_that_of_the_connection() {
    check(
        "define R; put A; put B; get syncpoint; detach a; get syncpoint; detach b; put1 C to=R syncpoint; \
         together a b; depth Q; depth R",
        expect!["A B 0 1"],
    );
}

#[test]
fn a_receipt_is_there_once_its_commit_is_and_for_its_time() {
    check(
        "put A syncpoint; receipt K; together receipt=K; receipt K; get; advance 59; receipt K; advance 1; receipt K",
        expect!["none K A K none"],
    );
}

#[test]
fn what_arrives_by_a_commit_of_several_wakes_those_who_wait() {
    check("start T get wait=60000; put A syncpoint; detach a; together a; join T", expect!["A"]);
}
