//! The deliveries of one stream that are open: so many at most, and the next one when one of them has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use tokio::sync::Notify;

/// The places of one stream.
pub(crate) struct InFlight {
    most: usize,
    taken: AtomicUsize,
    /// A place is free. The stream alone waits for it.
    freed: Notify,
}

/// A place, which is free when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Flight(#[expect(dead_code, reason = "dropping it is what it is for")] Arc<Taken>);

struct Taken(Arc<InFlight>);

impl InFlight {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicUsize::new(0), freed: Notify::new() })
    }

    /// `None`: all are taken.
    pub(crate) fn try_begin(self: &Arc<Self>) -> Option<Flight> {
        // One task takes places, so that what is free stays free.
        let has_room = self.taken.load(SeqCst) < self.most;
        has_room.then(|| {
            self.taken.fetch_add(1, SeqCst);
            Flight(Arc::new(Taken(Arc::clone(self))))
        })
    }

    /// Waits for a place.
    pub(crate) async fn begin(self: &Arc<Self>) -> Flight {
        loop {
            if let Some(flight) = self.try_begin() {
                return flight;
            }
            self.freed.notified().await;
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, SeqCst);
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_is_free_again_when_its_delivery_has_ended() {
        let places = InFlight::new(2);
        let first = places.begin().await;
        let second = places.begin().await;
        assert!(places.try_begin().is_none());
        let waiting = tokio::spawn({
            let places = Arc::clone(&places);
            async move { places.begin().await }
        });
        let again = first.clone();
        drop(first);
        assert!(places.try_begin().is_none(), "a clone keeps the place");
        drop(again);
        let third = waiting.await.expect("a place");
        assert!(places.try_begin().is_none());
        drop((second, third));
        assert!(places.try_begin().is_some());
    }
}
