//! Which available messages expire, soonest first.
//!
//! Most messages of a queue live equally long, so that the one put last is the last to expire, and most are taken in the
//! order they came: those are a list in order, where adding one and taking the first costs next to nothing. What would
//! stand before the list's last is in an ordered set, and so is what comes while the list is long: to grow or to be tidied
//! it is copied as a whole, for which no put should wait for long.

use std::collections::{BTreeSet, VecDeque};

use crate::private::queue::entry::Key;

/// When a message expires, and which it is.
type Due = (u64, Key);

/// So many that are gone may stay among those that are there.
const FEW: usize = 64;
/// Longest list.
const MANY: usize = 1 << 15;

#[derive(Default)]
pub(super) struct Expiry {
    /// In order. Neither the first nor the last is gone.
    list: VecDeque<Listed>,
    /// How many of the list are gone.
    gone: usize,
    others: BTreeSet<Due>,
}

struct Listed {
    due: Due,
    is_gone: bool,
}

impl Expiry {
    pub(super) fn insert(&mut self, due: Due) {
        if self.list.len() < MANY && self.list.back().is_none_or(|last| last.due < due) {
            self.list.push_back(Listed { due, is_gone: false });
        } else {
            self.others.insert(due);
        }
    }

    pub(super) fn remove(&mut self, due: Due) {
        let place = match self.list.front() {
            Some(first) if first.due == due => Ok(0),
            _ => self.list.binary_search_by(|listed| listed.due.cmp(&due)),
        };
        match place {
            Ok(place) if !self.list[place].is_gone => {
                self.list[place].is_gone = true;
                self.gone += 1;
                self.tidy();
            }
            // Never there, or gone before and added again since.
            Ok(_) | Err(_) => {
                self.others.remove(&due);
            }
        }
    }

    pub(super) fn first(&self) -> Option<Due> {
        let listed = self.list.front().map(|first| first.due);
        let other = self.others.first().copied();
        listed.into_iter().chain(other).min()
    }

    /// Those that are gone are dropped from both ends, and all at once when they are most of the list.
    fn tidy(&mut self) {
        while self.list.pop_front_if(|first| first.is_gone).is_some() {
            self.gone -= 1;
        }
        while self.list.pop_back_if(|last| last.is_gone).is_some() {
            self.gone -= 1;
        }
        if self.gone > FEW + self.list.len() / 2 {
            self.list.retain(|listed| !listed.is_gone);
            self.gone = 0;
        }
        if self.list.is_empty() && self.list.capacity() > FEW {
            self.list = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn due() -> impl Strategy<Value = Due> {
        (0..40u64, 0..300u64).prop_map(|(expires, key)| (expires, Key(key)))
    }

    proptest! {
        /// Additions of new messages and removals of known ones, in any order.
        #[test]
        fn it_is_a_set_in_order(steps in proptest::collection::vec((any::<bool>(), due(), any::<prop::sample::Index>()), 0..600)) {
            let (mut expiry, mut naive) = (Expiry::default(), BTreeSet::new());
            for (adds, new, which) in steps {
                let known: Vec<Due> = naive.iter().copied().collect();
                if adds && naive.insert(new) {
                    expiry.insert(new);
                } else if !known.is_empty() {
                    let old = known[which.index(known.len())];
                    naive.remove(&old);
                    expiry.remove(old);
                }
                prop_assert_eq!(expiry.first(), naive.first().copied());
                prop_assert!(expiry.list.len() + expiry.others.len() <= 3 * naive.len() + 3 * FEW);
            }
            for due in std::mem::take(&mut naive) {
                prop_assert_eq!(expiry.first(), Some(due));
                expiry.remove(due);
            }
            prop_assert_eq!(expiry.first(), None);
        }
    }

    #[test]
    fn those_taken_from_the_midst_do_not_stay() {
        const ALL: u64 = 10_000;
        let mut expiry = Expiry::default();
        (0..ALL).for_each(|number| expiry.insert((7, Key(number))));
        (1..ALL).for_each(|number| expiry.remove((7, Key(number))));
        assert!(expiry.list.len() < 3 * FEW && expiry.others.is_empty());
        assert_eq!(expiry.first(), Some((7, Key(0))));
    }
}
