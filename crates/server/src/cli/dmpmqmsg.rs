//! `dmpmqmsg`: messages of a queue to a file and back, or from queue to queue, with IBM's options and file format.
//!
//! Gets and puts of a command are under syncpoint, and committed together; a file is on the disk before the gets that filled
//! it are committed. So whatever ends the command, a message is on a queue or in a file, and not twice on queues.
//!
//! Source: MQ reference, "dmpmqmsg (queue load and unload)", 9.3.

mod arguments;
mod files;
mod selection;

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::descriptor_codec::VERSION_1_LENGTH;
use model::header::dead_letter::DeadLetterHeader;
use model::message_file::FileMessage;
use model::name::{ObjectName, QueueManagerName};
use model::options::{GetFlags, ObjectDescriptor, OpenOptions, PutFlags};
use model::reason::Reason;

use super::exit_code::USAGE;
use super::failure::{Failure, warn};
use super::session::{Handle, Message, Session};
use crate::serve::prepare::now;
pub(super) use arguments::{Arguments, spell_out};
use arguments::{Context, Delay, Listing};
use files::{Input, Output};
use selection::Selection;

/// Bytes of MQXQH before its MQMD: identifier, version, and two names.
const TRANSMISSION_PREFIX: usize = 104;

/// What was read or written.
#[derive(Debug, Default)]
struct Count {
    files: u64,
    messages: u64,
    bytes: u64,
}

pub(super) fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let job = arguments.job()?;
    let mut session = match (&job.input_queue, &job.output_queue) {
        (None, None) => None,
        _ => Some(Session::connect(&job.door, job.queue_manager.as_deref(), job.user.as_deref())?),
    };
    let mut source = Source::open(&job, session.as_mut())?;
    let mut target = Target::open(&job, session.as_mut(), out)?;
    let mut mover = Mover { job: &job, session: session.as_mut(), read: Count::default(), written: Count::default() };
    mover.run(&mut source, &mut target)?;
    mover.read.files = source.files();
    mover.written.files = target.files();
    if !job.quiet {
        let line = |what: &str, count: &Count| {
            let Count { files, messages, bytes } = count;
            eprintln!("{what:<7} - Files: {files:>4}  Messages: {messages:>4}  Bytes: {bytes:>9}");
        };
        line("Read", &mover.read);
        line("Written", &mover.written);
    }
    Ok(())
}

/// Where messages come from.
enum Source<'a> {
    Queue { handle: Handle, is_first: bool },
    Files(Input<'a>),
}

impl<'a> Source<'a> {
    fn open(job: &'a Job, session: Option<&mut Session>) -> Result<Self, Failure> {
        let (Some(queue), Some(session)) = (&job.input_queue, session) else {
            return Ok(Self::Files(Input::new(job.input_file.as_deref().unwrap_or_default())));
        };
        let options = match (job.removes, job.selection.is_everything()) {
            (false, _) => OpenOptions::BROWSE,
            (true, true) => OpenOptions::INPUT_AS_Q_DEF,
            (true, false) => OpenOptions::INPUT_AS_Q_DEF | OpenOptions::BROWSE,
        };
        let handle = session.open(&object("-i", queue)?, options)?;
        Ok(Self::Queue { handle, is_first: true })
    }

    fn next(&mut self, job: &Job, session: Option<&mut Session>) -> Result<Option<Message>, Failure> {
        match (self, session) {
            (Self::Files(input), _) => {
                let message = input.next()?;
                Ok(message.map(|FileMessage { descriptor, body }| Message { descriptor, body, warning: None }))
            }
            (Self::Queue { handle, is_first }, Some(session)) => {
                let flags = match (job.removes && job.selection.is_everything(), *is_first) {
                    (true, _) => job.get_flags(),
                    (false, true) => GetFlags::BROWSE_FIRST,
                    (false, false) => GetFlags::BROWSE_NEXT,
                };
                *is_first = false;
                session.get(*handle, flags, job.wait, job.target())
            }
            (Self::Queue { .. }, None) => Ok(None),
        }
    }

    /// Removes the message that was browsed last; `None` when another program has taken it.
    fn take(&self, job: &Job, session: Option<&mut Session>) -> Result<Option<Message>, Failure> {
        let (Self::Queue { handle, .. }, Some(session)) = (self, session) else { return Ok(None) };
        match session.get(*handle, job.get_flags() | GetFlags::MSG_UNDER_CURSOR, Duration::ZERO, job.target()) {
            Err(failure) if failure.reason() == Some(Reason::NoMsgUnderCursor) => Ok(None),
            got => got,
        }
    }

    const fn files(&self) -> u64 {
        match self {
            Self::Files(input) => input.files,
            Self::Queue { .. } => 0,
        }
    }
}

/// Where messages go.
enum Target<'a> {
    Queue(Handle),
    Files(Output<'a>),
}

impl<'a> Target<'a> {
    fn open(job: &'a Job, session: Option<&mut Session>, out: &'a mut dyn Write) -> Result<Self, Failure> {
        let (Some(queue), Some(session)) = (&job.output_queue, session) else {
            return Ok(Self::Files(Output::new(job, out)));
        };
        let context = match job.context {
            Context::All => OpenOptions::SET_ALL_CONTEXT,
            Context::Identity => OpenOptions::SET_IDENTITY_CONTEXT,
            Context::Default | Context::None => OpenOptions::empty(),
        };
        Ok(Self::Queue(session.open(&object("-o", queue)?, OpenOptions::OUTPUT | context)?))
    }

    const fn files(&self) -> u64 {
        match self {
            Self::Files(output) => output.files,
            Self::Queue(_) => 0,
        }
    }
}

fn object(option: &str, queue: &str) -> Result<ObjectDescriptor, Failure> {
    let name = ObjectName::parse(queue).map_err(|error| Failure::new(USAGE, format!("{option}: {error}")))?;
    Ok(ObjectDescriptor { name, queue_manager: QueueManagerName::BLANK, ..ObjectDescriptor::default() })
}

/// What the options ask for, checked.
#[derive(Debug)]
pub(super) struct Job {
    door: super::session::Door,
    queue_manager: Option<String>,
    user: Option<String>,
    input_queue: Option<String>,
    /// -I, or -p.
    removes: bool,
    input_file: Option<String>,
    output_queue: Option<String>,
    output_file: Option<String>,
    /// -F.
    replaces: bool,
    /// -a a.
    appends: bool,
    context: Context,
    conversion: Option<(Ccsid, Encoding)>,
    listing: Listing,
    delay: Option<Delay>,
    strips_headers: bool,
    quiet: bool,
    selection: Selection,
    /// -t: messages of a unit of work; 0 for none, `None` for all.
    unit: Option<u64>,
    wait: Duration,
}

impl Job {
    const fn get_flags(&self) -> GetFlags {
        match self.unit {
            Some(0) => GetFlags::NO_SYNCPOINT,
            _ => GetFlags::SYNCPOINT,
        }
    }

    const fn target(&self) -> Option<(Ccsid, Encoding)> {
        self.conversion
    }
}

struct Mover<'a> {
    job: &'a Job,
    session: Option<&'a mut Session>,
    read: Count,
    written: Count,
}

impl Mover<'_> {
    fn run(&mut self, source: &mut Source<'_>, target: &mut Target<'_>) -> Result<(), Failure> {
        let job = self.job;
        let mut uncommitted = 0;
        let mut last_put = None;
        while let Some(mut message) = source.next(job, self.session.as_deref_mut())? {
            self.read.messages += 1;
            self.read.bytes += message.body.len() as u64;
            let number = self.read.messages;
            if job.selection.includes(number, &message.descriptor, &message.body, now()) {
                if job.removes && !job.selection.is_everything() {
                    match source.take(job, self.session.as_deref_mut())? {
                        Some(taken) => message = taken,
                        None => continue,
                    }
                }
                self.write(target, message, number, &mut last_put)?;
                uncommitted += 1;
            }
            if job.unit == Some(uncommitted) && uncommitted > 0 {
                self.commit(target)?;
                uncommitted = 0;
            }
            if job.selection.is_last(number) {
                break;
            }
        }
        self.commit(target)
    }

    fn write(
        &mut self,
        target: &mut Target<'_>,
        mut message: Message,
        number: u64,
        last_put: &mut Option<MessageDescriptor>,
    ) -> Result<(), Failure> {
        if let Some(warning) = message.warning {
            warn(&format!("message {number} was read with a warning: {} ({})", warning.number(), warning.name()));
        }
        if self.job.strips_headers {
            strip(&mut message);
        }
        if let Some(delay) = &self.job.delay {
            sleep(delay.before(&message.descriptor, last_put.as_ref()));
            *last_put = Some(message.descriptor.clone());
        }
        self.written.messages += 1;
        self.written.bytes += message.body.len() as u64;
        match (target, self.session.as_deref_mut()) {
            (Target::Queue(handle), Some(session)) => {
                let syncpoint = if self.job.unit == Some(0) { PutFlags::NO_SYNCPOINT } else { PutFlags::SYNCPOINT };
                let context = match self.job.context {
                    Context::All => PutFlags::SET_ALL_CONTEXT,
                    Context::Identity => PutFlags::SET_IDENTITY_CONTEXT,
                    Context::Default => PutFlags::DEFAULT_CONTEXT,
                    Context::None => PutFlags::NO_CONTEXT,
                };
                session.put(*handle, &message.descriptor, &message.body, syncpoint | context)
            }
            (Target::Files(output), session) => {
                let queue_manager = session.map(|session| session.queue_manager()).unwrap_or_default();
                output.write(&message, number, self.written.messages, &queue_manager)
            }
            (Target::Queue(_), None) => Ok(()),
        }
    }

    /// What is in files comes before the commit of the gets that filled them.
    fn commit(&mut self, target: &mut Target<'_>) -> Result<(), Failure> {
        if let Target::Files(output) = target {
            output.flush()?;
        }
        match self.session.as_deref_mut() {
            Some(session) if self.job.unit != Some(0) => session.commit(),
            _ => Ok(()),
        }
    }
}

/// Takes away a dead-letter or transmission header that the message begins with.
fn strip(message: &mut Message) {
    let descriptor = &mut message.descriptor;
    if descriptor.format == Format::DEAD_LETTER_HEADER
        && let Ok(header) = DeadLetterHeader::decode(&message.body, descriptor.encoding)
    {
        without_dead_letter_header(descriptor, &header);
        message.body = message.body.slice(DeadLetterHeader::LENGTH..);
    }
    if descriptor.format == Format::XMIT_QUEUE_HEADER
        && let Some(bytes) = message.body.get(TRANSMISSION_PREFIX..TRANSMISSION_PREFIX + VERSION_1_LENGTH)
        && let Ok((inner, length)) = model::descriptor_codec::decode(bytes, descriptor.encoding)
    {
        *descriptor = inner;
        message.body = message.body.slice(TRANSMISSION_PREFIX + length..);
    }
}

/// The descriptor of what is behind a dead-letter header.
pub(super) fn without_dead_letter_header(descriptor: &mut MessageDescriptor, header: &DeadLetterHeader) {
    descriptor.encoding = header.encoding;
    descriptor.ccsid = header.ccsid;
    descriptor.format = header.format;
}
