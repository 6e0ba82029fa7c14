//! The store contract as scripts, run against every kind of store: private with bodies in memory, with every body on disk, with every
//! body in a file of its own, ephemeral; and shared.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use expect_test::{Expect, expect};
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::timestamp::Timestamp;
use storage::private::log::disk::DirectoryDisk;
use storage::{DeliveryKey, LockOwner, Placement, PrivateStore, QueueId, Selection, StoreOptions, block_on};

use crate::postgres::Database;
use crate::script::{Home, Script};
use crate::shared::structures::Databases;
use crate::simulated_disk::SimulatedDisk;

/// Extents of the smallest size.
pub(crate) fn small() -> StoreOptions {
    StoreOptions {
        first_extent_bytes: 16 << 10,
        extent_bytes: 16 << 10,
        buffer_pool_bytes: 1 << 20,
        large_body_bytes: 1 << 20,
        large_unit_messages: 2,
        minimum_log_bytes: 0,
        maximum_receipts: 1_000,
        disk_quota_bytes: None,
        memory_quota_bytes: None,
        anchor_interval: Duration::from_secs(5),
        verification: None,
    }
}

fn on_disk(script: &str, options: StoreOptions) -> String {
    Script::new(Home::Disk(Arc::new(SimulatedDisk::default()), options)).run(script)
}

/// The same answers from every kind of store.
fn check(script: &str, expected: Expect) {
    expected.assert_eq(&in_group(script));
    check_private(script, expected);
}

/// The same answers from every kind of private store.
fn check_private(script: &str, expected: Expect) {
    let ephemeral = Script::new(Home::Ephemeral).run(script);
    expected.assert_eq(&ephemeral);
    check_lasting(script, expected);
}

/// The same answer from a group with one database and from one with two.
fn in_group(script: &str) -> String {
    let answer = Script::new(Home::Group(Arc::new(Database::of_group("QSG1")))).run(script);
    assert_eq!(Script::new(Home::Structures(Arc::new(Databases::new()))).run(script), answer, "in two databases");
    answer
}

/// As `check`, for scripts that need a disk.
fn check_lasting(script: &str, expected: Expect) {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let disk = DirectoryDisk::open(directory.path().join("log")).expect("opens");
    let defaults = StoreOptions { extent_bytes: 1 << 20, first_extent_bytes: 1 << 16, ..StoreOptions::default() };
    expected.assert_eq(&Script::new(Home::Disk(Arc::new(disk), defaults)).run(script));
    expected.assert_eq(&on_disk(script, small()));
    expected.assert_eq(&on_disk(script, StoreOptions { buffer_pool_bytes: 0, ..small() }));
    expected.assert_eq(&on_disk(script, StoreOptions { large_body_bytes: 1, ..small() }));
}

#[test]
fn higher_priority_leaves_first_then_arrival_order() {
    check("put A pri=1; put B pri=9; put C pri=9; put D; get; get; get; get; get", expect!["B C A D none"]);
}

#[test]
fn a_fifo_queue_ignores_priority() {
    check("put A pri=1 fifo; put B pri=9 fifo; get; get", expect!["A B"]);
}

#[test]
fn a_message_put_under_syncpoint_is_seen_at_commit_by_nobody_before() {
    check("put A unit=u; get; get unit=u; list; depth; commit unit=u; depth; get", expect!["none none [] 1/1 1/0 A"]);
}

#[test]
fn a_message_got_under_syncpoint_is_hidden_and_counted_until_commit() {
    check("put A; get unit=u; get; list; depth; commit unit=u; depth; get", expect!["A none [] 1/1 0/0 none"]);
}

#[test]
fn a_backed_out_message_returns_to_its_place_with_its_count_raised() {
    check(
        "put A; put B; get unit=u; back_out unit=u; list; get unit=v; back_out unit=v; get; get",
        expect!["A [A(backed_out=1) B] A(backed_out=1) A(backed_out=2) B"],
    );
}

#[test]
fn a_backed_out_put_leaves_nothing() {
    check("put A unit=u; put B np unit=u; back_out unit=u; depth; get", expect!["0/0 none"]);
}

#[test]
fn a_unit_of_work_spans_queues() {
    check("put A; get unit=u; put B queue=1 unit=u; commit unit=u; depth; list queue=1", expect!["A 0/0 [B]"]);
}

#[test]
fn uncommitted_messages_keep_their_place() {
    check("put A unit=u; put B; commit unit=u; get; get", expect!["A B"]);
}

#[test]
fn identifiers_select_in_delivery_order() {
    check(
        "put A corr=x; put B corr=y; put C corr=x pri=5; put D msgid=M corr=x; \
         get corr=x; browse corr=x; get msgid=M; get msgid=M; get corr=y; get corr=z; get corr=x; get corr=x",
        expect!["C A D none B none A none"],
    );
}

#[test]
fn groups_select_their_members() {
    check(
        "put A group=g seq=1; put B group=h seq=1; put C group=g seq=2; get group=g seq=2; get group=h; get group=g",
        expect!["C B A"],
    );
}

#[test]
fn accept_is_asked_last() {
    check("put A; put B; get skip=A; get skip=A; get", expect!["B none A"]);
}

#[test]
fn position_names_one_message() {
    check("put A; put B pri=4; put C; get position=C; get position=C; browse position=B", expect!["C none B"]);
}

#[test]
fn browsing_goes_on_behind_a_key() {
    check(
        "put A; put B; put C pri=1; browse; browse after=C; get; browse after=C; browse after=B",
        expect!["C A C A none"],
    );
}

#[test]
fn a_locked_message_is_hidden_from_other_owners_until_unlocked_or_got() {
    check(
        "put A; put B; lock A owner=1; lock A owner=2; get; get owner=2; unlock A owner=2; unlock A owner=1; get; \
         lock A owner=1; depth",
        expect!["yes no B none no yes A no 0/0"],
    );
}

#[test]
fn the_owner_of_a_lock_gets_the_message() {
    check("put A; lock A owner=1; browse; browse owner=1; get owner=1", expect!["yes none A A"]);
}

#[test]
fn expired_messages_are_not_found_and_are_discarded_once() {
    check(
        "put A expires=5000; put B; put C np expires=4000; next_expiry; at 4500; list; expire; next_expiry; at 6000; \
         get; expire; expire; next_expiry; depth",
        expect!["4000 [A B] expired=[C] 5000 B expired=[A] expired=[] never 0/0"],
    );
}

#[test]
fn an_uncommitted_message_does_not_expire_before_its_commit() {
    check(
        "put A unit=u expires=5000; at 6000; expire; commit unit=u; get; expire",
        expect!["expired=[] none expired=[A]"],
    );
}

#[test]
fn maximum_depth_counts_uncommitted_messages() {
    check("put A max=2; put B unit=u max=2; put C max=2; back_out unit=u; put C max=2; list", expect!["full [A C]"]);
}

#[test]
fn clear_refuses_uncommitted_messages() {
    check(
        "put A; put B np; put C unit=u; clear; commit unit=u; clear; depth; clear",
        expect!["Uncommitted cleared=3 0/0 cleared=0"],
    );
}

#[test]
fn a_dropped_queue_is_unknown() {
    check("put A; put B unit=u; drop; get; put C; commit unit=u; depth", expect!["UnknownQueue UnknownQueue 0/0"]);
}

#[test]
fn a_prepared_unit_takes_nothing_more_and_then_commits() {
    check(
        "put A; get unit=u; put B unit=u; prepare unit=u; put C unit=u; get unit=u; in_doubt; list; commit unit=u; \
         in_doubt; list",
        expect!["A UnknownUnitOfWork UnknownUnitOfWork in_doubt=[u] [] in_doubt=[] [B]"],
    );
}

#[test]
fn an_empty_unit_commits_and_backs_out_without_effect() {
    check("commit unit=u; back_out unit=v; get unit=w; commit unit=w; depth", expect!["none 0/0"]);
}

#[test]
fn persistent_messages_survive_a_restart_and_nonpersistent_ones_do_not() {
    check_lasting(
        "put A pri=2; put B np; put C pri=7; put D; get; reopen; list; get; get; reopen; list",
        expect!["C [A D] A D []"],
    );
}

#[test]
fn a_restart_keeps_identifiers_groups_expiry_and_counts() {
    check_lasting(
        "put A corr=x expires=9000; put B group=g seq=3; get corr=x unit=u; back_out unit=u; reopen; \
         browse corr=x; next_expiry; get group=g seq=3; at 9500; list; expire",
        expect!["A A(backed_out=1) 9000 B [] expired=[A(backed_out=1)]"],
    );
}

#[test]
fn a_restart_backs_out_what_was_open() {
    check_lasting("put A; get unit=u; put B unit=u; reopen; list; depth; in_doubt", expect!["A [A] 1/0 in_doubt=[]"]);
}

#[test]
fn a_prepared_unit_survives_restarts_in_doubt_and_then_commits() {
    check_lasting(
        "put A; get unit=u; put B queue=1 unit=u; prepare unit=u; reopen; in_doubt; list; list queue=1; depth; reopen; \
         commit unit=u; list; list queue=1; reopen; list; list queue=1; in_doubt",
        expect!["A in_doubt=[u] [] [] 1/1 [] [B] [] [B] in_doubt=[]"],
    );
}

#[test]
fn a_prepared_unit_survives_restarts_in_doubt_and_then_backs_out() {
    check_lasting(
        "put A; get unit=u; put B unit=u; prepare unit=u; reopen; back_out unit=u; list; reopen; list; in_doubt",
        expect!["A [A(backed_out=1)] [A(backed_out=1)] in_doubt=[]"],
    );
}

#[test]
fn clear_and_drop_survive_a_restart() {
    check_lasting(
        "put A; put B queue=1; clear; reopen; list; drop queue=1; reopen; list queue=1; put C; reopen; list",
        expect!["cleared=1 [] [] [C]"],
    );
}

#[test]
fn definitions_survive_a_restart() {
    check_lasting(
        "save queue/A 1; save queue/B 2; save queue/A 3; forget queue/B; save topic/T 4; reopen; definitions; \
         forget topic/T; reopen; definitions",
        expect!["[queue/A=3 topic/T=4] [queue/A=3]"],
    );
}

#[test]
fn a_restart_sets_aside_messages_of_queues_that_are_not_retained() {
    let disk = Arc::new(SimulatedDisk::default());
    let mut script = Script::new(Home::Disk(disk, small()));
    script.run("put A; put B queue=1");
    script.forget_queue(1);
    assert_eq!(script.run("reopen; list; quarantine; reopen; list; quarantine"), "[A] aside=1 [A] aside=1");
    let unused = script.create_queue();
    assert!(unused.0 > 2, "a number with records in the log is not given out again");
}

fn put_body(store: &PrivateStore, queue: QueueId, length: usize, expires: Option<Timestamp>) -> DeliveryKey {
    let message = Message { descriptor: MessageDescriptor::default(), body: Bytes::from(vec![0; length]) };
    let placement = Placement { by_priority: false, maximum_depth: 100, expires, persistent: true };
    block_on(store.put(None, queue, message, placement, Timestamp(1))).expect("puts").key
}

#[test]
fn expired_messages_are_discarded_a_few_megabytes_at_a_time() {
    let (store, _) = PrivateStore::open(Arc::new(SimulatedDisk::default()), small()).expect("opens");
    let queue = store.create_queue();
    for moment in 0..10 {
        put_body(&store, queue, 2 << 20, Some(Timestamp(10 + moment)));
    }
    put_body(&store, queue, 9 << 20, Some(Timestamp(20)));
    let mut rounds = Vec::new();
    loop {
        let mut gone = VecDeque::new();
        block_on(store.discard_expired(queue, Timestamp(30), &mut gone)).expect("discards");
        if gone.is_empty() {
            break;
        }
        rounds.push(gone.iter().map(|stored| stored.message.body.len() >> 20).collect::<Vec<_>>());
    }
    assert_eq!(rounds, [vec![2; 4], vec![2; 4], vec![2; 2], vec![9]]);
    assert_eq!(store.depth(queue).current, 0);
}

#[test]
fn a_browsed_message_is_taken_once_and_for_good() {
    check(
        "put A; put B np; put C; lock C owner=1; browse; browse after=A; browse after=B owner=1; \
         take A; take A; take B; take C owner=2; take C owner=1; list; depth",
        expect!["yes A B C yes no yes no yes [] 0/0"],
    );
    check(
        "put A; browse; get unit=u; take A; back_out unit=u; take A; browse; take A; \
         put B expires=9000; browse; at 9500; take B; list; depth",
        expect!["A A no no A(backed_out=1) yes B no [] 1/0"],
    );
    check_lasting(
        "put A; put B; put C np; browse; browse after=A; browse after=B; take A; take C; reopen; list; take B; \
         reopen; list",
        expect!["A B C yes yes [B] yes []"],
    );
}

#[test]
fn messages_are_got_together_or_not_at_all() {
    for options in [small(), StoreOptions { buffer_pool_bytes: 0, ..small() }] {
        let (store, _) = PrivateStore::open(Arc::new(SimulatedDisk::default()), options).expect("opens");
        let queue = store.create_queue();
        let keys: Vec<_> = (0..3).map(|_| put_body(&store, queue, 10, None)).collect();
        let (unit, owner) = (store.begin(), LockOwner(7));
        let get = |keys: &[DeliveryKey], owner| block_on(store.get_all(unit, queue, keys, owner, Timestamp(2)));
        assert!(store.lock(queue, keys[2], owner));
        assert!(!get(&keys, LockOwner(8)).expect("looks"), "one is locked by somebody else");
        assert_eq!(store.depth(queue).uncommitted, 0);
        let first = block_on(store.get(None, queue, &Selection::default(), Timestamp(2))).expect("gets");
        assert_eq!(first.map(|stored| stored.key), Some(keys[0]));
        assert!(!get(&keys, owner).expect("looks"), "one is gone");
        assert!(get(&keys[1..], owner).expect("gets"));
        block_on(store.back_out(unit)).expect("backs out");
        assert_eq!(store.depth(queue).uncommitted, 0);
        let unit = store.begin();
        assert!(block_on(store.get_all(unit, queue, &keys[1..], owner, Timestamp(2))).expect("gets"));
        block_on(store.commit(unit)).expect("commits");
        assert_eq!((store.depth(queue).current, store.statistics().open_units), (0, 0));
    }
}

#[test]
fn units_of_work_that_are_committed_together_show_all_their_messages_at_once() {
    check(
        "put A; put B; get unit=u; get unit=v; put C unit=w queue=1; together u v w; depth; depth queue=1; get queue=1",
        expect!["A B 0/0 1/0 C"],
    );
}

#[test]
fn a_unit_of_work_that_is_prepared_or_over_is_committed_together_with_none() {
    check_lasting(
        "put A unit=u; put B unit=v; put C unit=w; prepare unit=u; together u v; commit unit=w; list; together v; list",
        expect!["UnknownUnitOfWork [C] [B C]"],
    );
}

#[test]
fn a_receipt_is_there_from_its_commit_on_and_after_a_restart() {
    check_lasting(
        "put A unit=u; receipt K; together u receipt=K:done until=9000000; receipt K; receipt L; reopen; receipt K; get",
        expect!["none done none done A"],
    );
    check_private(
        "together receipt=K:one until=9000000; together receipt=K:two until=9000000; receipt K",
        expect!["two"],
    );
}

#[test]
fn a_receipt_is_there_from_its_put_on_and_after_a_restart() {
    check_lasting(
        "put A receipt=K:done until=9000000; receipt K; put B np receipt=L:too until=9000000; reopen; receipt K; receipt L; list",
        expect!["done done too [A]"],
    );
    check("put A; put B max=1 receipt=K:refused until=9000000; receipt K; list", expect!["full none [A]"]);
}

#[test]
fn a_receipt_ends_with_its_time() {
    check(
        "together receipt=K:one until=4000000; together receipt=L:two until=6000000; at 3999998; receipt K; forget_receipts; \
         at 4000000; receipt K; receipt L; forget_receipts; at 6000000; forget_receipts; receipt L",
        expect!["one 4000000 none two 6000000 never none"],
    );
}

#[test]
fn receipts_outlive_the_extents_in_which_they_were_written() {
    // Extents of 16 KiB: the first ones are freed many times over.
    let mut script = "together receipt=K:kept until=9000000000".to_owned();
    for number in 0..3_000 {
        script.push_str(&format!("; put M{number}; get"));
    }
    let got = (0..3_000).map(|number| format!("M{number} ")).collect::<String>();
    script.push_str("; receipt K; reopen; receipt K");
    assert_eq!(on_disk(&script, small()), format!("{got}kept kept"));
}

#[test]
fn what_a_unit_of_work_has_got_can_be_read_again_until_it_ends() {
    check(
        "put A; put B; got unit=u; get unit=u; get unit=u; got unit=u; back_out unit=u; got unit=u; get unit=v; got unit=v; \
         commit unit=v; got unit=v",
        expect!["none A B A none A(backed_out=1) A(backed_out=1) none"],
    );
}

#[test]
fn of_a_group_a_receipt_that_is_there_refuses_the_unit_of_work_that_would_bring_it_again() {
    let script = "put A receipt=K:one until=9000000; put B receipt=K:two until=9000000; receipt K; list; put C; get unit=u; \
                  put D unit=u; together u receipt=K:three until=9000000; list; depth; \
                  at 9000000; put E receipt=K:four until=19000000; receipt K; reopen; receipt K";
    expect!["ReceiptTaken one [A] A ReceiptTaken [A(backed_out=1) C] 2/0 four four"].assert_eq(&in_group(script));
}
