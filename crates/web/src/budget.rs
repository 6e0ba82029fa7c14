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
    /// What one address uses of the budget, where that is limited.
    share: Option<Arc<Budget>>,
    bytes: usize,
}

impl Budget {
    pub(crate) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// A charge of nothing, to be grown. `share` counts what one address uses of the budget.
    pub(crate) fn begin(self: &Arc<Self>, share: &Arc<Self>) -> Charge {
        Charge { budget: Arc::clone(self), share: Some(Arc::clone(share)), bytes: 0 }
    }

    /// Charges bytes that are there already, whatever the limit is.
    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.used.fetch_add(bytes, Relaxed);
        Charge { budget: Arc::clone(self), share: None, bytes }
    }
}

impl Charge {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Grows to `bytes` in all. False when the budget has no room, or the address has its share: then nothing changes.
    #[must_use]
    pub(crate) fn grow_to(&mut self, bytes: usize, limit: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let all = self.budget.used.fetch_add(more, Relaxed);
        let own = self.share.as_ref().map(|share| share.used.fetch_add(more, Relaxed));
        self.bytes += more;
        let fits = all.saturating_add(more) <= limit
            && own.is_none_or(|own| own.saturating_add(more) <= share_of(limit, all.saturating_sub(own)));
        if !fits {
            self.shrink(more);
        }
        fits
    }

    fn shrink(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.budget.used.fetch_sub(bytes, Relaxed);
        if let Some(share) = &self.share {
            share.used.fetch_sub(bytes, Relaxed);
        }
    }
}

/// What one address may use where the others use `others`: four fifths of the rest, so that something is always left for
/// the next address. Of the default budget that is one body of the greatest length.
pub(crate) fn share_of(limit: usize, others: usize) -> usize {
    let rest = limit.saturating_sub(others);
    rest - rest / 5
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_takes_what_fits_and_gets_it_back() {
        let budget = Arc::new(Budget::default());
        let [one, two] = [(); 2].map(|()| Arc::new(Budget::default()));
        let mut first = budget.begin(&one);
        assert!(first.grow_to(60, 100) && first.grow_to(80, 100));
        let mut second = budget.begin(&two);
        assert!(second.grow_to(16, 100) && !second.grow_to(21, 100));
        assert_eq!((budget.used(), one.used(), two.used()), (96, 80, 16));
        drop(first);
        assert!(second.grow_to(21, 100));
        assert_eq!((budget.used(), one.used(), two.used()), (21, 0, 21));
        let answer = budget.charge(500);
        assert_eq!(budget.used(), 521);
        drop((second, answer));
        assert_eq!((budget.used(), two.used()), (0, 0));
    }

    #[test]
    fn an_address_leaves_something_for_the_next_one() {
        let budget = Arc::new(Budget::default());
        let crowd = Arc::new(Budget::default());
        let mut held: Vec<Charge> = (0..100).map(|_| budget.begin(&crowd)).collect();
        let taken = held.iter_mut().map(|charge| charge.grow_to(100, 10_000)).filter(|&fits| fits).count();
        assert_eq!(taken, 80, "four fifths");
        let other = Arc::new(Budget::default());
        let mut charge = budget.begin(&other);
        assert!(charge.grow_to(1600, 10_000) && !charge.grow_to(1601, 10_000), "four fifths of the rest");
    }
}
