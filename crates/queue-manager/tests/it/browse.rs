//! The browse cursor, locks and marks.

use expect_test::expect;

use crate::script::check;

#[test]
fn browsing_goes_through_in_delivery_order_and_leaves_messages() {
    check("put A; put B pri=5; get first; get next; get next; get first; depth Q", expect!["B A 2033 B 2"]);
}

#[test]
fn each_handle_has_a_cursor_of_its_own() {
    check("put A; put B; get next; @2 get next; get next; @2 get next", expect!["A A B B"]);
}

#[test]
fn a_browser_does_not_go_back_for_what_arrives_before_its_cursor() {
    check("put A; put B; get next; get next; put C pri=9; get next; get first", expect!["A B 2033 C"]);
}

#[test]
fn the_message_under_the_cursor_can_be_browsed_again_and_got() {
    check(
        "put A; put B; get cursor; get first; get next; get browse_cursor; get cursor; get cursor; get browse_cursor; \
         get next; get first",
        expect!["2034 A B B B 2034 2034 2033 A"],
    );
}

#[test]
fn matching_applies_to_browsing() {
    check(
        "put A corr=X; put B corr=Y; put C corr=X; get first corr=X; get next corr=X; get next corr=X",
        expect!["A C 2033"],
    );
}

#[test]
fn a_locked_message_is_hidden_from_others_until_unlocked() {
    check(
        "put A; put B; get first lock; @2 get first; @2 get; get unlock; get unlock; @2 get",
        expect!["A B B - 2209 A"],
    );
}

#[test]
fn a_lock_ends_with_the_next_browse_with_its_get_and_with_close() {
    check(
        "put A; put B; put C; get first lock; get next lock; @2 get; get cursor; @2 get first; get first lock; close q; @2 get",
        expect!["A B A B C C C"],
    );
}

#[test]
fn marked_messages_are_passed_over_by_cooperating_browsers() {
    check(
        "put A; put B; open m Q browse co_op; @2 open m Q browse co_op; get next on=m mark unmarked; \
         @2 get next on=m mark unmarked; @2 get next on=m mark unmarked; advance 5; @2 get first on=m mark unmarked",
        expect!["A B 2033 A"],
    );
}

#[test]
fn a_browse_that_waits_sees_a_message_when_its_mark_ends_or_is_taken_away() {
    // Longer than `join` waits: a last look at the end of the wait does not help.
    let both = "put A; open m Q browse co_op; @2 open m Q browse co_op; get next on=m mark unmarked; \
                @2 start waiting get first on=m mark unmarked wait=100000000;";
    check(&format!("{both} advance 5; join waiting"), expect!["A A"]);
    check(&format!("{both} get first on=m unmark; join waiting"), expect!["A A A"]);
}

#[test]
fn marks_of_a_handle_concern_that_handle_alone() {
    check("put A; get first mark_handle; get first unmarked; @2 get first unmarked", expect!["A 2033 A"]);
}

#[test]
fn a_message_token_finds_its_message_and_no_other_queues() {
    check(
        "define R; put A; put B; get first; get next token=t; get match_token=t; open r R input; get on=r match_token=t; get",
        expect!["A B B 2033 A"],
    );
}

#[test]
fn a_truncated_browse_does_not_move_the_cursor_unless_accepted() {
    check("put ABC; put D; get next buf=1; get next buf=1 truncate; get next", expect!["A !2080 A !2079 D"]);
}
