//! Wakes that come to a connection's task from its own poll.
//!
//! Whoever takes a piece of a request's body wakes the connection, so that hyper reads the next piece. Behind the last piece
//! there is none: that wake would have everything polled once more in vain, the handler that waits for a message included.
//! So the waker that hyper is given only counts what comes from the poll itself. After the poll it is passed on, unless
//! whoever caused it has said that it is void.
//!
//! A body's last piece is void so because of two things in hyper 1.12, which a newer hyper should be asked for again: its
//! HTTP/1 `poll_read` gives up the sender of a body in the call that hands over the last piece, and goes on to what else there
//! is to read; and `is_end_stream` of a body counts what was taken of it. HTTP/2 serves each stream in a task of its own.
//!
//! Invariants
//! - A wake from another thread, or outside of the poll, is passed on at once.
//! - Only what a call has caused, on its own thread, can be declared void by it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

thread_local! {
    static POLLED: Cell<Polled> = const { Cell::new(Polled { connection: 0, wakes: 0 }) };
}

/// The connection that this thread polls now; 0 for none.
#[derive(Clone, Copy, Default)]
struct Polled {
    connection: u64,
    /// How often it has woken itself meanwhile.
    wakes: u32,
}

/// What a connection's parts wake it by.
struct ConnectionWaker {
    task: Waker,
    connection: u64,
}

/// A connection that may wake itself.
pub(crate) struct SelfWakes {
    waker: Waker,
    task: Waker,
    connection: u64,
}

impl SelfWakes {
    /// `task` is the waker of the task that polls the connection, all its life.
    pub(crate) fn of(task: &Waker) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let connection = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let waker = Waker::from(Arc::new(ConnectionWaker { task: task.clone(), connection }));
        Self { waker, task: task.clone(), connection }
    }

    pub(crate) fn poll<T>(&self, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        POLLED.set(Polled { connection: self.connection, wakes: 0 });
        let polled = poll(&mut Context::from_waker(&self.waker));
        let Polled { wakes, .. } = POLLED.take();
        if wakes > 0 && polled.is_pending() {
            self.task.wake_by_ref();
        }
        polled
    }
}

/// Calls `poll`, which returns what it comes to and whether the wakes it has caused are void.
pub(crate) fn void_if<T>(poll: impl FnOnce() -> (T, bool)) -> T {
    let Polled { wakes, .. } = POLLED.get();
    let (outcome, is_void) = poll();
    if is_void {
        POLLED.set(Polled { wakes, ..POLLED.get() });
    }
    outcome
}

impl Wake for ConnectionWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let polled = POLLED.get();
        if polled.connection == self.connection {
            POLLED.set(Polled { wakes: polled.wakes + 1, ..polled });
        } else {
            self.task.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often the task is woken by a poll that does this and is pending, and how often afterwards.
    fn woken(poll: impl FnOnce(&Waker)) -> usize {
        let task = Arc::new(Counted::default());
        let connection = SelfWakes::of(&Waker::from(Arc::clone(&task)));
        let polled = connection.poll(|context| {
            poll(context.waker());
            Poll::<()>::Pending
        });
        assert!(polled.is_pending());
        task.0.load(Ordering::SeqCst)
    }

    #[test]
    fn a_connection_that_wakes_itself_is_polled_once_more() {
        assert_eq!(woken(|_| {}), 0);
        assert_eq!(woken(|waker| (0..3).for_each(|_| waker.wake_by_ref())), 1);
    }

    #[test]
    fn what_a_call_has_caused_can_be_void_and_nothing_else() {
        assert_eq!(woken(|waker| void_if(|| (waker.wake_by_ref(), true))), 0);
        assert_eq!(woken(|waker| void_if(|| (waker.wake_by_ref(), false))), 1);
        let both = |waker: &Waker| {
            waker.wake_by_ref();
            void_if(|| (waker.wake_by_ref(), true));
        };
        assert_eq!(woken(both), 1);
    }

    #[test]
    fn wakes_from_elsewhere_are_passed_on_whatever_happens_here() {
        let elsewhere = |waker: &Waker| {
            let waker = waker.clone();
            std::thread::spawn(move || waker.wake()).join().expect("no panic");
        };
        assert_eq!(woken(|waker| void_if(|| (elsewhere(waker), true))), 1);
        // Of another connection, polled on this thread before and waiting since.
        let task = Arc::new(Counted::default());
        let other = SelfWakes::of(&Waker::from(Arc::clone(&task)));
        let mut kept = None;
        assert!(
            other
                .poll(|context| {
                    kept = Some(context.waker().clone());
                    Poll::<()>::Pending
                })
                .is_pending()
        );
        let kept = kept.expect("polled");
        assert_eq!(woken(|_| void_if(|| (kept.wake_by_ref(), true))), 0);
        assert_eq!(task.0.load(Ordering::SeqCst), 1);
        kept.wake();
        assert_eq!(task.0.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_connection_that_is_done_is_not_woken() {
        let task = Arc::new(Counted::default());
        let connection = SelfWakes::of(&Waker::from(Arc::clone(&task)));
        let polled = connection.poll(|context| {
            context.waker().wake_by_ref();
            Poll::Ready(())
        });
        assert!(polled.is_ready());
        assert_eq!(task.0.load(Ordering::SeqCst), 0);
    }
}
