use std::sync::Arc;
use std::task::Waker;

use super::*;

/// Keeps the processor busy for at least so long.
fn work(microseconds: u64) {
    let begin = read(ClockId::ThreadCPUTime);
    while read(ClockId::ThreadCPUTime) - begin < microseconds * 1000 {
        std::hint::spin_loop();
    }
}

#[test]
fn what_runs_between_two_polls_is_not_counted() {
    let meter = Meter::default();
    let polls = Arc::new(AtomicU64::new(0));
    let counted = polls.clone();
    let call = std::future::poll_fn(move |_| {
        work(2000);
        if counted.fetch_add(1, Ordering::Relaxed) == 0 { Poll::Pending } else { Poll::Ready(()) }
    });
    let mut metered = Metered::new(Box::pin(call), Some(&meter));
    let mut context = Context::from_waker(Waker::noop());
    assert!(Pin::new(&mut metered).poll(&mut context).is_pending());
    work(50_000);
    assert!(Pin::new(&mut metered).poll(&mut context).is_ready());
    drop(metered);
    let (cpu, elapsed) = meter.take();
    assert!((4000..40_000).contains(&cpu), "{cpu} microseconds of 4000");
    assert!(elapsed >= 54_000, "{elapsed} microseconds with the 50,000 between");
    assert_eq!(meter.take(), (0, 0));
}

#[test]
fn a_call_without_a_meter_is_only_passed_on() {
    let mut call = Metered::new(Box::pin(async { 7 }), None);
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(Pin::new(&mut call).poll(&mut context), Poll::Ready(7));
}
