//! What members decide together about triggers and duties.

use std::time::Duration;

use model::timestamp::Timestamp;
use storage::shared::{OpenLevel, TriggerScope, TriggerState};
use storage::{Placement, QueueId, SharedOptions, Store, block_on};

use crate::postgres::Database;
use crate::shared::cut_off::{self, Two};
use crate::shared::group::{
    NOW, count, create_queue, drain, eventually, know_queue, member, message, options, placement, put,
};
use crate::shared::proxy::Proxy;

fn state(store: &Store, queue: QueueId) -> TriggerState {
    let state = block_on(store.shared().expect("in a group").trigger_state(queue, NOW));
    state.expect("looks").expect("there is the queue")
}

fn begin(store: &Store, queue: QueueId, episode: i64, scope: TriggerScope) -> bool {
    block_on(store.shared().expect("in a group").begin_trigger(queue, episode, scope)).expect("asks")
}

fn end(store: &Store, queue: QueueId, is_made: bool) {
    block_on(store.shared().expect("in a group").end_trigger(queue, is_made)).expect("tells");
}

fn two(database: &Database) -> (Store, Store, QueueId) {
    let (one, two) = (member(options(&database.url, "QM1")), member(options(&database.url, "QM2")));
    let queue = create_queue(&one);
    know_queue(&two, queue);
    (one, two, queue)
}

#[test]
fn of_members_that_see_one_event_one_makes_the_groups_trigger_message_and_each_its_own() {
    let database = Database::of_group("QSG1");
    let (one, two, queue) = two(&database);
    put(&one, None, queue, 1, true).expect("puts");
    for _ in 0..30 {
        let episode = state(&one, queue).episode;
        let winners: usize = std::thread::scope(|scope| {
            let asked =
                [&one, &two].map(|store| scope.spawn(move || begin(store, queue, episode, TriggerScope::Group)));
            asked.into_iter().map(|asked| usize::from(asked.join().expect("ends"))).sum()
        });
        assert_eq!(winners, 1);
        assert!(state(&two, queue).is_triggered);
        [&one, &two].into_iter().for_each(|store| end(store, queue, true));
        for store in [&one, &two] {
            assert!(!begin(store, queue, episode, TriggerScope::Group), "it is made");
            assert!(begin(store, queue, episode, TriggerScope::Member), "each has its own");
        }
        let served = block_on(one.open_queue(queue, OpenLevel::Input)).expect("opens").expect("a shared queue");
        let now = state(&two, queue);
        assert!(now.is_served && now.has_messages && !now.is_triggered && now.episode > episode);
        assert!(!begin(&two, queue, now.episode, TriggerScope::Member), "a program serves the queue");
        assert!(!begin(&two, queue, episode, TriggerScope::Member), "the episode is over");
        block_on(served.close());
    }
}

#[test]
fn a_trigger_message_that_was_not_put_is_made_by_another_member() {
    let Two { database: _database, proxy, far, near, queue } = cut_off::two();
    let made = create_queue(&near);
    know_queue(&far, made);
    for queue in [queue, made] {
        put(&near, None, queue, 1, true).expect("puts");
    }
    assert!(begin(&near, queue, 0, TriggerScope::Group));
    end(&near, queue, false);
    assert!(begin(&far, queue, 0, TriggerScope::Group), "the first could not put it");
    assert!(begin(&far, made, 0, TriggerScope::Group));
    end(&far, made, true);
    proxy.stall(true);
    eventually("the member is recovered", || !state(&near, queue).is_triggered);
    assert!(begin(&near, queue, 0, TriggerScope::Group));
    assert!(state(&near, made).is_triggered, "what was made is made");
}

#[test]
fn a_queue_that_expiry_or_a_clear_leaves_empty_begins_an_episode() {
    let database = Database::of_group("QSG1");
    let (one, two, queue) = two(&database);
    let short = Placement { expires: Some(Timestamp(NOW.0 + 10)), ..placement(false) };
    block_on(one.put(None, queue, message(1, vec![0; 8], false), short, NOW)).expect("puts");
    put(&one, None, queue, 2, true).expect("puts");
    let before = state(&one, queue).episode;
    let later = Timestamp(NOW.0 + 1000);
    let mut gone = std::collections::VecDeque::new();
    block_on(two.discard_expired(queue, later, &mut gone)).expect("discards");
    assert_eq!((gone.len(), state(&one, queue).episode), (1, before), "one message is left");
    assert_eq!(block_on(one.clear(queue)).expect("clears"), 1);
    assert_eq!(state(&one, queue).episode, before + 1);
    block_on(one.clear(queue)).expect("clears");
    assert_eq!(state(&one, queue).episode, before + 1, "it was empty");
    assert_eq!(drain(&two, queue), []);
}

#[test]
fn one_member_has_the_expiry_duty_and_another_takes_it_over_when_that_dies_or_leaves() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let has_duty = |store: &Store| store.shared().expect("in a group").has_expiry_duty();
    let far = SharedOptions { deadline: Duration::from_millis(800), ..options(&proxy.url(&database.url), "QM1") };
    let far = member(far);
    eventually("the first has it", || has_duty(&far));
    let near = SharedOptions { silence: Duration::from_secs(1), ..options(&database.url, "QM2") };
    let near = member(near);
    let beat = || count(&database, "SELECT beat FROM member WHERE name = 'QM2'");
    eventually("the second has looked", || beat() >= 2);
    assert!(has_duty(&far) && !has_duty(&near));
    proxy.stall(true);
    eventually("the second has it", || has_duty(&near));
    assert!(!has_duty(&far), "the first knows nothing for certain");
    proxy.stall(false);
    eventually("the first is back", || count(&database, "SELECT count(*) FROM member WHERE state = 'ACTIVE'") == 2);
    assert!(has_duty(&near) && !has_duty(&far));
    near.close();
    eventually("the first has it again", || has_duty(&far));
}
