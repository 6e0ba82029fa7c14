//! Spans under way: the work that is done within them, and what is known of it so far.
//!
//! Invariants
//! - `CURRENT` of a thread is the innermost span around what the thread polls now, and nothing between two polls.
//! - Who asks for it while it works takes no span along: only a copy of where it stands.

use std::borrow::Cow;
use std::cell::RefCell;
use std::pin::Pin;
use std::time::Duration;

use crate::clock::{Moment, nanoseconds};
use crate::context::TraceContext;
use crate::otlp::{self, Attributes};
use crate::tracer::Tracer;

/// Records that a thread keeps to use again, and the most bytes of each.
const MOST_SPARE: usize = 32;
const MOST_SPARE_BYTES: usize = 4096;
/// Bytes of what is noted of most spans.
const USUAL_FIELDS: usize = 384;

/// As OpenTelemetry numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Server = 2,
    Client = 3,
    Producer = 4,
    Consumer = 5,
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

/// The method of a request, as the conventions of OpenTelemetry name it.
pub fn method(name: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == name).unwrap_or("_OTHER")
}

thread_local! {
    static CURRENT: RefCell<Option<Span>> = const { RefCell::new(None) };
    /// Their memory is used again: a server that is asked much has a span for each request.
    #[expect(clippy::vec_box, reason = "they are in boxes before and afterwards")]
    static SPARE: RefCell<Vec<Box<Record>>> = const { RefCell::new(Vec::new()) };
}

/// A place below which spans can begin.
#[derive(Debug, Clone)]
pub struct Place {
    tracer: Tracer,
    context: TraceContext,
}

/// Where the work that asks is: within which span.
pub fn current() -> Option<Place> {
    of_current(|span| span.place.clone())
}

/// Whether the span is recorded within which the work is that asks. `None`: it is within none.
pub fn is_current_recorded() -> Option<bool> {
    of_current(Span::is_recorded)
}

/// Where the work that asks is, within a span that is recorded.
pub fn current_recorded() -> Option<Place> {
    of_current(|span| span.is_recorded().then(|| span.place.clone())).flatten()
}

fn of_current<T>(take: impl FnOnce(&Span) -> T) -> Option<T> {
    CURRENT.try_with(|current| current.borrow().as_ref().map(take)).ok().flatten()
}

impl Place {
    pub fn context(&self) -> &TraceContext {
        &self.context
    }

    pub fn tracer(&self) -> &Tracer {
        &self.tracer
    }

    pub fn begin(&self, kind: Kind, name: impl Into<Name>) -> Span {
        self.tracer.begin(kind, name, Some(&self.context))
    }
}

/// Does the work so that `current` is this span, if there is one. It is not there while it is polled.
pub fn around<'w, F: Future>(
    span: &'w mut Option<Span>,
    mut work: Pin<&'w mut F>,
) -> impl Future<Output = F::Output> + use<'w, F> {
    std::future::poll_fn(move |context| {
        let _within = span.is_some().then(|| Within::enter(span));
        work.as_mut().poll(context)
    })
}

/// Until it is dropped, the span is the current one, and the one that was current in its place.
struct Within<'s>(&'s mut Option<Span>);

impl<'s> Within<'s> {
    fn enter(span: &'s mut Option<Span>) -> Self {
        exchange(span);
        Self(span)
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        exchange(self.0);
    }
}

fn exchange(span: &mut Option<Span>) {
    // A thread that ends works on nothing.
    let _ = CURRENT.try_with(|current| std::mem::swap(&mut *current.borrow_mut(), span));
}

/// A span under way. It ends when it is dropped.
#[derive(Debug)]
pub struct Span {
    place: Place,
    /// Absent where nothing is recorded.
    record: Option<Box<Record>>,
}

/// What is known of a span beside its place.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// Nanoseconds since 1970.
    pub(crate) begun: u64,
    /// Where that was measured.
    took: Option<Duration>,
    /// Attributes, links and status as they are sent.
    pub(crate) fields: Vec<u8>,
}

impl Record {
    pub(crate) fn of(kind: Kind, name: Name, parent: Option<[u8; 8]>, begun: u64) -> Box<Self> {
        let spare = SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten();
        match spare {
            Some(mut record) => {
                record.parent = parent;
                record.kind = kind;
                record.name = name;
                record.begun = begun;
                record
            }
            None => {
                let fields = Vec::with_capacity(USUAL_FIELDS);
                Box::new(Self { parent, kind, name, begun, took: None, fields })
            }
        }
    }

    fn spare(mut self: Box<Self>) {
        if self.fields.capacity() > MOST_SPARE_BYTES {
            return;
        }
        self.fields.clear();
        self.took = None;
        self.name = "".into();
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST_SPARE {
                spare.push(self);
            }
        });
    }
}

impl Span {
    pub(crate) fn new(tracer: Tracer, context: TraceContext, record: Option<Box<Record>>) -> Self {
        Self { place: Place { tracer, context }, record }
    }

    pub fn context(&self) -> &TraceContext {
        &self.place.context
    }

    pub fn is_recorded(&self) -> bool {
        self.record.is_some()
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

    /// It took so long, whenever it is dropped.
    pub fn took(&mut self, time: Duration) {
        if let Some(record) = &mut self.record {
            record.took = Some(time);
        }
    }

    pub fn text(&mut self, key: &'static str, value: &str) {
        self.note(|fields| otlp::text_attribute(fields, key, value));
    }

    pub fn number(&mut self, key: &'static str, value: impl Into<i64>) {
        self.note(|fields| otlp::number_attribute(fields, key, value.into()));
    }

    pub fn attributes(&mut self, attributes: &Attributes) {
        self.note(|fields| fields.extend_from_slice(attributes.as_sent()));
    }

    /// Shown as hexadecimal digits.
    pub fn identifier(&mut self, key: &'static str, identifier: &[u8]) {
        self.note(|fields| otlp::identifier_attribute(fields, key, identifier));
    }

    /// A rule of tests has hit what it is about.
    pub fn hit(&mut self, rule: u64, delay: Duration) {
        self.number("quaymaster.fault.rule", i64::try_from(rule).unwrap_or(i64::MAX));
        self.number("quaymaster.fault.delay_ms", i64::try_from(delay.as_millis()).unwrap_or(i64::MAX));
    }

    /// Another span had to do with it.
    pub fn link(&mut self, other: &TraceContext) {
        self.note(|fields| otlp::link(fields, other));
    }

    pub fn failed(&mut self, problem: &str) {
        self.note(|fields| otlp::failure(fields, problem));
    }

    fn note(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(record) = &mut self.record {
            write(&mut record.fields);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        let ended = match record.took {
            Some(took) => record.begun.saturating_add(nanoseconds(took)),
            None => self.place.tracer.tell(Moment::of_now()).max(record.begun),
        };
        self.place.tracer.keep(&self.place.context, &record, ended);
        record.spare();
    }
}

#[cfg(test)]
mod tests;
