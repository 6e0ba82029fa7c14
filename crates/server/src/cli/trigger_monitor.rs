//! `trigger-monitor`, `runmqtrm`, `runmqtmc`: reads an initiation queue and starts the program that each trigger message names.
//!
//! A trigger message is got in a unit of work that is committed when the program has ended. A monitor that is killed leaves its
//! trigger message on the queue, so a program may be started twice, and is never forgotten.
//!
//! Invariants
//! - A trigger message leaves the initiation queue when its program ran, or in the unit of work that puts it on the dead-letter queue.
//! - Trigger data and user data reach the program as one argument. The shell reads APPLICID and ENVRDATA alone.
//!
//! Source: MQ Administration, "runmqtrm (start trigger monitor)", and MQ Developing, "Trigger monitors", 9.3.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use model::descriptor::{Ccsid, Encoding, Feedback, Format, MessageDescriptor};
use model::header::dead_letter::DeadLetterHeader;
use model::header::trigger::TriggerMessage;
use model::name::ObjectName;
use model::options::{GetFlags, ObjectDescriptor, OpenOptions, PutFlags};
use model::reason::Reason;
use model::text::Text;

use super::exit_code::{COMMAND_FAILED, UNREACHABLE, USAGE};
use super::failure::{Failure, warn};
use super::session::{Door, Handle, Message, Session};
use crate::serve::prepare::now;

/// MQAT_UNIX, which APPLTYPE is by default.
const UNIX: i32 = 6;
/// Longest wait of one get.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const SHORTEST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How a shell ends when it cannot run a program: found but not to be run, not found.
const NOT_STARTED: [i32; 2] = [126, 127];

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Queue manager [default: the server's first].
    #[arg(long = "qmgr", short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// Initiation queue.
    #[arg(long, short = 'q', value_name = "QUEUE", default_value = "SYSTEM.DEFAULT.INITIATION.QUEUE")]
    queue: String,
    /// User of a client connection.
    #[arg(short = 'u', value_name = "USER")]
    user: Option<String>,
    /// Connect as a client, with --channel, --ccdt or the variable MQSERVER. `runmqtmc` does so by itself.
    #[arg(short = 'c')]
    client: bool,
    /// Connect again when the connection breaks or the queue manager ends.
    #[arg(long, short = 'r')]
    reconnect: bool,
    #[command(flatten)]
    door: Door,
}

/// `runmqtmc` is the monitor of clients.
pub(super) fn spell_out(command: &str, arguments: &mut Vec<OsString>) {
    if command == "runmqtmc" {
        arguments.insert(2, "-c".into());
    }
}

pub(super) fn run(mut arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let not_started = |failure: Failure| failure.with_code(UNREACHABLE);
    if arguments.client {
        let server = std::env::var("MQSERVER").unwrap_or_default();
        if !server.is_empty() {
            arguments.door.channel.take_mqserver(&server).map_err(not_started)?;
        } else if !arguments.door.channel.is_given() {
            return Err(Failure::new(UNREACHABLE, "-c needs --channel, --ccdt or the variable MQSERVER"));
        }
    }
    let mut monitor = Monitor::begin(&arguments).map_err(not_started)?;
    loop {
        monitor.say(out)?;
        let failure = monitor.watch(out);
        let is_ending = matches!(
            failure.reason(),
            Some(Reason::QMgrQuiescing | Reason::QMgrStopping | Reason::ConnectionQuiescing)
        );
        match arguments.reconnect && (is_ending || failure.is_unreachable()) {
            true => monitor = again(&arguments, &failure)?,
            false if is_ending => return Ok(()),
            false => return Err(failure.with_code(COMMAND_FAILED)),
        }
    }
}

/// Connects until it succeeds, with longer and longer pauses.
///
/// # Errors
/// The queue manager is there, and refuses.
fn again(arguments: &Arguments, lost: &Failure) -> Result<Monitor, Failure> {
    warn(&format!("{}; connecting again", lost.sentence()));
    let mut pause = SHORTEST_PAUSE;
    loop {
        std::thread::sleep(pause);
        match Monitor::begin(arguments) {
            Err(failure) if failure.is_unreachable() => pause = (pause * 2).min(LONGEST_PAUSE),
            begun => return begun.map_err(|failure| failure.with_code(COMMAND_FAILED)),
        }
    }
}

struct Monitor {
    session: Session,
    initiation_queue: ObjectName,
    input: Handle,
}

impl Monitor {
    fn begin(arguments: &Arguments) -> Result<Self, Failure> {
        let name = ObjectName::parse(arguments.queue.trim()).map_err(|error| Failure::of(USAGE, &error))?;
        let mut session =
            Session::connect(&arguments.door, arguments.queue_manager.as_deref(), arguments.user.as_deref())?;
        let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        let input = session.open(&object, OpenOptions::INPUT_AS_Q_DEF)?;
        Ok(Self { session, initiation_queue: name, input })
    }

    fn say(&self, out: &mut dyn Write) -> Result<(), Failure> {
        writeln!(out, "{}: waiting for trigger messages of {}", self.initiation_queue, self.session.queue_manager())?;
        Ok(out.flush()?)
    }

    /// Starts programs until something fails.
    fn watch(&mut self, out: &mut dyn Write) -> Failure {
        loop {
            let own_form = Some((Ccsid::UTF_8, Encoding::NATIVE));
            let done = match self.session.get(self.input, GetFlags::SYNCPOINT, LONGEST_WAIT, own_form) {
                Ok(Some(message)) => self.handle(&message, out),
                Ok(None) => Ok(()),
                Err(failure) => Err(failure),
            };
            if let Err(failure) = done {
                return failure;
            }
        }
    }

    /// Runs the program of a trigger message to its end, or puts the message on the dead-letter queue.
    fn handle(&mut self, message: &Message, out: &mut dyn Write) -> Result<(), Failure> {
        match self.ran(message, out)? {
            Ok(()) => {}
            Err(Unable { feedback, why }) => {
                warn(&format!("{why}; its trigger message goes to the dead-letter queue"));
                self.give_up(message, feedback)?;
            }
        }
        self.session.commit()
    }

    fn ran(&self, message: &Message, out: &mut dyn Write) -> Result<Result<(), Unable>, Failure> {
        let trigger = match Trigger::read(message, &self.session.queue_manager()) {
            Ok(trigger) => trigger,
            Err(unable) => return Ok(Err(unable)),
        };
        let Trigger { queue, program, .. } = &trigger;
        writeln!(out, "{queue}: starting {program}")?;
        out.flush()?;
        let status = match trigger.start().and_then(|started| self.session.outlast(started)) {
            Ok(status) => status,
            Err(error) => return Ok(Err(trigger.not_started(&error.to_string()))),
        };
        if let Some(code) = status.code().filter(|code| NOT_STARTED.contains(code)) {
            return Ok(Err(trigger.not_started(&format!("the shell ended with {code}"))));
        }
        writeln!(out, "{queue}: {program} ended with {}", shown(status))?;
        out.flush()?;
        Ok(Ok(()))
    }

    /// Puts the message on the dead-letter queue, in the unit of work in which it was got.
    ///
    /// # Errors
    /// There is none, or it refuses the message, which then stays on the initiation queue.
    fn give_up(&mut self, message: &Message, feedback: Feedback) -> Result<(), Failure> {
        let name = self.session.dead_letter_queue()?;
        let name = ObjectName::parse(&name).map_err(|error| Failure::of(USAGE, &error))?;
        if name.is_blank() {
            let sentence = format!(
                "queue manager {} has no dead-letter queue; the trigger message stays on {}",
                self.session.queue_manager(),
                self.initiation_queue
            );
            return Err(Failure::new(COMMAND_FAILED, sentence));
        }
        let (descriptor, body) = self.with_header(message, feedback);
        let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        let output = self.session.open(&object, OpenOptions::OUTPUT)?;
        self.session.put(output, &descriptor, &body, PutFlags::SYNCPOINT)?;
        self.session.close(output)
    }

    fn with_header(&self, message: &Message, feedback: Feedback) -> (MessageDescriptor, Bytes) {
        let (of, now) = (message.descriptor.clone(), now());
        let header = DeadLetterHeader {
            reason: feedback.0,
            destination_queue: Text::from_bytes(self.initiation_queue.padded()),
            destination_queue_manager: Text::new(&self.session.queue_manager()),
            encoding: of.encoding,
            ccsid: of.ccsid,
            format: of.format,
            put_application_type: UNIX,
            put_application_name: Text::new("quaymaster trigger-monitor"),
            put_date: now.put_date(),
            put_time: now.put_time(),
        };
        let mut body = Vec::with_capacity(DeadLetterHeader::LENGTH + message.body.len());
        header.encode(Encoding::NATIVE, &mut body);
        body.extend_from_slice(&message.body);
        let descriptor = MessageDescriptor {
            format: Format::DEAD_LETTER_HEADER,
            encoding: Encoding::NATIVE,
            ccsid: Ccsid::UTF_8,
            ..of
        };
        (descriptor, body.into())
    }
}

/// Why a trigger message starts nothing.
struct Unable {
    feedback: Feedback,
    why: String,
}

/// What a trigger message asks for.
struct Trigger {
    queue: String,
    program: String,
    /// APPLICID, the argument in its place, and ENVRDATA, as the shell reads them.
    line: Vec<u8>,
    /// The MQTMC2.
    argument: Vec<u8>,
}

impl Trigger {
    fn read(message: &Message, queue_manager: &str) -> Result<Self, Unable> {
        let wrong = |why: String| Unable { feedback: Feedback::TM_ERROR, why };
        if message.descriptor.format != Format::TRIGGER {
            return Err(wrong(format!("message {} is no trigger message", message.descriptor.message_id)));
        }
        let trigger = TriggerMessage::decode(&message.body, message.descriptor.encoding)
            .map_err(|error| wrong(format!("message {}: {error}", message.descriptor.message_id)))?;
        let queue = trigger.queue.to_text().trim_end().to_owned();
        let program = trigger.application_identifier.to_text().trim().to_owned();
        if program.is_empty() {
            let why = match trigger.process.to_text().trim_end() {
                "" => format!("queue {queue} names no process"),
                process => format!("process {process} of queue {queue} does not exist, or has a blank APPLICID"),
            };
            return Err(wrong(why));
        }
        if trigger.application_type != UNIX {
            let why = format!("{queue}: APPLTYPE {} of {program} is not UNIX", trigger.application_type);
            return Err(Unable { feedback: Feedback::APPL_TYPE_ERROR, why });
        }
        let line = [trigger.application_identifier.trimmed(), b"\"$1\"", trigger.environment_data.trimmed()];
        let line = line.join(&b' ');
        Ok(Self { queue, program, line, argument: trigger.character_form(&Text::new(queue_manager)) })
    }

    /// Starts a shell with the line. With `&` at its end the shell does not wait for the program.
    fn start(&self) -> std::io::Result<Child> {
        let mut shell = std::process::Command::new("/bin/sh");
        shell
            .arg("-c")
            .arg(OsStr::from_bytes(&self.line))
            .arg("trigger-monitor")
            .arg(OsStr::from_bytes(&self.argument));
        shell.stdin(Stdio::null()).spawn()
    }

    fn not_started(&self, why: &str) -> Unable {
        let why = format!("{}: {} cannot be started: {why}", self.queue, self.program);
        Unable { feedback: Feedback::APPL_CANNOT_BE_STARTED, why }
    }
}

/// The code with which a program ended, or the signal that ended it.
fn shown(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;

    match (status.code(), status.signal()) {
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
