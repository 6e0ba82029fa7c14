//! Memory that clients can make the server hold, counted: bodies of requests on their way in, answers that nobody has read yet.
//!
//! A small body or answer is not counted, so that a usual request pays nothing here; connections bound those.
//!
//! Invariant: what a `Charge` has added to its budget is taken back when it is dropped, whatever becomes of its request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes in use, of one kind.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    used: AtomicUsize,
}

/// A part of a budget.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    pub(crate) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// A charge of nothing, to be grown.
    pub(crate) fn begin(self: &Arc<Self>) -> Charge {
        Charge { budget: Arc::clone(self), bytes: 0 }
    }

    /// Charges bytes that are there already, whatever the limit is.
    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.used.fetch_add(bytes, Relaxed);
        Charge { budget: Arc::clone(self), bytes }
    }
}

impl Charge {
    /// Grows to `bytes` in all. False when the budget has no room: then nothing changes.
    #[must_use]
    pub(crate) fn grow_to(&mut self, bytes: usize, limit: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let before = self.budget.used.fetch_add(more, Relaxed);
        if before.saturating_add(more) > limit {
            self.budget.used.fetch_sub(more, Relaxed);
            return false;
        }
        self.bytes += more;
        true
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_takes_what_fits_and_gets_it_back() {
        let budget = Arc::new(Budget::default());
        let mut first = budget.begin();
        assert!(first.grow_to(60, 100) && first.grow_to(80, 100));
        let mut second = budget.begin();
        assert!(second.grow_to(20, 100) && !second.grow_to(21, 100));
        assert_eq!(budget.used(), 100);
        drop(first);
        assert!(second.grow_to(21, 100));
        assert_eq!(budget.used(), 21);
        let answer = budget.charge(500);
        assert_eq!(budget.used(), 521);
        drop((second, answer));
        assert_eq!(budget.used(), 0);
    }
}
