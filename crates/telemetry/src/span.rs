//! Spans under way, and the queue of those that have ended.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use rand::Rng;
use tokio::sync::Notify;

use crate::context::TraceContext;

/// Ended spans that wait to be sent.
const MOST_WAITING: usize = 16_384;
/// So many spans are worth a request to the receiver.
pub const BATCH: usize = 512;
/// Attributes of most spans.
const USUAL_ATTRIBUTES: usize = 8;

/// As OpenTelemetry numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Server = 2,
    Client = 3,
    Producer = 4,
    Consumer = 5,
}

/// The value of an attribute. It becomes text when it is sent, not while the work is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    Text(Cow<'static, str>),
    Number(i64),
    Address(IpAddr),
    /// Sent as hexadecimal digits.
    Identifier([u8; 24]),
}

impl From<&'static str> for Attribute {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// The name of a span: one word, or what is done and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub verb: Cow<'static, str>,
    /// Empty: the verb says all.
    pub object: Cow<'static, str>,
}

impl Name {
    pub fn of(verb: impl Into<Cow<'static, str>>, object: impl Into<Cow<'static, str>>) -> Self {
        Self { verb: verb.into(), object: object.into() }
    }
}

impl From<&'static str> for Name {
    fn from(verb: &'static str) -> Self {
        Self::of(verb, "")
    }
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
    pub name: Name,
    /// Nanoseconds since 1970.
    pub begun: u64,
    pub ended: u64,
    pub attributes: Vec<(&'static str, Attribute)>,
    pub links: Vec<Link>,
    /// What went wrong.
    pub problem: Option<Cow<'static, str>>,
}

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

/// The method of a request, as the conventions of OpenTelemetry name it.
pub fn method(name: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == name).unwrap_or("_OTHER")
}

/// Begins spans and keeps those that have ended.
#[derive(Debug, Clone)]
pub struct Tracer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ended: Mutex<Vec<Ended>>,
    /// A batch has ended.
    is_due: Notify,
    options: TraceOptions,
    dropped: AtomicU64,
}

impl Tracer {
    pub fn new(options: TraceOptions) -> Self {
        let (ended, is_due) = (Mutex::new(Vec::with_capacity(BATCH)), Notify::new());
        Self(Arc::new(Inner { ended, is_due, options, dropped: AtomicU64::new(0) }))
    }

    pub fn options(&self) -> TraceOptions {
        self.0.options
    }

    /// A span below `caller`, or the first of a new trace.
    pub fn begin(&self, kind: Kind, name: impl Into<Name>, caller: Option<&TraceContext>) -> Span {
        let context = match caller {
            Some(caller) => caller.child(),
            None => TraceContext::root(rand::thread_rng().gen_range(0..100) < self.0.options.percent),
        };
        let record = context.is_sampled.then(|| {
            Box::new(Record {
                parent: caller.map(|caller| caller.span_id),
                kind,
                name: name.into(),
                begun: now(),
                attributes: Vec::with_capacity(USUAL_ATTRIBUTES),
                links: Vec::new(),
                problem: None,
            })
        });
        Span { tracer: self.clone(), context, record }
    }

    /// Spans that have ended: all there are when a batch is full, or after a time.
    pub async fn ended(&self, within: Duration) -> Vec<Ended> {
        let is_due = self.0.is_due.notified();
        // Either way it is time to look.
        let _ = tokio::time::timeout(within, is_due).await;
        std::mem::replace(&mut *self.0.ended.lock(), Vec::with_capacity(BATCH))
    }

    /// Spans for which there was no room.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }

    fn keep(&self, span: Ended) {
        let count = {
            let mut ended = self.0.ended.lock();
            if ended.len() >= MOST_WAITING {
                self.0.dropped.fetch_add(1, Relaxed);
                return;
            }
            ended.push(span);
            ended.len()
        };
        // One wake-up for many spans: it costs more than a span does.
        if count == BATCH {
            self.0.is_due.notify_one();
        }
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

    pub fn tracer(&self) -> &Tracer {
        &self.0.tracer
    }

    pub fn begin(&self, kind: Kind, name: impl Into<Name>) -> Span {
        self.0.tracer.begin(kind, name, Some(&self.0.context))
    }
}

/// A span under way. It ends when it is dropped.
#[derive(Debug)]
pub struct Span {
    tracer: Tracer,
    context: TraceContext,
    /// Absent where nothing is recorded.
    record: Option<Box<Record>>,
}

#[derive(Debug)]
struct Record {
    parent: Option<[u8; 8]>,
    kind: Kind,
    name: Name,
    begun: u64,
    attributes: Vec<(&'static str, Attribute)>,
    links: Vec<Link>,
    problem: Option<Cow<'static, str>>,
}

impl Span {
    pub fn context(&self) -> &TraceContext {
        &self.context
    }

    pub fn is_recorded(&self) -> bool {
        self.record.is_some()
    }

    /// Does the work so that `current` is this span.
    pub fn around<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        let active = Active { tracer: self.tracer.clone(), context: self.context.clone() };
        CURRENT.scope(Arc::new(active), work)
    }

    /// Names it anew, once it is known what it is about.
    pub fn rename(&mut self, name: impl FnOnce() -> Name) {
        if let Some(record) = &mut self.record {
            record.name = name();
        }
    }

    /// It began at another time, in nanoseconds since 1970, but not in the future.
    pub fn begun(&mut self, at: u64) {
        if let Some(record) = &mut self.record {
            record.begun = record.begun.min(at);
        }
    }

    pub fn text(&mut self, key: &'static str, value: &str) {
        self.note(key, || value.to_owned());
    }

    /// As `text`, of what need not be copied.
    pub fn word(&mut self, key: &'static str, value: &'static str) {
        self.note(key, || value);
    }

    pub fn number(&mut self, key: &'static str, value: impl Into<i64>) {
        self.note(key, || Attribute::Number(value.into()));
    }

    /// The value is asked for where something is recorded.
    pub fn note<A: Into<Attribute>>(&mut self, key: &'static str, value: impl FnOnce() -> A) {
        if let Some(record) = &mut self.record {
            record.attributes.push((key, value().into()));
        }
    }

    /// A rule of tests has hit what it is about.
    pub fn hit(&mut self, rule: u64, delay: Duration) {
        self.number("quaymaster.fault.rule", i64::try_from(rule).unwrap_or(i64::MAX));
        self.number("quaymaster.fault.delay_ms", i64::try_from(delay.as_millis()).unwrap_or(i64::MAX));
    }

    pub fn link(&mut self, other: TraceContext) {
        if let Some(record) = &mut self.record {
            record.links.push(Link(other));
        }
    }

    pub fn failed(&mut self, problem: impl Into<Cow<'static, str>>) {
        if let Some(record) = &mut self.record {
            record.problem = Some(problem.into());
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        let Record { parent, kind, name, begun, attributes, links, problem } = *record;
        let (context, ended) = (self.context.clone(), now().max(begun));
        self.tracer.keep(Ended { context, parent, kind, name, begun, ended, attributes, links, problem });
    }
}

/// Nanoseconds since 1970, as spans count them.
#[expect(
    clippy::disallowed_methods,
    reason = "spans are measured by the clock of the machine, which all of a trace share"
)]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
