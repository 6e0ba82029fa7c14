//! The connection breaks after the n-th byte of a transaction, either way, for each n: what is answered has happened, once.
//!
//! `SWEEP_STEP` is the distance of two n, in bytes (default 90 towards the database and 25 back).

use std::time::Duration;

use bytes::Bytes;
use model::timestamp::Timestamp;
use storage::{LockOwner, QueueId, Receipt, ReceiptKey, Selection, SharedOptions, Store, Xid, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    NOW, browse, check_nothing_is_held, create_queue, drain, eventually, get, know_queue, member, message, now,
    options, placement, put,
};
use crate::shared::proxy::{Proxy, Way};

struct Bench {
    store: Store,
    queue: QueueId,
    proxy: Proxy,
    /// Also decides the messages' names.
    round: u64,
}

impl Bench {
    fn names(&self) -> [u64; 2] {
        [self.round * 2, self.round * 2 + 1]
    }

    /// Does it while the next transaction is cut. False once it was over before that.
    fn cut<T>(&self, way: Way, bytes: u64, what: impl FnOnce() -> T) -> (T, bool) {
        self.proxy.cut_transaction_after(way, bytes);
        let answer = what();
        (answer, self.proxy.disarm())
    }
}

/// `round` does one thing with a cut, checks what it has led to, and leaves the queue empty.
fn sweep(round: impl Fn(&Bench, Way, u64) -> bool) {
    let asked = std::env::var("SWEEP_STEP").ok().and_then(|step| step.parse().ok());
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let store = member(options(&proxy.url(&database.url), "QM1"));
    let queue = create_queue(&store);
    let mut bench = Bench { store, queue, proxy, round: 1 };
    for (way, usual) in [(Way::ToServer, 90), (Way::ToClient, 25)] {
        let step = asked.unwrap_or(usual);
        let (mut bytes, mut was_cut) = (0, true);
        while was_cut {
            was_cut = round(&bench, way, bytes);
            assert_eq!(browse(&bench.store, queue), [], "nothing is left after a cut behind byte {bytes} {way:?}");
            bytes += step;
            bench.round += 1;
        }
        assert!(bench.round > 3, "the transaction is cut {way:?}");
    }
    check_nothing_is_held(&database);
}

#[test]
fn a_transaction_that_reaches_the_database_after_its_connection_was_given_up_does_nothing() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let impatient = SharedOptions { deadline: Duration::from_secs(1), ..options(&proxy.url(&database.url), "QM1") };
    let (one, two) = (member(impatient), member(options(&database.url, "QM2")));
    let queue = create_queue(&one);
    know_queue(&two, queue);
    put(&one, None, queue, 1, true).expect("puts");
    assert_eq!(get(&two, None, queue).expect("gets"), Some(1));
    // Of the two that are held one may be another transaction of the member.
    let is_sent_twice = (2..12).any(|name| {
        let (mut got, before) = (Vec::new(), proxy.held());
        proxy.hold_transactions(2);
        let is_sent_twice = std::thread::scope(|scope| {
            let waits = scope.spawn(|| put(&one, None, queue, name, true));
            eventually("it is sent again, or answered", || proxy.held() == before + 2 || waits.is_finished());
            let is_sent_twice = !waits.is_finished();
            proxy.release(before + 1);
            let released = now();
            eventually("the first one reaches the database", || {
                got.extend(get(&two, None, queue).expect("gets"));
                !got.is_empty() || released.elapsed() > Duration::from_millis(700)
            });
            proxy.hold_transactions(0);
            proxy.release(before + 2);
            waits.join().expect("ends").expect("is answered");
            is_sent_twice
        });
        got.extend(drain(&two, queue));
        assert_eq!(got, [name], "it is there once");
        is_sent_twice
    });
    assert!(is_sent_twice, "a put was held on two connections");
    check_nothing_is_held(&database);
}

#[test]
fn a_get_finds_its_message_although_the_database_ends_the_lost_connection_later() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let store = member(options(&proxy.url(&database.url), "QM1"));
    let queue = create_queue(&store);
    proxy.linger(Duration::from_secs(1));
    for name in 1..=4 {
        put(&store, None, queue, name, true).expect("puts");
        // The database has done what was asked; how much of it is told differs.
        proxy.cut_transaction_after(Way::ToClient, name * 20);
        assert_eq!(get(&store, None, queue).expect("is answered"), Some(name));
        assert!(proxy.disarm(), "the get was cut");
    }
    check_nothing_is_held(&database);
}

#[test]
fn a_put_is_there_once() {
    sweep(|bench, way, bytes| {
        let [name, _] = bench.names();
        let (answer, was_cut) = bench.cut(way, bytes, || put(&bench.store, None, bench.queue, name, true));
        answer.expect("is answered");
        assert_eq!(drain(&bench.store, bench.queue), [name], "cut behind byte {bytes} {way:?}");
        was_cut
    });
}

#[test]
fn a_nonpersistent_put_is_there_once() {
    sweep(|bench, way, bytes| {
        let [name, _] = bench.names();
        let (answer, was_cut) = bench.cut(way, bytes, || put(&bench.store, None, bench.queue, name, false));
        answer.expect("is answered");
        assert_eq!(drain(&bench.store, bench.queue), [name], "cut behind byte {bytes} {way:?}");
        was_cut
    });
}

#[test]
fn a_put_with_a_receipt_is_there_once_and_not_refused_as_a_repetition_of_itself() {
    sweep(|bench, way, bytes| {
        let [name, _] = bench.names();
        let mut key = [0; 16];
        key[..8].copy_from_slice(&name.to_be_bytes());
        let (key, expires) = (ReceiptKey(key), Timestamp(1 << 60));
        let value = Bytes::from_static(b"done");
        let of_put = |_| Receipt { key, expires, value: value.clone() };
        let body = message(name, name.to_be_bytes().to_vec(), true);
        let (answer, was_cut) = bench.cut(way, bytes, || {
            block_on(bench.store.put_with_receipt(bench.queue, &body, placement(true), &of_put, NOW))
        });
        answer.expect("is answered");
        assert_eq!(block_on(bench.store.receipt(&key, NOW)).expect("looks"), Some(value.clone()));
        assert_eq!(drain(&bench.store, bench.queue), [name], "cut behind byte {bytes} {way:?}");
        was_cut
    });
}

#[test]
fn a_get_outside_a_unit_of_work_has_its_message_and_the_message_is_gone() {
    sweep(|bench, way, bytes| {
        let [name, _] = bench.names();
        put(&bench.store, None, bench.queue, name, true).expect("puts");
        let (answer, was_cut) = bench.cut(way, bytes, || get(&bench.store, None, bench.queue));
        assert_eq!(answer.expect("is answered"), Some(name), "cut behind byte {bytes} {way:?}");
        was_cut
    });
}

#[test]
fn a_get_in_a_unit_of_work_holds_its_message_until_the_commit() {
    sweep(|bench, way, bytes| {
        let [name, _] = bench.names();
        put(&bench.store, None, bench.queue, name, true).expect("puts");
        let unit = bench.store.begin();
        let (answer, was_cut) = bench.cut(way, bytes, || get(&bench.store, Some(unit), bench.queue));
        assert_eq!(answer.expect("is answered"), Some(name), "cut behind byte {bytes} {way:?}");
        assert_eq!(browse(&bench.store, bench.queue), [], "it is held");
        block_on(bench.store.commit(unit)).expect("commits");
        was_cut
    });
}

#[test]
fn a_lock_holds_its_message_until_it_is_released_and_raises_no_count() {
    sweep(|bench, way, bytes| {
        let [name, _] = bench.names();
        put(&bench.store, None, bench.queue, name, true).expect("puts");
        let seen = block_on(bench.store.browse(bench.queue, None, &Selection::default(), NOW)).expect("browses");
        let key = seen.expect("a message").key;
        let (answer, was_cut) = bench.cut(way, bytes, || block_on(bench.store.lock(bench.queue, key, LockOwner(1))));
        assert!(answer.expect("is answered"), "cut behind byte {bytes} {way:?}");
        assert_eq!(browse(&bench.store, bench.queue), [], "it is locked");
        let (left, was_cut_again) = bench.cut(way, bytes, || {
            assert!(bench.store.unlock(bench.queue, key, LockOwner(1)));
            browse(&bench.store, bench.queue)
        });
        assert_eq!(left, [(name, 0)], "cut behind byte {bytes} {way:?}");
        assert_eq!(drain(&bench.store, bench.queue), [name]);
        was_cut || was_cut_again
    });
}

fn unit_of_both(bench: &Bench) -> storage::UnitOfWorkId {
    let [old, new] = bench.names();
    put(&bench.store, None, bench.queue, old, true).expect("puts");
    let unit = bench.store.begin();
    assert_eq!(get(&bench.store, Some(unit), bench.queue).expect("gets"), Some(old));
    put(&bench.store, Some(unit), bench.queue, new, true).expect("puts");
    unit
}

#[test]
fn a_commit_brings_what_was_put_and_takes_what_was_got_once() {
    sweep(|bench, way, bytes| {
        let unit = unit_of_both(bench);
        let (answer, was_cut) = bench.cut(way, bytes, || block_on(bench.store.commit(unit)));
        answer.expect("is answered");
        assert_eq!(browse(&bench.store, bench.queue), [(bench.names()[1], 0)], "cut behind byte {bytes} {way:?}");
        assert_eq!(drain(&bench.store, bench.queue), [bench.names()[1]]);
        was_cut
    });
}

#[test]
fn a_back_out_returns_what_was_got_with_its_count_raised_once() {
    sweep(|bench, way, bytes| {
        let unit = unit_of_both(bench);
        let (answer, was_cut) = bench.cut(way, bytes, || block_on(bench.store.back_out(unit)));
        answer.expect("is answered");
        assert_eq!(browse(&bench.store, bench.queue), [(bench.names()[0], 1)], "cut behind byte {bytes} {way:?}");
        assert_eq!(drain(&bench.store, bench.queue), [bench.names()[0]]);
        was_cut
    });
}

fn xid(bench: &Bench) -> Option<Xid> {
    Some(Xid { format_id: 1, global_transaction: bench.round.to_be_bytes().to_vec(), branch: vec![1] })
}

#[test]
fn a_prepare_holds_everything_until_the_coordinator_decides() {
    sweep(|bench, way, bytes| {
        let unit = unit_of_both(bench);
        let (answer, was_cut) = bench.cut(way, bytes, || block_on(bench.store.prepare(unit, xid(bench))));
        answer.expect("is answered");
        assert_eq!(browse(&bench.store, bench.queue), [], "cut behind byte {bytes} {way:?}");
        assert_eq!(bench.store.in_doubt(), [(unit, xid(bench))]);
        block_on(bench.store.commit(unit)).expect("commits");
        assert_eq!(drain(&bench.store, bench.queue), [bench.names()[1]]);
        was_cut
    });
}

#[test]
fn a_prepared_unit_of_work_is_committed_or_backed_out_once() {
    sweep(|bench, way, bytes| {
        let (unit, commits) = (unit_of_both(bench), bench.round % 2 == 0);
        block_on(bench.store.prepare(unit, xid(bench))).expect("prepares");
        let (answer, was_cut) = bench.cut(way, bytes, || {
            if commits { block_on(bench.store.commit(unit)) } else { block_on(bench.store.back_out(unit)) }
        });
        answer.expect("is answered");
        let [old, new] = bench.names();
        let left = if commits { (new, 0) } else { (old, 1) };
        assert_eq!(browse(&bench.store, bench.queue), [left], "cut behind byte {bytes} {way:?}");
        assert_eq!(drain(&bench.store, bench.queue), [left.0]);
        assert_eq!(bench.store.in_doubt(), []);
        was_cut
    });
}
