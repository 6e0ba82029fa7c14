//! Log lines on standard error: text for people, JSON for machines. Published identifiers lead the message.

use std::io::IsTerminal;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::configuration::{LogFormat, LogLevel};

/// Our own crates log at `level`, all others at warn or less.
pub(crate) fn start(format: LogFormat, level: LogLevel) {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let ours = ["quaymaster", "web", "command", "queue_manager", "storage"];
    let filter = Targets::new().with_default(level.min(LevelFilter::WARN)).with_targets(ours.map(|name| (name, level)));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let registry = tracing_subscriber::registry();
    // A second start in one process (tests) keeps the first subscriber.
    let _ = match format {
        LogFormat::Json => registry.with(lines.json().flatten_event(true).with_filter(filter)).try_init(),
        LogFormat::Text => registry.with(lines.with_ansi(colour()).with_target(false).with_filter(filter)).try_init(),
    };
}

/// Colour on a terminal, unless `NO_COLOR` is set to something.
pub(crate) fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && std::io::stderr().is_terminal()
}
