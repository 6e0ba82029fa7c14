//! Lines to messages. The caller reads lines; a message is complete when the next one begins, or at the end.

use crate::descriptor::{Encoding, MessageDescriptor};
use crate::descriptor_codec::decode;

use super::field::{Field, Image, hexadecimal, image};
use super::{FileMessage, MAXIMUM_BODY};

/// What is wrong with a line of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct MessageFileError {
    /// Counted from 1.
    pub line: u64,
    problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("this is not a file of messages, expected a first line that begins with * DMPMQMSG or * QLOAD")]
    Header,
    #[error("this is the output of amqsbcg, expected a file that dmpmqmsg wrote")]
    Browse,
    #[error("expected a line that begins with A, N, X, S, T or *")]
    Line,
    #[error("expected a message, which begins with a line A or N")]
    Message,
    #[error("expected a line of data (X, S or T) before the next message")]
    Data,
    #[error("'{0}' is not a field of a message descriptor")]
    Field(String),
    #[error("expected a whole number")]
    Number,
    #[error("expected pairs of hexadecimal digits")]
    Hexadecimal,
    #[error("the value is longer than {0} characters")]
    TooLong(usize),
    #[error("expected an end quote")]
    Quote,
    #[error("expected a quote or a tilde after a tilde")]
    Escape,
    #[error("the message is longer than {MAXIMUM_BODY} bytes")]
    Body,
    #[error("the message descriptor is not valid: {0}")]
    Descriptor(String),
}

/// Reads the lines of one file.
#[derive(Debug)]
pub struct Reader {
    line: u64,
    has_header: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Between,
    /// The line on which the message begins, its MQMD, and its data once there is a line of it.
    Within {
        begin: u64,
        image: Box<Image>,
        body: Option<Vec<u8>>,
    },
}

impl Default for Reader {
    fn default() -> Self {
        Self { line: 0, has_header: false, state: State::Between }
    }
}

impl Reader {
    /// Takes the next line, without its line feed. Gives the message that ended before it, if one did.
    ///
    /// # Errors
    /// The line cannot be meant. What was read before it stands.
    pub fn line(&mut self, line: &[u8]) -> Result<Option<FileMessage>, MessageFileError> {
        self.line += 1;
        self.take(line).map_err(|problem| MessageFileError { line: self.line, problem })
    }

    /// The message at the end of the file.
    ///
    /// # Errors
    /// It has no data, or the file has no first line.
    pub fn finish(&mut self) -> Result<Option<FileMessage>, MessageFileError> {
        let complete = if self.has_header { self.complete() } else { Err(Problem::Header) };
        complete.map_err(|problem| MessageFileError { line: self.line, problem })
    }

    fn take(&mut self, line: &[u8]) -> Result<Option<FileMessage>, Problem> {
        let trimmed = line.strip_suffix(b"\r").unwrap_or(line);
        if !self.has_header {
            return self.header(trimmed).map(|()| None);
        }
        match trimmed.first() {
            None | Some(b'*') => Ok(None),
            Some(b'A') => {
                let ended = self.begin_or_go_on()?;
                self.attribute(trimmed)?;
                Ok(ended)
            }
            Some(b'N') if trimmed.trim_ascii_end() == b"N" => {
                let ended = self.complete()?;
                self.begin();
                Ok(ended)
            }
            Some(b'X') => self.data(|body| data_in_hexadecimal(&trimmed[1..], body)),
            Some(b'S') => self.data(|body| data_in_quotes(&trimmed[1..], body)),
            Some(b'T') => self.data(|body| {
                // The letter and a blank; a carriage return belongs to the text.
                body.extend_from_slice(line.get(2..).unwrap_or_default());
                body.push(b'\n');
                Ok(())
            }),
            Some(_) if trimmed.trim_ascii().is_empty() => Ok(None),
            Some(_) => Err(Problem::Line),
        }
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Problem> {
        let text = line.trim_ascii();
        if text.is_empty() {
            return Ok(());
        }
        if text.starts_with(b"AMQSBCG0") {
            return Err(Problem::Browse);
        }
        if !text.starts_with(b"* QLOAD") && !text.starts_with(b"* DMPMQMSG") {
            return Err(Problem::Header);
        }
        self.has_header = true;
        Ok(())
    }

    fn begin(&mut self) {
        let image = Box::new(image(&MessageDescriptor::default()));
        self.state = State::Within { begin: self.line, image, body: None };
    }

    /// An A line after data begins the next message.
    fn begin_or_go_on(&mut self) -> Result<Option<FileMessage>, Problem> {
        let ended = match &self.state {
            State::Within { body: None, .. } => return Ok(None),
            State::Within { body: Some(_), .. } => self.complete()?,
            State::Between => None,
        };
        self.begin();
        Ok(ended)
    }

    fn attribute(&mut self, line: &[u8]) -> Result<(), Problem> {
        let State::Within { image, .. } = &mut self.state else { return Err(Problem::Message) };
        let letters = line.get(2..5).unwrap_or_default();
        let unknown = || Problem::Field(String::from_utf8_lossy(letters).into_owned());
        let field = Field::find(letters).filter(|_| line.get(1) == Some(&b' ')).ok_or_else(unknown)?;
        match line.get(5..).unwrap_or_default() {
            [] => Ok(()),
            [b' ', value @ ..] => field.set(image, value),
            _ => Err(unknown()),
        }
    }

    fn data(
        &mut self,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), Problem>,
    ) -> Result<Option<FileMessage>, Problem> {
        let State::Within { body, .. } = &mut self.state else { return Err(Problem::Message) };
        let body = body.get_or_insert_default();
        append(body)?;
        if body.len() > MAXIMUM_BODY { Err(Problem::Body) } else { Ok(None) }
    }

    fn complete(&mut self) -> Result<Option<FileMessage>, Problem> {
        let State::Within { begin, image, body } = std::mem::replace(&mut self.state, State::Between) else {
            return Ok(None);
        };
        let Some(body) = body else { return Err(Problem::Data) };
        let (descriptor, _) = decode(&*image, Encoding::BIG_ENDIAN)
            .map_err(|error| Problem::Descriptor(format!("{error} (message of line {begin})")))?;
        Ok(Some(FileMessage { descriptor, body: body.into() }))
    }
}

/// Pairs of digits up to the first blank.
fn data_in_hexadecimal(text: &[u8], body: &mut Vec<u8>) -> Result<(), Problem> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let digits = &text[..end];
    if !digits.len().is_multiple_of(2) {
        return Err(Problem::Hexadecimal);
    }
    body.reserve(digits.len() / 2);
    for pair in digits.chunks_exact(2) {
        body.push(hexadecimal(pair).ok_or(Problem::Hexadecimal)?);
    }
    Ok(())
}

/// Characters in quotes; without quotes, all of the line but blanks around it.
fn data_in_quotes(text: &[u8], body: &mut Vec<u8>) -> Result<(), Problem> {
    let Some(quoted) = text.trim_ascii_start().strip_prefix(b"\"") else {
        body.extend_from_slice(text.trim_ascii());
        return Ok(());
    };
    let mut bytes = quoted.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => return Ok(()),
            b'~' => match bytes.next() {
                Some(&escaped @ (b'"' | b'~')) => body.push(escaped),
                _ => return Err(Problem::Escape),
            },
            _ => body.push(byte),
        }
    }
    Err(Problem::Quote)
}
