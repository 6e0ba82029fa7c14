//! The records of a connection: an MQI accounting message, and queue accounting messages of up to a hundred queues each.
//!
//! They are written when the connection ends, however it ends, and every ACCTINT seconds before that, if the connection
//! did anything meanwhile.
//!
//! Source: MQ monitoring, "Accounting message generation", "MQI accounting message data", "Queue accounting message data", 9.3.

use std::time::Duration;

use model::definition::attribute::{self, Kind, Value, View, date_text, time_text};
use model::definition::queue::DefinitionType;
use model::pcf::{Header, Message, MessageKind, Parameter, ParameterValue};
use model::timestamp::Timestamp;

use crate::QueueManager;
use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::instrumentation::accounting::calls::{large, small};
use crate::instrumentation::accounting::number as n;
use crate::instrumentation::accounting::observation::{Interval, Observation, QueueAccount};
use crate::instrumentation::accounting::writer::{self, Destination};
use crate::instrumentation::statistics;

/// How a connection ended: MQDISCONNECT_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// MQDISC.
    Normal = 0,
    /// The application or its door went away.
    Implicit = 1,
    /// The queue manager ended it.
    QueueManager = 2,
}

/// Most groups in one message.
pub(crate) const MAXIMUM_GROUPS: usize = 100;

/// Writes the last records of a connection, which ended at `now`.
pub(crate) async fn write_last(engine: &Engine, state: &ConnectionState, ending: Ending, now: Timestamp) {
    write(engine, state, Some(ending), now).await;
}

/// Writes the records of the interval so far.
pub(crate) async fn write_interval(engine: &Engine, state: &ConnectionState, now: Timestamp) {
    write(engine, state, None, now).await;
}

async fn write(engine: &Engine, state: &ConnectionState, ending: Option<Ending>, now: Timestamp) {
    let Some(observation) = state.observation() else { return };
    for message in messages(engine, state, observation, ending, now) {
        writer::write(engine, Destination::Accounting, &message, engine.identifiers.of_connection(state.number)).await;
    }
}

fn messages(
    engine: &Engine,
    state: &ConnectionState,
    observation: &Observation,
    ending: Option<Ending>,
    now: Timestamp,
) -> Vec<Message> {
    let mut interval = observation.interval.lock();
    if interval.is_over {
        return Vec::new();
    }
    interval.is_over = ending.is_some();
    let head = head(engine, state, &interval, now);
    let mut messages = Vec::with_capacity(2);
    let tells_calls = observation.purpose.calls && (ending.is_some() || !observation.calls.is_empty());
    if tells_calls {
        let mut parameters = head.clone();
        parameters.extend(about_connection(state));
        if let Some(ending) = ending {
            parameters.push(Parameter::text(n::MQCAMO_DISC_DATE, date_text(now)));
            parameters.push(Parameter::text(n::MQCAMO_DISC_TIME, time_text(now)));
            parameters.push(Parameter::integer(n::MQIAMO_DISC_TYPE, ending as i32));
        }
        parameters.extend(observation.calls.take());
        let (cpu, elapsed) = observation.meter.take();
        let long = |id, value| Parameter { id, value: ParameterValue::Integer64(large(value)) };
        parameters.push(long(n::MQIAMO64_QMGR_OP_DURATION, elapsed));
        parameters.push(long(n::CPU_TIME, cpu));
        messages.push(Message { header: header(MessageKind::ACCOUNTING, n::MQCMD_ACCOUNTING_MQI), parameters });
    }
    let mut queues: Vec<_> = interval.queues.drain().map(|(id, account)| (account.name, id, account)).collect();
    interval.queues.extend(queues.iter().filter_map(|(_, id, account)| Some((*id, account.next()?))));
    interval.is_early = false;
    queues.retain(|(_, _, account)| account.is_worth_telling());
    queues.sort_by_key(|(name, id, _)| (*name, *id));
    for part in queues.chunks(MAXIMUM_GROUPS) {
        let mut parameters = head.clone();
        parameters.push(Parameter::integer(n::MQIAMO_OBJECT_COUNT, small(part.len() as u64)));
        parameters.extend(part.iter().map(|(_, _, account)| group(account)));
        messages.push(Message { header: header(MessageKind::ACCOUNTING, n::MQCMD_ACCOUNTING_Q), parameters });
    }
    if !messages.is_empty() {
        interval.sequence += 1;
        interval.since = now;
    }
    messages
}

/// Records have groups, hence the version.
pub(crate) const fn header(kind: MessageKind, command: i32) -> Header {
    Header { kind, version: 3, ..Header::command(command) }
}

/// What every record begins with.
pub(crate) fn beginning(engine: &Engine, since: Timestamp, now: Timestamp) -> Vec<Parameter> {
    vec![
        Parameter::text(n::MQCA_Q_MGR_NAME, engine.name.as_str()),
        Parameter::text(n::MQCAMO_START_DATE, date_text(since)),
        Parameter::text(n::MQCAMO_START_TIME, time_text(since)),
        Parameter::text(n::MQCAMO_END_DATE, date_text(now)),
        Parameter::text(n::MQCAMO_END_TIME, time_text(now)),
        Parameter::integer(n::MQIA_COMMAND_LEVEL, command_level(engine)),
    ]
}

fn command_level(engine: &Engine) -> i32 {
    let definition = engine.definition();
    let row = attribute::by_pcf(Kind::QueueManager, n::MQIA_COMMAND_LEVEL);
    match row.and_then(|row| (row.read)(View::QueueManager(&definition))) {
        Some(Value::Integer(level)) => i32::try_from(level).unwrap_or(0),
        _ => 0,
    }
}

/// What every record of a connection begins with.
fn head(engine: &Engine, state: &ConnectionState, interval: &Interval, now: Timestamp) -> Vec<Parameter> {
    let options = &state.options;
    let mut parameters = beginning(engine, interval.since, now);
    parameters.extend([
        Parameter::bytes(n::MQBACF_CONNECTION_ID, engine.identifiers.of_connection(state.number)),
        Parameter::integer(n::MQIACF_SEQUENCE_NUMBER, small(u64::from(interval.sequence))),
        Parameter::text(n::MQCACF_APPL_NAME, options.application_name.as_str()),
        Parameter::integer(n::MQIACF_PROCESS_ID, small(u64::from(std::process::id()))),
        // Connections share threads here.
        Parameter::integer(n::MQIACF_THREAD_ID, 0),
        Parameter::text(n::MQCACF_USER_IDENTIFIER, &*options.principal.user),
    ]);
    parameters
}

fn about_connection(state: &ConnectionState) -> Vec<Parameter> {
    let options = &state.options;
    let mut parameters = vec![
        Parameter::integer(n::MQIA_APPL_TYPE, options.application_type),
        Parameter::text(n::MQCAMO_CONN_DATE, date_text(state.connected)),
        Parameter::text(n::MQCAMO_CONN_TIME, time_text(state.connected)),
    ];
    if !options.channel.is_empty() {
        parameters.push(Parameter::text(n::MQCACH_CONNECTION_NAME, options.connection_name.as_str()));
        parameters.push(Parameter::text(n::MQCACH_CHANNEL_NAME, options.channel.as_str()));
    }
    parameters
}

fn group(account: &QueueAccount) -> Parameter {
    let mut members = about_queue(account.name.as_str(), account.created, account.definition_type);
    members.push(account.activity.opens());
    let mut moment = |date, time, at: Option<Timestamp>| {
        if let Some(at) = at {
            members.push(Parameter::text(date, date_text(at)));
            members.push(Parameter::text(time, time_text(at)));
        }
    };
    moment(n::MQCAMO_OPEN_DATE, n::MQCAMO_OPEN_TIME, account.opened);
    moment(n::MQCAMO_CLOSE_DATE, n::MQCAMO_CLOSE_TIME, account.closed);
    members.extend(account.activity.accounted());
    Parameter::group(n::MQGACF_Q_ACCOUNTING_DATA, members)
}

/// What every group of a queue begins with.
pub(crate) fn about_queue(name: &str, created: Timestamp, definition_type: DefinitionType) -> Vec<Parameter> {
    vec![
        Parameter::text(n::MQCA_Q_NAME, name),
        Parameter::text(n::MQCA_CREATION_DATE, date_text(created)),
        Parameter::text(n::MQCA_CREATION_TIME, time_text(created)),
        Parameter::integer(n::MQIA_Q_TYPE, n::MQQT_LOCAL),
        Parameter::integer(n::MQIA_DEFINITION_TYPE, definition_type_number(definition_type)),
    ]
}

/// MQQDT_*.
fn definition_type_number(definition_type: DefinitionType) -> i32 {
    match definition_type {
        DefinitionType::Predefined => 1,
        DefinitionType::PermanentDynamic => 2,
        DefinitionType::TemporaryDynamic => 3,
        DefinitionType::SharedDynamic => 4,
    }
}

impl QueueManager {
    /// As the queue manager ends: the last records of connections that are left, and the statistics up to now.
    pub(crate) async fn write_last_records(&self) {
        let engine = self.engine();
        let now = engine.now();
        for state in engine.connections.all() {
            if state.end_account() {
                engine.statistics.disconnected(&state, Ending::QueueManager);
                write_last(engine, &state, Ending::QueueManager, now).await;
            }
        }
        statistics::write(engine).await;
    }
}

/// Writes the interval records that are due. Returns when the next one is, if any will be.
pub(crate) async fn scan(engine: &Engine) -> Option<Timestamp> {
    let seconds = engine.definition.read().accounting_interval_s;
    if seconds == 0 {
        return None;
    }
    let length = Duration::from_secs(u64::from(seconds));
    let now = engine.now();
    if let Some(due) = engine.accounting_due.lock().filter(|(of, due)| *of == seconds && *due > now).map(|(_, due)| due)
    {
        return Some(due);
    }
    let mut next = now.saturating_add(length);
    for state in engine.connections.all() {
        let Some(observation) = state.observation().filter(|observation| observation.is_accounted()) else { continue };
        let due = observation.interval.lock().since.saturating_add(length);
        if due > now {
            next = next.min(due);
        } else {
            write_interval(engine, &state, now).await;
        }
    }
    *engine.accounting_due.lock() = Some((seconds, next));
    Some(next)
}
