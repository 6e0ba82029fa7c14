//! Who begins spans, and keeps those that have ended until they are sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng;
use tokio::sync::Notify;

use crate::clock::{Clock, Moment};
use crate::context::TraceContext;
use crate::otlp::Batch;
use crate::span::{Kind, Name, Record, Span};

/// Ended spans that wait to be sent.
const MOST_WAITING: usize = 16_384;
/// So many spans are worth a request to the receiver.
const BATCH: usize = 512;

/// What is recorded, and what messages are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceOptions {
    /// Of traces that begin here: how many of 100 are recorded.
    pub percent: u32,
    /// Messages that are put within a span get its context as properties.
    pub message_properties: bool,
    /// A message that an MQ client puts without a context begins a trace, and gets its context as properties.
    pub channel_properties: bool,
}

/// Begins spans and keeps those that have ended.
#[derive(Debug, Clone)]
pub struct Tracer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ended: Mutex<Waiting>,
    clock: Clock,
    /// A batch is full.
    is_due: Notify,
    options: TraceOptions,
    dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct Waiting {
    full: Vec<Batch>,
    filling: Batch,
}

impl Waiting {
    fn count(&self) -> usize {
        self.full.len() * BATCH + self.filling.spans()
    }

    fn close_batch(&mut self) {
        let next = Batch::after(&self.filling);
        self.full.push(std::mem::replace(&mut self.filling, next));
    }
}

impl Tracer {
    pub fn new(options: TraceOptions) -> Self {
        let (ended, clock, is_due) = (Mutex::default(), Clock::new(), Notify::new());
        Self(Arc::new(Inner { ended, clock, is_due, options, dropped: AtomicU64::new(0) }))
    }

    pub fn options(&self) -> TraceOptions {
        self.0.options
    }

    /// A span below `caller`, or the first of a new trace.
    pub fn begin(&self, kind: Kind, name: impl Into<Name>, caller: Option<&TraceContext>) -> Span {
        self.begin_at(Moment::of_now(), kind, name, caller)
    }

    /// It began when somebody else has looked at the clock already.
    pub fn begin_at(&self, begun: Moment, kind: Kind, name: impl Into<Name>, caller: Option<&TraceContext>) -> Span {
        let context = match caller {
            Some(caller) => caller.child(),
            None => TraceContext::root(self.is_to_be_recorded()),
        };
        let parent = caller.map(|caller| caller.span_id);
        let record = context.is_sampled.then(|| Record::of(kind, name.into(), parent, self.tell(begun)));
        Span::new(self.clone(), context, record)
    }

    /// In nanoseconds since 1970.
    pub fn tell(&self, moment: Moment) -> u64 {
        self.0.clock.tell(moment)
    }

    fn is_to_be_recorded(&self) -> bool {
        let percent = self.0.options.percent;
        percent >= 100 || rand::thread_rng().gen_range(0..100) < percent
    }

    /// Spans that have ended: those of full batches as soon as there are any, or all after a time.
    pub async fn ended(&self, within: Duration) -> Vec<Batch> {
        let is_full = tokio::time::timeout(within, self.0.is_due.notified()).await.is_ok();
        self.0.clock.set();
        let mut waiting = self.0.ended.lock();
        if !is_full && waiting.filling.spans() > 0 {
            waiting.close_batch();
        }
        std::mem::take(&mut waiting.full)
    }

    /// Spans for which there was no room.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }

    pub(crate) fn keep(&self, context: &TraceContext, record: &Record, ended: u64) {
        let is_full = {
            let mut waiting = self.0.ended.lock();
            if waiting.count() >= MOST_WAITING {
                self.0.dropped.fetch_add(1, Relaxed);
                return;
            }
            waiting.filling.add(context, record, ended);
            let is_full = waiting.filling.spans() == BATCH;
            if is_full {
                waiting.close_batch();
            }
            is_full
        };
        // One wake-up for many spans: it costs more than a span does.
        if is_full {
            self.0.is_due.notify_one();
        }
    }
}

#[cfg(test)]
mod tests;
