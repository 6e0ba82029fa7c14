//! Why a text is not a command of ours, and how runmqsc tells it.

use crate::message::{self, Message};
use crate::reply::{MQRCCF_COMMAND_FAILED, MQRCCF_PARM_SYNTAX_ERROR};
use crate::{Answer, Outcome};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ProblemKind {
    /// The command up to the mistake (blank when it did not come as text), the byte after the mistake when one part of
    /// the command is to blame, what is wrong, and under which identifier.
    Syntax { segment: String, end: Option<usize>, problem: String, message: Message },
    /// A command of MQ that this queue manager does not have.
    Unsupported { command: String },
}

impl Problem {
    pub(crate) fn syntax(problem: impl Into<String>) -> Self {
        Self {
            kind: ProblemKind::Syntax {
                segment: String::new(),
                end: None,
                problem: problem.into(),
                message: message::VALID_SYNTAX,
            },
        }
    }

    /// Says where in the text the mistake is.
    pub(super) fn at(mut self, position: Option<usize>) -> Self {
        if let ProblemKind::Syntax { end, .. } = &mut self.kind {
            *end = position;
        }
        self
    }

    /// Shows the text up to the mistake, or what was read of it.
    pub(super) fn within(mut self, text: &str, read: &str) -> Self {
        if let ProblemKind::Syntax { segment, end, .. } = &mut self.kind {
            let shown = end.map_or(read, |end| text.get(..end).unwrap_or(text));
            shown.trim_end().clone_into(segment);
        }
        self
    }

    pub(super) fn unknown_verb() -> Self {
        let verbs = "ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, SET";
        Self::syntax(verbs).with_message(message::VALID_COMMANDS)
    }

    pub(super) fn unsupported(command: String) -> Self {
        Self { kind: ProblemKind::Unsupported { command } }
    }

    /// The same under a more telling identifier.
    pub(super) fn with_message(mut self, new: Message) -> Self {
        if let ProblemKind::Syntax { message, .. } = &mut self.kind {
            *message = new;
        }
        self
    }

    pub(crate) fn answer(&self) -> Answer {
        match &self.kind {
            ProblemKind::Syntax { segment, problem, message, .. } => Answer {
                lines: vec![message::SYNTAX_ERROR.line(&[]), segment.clone(), String::new(), message.line(&[problem])],
                outcome: Outcome::SyntaxError,
            },
            ProblemKind::Unsupported { command } => {
                Answer { lines: vec![message::UNSUPPORTED.line(&[command])], outcome: Outcome::Failed }
            }
        }
    }

    /// Reason code for programs.
    pub const fn reason(&self) -> i32 {
        match self.kind {
            ProblemKind::Syntax { .. } => MQRCCF_PARM_SYNTAX_ERROR,
            ProblemKind::Unsupported { .. } => MQRCCF_COMMAND_FAILED,
        }
    }
}
