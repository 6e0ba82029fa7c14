//! Members that cannot hear each other, and a database that cannot reach its standby. `cut_off.rs` has members that cannot reach the
//! database.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use group_harness::relay::Relay;
use storage::{QueueId, SharedOptions, Store};

use crate::postgres::{Database, Server};
use crate::shared::group::{
    PATIENCE, browse, check_nothing_is_held, create_queue, drain, eventually, get, know_queue, member, now, options,
    put,
};
use crate::shared::proxy::Proxy;

/// From a put at one member until one who waits at the other has the message.
fn wait_for_put(from: &Store, to: &Store, told: &Receiver<QueueId>, queue: QueueId, name: u64) -> Duration {
    while told.try_recv().is_ok() {}
    let started = now();
    put(from, None, queue, name, true).expect("puts");
    for _ in 0..100 {
        told.recv_timeout(PATIENCE).expect("is told");
        if get(to, None, queue).expect("gets").is_some() {
            return started.elapsed();
        }
    }
    panic!("nothing came");
}

#[test]
fn members_that_do_not_hear_each_other_wait_a_tenth_of_a_second_and_at_first_one_second() {
    let database = Database::of_group("QSG1");
    let relay = Relay::between_members_of(&database, 2);
    let [one, two] = ["QM1", "QM2"].map(|name| member(options(&database.url, name)));
    let queue = create_queue(&one);
    know_queue(&two, queue);
    let (tell, told) = channel();
    let shared = two.shared().expect("in a group");
    shared.listen_to_arrivals(Box::new(move |queue| {
        let _ = tell.send(queue);
    }));
    let _watch = shared.watch(queue);
    let mut name = 0;
    let mut median_of = |count: usize| {
        let mut waits: Vec<Duration> = (0..count)
            .map(|_| {
                name += 1;
                wait_for_put(&one, &two, &told, queue, name)
            })
            .collect();
        waits.sort_unstable();
        (waits[count / 2], waits[count - 1])
    };
    // Until they have met, polls do it. A loaded machine may be late with hints too, but not each time.
    eventually("hints arrive", || median_of(5).0 < Duration::from_millis(40));
    println!("hints: {:?}", median_of(9));
    relay.pass(false);
    let parted = now();
    let (_, longest) = median_of(2);
    println!("hints are lost, nobody knows it, and a poll comes every second: {longest:?}");
    std::thread::sleep(Duration::from_millis(3500).saturating_sub(parted.elapsed()));
    eventually("a poll comes every tenth of a second", || {
        let (median, longest) = median_of(15);
        println!("no hints: {median:?}, {longest:?}");
        median < Duration::from_millis(150)
    });
    relay.pass(true);
    eventually("hints arrive again", || median_of(5).0 < Duration::from_millis(40));
    check_nothing_is_held(&database);
}

#[test]
fn while_the_standby_is_cut_off_no_persistent_put_is_answered_and_its_message_is_not_seen() {
    let database = Database::of_group_to_be_killed("QSG1");
    let proxy = Proxy::start(database.server.port());
    let standby = Server::standby(proxy.port());
    let set = ["ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"];
    set.iter().for_each(|sql| database.server.execute(sql).expect("a synchronous standby"));
    let both = database.url.replacen("127.0.0.1:", &format!("127.0.0.1:{},127.0.0.1:", standby.port()), 1);
    let impatient = |name| SharedOptions { deadline: Duration::from_secs(1), ..options(&both, name) };
    let [one, two] = ["QM1", "QM2"].map(|name| member(impatient(name)));
    let queue = create_queue(&one);
    know_queue(&two, queue);
    (1..=5).for_each(|name| put(&one, None, queue, name, true).expect("puts"));
    let names = |store: &Store| browse(store, queue).into_iter().map(|(name, _)| name).collect::<Vec<_>>();

    proxy.stall(true);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| put(&one, None, queue, 6, true));
        put(&two, None, queue, 7, false).expect("a nonpersistent put waits for no standby");
        // Longer than a batch may take: its member has asked what became of it.
        std::thread::sleep(Duration::from_secs(3));
        assert!(!waits.is_finished(), "it is not answered");
        proxy.stall(false);
        waits.join().expect("ends").expect("is answered once the standby has it");
    });
    // Which of two members puts first is not said.
    let mut seen = names(&two);
    seen[5..].sort_unstable();
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);

    // The standby takes over without what it never got.
    proxy.stall(true);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| put(&one, None, queue, 8, true));
        eventually("it waits for the standby", || {
            database.run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")[0][0].as_deref()
                != Some("0")
        });
        assert!(!waits.is_finished(), "it is not answered");
        database.server.kill("KILL");
        standby.execute("SELECT pg_promote()").expect("takes over");
        waits.join().expect("ends").expect("is done at the new primary");
    });
    let mut left = drain(&two, queue);
    left[5..].sort_unstable();
    assert!(left == [1, 2, 3, 4, 5, 6, 7, 8] || left == [1, 2, 3, 4, 5, 6, 8], "{left:?}");
}
