//! What happened, as streams are told it once: a bounded ring, from which a stream goes on where it was.
//!
//! A piece of news has the name of its event and says what it is about; which streams get it, is asked of each. So another kind
//! of news is another `About`. Lines of the log are no news: there are more of them, and they have a ring of their own.

use std::collections::VecDeque;
use std::sync::Arc;

use model::name::QueueManagerName;
use serde_json::value::RawValue;

use super::Concern;

/// Most news, and bytes of them, that are kept for streams that come back.
const MOST_NEWS: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

/// What a piece of news is about: who may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// An event message, and the queue that it goes to.
    Event { queue_manager: QueueManagerName, queue: &'static str },
    /// A problem that has begun, changed or ended.
    Problem { queue_manager: QueueManagerName, concern: Concern },
}

#[derive(Clone)]
pub(super) struct News {
    pub(super) number: u64,
    pub(super) about: About,
    pub(super) data: Arc<RawValue>,
}

#[derive(Default)]
pub(super) struct NewsRing {
    kept: VecDeque<News>,
    bytes: usize,
    /// Number of the last one; 0 when there was none.
    last: u64,
    /// News up to this number are lost.
    lost: u64,
}

impl About {
    /// The name of the event.
    pub(super) fn event(&self) -> &'static str {
        match self {
            Self::Event { .. } => "event",
            Self::Problem { .. } => "problem",
        }
    }
}

impl NewsRing {
    pub(super) fn push(&mut self, about: About, data: Arc<RawValue>) {
        self.last += 1;
        self.bytes += data.get().len();
        self.kept.push_back(News { number: self.last, about, data });
        while self.kept.len() > MOST_NEWS || self.bytes > MOST_BYTES {
            let Some(gone) = self.kept.pop_front() else { break };
            self.bytes -= gone.data.get().len();
            self.lost = gone.number;
        }
    }

    /// Some have gone that were never here.
    pub(super) fn miss(&mut self) {
        self.last += 1;
        self.kept.clear();
        self.bytes = 0;
        self.lost = self.last;
    }

    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Whether all news after a number are still here.
    pub(super) fn reaches(&self, number: u64) -> bool {
        number >= self.lost && number <= self.last
    }

    pub(super) fn after(&self, number: u64) -> impl Iterator<Item = &News> {
        let first = self.kept.partition_point(|news| news.number <= number);
        self.kept.range(first..)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::raw;
    use super::*;

    fn about() -> About {
        About::Event { queue_manager: QueueManagerName::literal("QM1"), queue: "SYSTEM.ADMIN.QMGR.EVENT" }
    }

    #[test]
    fn a_reader_goes_on_where_it_was_as_far_as_the_ring_reaches() {
        let mut ring = NewsRing::default();
        assert!(ring.reaches(0) && !ring.reaches(1));
        for number in 1..=MOST_NEWS + 10 {
            ring.push(about(), raw(number.to_string()));
        }
        assert!(ring.reaches(10) && !ring.reaches(9));
        let after: Vec<_> = ring.after(1005).map(|news| news.data.get().to_owned()).collect();
        assert_eq!(after, ["1006", "1007", "1008", "1009", "1010"]);
        ring.miss();
        assert!(!ring.reaches(1010) && ring.reaches(1011));
        assert_eq!(ring.after(1010).count(), 0);
    }

    #[test]
    fn long_news_push_out_more_of_the_others() {
        let mut ring = NewsRing::default();
        for _ in 0..100 {
            ring.push(about(), raw(format!("\"{}\"", "x".repeat(50_000))));
        }
        assert!(ring.bytes <= MOST_BYTES && ring.kept.len() == 20, "{} of {} bytes", ring.kept.len(), ring.bytes);
    }
}
