//! Why a text is not a command of ours, and how runmqsc tells it.

use crate::message::{self, Message};
use crate::reply::{
    MQRCCF_COMMAND_FAILED, MQRCCF_OBJECT_NAME_ERROR, MQRCCF_PARM_MISSING, MQRCCF_PARM_SYNTAX_ERROR,
    MQRCCF_PARM_VALUE_ERROR,
};
use crate::{Answer, Outcome};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ProblemKind {
    /// The command up to the mistake (blank when it did not come as text), the byte after the mistake when one part of
    /// the command is to blame, what is wrong, under which identifier, and the keyword that does not belong there.
    Syntax { segment: String, end: Option<usize>, problem: String, message: Message, keyword: Option<String> },
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
                keyword: None,
            },
        }
    }

    /// Names the keyword that the command does not have, or does not take.
    pub(super) fn about(mut self, word: &str) -> Self {
        if let ProblemKind::Syntax { keyword, .. } = &mut self.kind {
            *keyword = Some(word.to_owned());
        }
        self
    }

    /// The keyword that the command does not have, or does not take.
    pub fn unknown_keyword(&self) -> Option<&str> {
        match &self.kind {
            ProblemKind::Syntax { keyword, .. } => keyword.as_deref(),
            ProblemKind::Unsupported { .. } => None,
        }
    }

    /// Says where in the text the mistake is.
    pub(super) fn at(mut self, position: Option<usize>) -> Self {
        if let ProblemKind::Syntax { end, .. } = &mut self.kind {
            *end = position;
        }
        self
    }

    /// Byte after the parameter to blame, when there is one.
    pub(crate) const fn position(&self) -> Option<usize> {
        match &self.kind {
            ProblemKind::Syntax { end, .. } => *end,
            ProblemKind::Unsupported { .. } => None,
        }
    }

    /// Is it that something is missing, rather than wrong?
    pub(crate) fn is_about_what_is_missing(&self) -> bool {
        matches!(&self.kind, ProblemKind::Syntax { message, .. } if *message == message::REQUIRED)
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
        let verbs = "ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, RESET, RESOLVE, SET, START, STOP";
        Self::syntax(verbs).with_message(message::VALID_COMMANDS)
    }

    pub(crate) fn unsupported(command: String) -> Self {
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
    pub fn reason(&self) -> i32 {
        let ProblemKind::Syntax { message, .. } = &self.kind else { return MQRCCF_COMMAND_FAILED };
        match *message {
            message::REQUIRED => MQRCCF_PARM_MISSING,
            message::RANGE | message::LENGTH | message::VALUE => MQRCCF_PARM_VALUE_ERROR,
            message::NAME => MQRCCF_OBJECT_NAME_ERROR,
            _ => MQRCCF_PARM_SYNTAX_ERROR,
        }
    }
}
