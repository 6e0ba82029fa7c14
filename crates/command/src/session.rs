//! What runmqsc prints around commands: banner, echoed lines, closing counts, exit code.
//!
//! Scripts look for the counting lines, so these are exact; the banner names us and the queue manager.

use crate::{Outcome, SourceCommand};

/// How the commands of one session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub read: usize,
    pub syntax_errors: usize,
    pub failed: usize,
}

impl Counts {
    pub fn count(&mut self, outcome: Outcome) {
        self.read += 1;
        match outcome {
            Outcome::Succeeded => {}
            Outcome::SyntaxError => self.syntax_errors += 1,
            Outcome::Failed => self.failed += 1,
        }
    }

    /// 0 when all was well, 10 when a command was not.
    pub const fn exit_code(&self) -> u8 {
        if self.syntax_errors + self.failed == 0 { 0 } else { 10 }
    }
}

/// The lines before the first command.
pub fn session_header(queue_manager: &str) -> Vec<String> {
    vec![
        format!("Quaymaster {}, open source under Apache-2.0.", env!("CARGO_PKG_VERSION")),
        format!("Starting MQSC for queue manager {queue_manager}."),
        String::new(),
        String::new(),
    ]
}

/// The lines after the last command.
pub fn session_footer(counts: &Counts) -> Vec<String> {
    let read = match counts.read {
        0 => "No MQSC commands read.".to_owned(),
        1 => "One MQSC command read.".to_owned(),
        many => format!("{many} MQSC commands read."),
    };
    let syntax = match counts.syntax_errors {
        0 => "No commands have a syntax error.".to_owned(),
        1 => "One command has a syntax error.".to_owned(),
        many => format!("{many} commands have a syntax error."),
    };
    let failed = match counts.failed {
        0 => "All valid MQSC commands were processed.".to_owned(),
        1 => "One valid MQSC command could not be processed.".to_owned(),
        many => format!("{many} valid MQSC commands could not be processed."),
    };
    vec![read, syntax, failed]
}

/// A command as runmqsc echoes it: its first line with `number`, all others, comments too, without.
pub fn echo(command: &SourceCommand, number: usize) -> Vec<String> {
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('*');
    let first = command.echo.iter().position(|line| !is_comment(line));
    let numbered = |(index, line): (usize, &String)| {
        if Some(index) == first { format!("{number:6} : {line}") } else { format!("       : {line}") }
    };
    command.echo.iter().enumerate().map(numbered).collect()
}

/// END, EXIT and QUIT leave runmqsc; they are not commands and are not counted.
pub fn is_end(text: &str) -> bool {
    ["END", "EXIT", "QUIT"].iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}
