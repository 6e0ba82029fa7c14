//! What this queue manager would make of a script written for another: `config compat`.
//!
//! Each command is read as it would be run. Keywords that it cannot be run with are found one by one, by leaving them out.
//! A command that can be run as it stands is run, on a queue manager that exists for this only and opens nothing to the
//! outside: its answer decides. So a script is refused here where `runmqsc` refuses it on a new queue manager.

pub(crate) mod effect;

use std::collections::HashSet;

use ::queue_manager::QueueManager;
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::{Kind, Membership};
use model::name::ObjectName;

use crate::command::channel::ChannelCommand;
use crate::command::{Command, Setting};
use crate::mqsc::statement::Source;
use crate::mqsc::statement::Statement;
use crate::mqsc::{Problem, interpret, statement};
use crate::{is_end, message, split};

/// What becomes of a command, or of one of its keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// Accepted, kept and shown, without effect.
    Ignored,
    Refused,
}

impl Verdict {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Ignored => "ignored",
            Self::Refused => "refused",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Line of the command's first word, from 1.
    pub line: usize,
    /// Verb, object and name: `DEFINE QLOCAL(A)`.
    pub command: String,
    /// `None` for the command as a whole.
    pub attribute: Option<String>,
    pub verdict: Verdict,
    /// Blank for what is accepted, and for a command that is refused for attributes of its own.
    pub reason: String,
}

/// What becomes of every command of a script, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compatibility {
    pub commands: usize,
    /// For each command its attributes, as far as there is something to say of them, and one for the command itself.
    pub findings: Vec<Finding>,
    /// Line of END, EXIT or QUIT: nothing after it is run.
    pub end: Option<usize>,
}

impl Compatibility {
    /// Commands with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict && finding.attribute.is_none()).count()
    }

    /// Attributes with this verdict.
    pub fn count_attributes(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict && finding.attribute.is_some()).count()
    }
}

/// Looks at every command of `script`, and runs those that can be run on `queue_manager`, which nothing else uses.
pub async fn compatibility(queue_manager: &QueueManager, caller: &Principal, script: &str) -> Compatibility {
    let mut result = Compatibility::default();
    let mut listening = HashSet::new();
    for source in split(script) {
        if is_end(&source.text) {
            result.end = Some(source.line);
            break;
        }
        result.commands += 1;
        let findings = &mut result.findings;
        Look { queue_manager, caller, listening: &mut listening, line: source.line, findings }
            .command(&source.text)
            .await;
    }
    result
}

struct Look<'a> {
    queue_manager: &'a QueueManager,
    caller: &'a Principal,
    /// Listeners that the script has started.
    listening: &'a mut HashSet<String>,
    line: usize,
    findings: &'a mut Vec<Finding>,
}

impl Look<'_> {
    async fn command(&mut self, text: &str) {
        let mut source = Source::new(text);
        match statement(&mut source, self.queue_manager.membership()) {
            Ok(statement) => self.statement(statement).await,
            Err(problem) => {
                let shown: String = text.chars().take(60).collect();
                self.find(&head_of(text).unwrap_or(shown), None, Verdict::Refused, reason(&problem));
            }
        }
    }

    /// Leaves out what the command cannot be run with, until it can be or nothing more helps.
    async fn statement(&mut self, mut statement: Statement) {
        let command = title(&statement);
        let mut is_refused = false;
        loop {
            let problem = match interpret(statement.clone(), self.queue_manager.membership()) {
                Ok(understood) if is_refused => {
                    self.attributes(&command, &statement, &understood);
                    return self.find(&command, None, Verdict::Refused, String::new());
                }
                Ok(understood) => return self.understood(&command, &statement, &understood).await,
                Err(problem) => problem,
            };
            let Some(index) = culprit(&statement, &problem, self.queue_manager.membership()) else {
                return self.find(&command, None, Verdict::Refused, reason(&problem));
            };
            is_refused = true;
            let keyword = statement.parameters.remove(index).keyword;
            let why = match effect::of_z_os(&keyword) {
                Some(what) => format!("z/OS only: {what}"),
                None => reason(&problem),
            };
            self.find(&command, Some(&keyword), Verdict::Refused, why);
        }
    }

    async fn understood(&mut self, command: &str, statement: &Statement, understood: &Command) {
        let outcome = self.run(understood).await;
        if let Err(why) = outcome {
            return self.find(command, None, Verdict::Refused, why);
        }
        if let Some(why) = settings(understood).and_then(|(kind, ..)| effect::of_whole(kind)) {
            return self.find(command, None, Verdict::Ignored, why.to_owned());
        }
        self.attributes(command, statement, understood);
        match outcome {
            Ok(Some(warning)) => self.find(command, None, Verdict::Ignored, warning),
            Ok(None) | Err(_) => self.find(command, None, Verdict::Accepted, String::new()),
        }
    }

    /// What the command's answer says: the warning that it has no effect, or why it failed.
    async fn run(&mut self, command: &Command) -> Result<Option<String>, String> {
        if let Command::Channel(ChannelCommand::SwitchListener { name, start, ignore_state }) = command {
            return self.switch_listener(name, *start, *ignore_state).map(|()| None);
        }
        let reply = crate::execute::execute(self.queue_manager, self.caller, command).await;
        if let Some(failed) = reply.items.iter().find(|item| item.reason != 0) {
            return Err(sentence(&failed.message));
        }
        // These are about single attributes, and about certificates that only the server knows.
        let is_of_attribute =
            |line: &&String| ![message::NO_EFFECT, message::CIPHER_NOT_SERVED].iter().any(|m| line.starts_with(m.id));
        Ok(reply.warnings().find(is_of_attribute).map(|line| sentence(line)))
    }

    /// Nothing listens here: the script's own START and STOP tell what runs.
    fn switch_listener(&mut self, name: &str, start: bool, ignore_state: bool) -> Result<(), String> {
        let is_there = ObjectName::parse(name)
            .is_ok_and(|name| self.queue_manager.object(AuthorityObject::Listener, &name).is_some());
        if !is_there {
            return Err(sentence(&message::NOT_FOUND.line(&[name])));
        }
        let changed = if start { self.listening.insert(name.to_owned()) } else { self.listening.remove(name) };
        if changed || ignore_state {
            return Ok(());
        }
        let why = if start { message::LISTENER_IS_ACTIVE } else { message::LISTENER_NOT_ACTIVE };
        Err(sentence(&why.line(&[name])))
    }

    /// Attributes that a command sets, and whether they have effect.
    fn attributes(&mut self, command: &str, statement: &Statement, understood: &Command) {
        let set = settings(understood);
        for parameter in &statement.parameters {
            let keyword = parameter.keyword.as_str();
            let why = set.and_then(|(kind, name, settings)| {
                let setting =
                    settings.iter().find(|setting| setting.attribute.keywords().any(|known| known == keyword))?;
                // What stays as it would be anyway asks for nothing.
                let is_default = setting.attribute.default_value(kind).as_ref() == Some(&setting.value);
                effect::without_effect(kind, name, setting.attribute.mqsc).filter(|_| !is_default)
            });
            match why {
                Some(why) => self.find(command, Some(keyword), Verdict::Ignored, why.to_owned()),
                None => self.find(command, Some(keyword), Verdict::Accepted, String::new()),
            }
        }
    }

    fn find(&mut self, command: &str, attribute: Option<&str>, verdict: Verdict, reason: String) {
        self.findings.push(Finding {
            line: self.line,
            command: command.to_owned(),
            attribute: attribute.map(str::to_owned),
            verdict,
            reason,
        });
    }
}

/// What a command defines or alters: kind and name, and the attributes that it sets.
fn settings(command: &Command) -> Option<(Kind, &str, &[Setting])> {
    match command {
        Command::Define(define) => Some((define.kind, &define.name, &define.settings)),
        Command::Alter(alter) => Some((alter.kind, &alter.name, &alter.settings)),
        Command::AlterQueueManager(settings) => Some((Kind::QueueManager, "", settings)),
        _ => None,
    }
}

/// The parameter that a problem is about: that whose end it tells, or one without which it is gone.
fn culprit(statement: &Statement, problem: &Problem, membership: Membership) -> Option<usize> {
    let told = problem.position();
    if let Some(index) = statement.parameters.iter().position(|known| told.is_some() && known.end == told) {
        return Some(index);
    }
    (0..statement.parameters.len()).find(|index| {
        let mut without = statement.clone();
        without.parameters.remove(*index);
        interpret(without, membership).err().is_none_or(|other| other != *problem && !other.is_about_what_is_missing())
    })
}

fn title(statement: &Statement) -> String {
    let name = statement.name.as_deref().map(|operands| {
        let texts: Vec<_> = operands.iter().map(|operand| operand.text.as_str()).collect();
        format!("({})", texts.join(","))
    });
    format!("{} {}{}", statement.verb.name(), statement.object, name.unwrap_or_default())
}

/// Verb, object and name of a command that could not be read to its end.
fn head_of(text: &str) -> Option<String> {
    let mut source = Source::new(text);
    let (verb, object) = source.head().ok()?;
    let name = source.name().ok().flatten()?;
    let texts: Vec<_> = name.iter().map(|operand| operand.text.as_str()).collect();
    Some(format!("{} {object}({})", verb.name(), texts.join(",")))
}

fn reason(problem: &Problem) -> String {
    sentence(&problem.answer().lines.pop().unwrap_or_default())
}

/// What a line of an answer says, without its identifier and its full stop.
fn sentence(line: &str) -> String {
    line.split_once(": ").map_or(line, |(_, sentence)| sentence).trim_end_matches('.').to_owned()
}
