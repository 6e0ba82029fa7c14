//! The database fails over under Patroni while clients of two members work: nothing answered is lost, nothing comes twice, no member
//! goes on with the old primary, and clients work again within seconds of the new one taking writes.
//!
//! `QSG_FAILOVERS` says how often each fault comes about (default: one crash and one switchover), `QSG_SEED` repeats clients' choices.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use storage::{QueueId, Selection, SharedOptions, Store};

use crate::shared::group::{correlation, count, create_queue, get_with, know_queue, member, now, put, within};
use crate::shared::load::{Raised, check_load, setting, wait};
use crate::shared::patroni::Cluster;

/// Of the issue: from the new primary's first answered write to the first answered put and get at each member.
const BAR: Duration = Duration::from_secs(5);
/// Patroni's ttl, the moment at which it looks, and the promotion on a busy machine.
const FAILOVER: Duration = Duration::from_secs(60);
/// How long a frozen leader stays so: longer than its key lives.
const FROZEN: Duration = Duration::from_secs(40);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    PostmasterKilled,
    SwitchedOver,
    PostmasterAndPatroniKilled,
    /// Its PostgreSQL goes on as a second primary.
    PatroniFrozen,
    /// As a machine that vanishes from the network and comes back: whoever asks it gets no answer.
    NodeFrozen,
}

const FAULTS: [Fault; 5] = [
    Fault::PostmasterKilled,
    Fault::SwitchedOver,
    Fault::PostmasterAndPatroniKilled,
    Fault::PatroniFrozen,
    Fault::NodeFrozen,
];

#[test]
fn a_database_that_fails_over_loses_nothing_that_was_answered_and_clients_go_on_within_seconds() {
    let rounds = setting("QSG_FAILOVERS", 0);
    let faults: Vec<Fault> =
        if rounds == 0 { FAULTS[..2].to_vec() } else { (0..rounds).flat_map(|_| FAULTS).collect() };
    let cluster = Cluster::of_group("QSG1");
    let stores = ["QM1", "QM2"].map(|name| member(SharedOptions::new(cluster.url().to_owned(), name.to_owned())));
    check_load(&cluster, &stores, true, || {
        let probes = [(); 2].map(|()| Probe::of(&stores));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for (store, probe) in stores.iter().zip(&probes) {
                scope.spawn(|| probe.run(store, &stop));
            }
            let _ended = Raised(&stop);
            for fault in faults {
                wait(Duration::from_secs(1));
                fail_over(&cluster, &probes, fault);
            }
        });
    });
    assert_eq!(count(&cluster, "SELECT count(*) FROM message"), 0);
}

/// A client that puts a message and gets it, again and again.
struct Probe {
    queue: QueueId,
    answers: Mutex<Vec<Instant>>,
}

impl Probe {
    fn of(stores: &[Store]) -> Self {
        let queue = create_queue(&stores[0]);
        stores.iter().for_each(|store| know_queue(store, queue));
        Self { queue, answers: Mutex::default() }
    }

    fn run(&self, store: &Store, stop: &AtomicBool) {
        for name in 1_u64.. {
            if stop.load(Ordering::Acquire) {
                return;
            }
            put(store, None, self.queue, name, true).expect("puts");
            let selection = Selection { correlation_id: Some(correlation(name)), ..Selection::default() };
            assert_eq!(get_with(store, None, self.queue, &selection).expect("gets"), Some(name));
            self.answers().push(now());
            wait(Duration::from_millis(5));
        }
    }

    fn answers(&self) -> std::sync::MutexGuard<'_, Vec<Instant>> {
        self.answers.lock().expect("not poisoned")
    }

    fn first_since(&self, moment: Instant) -> Option<Instant> {
        self.answers().iter().copied().find(|answer| *answer >= moment)
    }

    /// Longest time without an answer, if it ended after `moment`.
    fn gap_since(&self, moment: Instant) -> Duration {
        let answers = self.answers();
        let pairs = answers.windows(2).filter(|pair| pair[1] >= moment);
        pairs.map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
    }
}

fn fail_over(cluster: &Cluster, probes: &[Probe], fault: Fault) {
    let old = cluster.primary().expect("a node takes writes");
    let timeline = cluster.role(old).expect("answers").timeline;
    cluster.ask(old, "CREATE TABLE IF NOT EXISTS written (at timestamptz)").expect("makes a table");
    let begun = now();
    std::thread::scope(|scope| {
        let asked = (fault == Fault::SwitchedOver).then(|| scope.spawn(|| cluster.switch_over(old)));
        begin(cluster, old, fault);
        let new = promoted(cluster, timeline);
        let (promoted, written) = (now(), written(cluster, new));
        let first = probes.iter().map(|probe| {
            let mut first = None;
            within(BAR, "clients of a member work again", || {
                first = probe.first_since(written);
                first.is_some()
            });
            first.expect("was found") - written
        });
        let first = first.max().unwrap_or_default();
        println!(
            "{fault:?}: promoted after {:.1?}, takes writes after {:.1?}, clients work {first:.1?} later",
            promoted - begun,
            written - begun
        );
        if let Some(asked) = asked {
            asked.join().expect("is answered");
        }
        check_old_is_left(cluster, old, fault, begun);
    });
    end(cluster, old, fault);
    cluster.wait_until_whole();
    let gap = probes.iter().map(|probe| probe.gap_since(begun)).max().unwrap_or_default();
    println!("{fault:?}: {gap:.1?} without service");
}

fn begin(cluster: &Cluster, node: usize, fault: Fault) {
    match fault {
        Fault::SwitchedOver => {}
        Fault::PostmasterKilled => cluster.kill_postmaster(node),
        Fault::PostmasterAndPatroniKilled => {
            cluster.kill_patroni(node);
            cluster.kill_postmaster(node);
        }
        Fault::PatroniFrozen => cluster.signal_patroni(node, Signal::STOP),
        Fault::NodeFrozen => {
            cluster.signal_patroni(node, Signal::STOP);
            cluster.signal_database(node, Signal::STOP);
        }
    }
}

/// What brings the old leader back.
fn end(cluster: &Cluster, node: usize, fault: Fault) {
    match fault {
        Fault::SwitchedOver | Fault::PostmasterKilled => {}
        Fault::PostmasterAndPatroniKilled => cluster.start_patroni(node),
        Fault::PatroniFrozen => cluster.signal_patroni(node, Signal::CONT),
        Fault::NodeFrozen => {
            cluster.signal_database(node, Signal::CONT);
            cluster.signal_patroni(node, Signal::CONT);
        }
    }
}

/// The node that takes writes by a newer history.
fn promoted(cluster: &Cluster, timeline: u32) -> usize {
    let mut new = None;
    within(FAILOVER, "another node takes writes", || {
        new = (0..3).find(|node| cluster.role(*node).is_some_and(|role| role.takes_writes && role.timeline > timeline));
        new.is_some()
    });
    new.expect("was found")
}

/// When a program that knows the new primary has its first write answered.
fn written(cluster: &Cluster, new: usize) -> Instant {
    within(FAILOVER, "the new primary answers a write", || {
        cluster.ask(new, "INSERT INTO written VALUES (now())").is_some()
    });
    now()
}

/// While a leader is frozen, two primaries answer: no member works with the old one.
fn check_old_is_left(cluster: &Cluster, old: usize, fault: Fault, begun: Instant) {
    if fault == Fault::PatroniFrozen {
        // A commit that waits for a standby cannot be taken back, and is never answered.
        let at_work = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'quaymaster' \
                       AND wait_event IS DISTINCT FROM 'SyncRep'";
        within(BAR, "the members have left the old primary", || {
            cluster.ask(old, at_work).is_some_and(|rows| rows[0][0].as_deref() == Some("0"))
        });
        let batches =
            || cluster.ask(old, "SELECT sum(batch) FROM lane").expect("the old primary answers")[0][0].clone();
        let before = batches();
        wait(FROZEN.saturating_sub(begun.elapsed()));
        assert_eq!(batches(), before, "no lane of a member has gone on with the old primary");
    } else if fault == Fault::NodeFrozen {
        wait(FROZEN.saturating_sub(begun.elapsed()));
    }
}
