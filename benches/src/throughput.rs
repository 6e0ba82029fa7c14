//! Operations a second of some threads in a closed loop, and a plain executor for them.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use workload::measure;

/// Runs one operation after another on each thread; `make` prepares thread number n's operation.
pub fn rate<F>(threads: usize, duration: Duration, make: impl Fn(usize) -> Result<F> + Sync) -> Result<f64>
where
    F: FnMut() -> Result<()>,
{
    rate_from(threads, duration, make, || ())
}

/// As `rate`; `begin` is called once everything is prepared.
pub fn rate_from<F>(
    threads: usize,
    duration: Duration,
    make: impl Fn(usize) -> Result<F> + Sync,
    begin: impl FnOnce(),
) -> Result<f64>
where
    F: FnMut() -> Result<()>,
{
    let stop = AtomicBool::new(false);
    let prepared = Barrier::new(threads + 1);
    let begun = Barrier::new(threads + 1);
    let work = |number: usize| -> Result<u64> {
        let operation = make(number);
        prepared.wait();
        begun.wait();
        let mut operation = operation?;
        let mut count = 0;
        while !stop.load(Ordering::Relaxed) {
            operation()?;
            count += 1;
        }
        Ok(count)
    };
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number))).collect();
        prepared.wait();
        begin();
        begun.wait();
        let started = measure::now();
        std::thread::sleep(duration);
        stop.store(true, Ordering::Relaxed);
        let elapsed = started.elapsed().as_secs_f64();
        let mut total = 0;
        for thread in running {
            total += thread.join().map_err(|_| anyhow!("a measuring thread panicked"))??;
        }
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 operations")]
        Ok(total as f64 / elapsed)
    })
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls on this thread and parks it in between: what a caller without any runtime would do.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}
