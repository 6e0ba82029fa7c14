//! Reading the body of an answer to its end: a record into the program's area, a message into memory of our own.

use crate::answer::{Framing, chunk_length};
use crate::call_area::ResponseArea;
use crate::connection::Connection;
use crate::deadline::Deadline;
use crate::response::MESSAGE_ROOM;
use crate::socket::Trouble;

/// Most bytes that are read only to be dropped; a connection with more to come is closed instead.
const DROP_LIMIT: u64 = 1 << 20;

/// Longest record that the stub keeps, and longest part of one that the host API takes.
pub(crate) const MOST_KEPT: usize = 256 << 20;

/// Where a body goes.
pub(crate) enum Sink {
    Area {
        area: ResponseArea,
        written: usize,
    },
    /// A record that the stub keeps.
    Record(Vec<u8>),
    /// Its first bytes, one more than is shown, and how many there were.
    Message {
        text: Vec<u8>,
        length: u64,
    },
}

pub(crate) enum BodyFailure {
    TimedOut,
    Broken,
    Malformed(&'static str),
    /// The area has no room for the record.
    TooLong,
    /// The area is not in memory of the program.
    NoMemory,
}

impl From<Trouble> for BodyFailure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::TimedOut => Self::TimedOut,
            Trouble::NoMemory => Self::NoMemory,
            Trouble::Broken | Trouble::Ended | Trouble::Refused => Self::Broken,
        }
    }
}

impl Sink {
    pub(crate) fn area(area: ResponseArea) -> Self {
        Self::Area { area, written: 0 }
    }

    pub(crate) fn message() -> Self {
        Self::Message { text: Vec::new(), length: 0 }
    }

    fn accept(&mut self, bytes: &[u8]) -> Result<(), BodyFailure> {
        match self {
            Self::Area { area, written } => {
                if !area.write(*written, bytes) {
                    return Err(BodyFailure::TooLong);
                }
                *written += bytes.len();
            }
            Self::Record(record) => {
                if record.len() + bytes.len() > MOST_KEPT || record.try_reserve(bytes.len()).is_err() {
                    return Err(BodyFailure::TooLong);
                }
                record.extend_from_slice(bytes);
            }
            Self::Message { text, length } => {
                let room = (MESSAGE_ROOM + 1).saturating_sub(text.len());
                text.extend_from_slice(&bytes[..bytes.len().min(room)]);
                *length += bytes.len() as u64;
            }
        }
        Ok(())
    }

    /// So much was dropped that the rest is not worth reading.
    fn is_full(&self) -> bool {
        matches!(self, Self::Message { length, .. } if *length > DROP_LIMIT)
    }
}

/// Reads the body. `connection.keeps` is false afterwards when its end was not reached.
///
/// # Errors
/// The rest did not come, or does not fit.
pub(crate) fn read(
    connection: &mut Connection,
    framing: Framing,
    sink: &mut Sink,
    deadline: &Deadline,
) -> Result<(), BodyFailure> {
    let outcome = match framing {
        Framing::Length(length) => exactly(connection, length, sink, deadline),
        Framing::Chunked => chunks(connection, sink, deadline),
        Framing::UntilClose => until_close(connection, sink, deadline),
    };
    // What follows an answer was not asked for.
    connection.keeps = connection.keeps && outcome.is_ok() && !connection.holds_more();
    outcome
}

fn exactly(connection: &mut Connection, length: u64, sink: &mut Sink, deadline: &Deadline) -> Result<(), BodyFailure> {
    let mut missing = length;
    loop {
        missing -= take(connection, missing, sink)?;
        if missing == 0 {
            return Ok(());
        }
        if sink.is_full() {
            connection.keeps = false;
            return Ok(());
        }
        // Nothing is left in the buffer: a record goes straight into the area.
        if let Sink::Area { area, written } = sink {
            let (into, room) = area.rest(*written);
            let wanted = usize::try_from(missing).ok().filter(|wanted| *wanted <= room).ok_or(BodyFailure::TooLong)?;
            // SAFETY: the rest of the area has `room` bytes.
            let bytes = unsafe { connection.receive(into, wanted, true, deadline) }?;
            if bytes == 0 {
                return Err(BodyFailure::Broken);
            }
            *written += bytes;
            missing -= bytes as u64;
        } else {
            connection.receive_more(deadline)?;
        }
        if missing == 0 {
            return Ok(());
        }
    }
}

fn chunks(connection: &mut Connection, sink: &mut Sink, deadline: &Deadline) -> Result<(), BodyFailure> {
    loop {
        let length = line(connection, deadline, chunk_length)?.map_err(BodyFailure::Malformed)?;
        if length == 0 {
            // Trailers are not ours to read.
            while !line(connection, deadline, <[u8]>::is_empty)? {}
            return Ok(());
        }
        let mut missing = length;
        while missing > 0 {
            if connection.received().is_empty() {
                connection.receive_more(deadline)?;
            }
            missing -= take(connection, missing, sink)?;
        }
        if !line(connection, deadline, <[u8]>::is_empty)? {
            return Err(BodyFailure::Malformed("a chunk is longer than it says"));
        }
        if sink.is_full() {
            connection.keeps = false;
            return Ok(());
        }
    }
}

/// Without TLS nothing tells a body that ended from one that broke off.
fn until_close(connection: &mut Connection, sink: &mut Sink, deadline: &Deadline) -> Result<(), BodyFailure> {
    connection.keeps = false;
    loop {
        take(connection, u64::MAX, sink)?;
        if sink.is_full() {
            return Ok(());
        }
        match connection.receive_more(deadline) {
            Ok(_) => {}
            Err(Trouble::Ended) => return Ok(()),
            Err(trouble) => return Err(trouble.into()),
        }
    }
}

/// Moves what was received into the sink, `most` bytes at most: how many.
fn take(connection: &mut Connection, most: u64, sink: &mut Sink) -> Result<u64, BodyFailure> {
    let received = connection.received();
    let bytes = usize::try_from(most).map_or(received.len(), |most| most.min(received.len()));
    sink.accept(&received[..bytes])?;
    connection.used(bytes);
    Ok(bytes as u64)
}

/// Shows the next line, without its end, to `read`.
fn line<T>(connection: &mut Connection, deadline: &Deadline, read: impl Fn(&[u8]) -> T) -> Result<T, BodyFailure> {
    loop {
        let received = connection.received();
        if let Some(end) = received.iter().position(|&byte| byte == b'\n') {
            let line = &received[..end];
            let value = read(line.strip_suffix(b"\r").unwrap_or(line));
            connection.used(end + 1);
            return Ok(value);
        }
        if !connection.receive_more(deadline)? {
            return Err(BodyFailure::Malformed("a line of its body is too long"));
        }
    }
}
