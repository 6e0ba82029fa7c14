//! Values that each process of a family of forks has for itself.
//!
//! Invariants
//! - A child begins with a new value, made when it first asks. It neither drops its parent's nor waits for a lock of it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often this process and those before it were forked.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// To be called in a child, right after the fork. It takes no lock and no memory.
pub fn forked() {
    FORKS.fetch_add(1, Ordering::AcqRel);
}

/// One more after each fork.
pub(crate) fn generation() -> u32 {
    FORKS.load(Ordering::Acquire)
}

pub(crate) struct PerProcess<T: 'static> {
    first: OnceLock<Node<T>>,
}

struct Node<T> {
    value: T,
    next: OnceLock<Box<Node<T>>>,
}

impl<T: Default> Node<T> {
    fn new() -> Self {
        Self { value: T::default(), next: OnceLock::new() }
    }
}

impl<T: Default> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { first: OnceLock::new() }
    }

    /// That of this process: as many steps along the chain as there were forks.
    pub(crate) fn get(&'static self) -> &'static T {
        let mut node = self.first.get_or_init(Node::new);
        for _ in 0..generation() {
            node = node.next.get_or_init(|| Box::new(Node::new()));
        }
        &node.value
    }
}
