//! `events`, also `amqsevt`: event messages read from their queues and shown in words.
//!
//! A message that is not browsed is removed once it has been written. `shown.rs` writes one, `constants.rs` has the words.
//!
//! Source: MQ monitoring, "Sample program to monitor event messages on multiplatforms", 9.3; `amqsevtg` of
//! ibm-messaging/mq-metric-samples.

mod constants;
mod shown;

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tokio::time::Instant;

use super::channel::Wanted;
use super::failure::{Failure, warn};
use super::message::{Door, decoded};
use crate::administration::MessageHeader;

/// Between two looks at several queues.
const PAUSE: Duration = Duration::from_millis(500);
/// Longest wait of one get.
const LONGEST_GET: Duration = Duration::from_secs(60);
const QUEUES: [&str; 4] =
    ["SYSTEM.ADMIN.QMGR.EVENT", "SYSTEM.ADMIN.PERFM.EVENT", "SYSTEM.ADMIN.CONFIG.EVENT", "SYSTEM.ADMIN.COMMAND.EVENT"];

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Queue to read, more than one with several -q [default: SYSTEM.ADMIN.QMGR.EVENT, SYSTEM.ADMIN.PERFM.EVENT,
    /// SYSTEM.ADMIN.CONFIG.EVENT and SYSTEM.ADMIN.COMMAND.EVENT].
    #[arg(short = 'q', long = "queue", value_name = "QUEUE")]
    queues: Vec<String>,
    /// Show the messages that are there, leave them on their queues, and end.
    #[arg(short = 'b', long)]
    browse: bool,
    /// End when no event has come for this many seconds [default: never].
    #[arg(short = 'w', long, value_name = "SECONDS", conflicts_with = "browse")]
    wait: Option<u64>,
    /// Form of each event.
    #[arg(short = 'o', long = "output", value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Show the names of MQ's constants instead of words.
    #[arg(short = 'd', long)]
    constants: bool,
    #[command(flatten)]
    door: Door,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    Text,
    /// An object of several lines.
    Json,
    /// An object in one line.
    #[value(name = "json_compact")]
    JsonCompact,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let queues: Vec<&str> = match &*arguments.queues {
        [] => QUEUES.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    let mut reader = Reader { arguments, number: 0, out };
    if arguments.browse {
        return queues.iter().try_for_each(|queue| reader.read(queue, Duration::ZERO).map(drop));
    }
    let patience = arguments.wait.map(Duration::from_secs);
    let mut last = Instant::now();
    loop {
        let left = patience.map_or(LONGEST_GET, |patience| patience.saturating_sub(last.elapsed()).min(LONGEST_GET));
        // The wait of one get is no use where other queues are to be read meanwhile.
        let wait = if queues.len() == 1 { left } else { Duration::ZERO };
        let mut found = 0;
        for queue in &queues {
            found += reader.read(queue, wait)?;
        }
        if found > 0 {
            last = Instant::now();
        } else if patience.is_some_and(|patience| last.elapsed() >= patience) {
            return Ok(());
        } else if wait.is_zero() {
            sleep(PAUSE.min(left));
        }
    }
}

struct Reader<'a> {
    arguments: &'a Arguments,
    /// Of the message shown last.
    number: u64,
    out: &'a mut dyn Write,
}

impl Reader<'_> {
    /// Shows what is on the queue; how many messages that were.
    fn read(&mut self, queue: &str, wait: Duration) -> Result<u64, Failure> {
        let Self { arguments, number, out } = self;
        let browse = arguments.browse;
        let wanted =
            Wanted { queue, message_id: None, correlation_id: None, convert: true, browse, count: u64::MAX, wait };
        let mut show = |header: &MessageHeader, body: &[u8]| {
            *number += 1;
            let Some(message) = decoded(header.ccsid, body) else {
                warn(&format!("a message of {} bytes on {queue} is not in PCF, and is left out", body.len()));
                return Ok(());
            };
            let event = shown::Event { queue, number: *number, length: body.len(), header, message: &message };
            event.write(arguments.form, arguments.constants, &mut **out)?;
            Ok(out.flush()?)
        };
        arguments.door.messages(&wanted, &mut show)
    }
}
