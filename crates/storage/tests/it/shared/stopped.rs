//! A member in a process of its own that stands still, as on a machine that swaps or a host that pauses its guests, and goes on.

use std::time::Duration;

use rustix::process::Signal;
use storage::SharedOptions;

use crate::postgres::Database;
use crate::shared::group::{PATIENCE, check_nothing_is_held, count, drain, eventually, member, now, options, within};
use crate::shared::killed::Process;
use crate::shared::ledger::Ledger;
use crate::shared::load::{queues_for, wait};

const STOPPED: Duration = Duration::from_secs(10);
const EPOCH: &str = "SELECT epoch FROM member WHERE name = 'QM1' AND state = 'ACTIVE'";

#[test]
fn a_member_that_stands_still_for_ten_seconds_is_fenced_loses_nothing_and_takes_part_again() {
    let database = Database::of_group("QSG1");
    let peer = member(SharedOptions { silence: Duration::from_secs(2), ..options(&database.url, "QM0") });
    let stores = [peer];
    let queues = queues_for(&stores, ["APP1"; 3]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut process = Process::start(&[&database], queues, "QM1", 1, folder.path());
    eventually("it is at work", || process.lines().len() > 200);
    let epoch = count(&database, EPOCH);

    process.signal(Signal::STOP);
    let stopped = now();
    eventually("the peer has recovered it", || {
        count(&database, "SELECT count(*) FROM member WHERE name = 'QM1' AND state = 'FAILED'") == 1
    });
    assert_eq!(count(&database, "SELECT count(*) FROM message WHERE owner IS NOT NULL"), 0, "nothing stays held");
    wait(STOPPED.saturating_sub(stopped.elapsed()));
    let (lines, rounds) = (process.lines().len(), process.rounds_of_private_queue());
    process.signal(Signal::CONT);

    let back = within(PATIENCE, "it takes part again", || {
        database
            .run(EPOCH)
            .first()
            .is_some_and(|row| row[0].as_deref().and_then(|epoch| epoch.parse().ok()) > Some(epoch))
    });
    println!("takes part again after {back:.1?}");
    eventually("its clients and its private queue go on", || {
        process.lines().len() > lines + 100 && process.rounds_of_private_queue() > rounds + 10
    });
    assert!(process.runs(), "no client was told something wrong");
    process.kill();
    eventually("the peer gives back what it had got", || {
        count(&database, "SELECT count(*) FROM message WHERE owner IS NOT NULL") == 0
    });
    check_nothing_is_held(&database);
    let mut ledger = Ledger::default();
    process.lines_of_clients().iter().for_each(|lines| ledger.add(lines));
    println!("{} messages", ledger.sure());
    let left: Vec<u64> = queues.all().into_iter().flat_map(|queue| drain(&stores[0], queue)).collect();
    ledger.check(&left, false);
}
