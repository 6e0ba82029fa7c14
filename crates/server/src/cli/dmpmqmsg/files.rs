//! Files of messages: one for all, or one a message when the name has an insert such as `%n`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use model::message_file::{FileMessage, MAXIMUM_BODY, Reader, write_header, write_message};

use super::super::exit_code::{FAILED, USAGE};
use super::super::failure::Failure;
use super::super::session::Message;
use super::Job;
use crate::serve::prepare::now;

/// Longest line that is read, in bytes: a message of the longest length in hexadecimal, with its characters beside it.
const LONGEST_LINE: u64 = 3 * MAXIMUM_BODY as u64 + 4096;

/// What a name's inserts stand for.
struct Numbers {
    read: u64,
    written: u64,
    file: u64,
}

/// Puts numbers into a file name: %i and %I the number of the message read, %o and %O of the message written, %n and %N of
/// the file, the capital ones with five digits; %% is a percent sign.
fn name(pattern: &str, numbers: &Numbers) -> Result<String, Failure> {
    let mut name = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            name.push(character);
            continue;
        }
        match characters.next() {
            Some('%') => name.push('%'),
            Some('i') => name.push_str(&numbers.read.to_string()),
            Some('I') => name.push_str(&format!("{:05}", numbers.read)),
            Some('o') => name.push_str(&numbers.written.to_string()),
            Some('O') => name.push_str(&format!("{:05}", numbers.written)),
            Some('n') => name.push_str(&numbers.file.to_string()),
            Some('N') => name.push_str(&format!("{:05}", numbers.file)),
            other => {
                let insert = other.map(String::from).unwrap_or_default();
                let sentence = format!("-f: %{insert} is not known, expected %i, %I, %o, %O, %n, %N or %%");
                return Err(Failure::new(USAGE, sentence));
            }
        }
    }
    Ok(name)
}

/// Does each message have a file of its own?
fn is_numbered(pattern: &str) -> bool {
    let without_percent_signs = pattern.replace("%%", "");
    ["%i", "%I", "%o", "%O", "%n", "%N"].iter().any(|insert| without_percent_signs.contains(insert))
}

/// Files that are read.
pub(super) struct Input<'a> {
    pattern: &'a str,
    open: Option<(String, Box<dyn BufRead>, Reader)>,
    pub(super) files: u64,
    is_done: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(pattern: &'a str) -> Self {
        Self { pattern, open: None, files: 0, is_done: false }
    }

    /// # Errors
    /// A file cannot be read, or a line cannot be meant.
    pub(super) fn next(&mut self) -> Result<Option<FileMessage>, Failure> {
        loop {
            if self.open.is_none() && (self.is_done || !self.open_next()?) {
                return Ok(None);
            }
            let Some((file, input, reader)) = &mut self.open else { return Ok(None) };
            let wrong = |error: model::message_file::MessageFileError| Failure::new(FAILED, format!("{file}, {error}"));
            let mut line = Vec::new();
            let length = input
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)
                .map_err(|error| Failure::new(FAILED, format!("cannot read {file}: {error}")))?;
            if length == 0 {
                let last = reader.finish().map_err(wrong)?;
                self.open = None;
                self.is_done = !is_numbered(self.pattern);
                if last.is_some() {
                    return Ok(last);
                }
                continue;
            }
            if let Some(message) = reader.line(line.strip_suffix(b"\n").unwrap_or(&line)).map_err(wrong)? {
                return Ok(Some(message));
            }
        }
    }

    /// Of numbered files the first that is missing ends the input; the very first must be there.
    fn open_next(&mut self) -> Result<bool, Failure> {
        let number = self.files + 1;
        let name = name(self.pattern, &Numbers { read: number, written: number, file: number })?;
        let input: Box<dyn BufRead> = if name == "stdin" {
            Box::new(BufReader::new(io::stdin()))
        } else {
            match File::open(&name) {
                Ok(file) => Box::new(BufReader::new(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.files > 0 => return Ok(false),
                Err(error) => return Err(Failure::new(FAILED, format!("cannot read {name}: {error}"))),
            }
        };
        self.files = number;
        self.open = Some((name, input, Reader::default()));
        Ok(true)
    }
}

/// Files that are written, or standard output.
pub(super) struct Output<'a> {
    job: &'a Job,
    out: &'a mut dyn Write,
    open: Option<(String, BufWriter<File>)>,
    has_begun: bool,
    pub(super) files: u64,
}

impl<'a> Output<'a> {
    pub(super) fn new(job: &'a Job, out: &'a mut dyn Write) -> Self {
        Self { job, out, open: None, has_begun: false, files: 0 }
    }

    /// `read` and `written` count messages, from 1.
    ///
    /// # Errors
    /// A file exists already, or cannot be written.
    pub(super) fn write(&mut self, message: &Message, read: u64, written: u64, manager: &str) -> Result<(), Failure> {
        let mut text = Vec::new();
        let pattern = self.job.output_file.as_deref().unwrap_or("stdout");
        let is_numbered = is_numbered(pattern);
        if !self.has_begun || is_numbered {
            self.flush()?;
            if pattern != "stdout" {
                let name = name(pattern, &Numbers { read, written, file: self.files + 1 })?;
                let file = self.create(&name)?;
                self.open = Some((name, BufWriter::new(file)));
                self.files += 1;
            }
            self.has_begun = true;
            if self.job.listing.header {
                let created = now().date_time().to_string();
                let queue = self.job.input_queue.as_deref().unwrap_or_default();
                write_header(env!("CARGO_PKG_VERSION"), &created, manager, queue, &mut text);
            }
        }
        if self.job.listing.ages {
            self.job.listing.write_age(message, read, now(), &mut text);
        } else {
            write_message(&message.descriptor, &message.body, written, &self.job.listing.style, &mut text);
        }
        match &mut self.open {
            Some((name, file)) => {
                file.write_all(&text).map_err(|error| Failure::new(FAILED, format!("cannot write {name}: {error}")))
            }
            None => Ok(self.out.write_all(&text)?),
        }
    }

    /// Everything written is on the disk when this returns.
    ///
    /// # Errors
    /// It could not be written.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let Some((name, file)) = &mut self.open else { return Ok(self.out.flush()?) };
        let is_plain = file.get_ref().metadata().is_ok_and(|metadata| metadata.is_file());
        let written = file.flush().and_then(|()| if is_plain { file.get_ref().sync_all() } else { Ok(()) });
        written.map_err(|error| Failure::new(FAILED, format!("cannot write {name}: {error}")))
    }

    /// Messages are in it: only its owner may read a new file.
    fn create(&self, name: &str) -> Result<File, Failure> {
        let path = Path::new(name);
        let is_device = std::fs::metadata(path)
            .is_ok_and(|metadata| metadata.file_type().is_char_device() || metadata.file_type().is_fifo());
        if path.exists() && !is_device && !self.job.replaces && !self.job.appends {
            return Err(Failure::new(FAILED, format!("{name} exists; -F replaces it, -a a appends to it")));
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).mode(0o600);
        if self.job.appends {
            options.append(true);
        } else {
            options.truncate(true);
        }
        options.open(path).map_err(|error| Failure::new(FAILED, format!("cannot write {name}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_and_unknown_inserts_are_refused() {
        let numbers = Numbers { read: 7, written: 2, file: 3 };
        let made = |pattern: &str| name(pattern, &numbers).map_err(|failure| failure.to_string());
        assert_eq!(made("a%n-%N-%i-%O-100%%"), Ok("a3-00003-7-00002-100%".to_owned()));
        assert!(made("%z").is_err_and(|said| said.contains("%z is not known")));
        assert!(is_numbered("x%n") && !is_numbered("x%%n"));
    }
}
