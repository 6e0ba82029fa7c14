//! What is done to one queue while monitoring watches it, by every handle, whenever it was opened.

use std::sync::atomic::{AtomicBool, Ordering};

use model::reason::Reason;
use parking_lot::Mutex;

use crate::instrumentation::accounting::activity::Activity;
use crate::queue::Queue;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_on: AtomicBool,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) activity: Activity,
    pub(crate) closes: u64,
    pub(crate) inquiries: u64,
    pub(crate) sets: u64,
    pub(crate) gets_failed: Failures,
    pub(crate) browses_failed: Failures,
    pub(crate) rolled_back_puts: u64,
    pub(crate) rolled_back_gets: u64,
    pub(crate) expired: u64,
    pub(crate) purges: u64,
}

/// Of MQGET, two reasons.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    pub(crate) no_message: u64,
    pub(crate) truncated: u64,
}

impl Counts {
    /// An MQGET ended with this reason, or with none.
    pub(crate) fn failed(&mut self, browses: bool, reason: Option<Reason>) {
        let failures = if browses { &mut self.browses_failed } else { &mut self.gets_failed };
        match reason {
            Some(Reason::NoMsgAvailable) => failures.no_message += 1,
            Some(Reason::TruncatedMsgFailed) => failures.truncated += 1,
            _ => {}
        }
    }
}

/// What was counted of a queue, and how the queue is at that moment.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) counts: Counts,
    pub(super) depth: u32,
    pub(super) open_input: u32,
    pub(super) open_output: u32,
}

impl Queue {
    /// Counts something if the queue is watched.
    pub(crate) fn watched(&self, note: impl FnOnce(&mut Counts)) {
        if let Some(watch) = self.watch.get().filter(|watch| watch.is_on.load(Ordering::Relaxed)) {
            note(&mut watch.counts.lock());
        }
    }

    pub(super) fn begin_watch(&self) {
        let watch = self.watch.get_or_init(Box::default);
        if !watch.is_on.swap(true, Ordering::Relaxed) {
            *watch.counts.lock() = Counts::default();
        }
    }

    pub(super) fn end_watch(&self) {
        if let Some(watch) = self.watch.get() {
            watch.is_on.store(false, Ordering::Relaxed);
        }
    }

    /// Counting begins anew.
    pub(super) fn take_watched(&self) -> Watched {
        let in_use = *self.in_use.lock();
        Watched {
            counts: self.watch.get().map(|watch| std::mem::take(&mut *watch.counts.lock())).unwrap_or_default(),
            depth: self.depth(),
            open_input: in_use.input,
            open_output: in_use.output,
        }
    }
}
