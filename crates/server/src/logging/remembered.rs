//! The lines of the log once more, in memory: what the console shows of them has the text and the fields that were written.

use std::fmt::Debug;
use std::sync::Arc;

use queue_manager::{Clock, SystemClock};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use web::options::{Level, LogLines};

pub(super) struct Remember(pub(super) Arc<LogLines>);

impl<S: Subscriber> Layer<S> for Remember {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.push(SystemClock.now(), level(*event.metadata().level()), line.text, line.fields);
    }
}

fn level(level: tracing::Level) -> Level {
    match level {
        tracing::Level::ERROR => Level::Error,
        tracing::Level::WARN => Level::Warn,
        tracing::Level::INFO => Level::Info,
        tracing::Level::DEBUG => Level::Debug,
        tracing::Level::TRACE => Level::Trace,
    }
}

#[derive(Default)]
struct Line {
    text: String,
    fields: Map<String, Value>,
}

impl Line {
    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.text = format!("{value:?}"),
            _ => self.add(field, format!("{value:?}")),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.text),
            _ => self.add(field, value),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn a_line_has_its_level_text_and_fields() {
        let lines = Arc::new(LogLines::default());
        let subscriber = tracing_subscriber::registry().with(Remember(Arc::clone(&lines)));
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(queue_manager = "QM1", count = 3, slow = true, "AMQ9999E: channel {} ended", "A.B");
            tracing::info!("second");
        });
        let page = lines.latest(Level::Trace, 10);
        let [first, second] = page.lines.as_slice() else { panic!("two lines: {page:?}") };
        assert_eq!((first.number, first.level, &*first.text), (1, Level::Warn, "AMQ9999E: channel A.B ended"));
        let fields = Value::Object(first.fields.clone());
        assert_eq!(fields, serde_json::json!({ "queue_manager": "QM1", "count": 3, "slow": true }));
        assert_eq!((second.number, second.level, second.fields.len()), (2, Level::Info, 0));
    }
}
