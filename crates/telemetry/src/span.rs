//! Spans under way, and the queue of those that have ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::Rng;
use tokio::sync::mpsc;

use crate::context::TraceContext;

/// Ended spans that wait to be sent.
const MOST_WAITING: usize = 4096;

/// As OpenTelemetry numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Server = 2,
    Client = 3,
    Producer = 4,
    Consumer = 5,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    Text(String),
    Number(i64),
}

/// Another span that had to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link(pub TraceContext);

/// A span to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub context: TraceContext,
    pub parent: Option<[u8; 8]>,
    pub kind: Kind,
    pub name: String,
    /// Nanoseconds since 1970.
    pub begun: u64,
    pub ended: u64,
    pub attributes: Vec<(&'static str, Attribute)>,
    pub links: Vec<Link>,
    /// What went wrong.
    pub problem: Option<String>,
}

/// Begins spans and takes those that have ended.
#[derive(Debug, Clone)]
pub struct Tracer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ended: mpsc::Sender<Ended>,
    /// Of traces that begin here: how many of 100 are recorded.
    percent: u32,
    dropped: AtomicU64,
}

impl Tracer {
    /// With the end of the queue that spans are taken from. Of traces that begin here, `percent` of 100 are recorded.
    pub fn new(percent: u32) -> (Self, mpsc::Receiver<Ended>) {
        let (ended, receiver) = mpsc::channel(MOST_WAITING);
        (Self(Arc::new(Inner { ended, percent, dropped: AtomicU64::new(0) })), receiver)
    }

    /// A span below `caller`, or the first of a new trace.
    pub fn begin(&self, kind: Kind, name: impl Into<String>, caller: Option<&TraceContext>) -> Span {
        let context = match caller {
            Some(caller) => caller.child(),
            None => TraceContext::root(rand::thread_rng().gen_range(0..100) < self.0.percent),
        };
        let record = context.is_sampled.then(|| {
            let parent = caller.map(|caller| caller.span_id);
            let (attributes, links) = (Vec::new(), Vec::new());
            let begun = now();
            let context = context.clone();
            Ended { context, parent, kind, name: name.into(), begun, ended: begun, attributes, links, problem: None }
        });
        Span { active: Arc::new(Active { tracer: self.clone(), context }), record }
    }

    /// Spans that had no place in the queue.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }
}

/// What work below a span knows of it.
#[derive(Debug)]
struct Active {
    tracer: Tracer,
    context: TraceContext,
}

tokio::task_local! {
    static CURRENT: Arc<Active>;
}

/// A place below which spans can begin.
#[derive(Debug, Clone)]
pub struct Place(Arc<Active>);

/// Where the work that asks is: within which span.
pub fn current() -> Option<Place> {
    CURRENT.try_with(|active| Place(Arc::clone(active))).ok()
}

impl Place {
    pub fn context(&self) -> &TraceContext {
        &self.0.context
    }

    pub fn begin(&self, kind: Kind, name: impl Into<String>) -> Span {
        self.0.tracer.begin(kind, name, Some(&self.0.context))
    }
}

/// A span under way. It ends when it is dropped.
#[derive(Debug)]
pub struct Span {
    active: Arc<Active>,
    /// Absent where nothing is recorded.
    record: Option<Ended>,
}

impl Span {
    pub fn context(&self) -> &TraceContext {
        &self.active.context
    }

    /// Does the work so that `current` is this span.
    pub fn around<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(Arc::clone(&self.active), work)
    }

    /// Names it anew, once it is known what it is about.
    pub fn rename(&mut self, name: impl FnOnce() -> String) {
        if let Some(record) = &mut self.record {
            record.name = name();
        }
    }

    pub fn text(&mut self, key: &'static str, value: impl Into<String>) {
        self.note(key, |()| Attribute::Text(value.into()));
    }

    pub fn number(&mut self, key: &'static str, value: impl Into<i64>) {
        self.note(key, |()| Attribute::Number(value.into()));
    }

    fn note(&mut self, key: &'static str, value: impl FnOnce(()) -> Attribute) {
        if let Some(record) = &mut self.record {
            record.attributes.push((key, value(())));
        }
    }

    pub fn link(&mut self, other: TraceContext) {
        if let Some(record) = &mut self.record {
            record.links.push(Link(other));
        }
    }

    pub fn failed(&mut self, problem: impl Into<String>) {
        if let Some(record) = &mut self.record {
            record.problem = Some(problem.into());
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(mut record) = self.record.take() else { return };
        record.ended = now().max(record.begun);
        let tracer = &self.active.tracer.0;
        if tracer.ended.try_send(record).is_err() {
            tracer.dropped.fetch_add(1, Relaxed);
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "spans are measured by the clock of the machine, which all of a trace share"
)]
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
