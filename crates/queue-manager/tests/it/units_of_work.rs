//! Units of work: what is seen when, over several queues, and what ends them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use expect_test::expect;
use model::definition::QueueDefinition;
use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};

use crate::script::{FakeClock, administrator, check, connect, ephemeral, name};

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

#[test]
fn one_unit_of_work_spans_queues() {
    check(
        "define R; put A; get syncpoint; put1 B to=R syncpoint; back_out; depth Q; depth R; \
         get syncpoint; put1 B to=R syncpoint; commit; depth Q; depth R",
        expect!["A 1 0 A 0 1"],
    );
}

#[test]
fn without_syncpoint_nothing_is_undone() {
    check("put A; put B; get; back_out; get; back_out; depth Q", expect!["A B 0"]);
}

#[test]
fn persistence_may_decide_about_syncpoint() {
    check(
        "put A pst=no; put B pst=yes; get syncpoint_if_persistent; get syncpoint_if_persistent; back_out; get show=bc; get",
        expect!["A B B bc=1 2033"],
    );
}

#[test]
fn a_unit_of_work_takes_at_most_maxumsgs_messages() {
    check(
        "alter_qmgr MAXUMSGS=2; put A syncpoint; put B syncpoint; put C syncpoint; commit; put C syncpoint; commit; depth Q",
        expect!["2024 3"],
    );
}

#[test]
fn dropping_a_connection_backs_out_and_disconnecting_handles_are_closed() {
    check(
        "put A; @2 get syncpoint; @2 put B syncpoint; procs Q; @2 drop; procs Q; depth Q; get show=bc",
        expect!["A in=2 out=2 in=1 out=1 1 A bc=1"],
    );
}

#[test]
fn a_message_marked_skip_backout_stays_got_after_back_out() {
    check(
        "put A; put B; get syncpoint; get syncpoint skip_backout; get syncpoint skip_backout; back_out; @2 get; @2 get; \
         commit; depth Q",
        expect!["A B 2062 A 2033 0"],
    );
}

#[test]
fn backing_out_a_marked_message_itself_returns_it() {
    check("put A; get syncpoint skip_backout; back_out; @2 get; back_out; @2 get show=bc", expect!["A 2033 A bc=2"]);
}

#[test]
fn a_stopping_queue_manager_backs_out_and_refuses() {
    check("put A; get syncpoint; stop; get; put B; commit", expect!["A 2162 2162"]);
}

#[test]
fn a_quiescing_queue_manager_refuses_those_who_ask_for_it() {
    check(
        "put A; open o Q output; quiesce; put B fail_if_quiescing; put B; get fail_if_quiescing; get; \
         open p Q output fail_if_quiescing; open p Q output",
        expect!["2161 2161 A 2161"],
    );
}

#[tokio::test]
async fn a_unit_of_work_of_many_messages_gives_other_tasks_of_its_thread_their_turn_at_its_end() {
    const COUNT: usize = 4000;
    let queue_manager = ephemeral(FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
    let opened = connection.open(&administrator(), &object, OpenOptions::OUTPUT | OpenOptions::INPUT_SHARED).await;
    let handle = opened.unwrap().handle;
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let put = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
    let get = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
    let ends = [What::Puts, What::GetsBackedOut, What::Gets];
    for what in ends {
        for _ in 0..COUNT {
            if what == What::Puts {
                connection.put(handle, MessageDescriptor::default(), &put, Bytes::from("A")).await.unwrap();
            } else {
                connection.get(handle, &get).await.unwrap();
            }
        }
        let before = turns.load(Ordering::Relaxed);
        if what == What::GetsBackedOut { connection.back_out().await } else { connection.commit().await }.unwrap();
        assert!(turns.load(Ordering::Relaxed) > before, "{what:?}: others had no turn");
        let expected = if what == What::Gets { 0 } else { COUNT };
        let depth = queue_manager.queue_status(&name("Q")).unwrap().depth;
        assert_eq!((depth.current as usize, depth.uncommitted), (expected, 0), "{what:?}");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Puts,
    GetsBackedOut,
    Gets,
}
