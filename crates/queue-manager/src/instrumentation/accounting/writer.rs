//! Where records go: to their queue, outside any unit of work, and as a line of JSON to the writer of such lines.
//!
//! Nothing that goes wrong here reaches an application. A record that its queue does not take (full, inhibited, deleted)
//! is dropped and counted; the log says so once, and once more when records are taken again.
//!
//! Source: MQ monitoring, "Accounting and statistics message format", 9.3.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::pcf::{self, Coding};
use model::reason::Reason;
use model::text::Text;
use parking_lot::RwLock;
use tracing::{info, warn};

use crate::QueueManager;
use crate::engine::Engine;
use crate::instrumentation::accounting::json;
use crate::queue::delivery;
use crate::queue::resolve::{self, Resolved, resolve};
use crate::queue::transmission::QUEUE_MANAGER;
use crate::verb::put;

/// The queue a kind of record goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    Accounting,
    Statistics,
}

impl Destination {
    const fn queue(self) -> &'static str {
        match self {
            Self::Accounting => "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
            Self::Statistics => "SYSTEM.ADMIN.STATISTICS.QUEUE",
        }
    }
}

/// Takes each record as one line of JSON, without the end of the line. Called one record at a time; must be quick, and
/// deals with its own failures.
pub trait RecordSink: Send + Sync {
    fn write(&self, line: &str);
}

/// What becomes of records: one of a queue manager.
#[derive(Default)]
pub(crate) struct Records {
    sink: RwLock<Option<Arc<dyn RecordSink>>>,
    accounting: Tally,
    statistics: Tally,
}

/// Records since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordCount {
    /// Put on their queue.
    pub kept: u64,
    /// Not taken by their queue.
    pub dropped: u64,
}

#[derive(Debug, Default)]
struct Tally {
    kept: AtomicU64,
    dropped: AtomicU64,
    /// Dropped since the queue took one last.
    recent: AtomicU64,
    is_told: AtomicBool,
}

impl Tally {
    fn count(&self) -> RecordCount {
        RecordCount { kept: self.kept.load(Ordering::Relaxed), dropped: self.dropped.load(Ordering::Relaxed) }
    }

    fn lost(&self, engine: &Engine, queue: &str, reason: Reason) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        self.recent.fetch_add(1, Ordering::Relaxed);
        if !self.is_told.swap(true, Ordering::Relaxed) {
            let queue_manager = engine.name.as_str();
            warn!(queue_manager, queue, %reason, "records cannot be put on their queue and are dropped");
        }
    }

    fn kept(&self, engine: &Engine, queue: &str) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        if self.is_told.swap(false, Ordering::Relaxed) {
            let dropped = self.recent.swap(0, Ordering::Relaxed);
            let queue_manager = engine.name.as_str();
            info!(queue_manager, queue, dropped, "records are put on their queue again");
        }
    }
}

impl Records {
    fn tally(&self, destination: Destination) -> &Tally {
        match destination {
            Destination::Accounting => &self.accounting,
            Destination::Statistics => &self.statistics,
        }
    }
}

impl QueueManager {
    /// From now on every record is given to `sink` too.
    pub fn set_record_sink(&self, sink: Arc<dyn RecordSink>) {
        *self.engine().records.sink.write() = Some(sink);
    }

    /// Accounting messages and statistics messages, of either kind, since the start.
    pub fn record_counts(&self) -> [RecordCount; 2] {
        let records = &self.engine().records;
        [records.accounting.count(), records.statistics.count()]
    }
}

/// A record that cannot even be made, because too many wait to be written.
pub(crate) fn lose(engine: &Engine, destination: Destination) {
    engine.records.tally(destination).lost(engine, destination.queue(), Reason::ResourceProblem);
}

/// Puts a record on its queue and gives it to the sink. `about` is the connection's identifier, or zeros.
pub(crate) async fn write(engine: &Engine, destination: Destination, record: &pcf::Message, about: [u8; 24]) {
    let sink = engine.records.sink.read().clone();
    if let Some(sink) = sink {
        sink.write(&json::line(record));
    }
    let tally = engine.records.tally(destination);
    match put(engine, destination, record, about).await {
        Ok(()) => tally.kept(engine, destination.queue()),
        Err(reason) => tally.lost(engine, destination.queue(), reason),
    }
}

async fn put(engine: &Engine, to: Destination, record: &pcf::Message, about: [u8; 24]) -> Result<(), Reason> {
    let name = QueueName::literal(to.queue());
    let Resolved::Destination(destination) = resolve(engine, &name, &QueueManagerName::BLANK)? else {
        return Err(Reason::ObjectTypeError);
    };
    let resolve::Destination::Local { queue, .. } = &destination else { return Err(Reason::ObjectTypeError) };
    put::check_put_enabled(&destination)?;
    let body = Coding::native().bytes(record);
    if body.len() > queue.with_local(|_, local| local.maximum_message_length as usize) {
        return Err(Reason::MsgTooBigForQ);
    }
    let now = engine.now();
    let (priority, persistent) =
        destination.first().with(|definition| (definition.default_priority, definition.default_persistent));
    let descriptor = MessageDescriptor {
        format: Format::ADMIN,
        priority: i32::from(priority),
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        message_id: MessageId::new(engine.identifiers.make()),
        correlation_id: CorrelationId::new(about),
        reply_to_queue_manager: engine.name,
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        ..MessageDescriptor::default()
    };
    let message = Message { descriptor, body: Bytes::from(body) };
    delivery::place_event(engine, queue, message, now).await
}
