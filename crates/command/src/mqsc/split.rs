//! Cuts a script into commands: continuation, comments, semicolons.
//!
//! A line that ends in `+` goes on with the first non-blank of the next, one that ends in `-` with its first column.
//! Lines whose first non-blank is `*`, and blank lines, are left out wherever they stand. `;` ends a command unless it
//! stands in quotes. A continuation with nothing after it stays in the text, so that parsing refuses the command.

/// One MQSC command as it stood in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCommand {
    /// Line of its first word, from 1.
    pub line: usize,
    /// The lines as read, for echoing, comments before it included. Empty for further commands of one line.
    pub echo: Vec<String>,
    /// Continuations joined, comments dropped.
    pub text: String,
}

/// Splits a script into commands.
pub fn split(script: &str) -> Vec<SourceCommand> {
    let mut splitter = Splitter::default();
    for (index, line) in script.lines().enumerate() {
        splitter.line(index + 1, line);
    }
    splitter.end();
    splitter.commands
}

#[derive(Default)]
struct Splitter {
    commands: Vec<SourceCommand>,
    /// What the command under way has so far.
    text: String,
    /// Line where it began; 0 between commands.
    line: usize,
    echo: Vec<String>,
    quoted: bool,
    continuation: Option<Continuation>,
}

#[derive(Clone, Copy)]
enum Continuation {
    FirstNonBlank,
    FirstColumn,
}

impl Continuation {
    const fn character(self) -> char {
        match self {
            Self::FirstNonBlank => '+',
            Self::FirstColumn => '-',
        }
    }
}

impl Splitter {
    fn line(&mut self, number: usize, line: &str) {
        self.echo.push(line.to_owned());
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('*') {
            return;
        }
        let body = match self.continuation.take() {
            Some(Continuation::FirstColumn) => line.trim_end(),
            Some(Continuation::FirstNonBlank) | None => trimmed,
        };
        self.continuation = match body.chars().next_back() {
            Some('+') => Some(Continuation::FirstNonBlank),
            Some('-') => Some(Continuation::FirstColumn),
            _ => None,
        };
        let body = if self.continuation.is_some() { &body[..body.len() - 1] } else { body };
        self.body(number, body);
        if self.continuation.is_none() {
            self.finish();
        }
    }

    fn body(&mut self, number: usize, body: &str) {
        for character in body.chars() {
            if character == ';' && !self.quoted {
                self.finish();
                continue;
            }
            if self.line == 0 {
                if character.is_whitespace() {
                    continue;
                }
                self.line = number;
            }
            self.quoted ^= character == '\'';
            self.text.push(character);
        }
        if self.line == 0 && self.continuation.is_some() {
            self.line = number;
        }
    }

    fn finish(&mut self) {
        self.quoted = false;
        let text = std::mem::take(&mut self.text);
        let line = std::mem::take(&mut self.line);
        let text = text.trim_end();
        if !text.is_empty() {
            self.commands.push(SourceCommand { line, echo: std::mem::take(&mut self.echo), text: text.to_owned() });
        }
    }

    fn end(&mut self) {
        if let Some(continuation) = self.continuation {
            self.text.push(continuation.character());
            self.finish();
        }
    }
}

#[cfg(test)]
mod tests;
