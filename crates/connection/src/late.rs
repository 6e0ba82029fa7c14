//! Messages that have not come yet, and are looked for: first soon, then more and more seldom, for ten minutes.
//!
//! A queue manager has nothing like "tell me when this message comes" that costs nothing while it does not. What is remembered is in
//! memory only. What a look does, and what becomes of a message that has come, is its owner's.
//!
//! Invariant: at most `MOST` are remembered; the oldest make room.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

const MOST: usize = 10_000;
const REMEMBERED_FOR: Duration = Duration::from_secs(600);
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// What one look may take; a remote queue manager may be slow, or not there.
pub const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// What is missing.
pub struct Missing<T> {
    looks: Mutex<VecDeque<Look<T>>>,
    added: Notify,
}

/// One of them, and when it is looked for.
pub struct Look<T> {
    pub what: T,
    next: Instant,
    pause: Duration,
    until: Instant,
}

impl<T> Default for Missing<T> {
    fn default() -> Self {
        Self { looks: Mutex::default(), added: Notify::new() }
    }
}

impl<T> Missing<T> {
    /// To be looked for from now on, or from a later moment on.
    pub fn remember(&self, what: T, not_before: Option<Instant>) {
        let soon = Instant::now() + FIRST_LOOK;
        let next = not_before.map_or(soon, |moment| moment.max(soon));
        self.enter(Look { what, next, pause: FIRST_LOOK, until: next + REMEMBERED_FOR });
        self.added.notify_one();
    }

    /// Looked for in vain: to be looked for again, unless its time is over.
    pub fn again(&self, look: Look<T>) {
        if look.next < look.until {
            let pause = (look.pause * 2).min(LONGEST_PAUSE);
            self.enter(Look { next: Instant::now() + pause, pause, ..look });
        }
    }

    fn enter(&self, look: Look<T>) {
        let mut looks = self.looks.lock();
        if looks.len() >= MOST {
            looks.pop_front();
        }
        looks.push_back(look);
    }

    pub fn forget(&self, is_it: impl Fn(&T) -> bool) {
        self.looks.lock().retain(|look| !is_it(&look.what));
    }

    /// Waits for those whose turn it is, and takes them out.
    pub async fn due(&self) -> Vec<Look<T>> {
        loop {
            let (due, next) = self.take_due(Instant::now());
            if !due.is_empty() {
                return due;
            }
            match next {
                None => self.added.notified().await,
                Some(next) => {
                    let _ = tokio::time::timeout_at(next, self.added.notified()).await;
                }
            }
        }
    }

    /// Those whose turn it is, and when the next one's turn is.
    fn take_due(&self, now: Instant) -> (Vec<Look<T>>, Option<Instant>) {
        let mut looks = self.looks.lock();
        let (due, rest): (Vec<_>, Vec<_>) = looks.drain(..).partition(|look| look.next <= now);
        looks.extend(rest);
        (due, looks.iter().map(|look| look.next).min())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_missing_is_looked_for_more_and_more_seldom_until_its_time_is_over() {
        let (missing, begun) = (Missing::default(), Instant::now());
        missing.remember("reply", None);
        let mut moments = Vec::new();
        while let Ok(due) = tokio::time::timeout(2 * LONGEST_PAUSE, missing.due()).await {
            moments.push(begun.elapsed());
            due.into_iter().for_each(|look| missing.again(look));
        }
        assert!(moments[0] >= FIRST_LOOK && moments[0] < 2 * FIRST_LOOK, "{:?}", moments[0]);
        let pauses: Vec<Duration> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(pauses.is_sorted() && pauses.last().is_some_and(|last| *last >= LONGEST_PAUSE), "{pauses:?}");
        let last = *moments.last().expect("there are looks");
        assert!(last >= REMEMBERED_FOR && last <= REMEMBERED_FOR + 2 * LONGEST_PAUSE, "{last:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_later_or_is_forgotten_is_not_looked_for_yet() {
        let (missing, begun) = (Missing::default(), Instant::now());
        missing.remember(1, Some(begun + Duration::from_secs(60)));
        missing.remember(2, None);
        missing.forget(|number| *number == 2);
        let due = missing.due().await;
        assert_eq!(due.iter().map(|look| look.what).collect::<Vec<_>>(), [1]);
        assert!(begun.elapsed() >= Duration::from_secs(60));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_make_room() {
        let missing = Missing::default();
        (0..=MOST).for_each(|number| missing.remember(number, None));
        let due = missing.due().await;
        assert_eq!((due.len(), due[0].what), (MOST, 1));
    }
}
