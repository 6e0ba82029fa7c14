//! A connection to the server, plain or TLS, with what was received and not yet used.

use std::time::{Duration, Instant};

use crate::answer::{HEAD_LIMIT, Head, end_of_head};
use crate::call_area::RequestRecord;
use crate::deadline::Deadline;
use crate::error::StubError;
use crate::settings::TlsFiles;
use crate::socket::{Socket, Trouble};
use crate::target::Target;
use crate::tls::Session;

/// An idle connection is not used after this: servers close theirs later.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct Connection {
    socket: Socket,
    session: Option<Session>,
    target: Target,
    files: TlsFiles,
    /// The process that made it, in which alone it may be used.
    owner: u32,
    idle_since: Instant,
    /// `start..end` was received and not used.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// It can carry another call when this one's answer was read to its end.
    pub(crate) keeps: bool,
}

/// Why there is no head.
pub(crate) enum HeadFailure {
    TimedOut,
    /// Whether any byte of an answer had come.
    Broken {
        began: bool,
    },
    Malformed(&'static str),
    /// The server does not take the client's certificate, or wants one.
    Refused,
}

impl Connection {
    /// # Errors
    /// As `Socket::connect` and `Session::open`.
    pub(crate) fn open(target: &Target, files: &TlsFiles, deadline: &Deadline) -> Result<Self, StubError> {
        let mut socket = Socket::connect(target, deadline)?;
        let session = if target.is_tls { Some(Session::open(&mut socket, target, files, deadline)?) } else { None };
        Ok(Self {
            socket,
            session,
            target: target.clone(),
            files: files.clone(),
            owner: std::process::id(),
            idle_since: deadline.started(),
            buffer: vec![0; HEAD_LIMIT].into_boxed_slice(),
            start: 0,
            end: 0,
            keeps: true,
        })
    }

    pub(crate) fn leads_to(&self, target: &Target, files: &TlsFiles) -> bool {
        self.target == *target && (!target.is_tls || self.files == *files)
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Whether this process made it.
    pub(crate) fn is_own(&self, process: u32) -> bool {
        self.owner == process
    }

    /// Whether it can carry a call that begins now.
    pub(crate) fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.idle_since) < IDLE_LIMIT && self.socket.is_quiet()
    }

    pub(crate) fn rest(&mut self, now: Instant) {
        self.idle_since = now;
    }

    /// # Errors
    /// As `Socket::send`.
    pub(crate) fn send(&mut self, head: &[u8], record: RequestRecord, deadline: &Deadline) -> Result<(), Trouble> {
        match &mut self.session {
            None => self.socket.send(head, record, deadline),
            Some(session) => session.send(&mut self.socket, head, record, deadline),
        }
    }

    /// The head of the answer, interim ones left out; what follows it stays.
    ///
    /// # Errors
    /// None came.
    pub(crate) fn receive_head(&mut self, deadline: &Deadline) -> Result<Head, HeadFailure> {
        let mut began = false;
        let mut searched = 0;
        loop {
            if let Some(length) = end_of_head(self.received(), searched) {
                let head = Head::parse(&self.received()[..length]).map_err(HeadFailure::Malformed)?;
                self.used(length);
                if !head.is_interim() {
                    return Ok(head);
                }
                searched = 0;
                continue;
            }
            searched = self.received().len();
            match self.receive_more(deadline) {
                Ok(true) => began = true,
                Ok(false) => return Err(HeadFailure::Malformed("its head is too long")),
                Err(Trouble::TimedOut) => return Err(HeadFailure::TimedOut),
                Err(Trouble::Refused) => return Err(HeadFailure::Refused),
                Err(Trouble::Broken | Trouble::Ended | Trouble::NoMemory) => return Err(HeadFailure::Broken { began }),
            }
        }
    }

    /// Whether unrequested bytes were received.
    pub(crate) fn holds_more(&self) -> bool {
        self.start < self.end || self.session.as_ref().is_some_and(Session::holds_more)
    }

    pub(crate) fn received(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Takes bytes off the beginning of `received`.
    pub(crate) fn used(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Waits for more to be `received`. False when there is no room.
    ///
    /// # Errors
    /// The connection ended or broke, or time ran out.
    pub(crate) fn receive_more(&mut self, deadline: &Deadline) -> Result<bool, Trouble> {
        if self.end == self.buffer.len() && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let room = self.buffer.len() - self.end;
        if room == 0 {
            return Ok(false);
        }
        let into = self.buffer[self.end..].as_mut_ptr();
        // SAFETY: the rest of the buffer.
        let bytes = unsafe { self.receive(into, room, false, deadline) }?;
        self.end += bytes;
        if bytes == 0 { Err(Trouble::Ended) } else { Ok(true) }
    }

    /// Receives past the buffer, which is empty. 0: the server closed.
    ///
    /// # Safety
    /// `into` is the address of `room` bytes that may be written.
    ///
    /// # Errors
    /// As `Socket::receive`.
    pub(crate) unsafe fn receive(
        &mut self,
        into: *mut u8,
        room: usize,
        all: bool,
        deadline: &Deadline,
    ) -> Result<usize, Trouble> {
        match &mut self.session {
            // SAFETY: handed through.
            None => unsafe { self.socket.receive(into, room, all, deadline) },
            Some(session) => loop {
                // SAFETY: handed through.
                match unsafe { session.receive(&mut self.socket, into, room, deadline) } {
                    // The deadline decides whether there is time to try again.
                    Err(Trouble::TimedOut) if deadline.remaining() != Some(Duration::ZERO) => {}
                    other => break other,
                }
            },
        }
    }
}
