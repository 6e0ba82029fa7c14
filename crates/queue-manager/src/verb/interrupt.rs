//! Ends the waits of gets from outside: one's, or those of a whole door. A get that is taking a message is never broken off:
//! then the message is its result.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

use parking_lot::Mutex;

/// Belongs to one get at a time; set, it ends every wait until it is cleared.
#[derive(Default)]
pub struct Interrupt {
    is_set: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

impl Interrupt {
    /// The get that waits, or will, ends with `NoMsgAvailable`.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        let waiting = self.waiting.lock().take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    pub fn clear(&self) {
        self.is_set.store(false, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
    }

    /// Waits for `future`, or until it is set.
    pub async fn or(&self, future: impl Future<Output = ()>) {
        let mut future = pin!(future);
        poll_fn(|context| {
            let mut waiting = self.waiting.lock();
            if self.is_set() {
                return Poll::Ready(());
            }
            *waiting = Some(context.waker().clone());
            drop(waiting);
            future.as_mut().poll(context)
        })
        .await;
    }
}

/// Belongs to all the gets of a door; once set, none of them waits. It is looked at when a wait begins and whenever
/// something wakes it.
#[derive(Default)]
pub struct Closing(AtomicBool);

impl Closing {
    /// For gets to come; those that wait learn of it by `QueueManager::end_waits`.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
