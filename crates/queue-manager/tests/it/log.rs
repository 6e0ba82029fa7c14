//! The warnings and errors that the log gets while a piece of a test runs.

use std::fmt::{Debug, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// What `work` returns, and the warnings and errors of its thread meanwhile: each as `message=TEXT FIELD=VALUE …`.
pub(crate) fn warnings_of<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let warnings = Warnings::default();
    let returned = tracing::subscriber::with_default(warnings.clone(), work);
    let lines = std::mem::take(&mut *warnings.0.lock());
    (returned, lines)
}

/// The value of a field in a line.
pub(crate) fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    line.split(' ').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.0.lock().push(line_of(event));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// `message=TEXT FIELD=VALUE …`
pub(crate) fn line_of(event: &Event<'_>) -> String {
    let mut line = Line(String::new());
    event.record(&mut line);
    line.0
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}
