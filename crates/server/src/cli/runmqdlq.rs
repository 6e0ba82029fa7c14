//! `runmqdlq`: the messages of a dead-letter queue handled by a table of rules.
//!
//! A message is put to its new queue and removed from the dead-letter queue in one unit of work, so it is on one of the two
//! whatever happens. A message that no rule moves stays where it is.
//!
//! Source: MQ Administration, "Processing messages on an IBM MQ dead-letter queue", 9.3.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write, stdin};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use command::dead_letter::{Action, ManagerOf, PutAuthority, QueueOf, Rule, RulesTable, Wait};
use model::descriptor::{Format, MessageDescriptor};
use model::header::dead_letter::DeadLetterHeader;
use model::identity_context;
use model::name::{ObjectName, QueueManagerName};
use model::options::{GetFlags, ObjectDescriptor, OpenOptions, PutFlags};
use model::reason::Reason;
use model::timestamp::Timestamp;

use super::dmpmqmsg::without_dead_letter_header;
use super::exit_code::{FAILED, USAGE};
use super::failure::{Failure, warn};
use super::session::{Door, Handle, Message, Session};
use crate::serve::prepare::now;

/// Longest table that is read; the parser has a limit of its own.
const LONGEST_TABLE: u64 = 2 << 20;
/// Longest wait for a message before the queue is looked through again. A message of a higher priority may have come to a place
/// that was passed.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Dead-letter queue [default: INPUTQ of the rules, else that of the queue manager].
    #[arg(value_name = "QUEUE")]
    queue: Option<String>,
    /// Queue manager [default: INPUTQM of the rules, else the server's first].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    /// User of a client connection.
    #[arg(short = 'u', value_name = "USER")]
    user: Option<String>,
    /// File with the rules table [default: standard input].
    #[arg(long, short = 'f', value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Check the rules and end, with exit code 2 if they are wrong. Needs no server.
    #[arg(long)]
    check: bool,
    /// Connect as a client, with --channel, --ccdt or the variable MQSERVER.
    #[arg(short = 'c')]
    client: bool,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    door: Door,
}

pub(super) fn run(mut arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let table = RulesTable::parse(&arguments.text()?).map_err(|error| Failure::of(USAGE, &error))?;
    if arguments.check {
        writeln!(out, "The rules table is valid. Rules: {}.", table.rules.len())?;
        return Ok(());
    }
    if arguments.client
        && let Ok(server) = std::env::var("MQSERVER")
    {
        arguments.door.channel.take_mqserver(&server)?;
    }
    let name = |argument: &Option<String>, control: &str| {
        let given = argument.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(control);
        (!given.is_empty()).then(|| given.to_owned())
    };
    let queue_manager = name(&arguments.queue_manager, &table.control.input_queue_manager);
    let mut session = Session::connect(&arguments.door, queue_manager.as_deref(), arguments.user.as_deref())?;
    let queue = match name(&arguments.queue, &table.control.input_queue) {
        Some(queue) => queue,
        None => session.dead_letter_queue()?,
    };
    let queue = ObjectName::parse(&queue).map_err(|error| Failure::of(USAGE, &error))?;
    if queue.is_blank() {
        let sentence = format!("queue manager {} has no dead-letter queue; name a queue", session.queue_manager());
        return Err(Failure::new(FAILED, sentence));
    }
    let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
    let input = session.open(&object, OpenOptions::INPUT_AS_Q_DEF | OpenOptions::BROWSE)?;
    let mut handler = Handler { table: &table, session, input, known: HashMap::new(), done: Done::default() };
    handler.run()?;
    let Done { discarded, retried, forwarded, .. } = handler.done;
    let left = handler.left();
    if arguments.json {
        let done = serde_json::json!({
            "queue": queue, "discarded": discarded, "retried": retried, "forwarded": forwarded, "left": left,
        });
        writeln!(out, "{done}")?;
    } else {
        writeln!(out, "{queue}: {discarded} discarded, {retried} put again, {forwarded} forwarded, {left} left.")?;
    }
    Ok(())
}

impl Arguments {
    fn text(&self) -> Result<String, Failure> {
        let mut text = Vec::new();
        match &self.rules {
            Some(file) => {
                let failed = |error| Failure::new(USAGE, format!("--rules: cannot read {}: {error}", file.display()));
                File::open(file).and_then(|open| open.take(LONGEST_TABLE).read_to_end(&mut text)).map_err(failed)?;
            }
            None => {
                stdin().take(LONGEST_TABLE).read_to_end(&mut text)?;
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

#[derive(Debug, Default)]
struct Done {
    discarded: u64,
    retried: u64,
    forwarded: u64,
    /// Messages without a dead-letter header were told.
    has_told: bool,
}

/// What tells messages apart while the handler runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key([u8; 24], [u8; 8], [u8; 8], [u8; 24]);

impl Key {
    fn of(descriptor: &MessageDescriptor) -> Self {
        Self(
            *descriptor.message_id.as_bytes(),
            *descriptor.put_date.as_bytes(),
            *descriptor.put_time.as_bytes(),
            *descriptor.correlation_id.as_bytes(),
        )
    }
}

/// How far the rules are with a message that is still on the queue.
#[derive(Debug, Clone, Copy)]
enum Progress {
    /// The rule in use, its attempts so far, and when the next one is due.
    Tries { rule: usize, attempts: u32, due: Timestamp },
    /// It stays.
    Ignored,
}

/// What became of a message.
enum Outcome {
    Gone,
    Stays,
    Failed(Failure),
}

struct Handler<'a> {
    table: &'a RulesTable,
    session: Session,
    input: Handle,
    /// Messages that were looked at and are still on the queue.
    known: HashMap<Key, Progress>,
    done: Done,
}

impl Handler<'_> {
    fn run(&mut self) -> Result<(), Failure> {
        let mut idle_since = now();
        loop {
            let (next_due, has_worked) = self.scan()?;
            if has_worked {
                idle_since = now();
            }
            let until_due = next_due.map(|due| due.since(now()));
            let left = match self.table.control.wait {
                Wait::Forever => None,
                Wait::No => Some(Duration::ZERO),
                Wait::For(time) => Some(time.saturating_sub(now().since(idle_since))),
            };
            let wait = match (until_due, left) {
                // What is to be tried again counts as work that is left.
                (Some(due), _) => due,
                (None, Some(left)) if left.is_zero() => return Ok(()),
                (None, left) => left.unwrap_or(LONGEST_WAIT),
            };
            // Behind the last message: a new one ends the wait, and the scan finds it.
            let wait = wait.clamp(Duration::from_millis(1), LONGEST_WAIT);
            if self.session.get(self.input, GetFlags::BROWSE_NEXT, wait, None)?.is_some() {
                idle_since = now();
            }
        }
    }

    /// Looks at every message once. When the next attempt is due, and whether a message was handled.
    fn scan(&mut self) -> Result<(Option<Timestamp>, bool), Failure> {
        let mut seen = HashMap::with_capacity(self.known.len());
        let mut has_worked = false;
        let mut next_due: Option<Timestamp> = None;
        let mut flags = GetFlags::BROWSE_FIRST;
        while let Some(message) = self.session.get(self.input, flags, Duration::ZERO, None)? {
            flags = GetFlags::BROWSE_NEXT;
            let key = Key::of(&message.descriptor);
            let before = self.known.get(&key).copied();
            let progress = match before {
                Some(Progress::Ignored) => Some(Progress::Ignored),
                Some(Progress::Tries { due, .. }) if due > now() => before,
                _ => {
                    has_worked = true;
                    self.handle(&message, before)?
                }
            };
            if let Some(progress) = progress {
                if let Progress::Tries { due, .. } = progress {
                    next_due = Some(next_due.map_or(due, |earliest| earliest.min(due)));
                }
                seen.insert(key, progress);
            }
        }
        self.known = seen;
        Ok((next_due, has_worked))
    }

    /// Applies rules to a message until one is to be tried again later; `None` when the message is gone.
    fn handle(&mut self, message: &Message, before: Option<Progress>) -> Result<Option<Progress>, Failure> {
        let header = (message.descriptor.format == Format::DEAD_LETTER_HEADER)
            .then(|| DeadLetterHeader::decode(&message.body, message.descriptor.encoding).ok())
            .flatten();
        let Some(header) = header else {
            if !self.done.has_told {
                warn("a message of the queue has no dead-letter header; such messages stay on the queue");
                self.done.has_told = true;
            }
            return Ok(Some(Progress::Ignored));
        };
        let table = self.table;
        let (mut index, mut attempts) = match before {
            Some(Progress::Tries { rule, attempts, .. }) => (Some(rule), attempts),
            _ => (table.find(0, &header, &message.descriptor), 0),
        };
        while let Some(current) = index {
            let rule = &table.rules[current];
            match self.apply(rule, message, &header)? {
                Outcome::Gone => return Ok(None),
                Outcome::Stays => return Ok(Some(Progress::Ignored)),
                Outcome::Failed(failure) => {
                    attempts += 1;
                    let id = message.descriptor.message_id;
                    warn(&format!("message {id}, rule of line {}, attempt {attempts}: {failure}", rule.line));
                }
            }
            if attempts < rule.attempts {
                let due = now().saturating_add(table.control.retry_interval);
                return Ok(Some(Progress::Tries { rule: current, attempts, due }));
            }
            index = table.find(current + 1, &header, &message.descriptor);
            attempts = 0;
        }
        Ok(Some(Progress::Ignored))
    }

    fn apply(&mut self, rule: &Rule, message: &Message, header: &DeadLetterHeader) -> Result<Outcome, Failure> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let destination = || text(header.destination_queue.trimmed());
        let destination_manager = || text(header.destination_queue_manager.trimmed());
        let (queue, queue_manager, keeps_header) = match &rule.action {
            Action::Ignore => return Ok(Outcome::Stays),
            Action::Discard => return self.discard(),
            Action::Retry => (destination(), destination_manager(), false),
            Action::Forward { queue, queue_manager, keeps_header } => {
                let queue = match queue {
                    QueueOf::Named(name) => name.clone(),
                    QueueOf::Destination => destination(),
                    QueueOf::Reply => message.descriptor.reply_to_queue.to_string(),
                };
                let queue_manager = match queue_manager {
                    ManagerOf::Named(name) => name.clone(),
                    ManagerOf::Destination => destination_manager(),
                    ManagerOf::Reply => message.descriptor.reply_to_queue_manager.to_string(),
                };
                (queue, queue_manager, *keeps_header)
            }
        };
        let mut object = match target(&queue, &queue_manager) {
            Ok(object) => object,
            Err(sentence) => return Ok(Outcome::Failed(Failure::new(FAILED, sentence))),
        };
        let mut options = OpenOptions::OUTPUT | OpenOptions::SET_ALL_CONTEXT;
        if rule.put_authority == PutAuthority::Context {
            match self.user_of_context(&message.descriptor) {
                Ok(user) => object.alternate_user = user,
                Err(sentence) => return Ok(Outcome::Failed(Failure::new(FAILED, sentence))),
            }
            options |= OpenOptions::ALTERNATE_USER_AUTHORITY;
        }
        let output = match self.session.open(&object, options) {
            Ok(output) => output,
            Err(failure) => return refused(failure),
        };
        let moved = self.move_to(output, message, header, keeps_header);
        self.session.close(output)?;
        if matches!(moved, Ok(Outcome::Gone)) {
            match rule.action {
                Action::Retry => self.done.retried += 1,
                _ => self.done.forwarded += 1,
            }
        }
        moved
    }

    /// The user whose authority PUTAUT(CTX) asks for. A blank name would stand for the handler's own user, and the beginning
    /// of a name may be the name of another user.
    fn user_of_context(&self, descriptor: &MessageDescriptor) -> Result<String, String> {
        let user = identity_context::user_of(descriptor).filter(|user| !user.is_empty());
        let user = user.ok_or("PUTAUT(CTX): the context of the message does not hold the name of its user")?;
        match self.session.longest_alternate_user() {
            Some(longest) if user.len() > longest => Err(format!(
                "PUTAUT(CTX): the name of user {user} has more than {longest} characters, the most that a client connection \
                 can name; run the handler on the server's machine"
            )),
            _ => Ok(user),
        }
    }

    /// Puts, then gets what the cursor is on: a put that fails leaves the message as it was, its backout count too.
    fn move_to(
        &mut self,
        output: Handle,
        message: &Message,
        header: &DeadLetterHeader,
        keeps_header: bool,
    ) -> Result<Outcome, Failure> {
        let mut descriptor = message.descriptor.clone();
        let mut body = message.body.clone();
        if !keeps_header {
            without_dead_letter_header(&mut descriptor, header);
            body = body.slice(DeadLetterHeader::LENGTH..);
        }
        let flags = PutFlags::SYNCPOINT | PutFlags::SET_ALL_CONTEXT;
        if let Err(failure) = self.session.put(output, &descriptor, &body, flags) {
            self.session.back_out()?;
            return refused(failure);
        }
        if !self.take()? {
            // Another program has taken the message: it is not put twice.
            self.session.back_out()?;
            return Ok(Outcome::Stays);
        }
        self.session.commit()?;
        Ok(Outcome::Gone)
    }

    fn discard(&mut self) -> Result<Outcome, Failure> {
        if self.take()? {
            self.session.commit()?;
            self.done.discarded += 1;
        }
        Ok(Outcome::Gone)
    }

    /// Gets the message under the cursor; false when it is not there any more.
    fn take(&mut self) -> Result<bool, Failure> {
        let flags = GetFlags::MSG_UNDER_CURSOR | GetFlags::SYNCPOINT;
        match self.session.get(self.input, flags, Duration::ZERO, None) {
            Ok(message) => Ok(message.is_some()),
            Err(failure) if failure.reason() == Some(Reason::NoMsgUnderCursor) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    fn left(&self) -> usize {
        self.known.len()
    }
}

/// A refusal is the queue's; without a connection the handler ends.
fn refused(failure: Failure) -> Result<Outcome, Failure> {
    match failure.reason() {
        Some(Reason::ConnectionBroken | Reason::QMgrStopping | Reason::QMgrQuiescing | Reason::ConnectionQuiescing)
        | None => Err(failure),
        Some(_) => Ok(Outcome::Failed(failure)),
    }
}

fn target(queue: &str, queue_manager: &str) -> Result<ObjectDescriptor, String> {
    let name = ObjectName::parse(queue).map_err(|error| error.to_string())?;
    if name.is_blank() {
        return Err("the name of the queue to put to is blank".to_owned());
    }
    let queue_manager = QueueManagerName::parse(queue_manager).map_err(|error| error.to_string())?;
    Ok(ObjectDescriptor { name, queue_manager, ..ObjectDescriptor::default() })
}
