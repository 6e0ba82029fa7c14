//! What this queue manager would make of a script written for another: `config compat`.
//!
//! Each command is read as it would be run, but nothing is run. Keywords that it cannot be run with are found one by one,
//! by leaving them out; what is left over tells whether attributes would have effect.

pub(crate) mod effect;

use crate::command::{Command, Setting};
use crate::mqsc::statement::Source;
use crate::mqsc::statement::Statement;
use crate::mqsc::{Problem, interpret, statement};
use crate::split;

/// What becomes of one keyword, or of a whole command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// Kept and shown, without effect.
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
    /// Blank for what is accepted.
    pub reason: String,
}

/// What becomes of every command of a script, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compatibility {
    pub commands: usize,
    pub findings: Vec<Finding>,
}

impl Compatibility {
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }
}

/// Looks at every command of `script`.
pub fn compatibility(script: &str) -> Compatibility {
    let mut result = Compatibility::default();
    for source in split(script) {
        result.commands += 1;
        Look { line: source.line, findings: &mut result.findings }.command(&source.text);
    }
    result
}

struct Look<'a> {
    line: usize,
    findings: &'a mut Vec<Finding>,
}

impl Look<'_> {
    fn command(&mut self, text: &str) {
        let mut source = Source::new(text);
        match statement(&mut source) {
            Ok(statement) => self.statement(statement),
            Err(problem) => {
                let shown: String = text.chars().take(60).collect();
                self.find(&head_of(text).unwrap_or(shown), None, Verdict::Refused, reason(&problem));
            }
        }
    }

    /// Leaves out what the command cannot be run with, until it can be or nothing more helps.
    fn statement(&mut self, mut statement: Statement) {
        let command = title(&statement);
        loop {
            let problem = match interpret(statement.clone()) {
                Ok(understood) => return self.understood(&command, &statement, &understood),
                Err(problem) => problem,
            };
            let Some(index) = culprit(&statement, &problem) else {
                return self.find(&command, None, Verdict::Refused, reason(&problem));
            };
            let keyword = statement.parameters.remove(index).keyword;
            let why = match effect::of_z_os(&keyword) {
                Some(what) => format!("z/OS only: {what}"),
                None => reason(&problem),
            };
            self.find(&command, Some(&keyword), Verdict::Refused, why);
        }
    }

    fn understood(&mut self, command: &str, statement: &Statement, understood: &Command) {
        let (kind, settings): (_, &[Setting]) = match understood {
            Command::Define(define) => (Some(define.kind), &define.settings),
            Command::Alter(alter) => (Some(alter.kind), &alter.settings),
            Command::AlterQueueManager(settings) => (Some(model::definition::attribute::Kind::QueueManager), settings),
            _ => (None, &[]),
        };
        self.find(command, None, Verdict::Accepted, String::new());
        for parameter in &statement.parameters {
            let keyword = parameter.keyword.as_str();
            let setting = settings.iter().find(|setting| setting.attribute.keywords().any(|known| known == keyword));
            let why = kind.zip(setting).and_then(|(kind, setting)| {
                // What stays as it would be anyway asks for nothing.
                let is_default = setting.attribute.default_value(kind).as_ref() == Some(&setting.value);
                effect::without_effect(kind, setting.attribute.mqsc).filter(|_| !is_default)
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

/// The parameter that a problem is about: that whose end it tells, or one without which it is gone.
fn culprit(statement: &Statement, problem: &Problem) -> Option<usize> {
    let told = problem.position();
    if let Some(index) = statement.parameters.iter().position(|known| told.is_some() && known.end == told) {
        return Some(index);
    }
    (0..statement.parameters.len()).find(|index| {
        let mut without = statement.clone();
        without.parameters.remove(*index);
        interpret(without).err().is_none_or(|other| other != *problem && !other.is_about_what_is_missing())
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

/// One sentence, without an identifier.
fn reason(problem: &Problem) -> String {
    let line = problem.answer().lines.pop().unwrap_or_default();
    line.split_once(": ").map_or(line.clone(), |(_, sentence)| sentence.trim_end_matches('.').to_owned())
}
