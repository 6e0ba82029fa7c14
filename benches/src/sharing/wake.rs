//! How long after a commit at one member a program that waits at another, idle one has the message.

use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use storage::{QueueId, Selection};
use workload::measure;

use crate::report::{Bar, Report};
use crate::sharing::{Member, NOW, Queues, identifier, put};
use crate::throughput::block_on;

/// Longer than a member is used to.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(one: &Member, two: &Member, queues: &Queues, report: &mut Report) -> Result<()> {
    let rounds = if report.is_quick() { 50 } else { 500 };
    let queue = queues.replies;
    let (tell, told) = channel();
    let shared = two.store.shared().context("the member is in a group")?;
    shared.listen_to_arrivals(Box::new(move |queue| {
        let _ = tell.send(queue);
    }));
    let _watch = shared.watch(queue);
    std::thread::sleep(Duration::from_secs(2));
    let mut times = Vec::with_capacity(rounds);
    for round in 0..rounds {
        std::thread::sleep(PAUSE);
        while told.try_recv().is_ok() {}
        block_on(put(&one.store, None, queue, identifier(0, round as u64), [0; 24]))?;
        let committed = measure::now();
        loop {
            if told.recv_timeout(Duration::from_secs(5)).is_err() {
                bail!("a wait at another member did not end");
            }
            if is_got(two, queue)? {
                break;
            }
        }
        times.push(committed.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    report.add(Bar::at_most("a wait at another member ends after a commit, median", 5.0).value(at(50), "ms"));
    report.add(Bar::at_most("a wait at another member ends after a commit, p99", 20.0).value(at(99), "ms"));
    Ok(())
}

fn is_got(member: &Member, queue: QueueId) -> Result<bool> {
    Ok(block_on(member.store.get(None, queue, &Selection::default(), NOW))?.is_some())
}
