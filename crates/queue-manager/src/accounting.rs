//! Accounting: what each connection did, written as one message to SYSTEM.ADMIN.ACCOUNTING.QUEUE when it ends.
//!
//! A connection is accounted for when ACCTMQI or ACCTQ of the queue manager is ON as it begins, or an accounting trace
//! runs (START TRACE(ACCTG)). Others pay one look at a pointer that is not there.
//!
//! Source: MQ monitoring, "MQI accounting message data", "Accounting and statistics message format", 9.3.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use model::definition::Collect;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, Persistence};
use model::identifier::MessageId;
use model::message::Message;
use model::name::QueueName;
use model::pcf::{self, Coding, Header, MessageKind, Parameter, ParameterValue};
use model::text::Text;
use model::timestamp::Timestamp;
use tracing::warn;

use crate::connection::{GetResult, PutResult};
use crate::connection_table::ConnectionState;
use crate::delivery;
use crate::engine::Engine;
use crate::transmission::QUEUE_MANAGER;

const QUEUE: &str = "SYSTEM.ADMIN.ACCOUNTING.QUEUE";

/// Which of the two kinds of message a figure is about.
#[derive(Debug, Default)]
struct ByPersistence {
    nonpersistent: AtomicU64,
    persistent: AtomicU64,
}

impl ByPersistence {
    fn add(&self, persistence: Persistence, amount: u64) {
        let counter = if persistence == Persistence::Persistent { &self.persistent } else { &self.nonpersistent };
        counter.fetch_add(amount, Ordering::Relaxed);
    }

    fn both(&self) -> [u64; 2] {
        [self.nonpersistent.load(Ordering::Relaxed), self.persistent.load(Ordering::Relaxed)]
    }
}

/// What one connection has done so far.
#[derive(Debug, Default)]
pub(crate) struct Accounting {
    opens: AtomicU64,
    opens_failed: AtomicU64,
    closes: AtomicU64,
    puts: ByPersistence,
    put1s: ByPersistence,
    puts_failed: AtomicU64,
    put_bytes: ByPersistence,
    gets: ByPersistence,
    gets_failed: AtomicU64,
    get_bytes: ByPersistence,
    browses: ByPersistence,
    browse_bytes: ByPersistence,
    commits: AtomicU64,
    commits_failed: AtomicU64,
    back_outs: AtomicU64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

impl Accounting {
    /// For a connection that begins now; `None` when nobody asks for it.
    pub(crate) fn begin(engine: &Engine) -> Option<Box<Self>> {
        let asked = {
            let definition = engine.definition.read();
            definition.accounting_mqi || definition.accounting_queue == Collect::On
        };
        (asked || engine.system.traces_accounting()).then(Box::default)
    }

    pub(crate) fn opened<T, E>(&self, outcome: &Result<T, E>) {
        add(if outcome.is_ok() { &self.opens } else { &self.opens_failed });
    }

    pub(crate) fn closed(&self) {
        add(&self.closes);
    }

    pub(crate) fn put<E>(&self, outcome: &Result<PutResult, E>, bytes: usize, is_put1: bool) {
        match outcome {
            Ok(put) => {
                let persistence = put.descriptor.persistence;
                if is_put1 { &self.put1s } else { &self.puts }.add(persistence, 1);
                self.put_bytes.add(persistence, length(bytes));
            }
            Err(_) => add(&self.puts_failed),
        }
    }

    pub(crate) fn got<E>(&self, outcome: &Result<GetResult, E>, browsed: bool) {
        match outcome {
            Ok(got) => {
                let persistence = got.descriptor.persistence;
                let (count, bytes) =
                    if browsed { (&self.browses, &self.browse_bytes) } else { (&self.gets, &self.get_bytes) };
                count.add(persistence, 1);
                bytes.add(persistence, length(got.body.len()));
            }
            Err(_) => add(&self.gets_failed),
        }
    }

    pub(crate) fn committed<E>(&self, outcome: &Result<(), E>) {
        add(if outcome.is_ok() { &self.commits } else { &self.commits_failed });
    }

    pub(crate) fn backed_out(&self) {
        add(&self.back_outs);
    }
}

/// Numbers of PCF parameters. Source: MQ constants, MQCAMO_, MQIAMO_, MQIAMO64_, MQCACF_, 9.3.
mod number {
    pub(super) const Q_MGR_NAME: i32 = 2015;
    pub(super) const START_DATE: i32 = 2711;
    pub(super) const START_TIME: i32 = 2712;
    pub(super) const END_DATE: i32 = 2707;
    pub(super) const END_TIME: i32 = 2708;
    pub(super) const APPL_NAME: i32 = 3024;
    pub(super) const USER_IDENTIFIER: i32 = 3025;
    pub(super) const APPL_TYPE: i32 = 1;
    pub(super) const PROCESS_ID: i32 = 1024;
    pub(super) const CONNECTION_ID: i32 = 7006;
    pub(super) const CHANNEL_NAME: i32 = 3501;
    pub(super) const CONNECTION_NAME: i32 = 3506;
    pub(super) const CONN_DATE: i32 = 2703;
    pub(super) const CONN_TIME: i32 = 2704;
    pub(super) const DISC_DATE: i32 = 2705;
    pub(super) const DISC_TIME: i32 = 2706;
    pub(super) const OPENS: i32 = 733;
    pub(super) const OPENS_FAILED: i32 = 751;
    pub(super) const CLOSES: i32 = 709;
    pub(super) const PUTS: i32 = 735;
    pub(super) const PUTS_FAILED: i32 = 754;
    pub(super) const PUT1S: i32 = 734;
    pub(super) const PUT_BYTES: i32 = 748;
    pub(super) const GETS: i32 = 722;
    pub(super) const GETS_FAILED: i32 = 725;
    pub(super) const GET_BYTES: i32 = 747;
    pub(super) const BROWSES: i32 = 705;
    pub(super) const BROWSE_BYTES: i32 = 745;
    pub(super) const COMMITS: i32 = 710;
    pub(super) const COMMITS_FAILED: i32 = 711;
    pub(super) const BACKOUTS: i32 = 704;
    /// MQCMD_ACCOUNTING_MQI.
    pub(super) const ACCOUNTING_MQI: i32 = 167;
}

/// Puts the record of a connection that has ended. A record that cannot be put is told in the log and lost.
pub(crate) async fn write(engine: &Engine, state: &ConnectionState) {
    let Some(accounting) = &state.accounting else { return };
    let Some(queue) = engine.queue(&QueueName::literal(QUEUE)).filter(|queue| queue.is_local()) else { return };
    let now = engine.now();
    let coding = Coding::native();
    let header = Header { kind: MessageKind::ACCOUNTING, ..Header::command(number::ACCOUNTING_MQI) };
    let body = coding.bytes(&pcf::Message { header, parameters: parameters(engine, state, accounting, now) });
    let (priority, persistent) = queue.with(|definition| (definition.default_priority, definition.default_persistent));
    let descriptor = MessageDescriptor {
        format: Format::ADMIN,
        priority: i32::from(priority),
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        message_id: MessageId::new(engine.identifiers.make()),
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        ..MessageDescriptor::default()
    };
    let message = Message { descriptor, body: Bytes::from(body) };
    if let Err(reason) = delivery::place_quietly(engine, &queue, message, now).await {
        warn!(queue_manager = engine.name.as_str(), %reason, "an accounting message could not be put");
    }
}

fn parameters(engine: &Engine, state: &ConnectionState, accounting: &Accounting, now: Timestamp) -> Vec<Parameter> {
    let date = model::definition::attribute::date_text;
    let time = model::definition::attribute::time_text;
    let number = |id, counter: &AtomicU64| Parameter::integer(id, small(counter.load(Ordering::Relaxed)));
    let both = |id, counters: &ByPersistence| Parameter::integers(id, counters.both().map(small).into());
    let bytes = |id, counters: &ByPersistence| Parameter {
        id,
        value: ParameterValue::Integers64(counters.both().map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)).into()),
    };
    let options = &state.options;
    vec![
        Parameter::text(number::Q_MGR_NAME, engine.name.as_str()),
        Parameter::text(number::START_DATE, date(state.connected)),
        Parameter::text(number::START_TIME, time(state.connected)),
        Parameter::text(number::END_DATE, date(now)),
        Parameter::text(number::END_TIME, time(now)),
        Parameter::bytes(number::CONNECTION_ID, engine.identifiers.of_connection(state.number)),
        Parameter::text(number::APPL_NAME, options.application_name.as_str()),
        Parameter::integer(number::PROCESS_ID, i32::try_from(std::process::id()).unwrap_or(i32::MAX)),
        Parameter::text(number::USER_IDENTIFIER, &*options.principal.user),
        Parameter::integer(number::APPL_TYPE, options.application_type),
        Parameter::text(number::CONN_DATE, date(state.connected)),
        Parameter::text(number::CONN_TIME, time(state.connected)),
        Parameter::text(number::CHANNEL_NAME, options.channel.as_str()),
        Parameter::text(number::CONNECTION_NAME, options.connection_name.as_str()),
        Parameter::text(number::DISC_DATE, date(now)),
        Parameter::text(number::DISC_TIME, time(now)),
        number(number::OPENS, &accounting.opens),
        number(number::OPENS_FAILED, &accounting.opens_failed),
        number(number::CLOSES, &accounting.closes),
        both(number::PUTS, &accounting.puts),
        number(number::PUTS_FAILED, &accounting.puts_failed),
        both(number::PUT1S, &accounting.put1s),
        bytes(number::PUT_BYTES, &accounting.put_bytes),
        both(number::GETS, &accounting.gets),
        number(number::GETS_FAILED, &accounting.gets_failed),
        bytes(number::GET_BYTES, &accounting.get_bytes),
        both(number::BROWSES, &accounting.browses),
        bytes(number::BROWSE_BYTES, &accounting.browse_bytes),
        number(number::COMMITS, &accounting.commits),
        number(number::COMMITS_FAILED, &accounting.commits_failed),
        number(number::BACKOUTS, &accounting.back_outs),
    ]
}

fn small(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
