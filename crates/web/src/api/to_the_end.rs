//! Work that has to be done to its end, even when the client goes away in the middle of it.
//!
//! It runs in the task of its request. Only what is left of it when the request is dropped becomes a task of its own:
//! a task for each request would cost two wake-ups, and nearly all clients stay.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

/// The same work, done to its end once it was begun. It begins with the first poll.
pub(super) fn to_the_end<F: Future<Output: Send> + Send + 'static>(work: F) -> ToTheEnd<F> {
    ToTheEnd { work: Some(Box::pin(work)), is_begun: false }
}

#[must_use = "it begins when it is awaited"]
pub(super) struct ToTheEnd<F: Future<Output: Send> + Send + 'static> {
    /// `None` once it is done.
    work: Option<Pin<Box<F>>>,
    is_begun: bool,
}

impl<F: Future<Output: Send> + Send + 'static> Future for ToTheEnd<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.is_begun = true;
        let work = self.work.as_mut().expect("it is not polled after its end");
        let polled = work.as_mut().poll(context);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for ToTheEnd<F> {
    fn drop(&mut self) {
        let Some(rest) = self.work.take() else { return };
        // After a panic in it nothing can be gone on with, and a server that has ended has no tasks.
        if self.is_begun
            && !std::thread::panicking()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::to_the_end;

    /// Two steps, each let go on by a permit; then it says so.
    async fn work(goes_on: Arc<Semaphore>, done: Arc<Semaphore>) -> u32 {
        for _ in 0..2 {
            goes_on.acquire().await.expect("it is not closed").forget();
        }
        done.add_permits(1);
        7
    }

    #[tokio::test]
    async fn work_whose_client_stays_gives_its_result() {
        let (goes_on, done) = (Arc::new(Semaphore::new(2)), Arc::new(Semaphore::new(0)));
        assert_eq!(to_the_end(work(goes_on, done)).await, 7);
    }

    #[tokio::test]
    async fn work_that_has_begun_ends_though_its_client_goes() {
        let (goes_on, done) = (Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(0)));
        let begun = to_the_end(work(Arc::clone(&goes_on), Arc::clone(&done)));
        tokio::select! {
            biased;
            _ = begun => panic!("the second step waits"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(goes_on.available_permits(), 0, "the first step is done");
        goes_on.add_permits(1);
        done.acquire().await.expect("it is not closed").forget();
    }

    #[tokio::test]
    async fn work_that_has_not_begun_is_left_undone() {
        let (goes_on, done) = (Arc::new(Semaphore::new(2)), Arc::new(Semaphore::new(0)));
        drop(to_the_end(work(Arc::clone(&goes_on), done)));
        tokio::task::yield_now().await;
        assert_eq!(goes_on.available_permits(), 2);
    }
}
