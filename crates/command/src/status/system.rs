//! Rows of the command server, of figures since a reset, of traces, and of what SET SYSTEM sets.
//!
//! Sources: MQ reference, "DISPLAY CMDSERV", "RESET QSTATS", "DISPLAY TRACE", "DISPLAY SYSTEM", 9.3.

use model::definition::attribute::{Value, ValueType};
use queue_manager::status::QueueStatistics;
use queue_manager::system_settings::Trace;

use super::{NUMBER, Row, TEXT, When, row};

pub(crate) struct CommandServerView {
    pub(crate) name: String,
    pub(crate) is_on: bool,
}

pub(crate) static COMMAND_SERVER: &[Row<CommandServerView>] = &[
    row("QMNAME", ValueType::Name, When::Always, |c| Value::from(c.name.as_str())),
    row("STATUS", TEXT, When::Always, |c| Value::from(if c.is_on { "RUNNING" } else { "STOPPED" })),
    row("COMMANDQ", ValueType::Name, When::Usual, |_| Value::from("SYSTEM.ADMIN.COMMAND.QUEUE")),
];

pub(crate) struct QueueStatisticsView {
    pub(crate) queue: String,
    pub(crate) statistics: QueueStatistics,
}

fn count(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(crate) static QUEUE_STATISTICS: &[Row<QueueStatisticsView>] = &[
    row("QSTATS", ValueType::Name, When::Always, |q| Value::from(q.queue.as_str())),
    row("RESETINT", NUMBER, When::Usual, |q| count(q.statistics.interval_s)),
    row("HIQDEPTH", NUMBER, When::Usual, |q| q.statistics.highest_depth.into()),
    row("MSGSIN", NUMBER, When::Usual, |q| count(q.statistics.messages_in)),
    row("MSGSOUT", NUMBER, When::Usual, |q| count(q.statistics.messages_out)),
];

pub(crate) static TRACE: &[Row<Trace>] = &[
    row("TNO", NUMBER, When::Always, |t| t.number.into()),
    row("TYPE", TEXT, When::Always, |_| Value::from("ACCTG")),
    row("CLASS", ValueType::List, When::Usual, |t| Value::List(t.classes.iter().map(u8::to_string).collect())),
    row("DEST", TEXT, When::Usual, |_| Value::from("SMF")),
    row("USERID", TEXT, When::Usual, |_| Value::from("*")),
    row("RMID", TEXT, When::Usual, |_| Value::from("*")),
];

pub(crate) struct SystemView {
    pub(crate) excluded: Vec<String>,
}

pub(crate) static SYSTEM: &[Row<SystemView>] =
    &[row("EXCLMSG", ValueType::List, When::Always, |s| Value::List(s.excluded.clone()))];
