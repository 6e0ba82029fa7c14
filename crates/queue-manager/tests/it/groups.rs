//! Message groups and segments.

use expect_test::expect;
use model::definition::QueueDefinition;
use queue_manager::Home;
use storage::StoreOptions;

use crate::script::{FakeClock, Session, administrator, check, name, start_with};

#[test]
fn a_put_in_logical_order_numbers_messages_and_segments() {
    check(
        "put A logical in_group; put B logical in_group segment; put C logical in_group last_segment; \
         put D logical last_in_group; put E logical; \
         get show=seq,off; get show=seq,off; get show=seq,off; get show=seq,off; get show=seq,off,mf",
        expect!["A seq=1 off=0 B seq=2 off=0 C seq=2 off=1 D seq=3 off=0 E seq=1 off=0 mf=0x0"],
    );
}

#[test]
fn logical_order_refuses_what_breaks_group_or_message() {
    check(
        "put A logical in_group; put B logical; put C logical in_group segment; put D logical in_group; close q",
        expect!["2241 2242 2242"],
    );
}

#[test]
fn a_group_keeps_persistence_and_unit_of_work() {
    check(
        "put A logical in_group pst=no; put B logical in_group pst=yes; put B logical in_group syncpoint",
        expect!["2185 2245"],
    );
}

#[test]
fn a_get_in_logical_order_returns_a_group_in_sequence_although_others_lie_between() {
    check(
        "put B group=G seq=2 in_group; put X; put A group=G seq=1 in_group; put C group=G seq=3 last_in_group; \
         get logical; get logical; get logical; get logical; get logical",
        expect!["X A B C 2033"],
    );
}

#[test]
fn all_messages_available_waits_for_the_whole_group() {
    check(
        "put A group=G seq=1 in_group; put B group=G seq=2 in_group; get all_messages logical; put C group=G seq=3 last_in_group; \
         get all_messages logical; get all_messages logical; get all_messages logical",
        expect!["2033 A B C"],
    );
}

#[test]
fn segments_come_together_with_complete_message() {
    check(
        "put AB group=G off=0 segment; put X; get complete; put CD group=G off=2 segment; get complete; \
         put E group=G off=4 last_segment; get complete first show=mf; get complete show=mf; depth Q",
        expect!["X 2033 ABCDE mf=0x0 ABCDE mf=0x0 0"],
    );
}

#[test]
fn a_complete_message_is_backed_out_whole() {
    check(
        "put AB group=G off=0 segment; put C group=G off=2 last_segment; get complete syncpoint; depth Q; back_out; \
         get complete; depth Q",
        expect!["ABC 2 ABC 0"],
    );
}

#[test]
fn all_segments_available_returns_segments_once_all_are_there() {
    check(
        "put A group=G off=0 segment; get all_segments; put B group=G off=1 last_segment; get all_segments logical; \
         get logical show=off",
        expect!["2033 A B off=1"],
    );
}

#[test]
fn a_message_too_long_is_segmented_where_allowed() {
    check(
        "alter Q MAXMSGL=20; put ABCDEFGHIJKLMNOPQRSTUVWXYZ; put ABCDEFGHIJKLMNOPQRSTUVWXYZ may_segment; depth Q; get first show=ol; \
         get complete",
        expect!["2030 2 ABCDEFGHIJKLMNOP ol=26 ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
    );
}

#[test]
fn browsing_in_logical_order_follows_the_group_and_then_goes_on() {
    check(
        "put A group=G seq=1 in_group; put X; put B group=G seq=2 last_in_group; put Y; get first logical; get next logical; \
         get next logical; get next logical; get next logical",
        expect!["A B X Y 2033"],
    );
}

#[test]
fn group_fields_are_checked() {
    check(
        "put A group=G seq=0 in_group; put A in_group off=5; put A flags=64; put A group=G seq=7; get show=seq",
        expect!["2250 2251 2249 A seq=1"],
    );
}

#[test]
fn messages_are_selected_by_group_sequence_and_offset() {
    check(
        "put A group=G seq=1 in_group; put B group=G seq=2 in_group; put C group=H seq=2 in_group; get group=H; get group=G seq=2; \
         get seq=3",
        expect!["C B 2033"],
    );
}

#[test]
fn segments_for_which_there_is_no_room_leave_nothing_in_the_unit_of_work() {
    check(
        "alter Q MAXMSGL=16 MAXDEPTH=1; put A*20 may_segment syncpoint; commit; depth Q; put A*20 may_segment; depth Q",
        expect!["2053 0 2053 0"],
    );
    check(
        "alter_qmgr MAXUMSGS=5; alter Q MAXMSGL=16; put A syncpoint; put B syncpoint; put C syncpoint; put D syncpoint; \
         put E*40 may_segment syncpoint; commit; depth Q",
        expect!["2024 4"],
    );
}

#[tokio::test]
async fn segments_that_fail_half_way_back_the_unit_of_work_out() {
    let clock = FakeClock::new();
    let store = StoreOptions { buffer_pool_bytes: 8000, ..StoreOptions::default() };
    let queue_manager = start_with(Home::Ephemeral, store, clock.clone());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    let script = "alter Q MAXMSGL=4096; put X syncpoint; put A*12288 may_segment syncpoint; commit; depth Q";
    assert_eq!(Session::new(queue_manager, clock).run(script).await, "2003 0");
}

#[test]
fn a_complete_message_for_which_the_unit_of_work_has_no_room_stays_whole() {
    check(
        "alter_qmgr MAXUMSGS=5; alter Q MAXMSGL=16; put A*34 may_segment; put B syncpoint; put C syncpoint; \
         put D syncpoint; put E syncpoint; get complete syncpoint; commit; depth Q; get complete",
        expect!["2024 7 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    );
}

#[test]
fn a_message_is_not_complete_while_somebody_has_locked_a_segment() {
    check(
        "put AB group=G off=0 segment; put C group=G off=2 last_segment; @2 get first; @2 get next lock; get complete; \
         @2 get unlock; get complete; depth Q",
        expect!["AB C 2033 - ABC 0"],
    );
}
