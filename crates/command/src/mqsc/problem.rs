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
    /// The command up to the mistake, what is wrong, and under which identifier.
    Syntax { segment: String, problem: String, message: Message },
    /// A command of MQ that this queue manager does not have.
    Unsupported { command: String },
}

impl Problem {
    pub(crate) fn syntax(segment: &str, problem: impl Into<String>) -> Self {
        Self {
            kind: ProblemKind::Syntax {
                segment: segment.trim_end().to_owned(),
                problem: problem.into(),
                message: message::VALID_SYNTAX,
            },
        }
    }

    pub(super) fn unknown_verb(segment: &str) -> Self {
        let verbs = "ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, SET";
        Self::syntax(segment, verbs).with_message(message::VALID_COMMANDS)
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
            ProblemKind::Syntax { segment, problem, message } => Answer {
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
