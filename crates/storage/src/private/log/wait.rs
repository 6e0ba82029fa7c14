//! Waiting for space in the log, as a future; and a way to wait for any future on a plain thread.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::private::log::leader::write_what_is_left;
use crate::private::log::writer::Log;

/// Waits for the next change of the space that is prepared.
pub(crate) struct Space<'a> {
    pub(super) log: &'a Log,
    pub(super) waited: bool,
}

impl Future for Space<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.waited {
            return Poll::Ready(());
        }
        self.waited = true;
        // First the waker, then the look: whoever changes what is looked at takes the wakers afterwards.
        self.log.waiting_for_space.lock().push(context.waker().clone());
        let state = self.log.state.lock();
        if state.hopeless(&self.log.options) || !state.wanted || state.stopping || self.log.has_failed() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

/// Runs a future on this thread, sleeping while it waits: for threads that are not tasks.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    thread_local! {
        static WAKER: Waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    }
    let waker = WAKER.with(Waker::clone);
    let mut context = Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => {
                write_what_is_left();
                std::thread::park();
            }
        }
    }
}
