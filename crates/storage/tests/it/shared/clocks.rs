//! Clocks that are wrong, of members and of the database's hosts: messages keep their order, and expire by one time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::timestamp::Timestamp;
use storage::{Placement, QueueId, Selection, SharedOptions, Store, StoredMessage, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    check_nothing_is_held, count, create_queue, eventually, know_queue, member, message, name, now, options, placement,
};

const HOUR: i64 = 3600;
const SILENCE: Duration = Duration::from_secs(2);
/// A life that a busy machine does not sleep through.
const SHORT: Duration = Duration::from_secs(4);

type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A member and its clock.
struct Clocked {
    store: Store,
    clock: Clock,
}

impl Clocked {
    /// So many seconds ahead of the machine's.
    fn start(database: &Database, name: &str, ahead: i64) -> Self {
        let clock: Clock = Arc::new(move || shifted(ahead));
        let options =
            SharedOptions { silence: SILENCE, clock: Some(Arc::clone(&clock)), ..options(&database.url, name) };
        Self { store: member(options), clock }
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    fn put(&self, queue: QueueId, name: u64, life: Option<Duration>) {
        let expires = life.map(|life| self.now().saturating_add(life));
        let placed = Placement { expires, ..placement(true) };
        block_on(self.store.put(None, queue, message(name, name.to_be_bytes().to_vec(), true), placed, self.now()))
            .expect("puts");
    }

    fn get(&self, queue: QueueId) -> Option<StoredMessage> {
        block_on(self.store.get(None, queue, &Selection::default(), self.now())).expect("gets")
    }

    fn shows(&self, queue: QueueId) -> bool {
        block_on(self.store.browse(queue, None, &Selection::default(), self.now())).expect("browses").is_some()
    }

    fn drain(&self, queue: QueueId) -> Vec<u64> {
        std::iter::from_fn(|| self.get(queue)).map(|stored| name(&stored)).collect()
    }

    /// What a program that gets it is told of its life.
    fn left(&self, stored: &StoredMessage) -> Duration {
        stored.expires.expect("it expires").since(self.now())
    }

    fn discarded(&self, queue: QueueId) -> Vec<u64> {
        let mut gone = VecDeque::new();
        block_on(self.store.discard_expired(queue, self.now(), &mut gone)).expect("discards");
        gone.iter().map(name).collect()
    }
}

#[expect(clippy::disallowed_methods, reason = "a member's clock is the machine's, shifted")]
fn shifted(ahead: i64) -> Timestamp {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros();
    Timestamp(u64::try_from(micros).expect("fits").saturating_add_signed(ahead * 1_000_000))
}

fn check_nobody_was_recovered(database: &Database, name: &str) {
    assert_eq!(count(database, &format!("SELECT epoch FROM member WHERE name = '{name}'")), 1, "{name} was never dead");
}

#[test]
fn members_whose_clocks_are_two_hours_apart_keep_order_and_let_messages_expire_at_the_same_moment() {
    let database = Database::of_group("QSG1");
    let started = now();
    let (fast, slow) = (Clocked::start(&database, "QM1", HOUR), Clocked::start(&database, "QM2", -HOUR));
    let queue = create_queue(&fast.store);
    know_queue(&slow.store, queue);
    let ten_minutes = Duration::from_secs(600);
    for (from, to) in [(&slow, &fast), (&fast, &slow)] {
        from.put(queue, 1, Some(ten_minutes));
        assert!(to.store.next_expiry(queue).is_none_or(|at| at.since(to.now()) <= ten_minutes));
        let stored = to.get(queue).expect("it has not expired");
        let left = to.left(&stored);
        assert!(left <= ten_minutes + Duration::from_millis(100) && left > ten_minutes / 2, "{left:?} are left");
        assert!(to.now().since(stored.arrived) < Duration::from_secs(60), "it has just arrived, by any clock");

        from.put(queue, 2, Some(SHORT));
        assert!(to.shows(queue), "it is there");
        eventually("it expires", || !to.shows(queue));
        assert_eq!(to.get(queue).map(|stored| name(&stored)), None);
        assert_eq!(to.discarded(queue), [2]);
    }
    for round in 0..100 {
        fast.put(queue, 1000 + round, None);
        slow.put(queue, 2000 + round, None);
    }
    let got = slow.drain(queue);
    for producer in [1000, 2000] {
        let of_one: Vec<u64> = got.iter().copied().filter(|name| name / 1000 * 1000 == producer).collect();
        assert_eq!(of_one, (producer..producer + 100).collect::<Vec<_>>(), "in the order of its puts");
    }
    // Both have time to think the other dead.
    std::thread::sleep((3 * SILENCE).saturating_sub(started.elapsed()));
    ["QM1", "QM2"].iter().for_each(|name| check_nobody_was_recovered(&database, name));
    check_nothing_is_held(&database);
}

/// As after a failover to a host whose clock is wrong.
#[test]
fn a_database_whose_clock_goes_back_an_hour_and_forth_keeps_order_and_lets_messages_expire() {
    let database = Database::of_group_to_be_killed("QSG1");
    let (one, two) = (Clocked::start(&database, "QM1", 0), Clocked::start(&database, "QM2", 0));
    let queue = create_queue(&one.store);
    know_queue(&two.store, queue);
    let long = Duration::from_secs(1800);
    (1..=3).for_each(|name| one.put(queue, name, None));

    database.server.kill("QUIT");
    database.server.start_again_ahead(-HOUR);
    (4..=6).for_each(|name| one.put(queue, name, None));
    one.store.close();
    let one = Clocked::start(&database, "QM1", 0);
    know_queue(&one.store, queue);
    (7..=9).for_each(|name| one.put(queue, name, None));
    assert_eq!(two.drain(queue), (1..=9).collect::<Vec<_>>(), "in the order of their puts");
    one.put(queue, 10, Some(SHORT));
    assert!(two.shows(queue), "it is there");
    eventually("a message expires while the database's clock is behind", || !two.shows(queue));
    assert_eq!(two.discarded(queue), [10]);

    one.put(queue, 11, Some(long));
    database.server.kill("QUIT");
    database.server.start_again_ahead(0);
    one.put(queue, 12, None);
    assert_eq!(two.drain(queue), [11, 12], "half an hour has not gone by");

    one.put(queue, 13, Some(long));
    one.put(queue, 14, None);
    database.server.kill("QUIT");
    database.server.start_again_ahead(HOUR);
    one.put(queue, 15, None);
    // It has met the database again.
    two.put(queue, 16, None);
    assert_eq!(two.drain(queue), [14, 15, 16], "by the database's clock an hour has gone by");
    assert_eq!(two.discarded(queue), [13]);
    check_nobody_was_recovered(&database, "QM2");
    check_nothing_is_held(&database);
}
