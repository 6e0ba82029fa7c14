//! Log lines on standard error: text for people, JSON for machines. Published identifiers lead the message.
//!
//! Lines that a queue manager's SET SYSTEM EXCLMSG leaves out are not written. The last lines that were written are kept in memory
//! for the console (`logging/remembered.rs`).

mod remembered;

use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::sync::{Arc, LazyLock, OnceLock};

use queue_manager::system_settings::is_excluded_from_log;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::layer::{Context, Filter, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, reload};

use web::options::LogLines;

use crate::configuration::{LogFormat, LogLevel};
use crate::logging::remembered::Remember;

/// The level, which a later call changes.
static LEVELS: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();

/// The last lines of this process.
static LINES: LazyLock<Arc<LogLines>> = LazyLock::new(Arc::default);

/// The last lines of the log.
pub(crate) fn lines() -> Arc<LogLines> {
    Arc::clone(&LINES)
}

/// Our own crates log at `level`, all others at warn or less. With JSON a panic is a line of the log too.
///
/// The first call decides the form; a later one changes the level.
pub(crate) fn start(format: LogFormat, level: LogLevel) {
    let levels = levels(level);
    if let Some(known) = LEVELS.get() {
        let _ = known.reload(levels);
        return;
    }
    let (levels, handle) = reload::Layer::new(levels);
    let filter = levels.and(NotExcluded);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let remember = Remember(self::lines());
    let registry = tracing_subscriber::registry();
    // A subscriber that is there already (tests) stays.
    let started = match format {
        LogFormat::Json => {
            let lines = lines.json().flatten_event(true).and_then(remember);
            registry.with(lines.with_filter(filter)).try_init()
        }
        LogFormat::Text => {
            let lines = lines.with_ansi(colour()).with_target(false).and_then(remember);
            registry.with(lines.with_filter(filter)).try_init()
        }
    };
    if started.is_ok() {
        let _ = LEVELS.set(handle);
        if format == LogFormat::Json {
            std::panic::set_hook(Box::new(log_panic));
        }
    }
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    tracing::error!(
        place,
        thread = thread.name().unwrap_or_default(),
        "a thread panicked: {}",
        text.unwrap_or("without a text")
    );
}

fn levels(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let ours = [
        "quaymaster",
        "web",
        "command",
        "queue_manager",
        "storage",
        "channel_server",
        "connection",
        "service",
        "requester",
        "workers",
    ];
    Targets::new().with_default(level.min(LevelFilter::WARN)).with_targets(ours.map(|name| (name, level)))
}

/// Lets through what no queue manager leaves out of the log.
struct NotExcluded;

impl<S: Subscriber> Filter<S> for NotExcluded {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let mut line = Line::default();
        event.record(&mut line);
        !is_excluded_from_log(line.queue_manager.as_deref(), &line.message)
    }
}

/// What of a log line says whether it is left out.
#[derive(Default)]
struct Line {
    message: String,
    queue_manager: Option<String>,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            "queue_manager" => self.queue_manager = Some(value.to_owned()),
            _ => {}
        }
    }
}

/// Colour on a terminal, unless `NO_COLOR` is set to something.
pub(crate) fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<std::sync::Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("nobody panics while writing").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_a_queue_manager_leaves_out_are_not_written_and_others_are() {
        let options = queue_manager::StartOptions {
            name: model::name::QueueManagerName::literal("LOG.TEST"),
            home: queue_manager::Home::Ephemeral,
            store: storage::StoreOptions::default(),
            clock: Arc::new(queue_manager::SystemClock),
            server_user: "server".to_owned(),
        };
        let queue_manager = queue_manager::QueueManager::start(options).expect("started");
        let caller = model::authority::Principal::administrator("server");
        queue_manager.exclude_messages(&caller, &["X512".to_owned()]).expect("allowed");
        let kept = Kept::default();
        let writer = kept.clone();
        let lines = tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).with_ansi(false);
        let subscriber = tracing_subscriber::registry().with(lines.with_filter(NotExcluded));
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(queue_manager = "LOG.TEST", "AMQ9001I: channel ended");
            tracing::info!(queue_manager = "LOG.TEST", "AMQ9002I: channel starting");
            tracing::info!(queue_manager = "OTHER", "AMQ9001I: another channel ended");
            tracing::info!("started");
        });
        let text = String::from_utf8(kept.0.lock().expect("nobody writes any more").clone()).expect("text");
        assert!(!text.contains("AMQ9001I: channel ended"), "{text}");
        assert!(
            text.contains("AMQ9002I") && text.contains("another channel ended") && text.contains("started"),
            "{text}"
        );
    }

    #[test]
    fn a_panic_is_a_line_of_a_json_log() {
        let kept = Kept::default();
        let writer = kept.clone();
        let lines = tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).json().flatten_event(true);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(log_panic));
            let caught = std::panic::catch_unwind(|| panic!("number {}", 7));
            std::panic::set_hook(before);
            assert!(caught.is_err());
        });
        let text = String::from_utf8(kept.0.lock().expect("nobody writes any more").clone()).expect("text");
        let line: serde_json::Value = serde_json::from_str(text.trim_end()).expect("one line of JSON");
        assert_eq!(line["message"], "a thread panicked: number 7");
        assert!(line["place"].as_str().is_some_and(|place| place.contains("logging.rs")), "{line}");
    }
}
