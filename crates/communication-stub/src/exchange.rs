//! One call: the request sent, the answer read, and when a request may be sent a second time.

use crate::answer::{Framing, Head};
use crate::body::{self, BodyFailure, Sink};
use crate::call_area::{Call, RequestRecord, ResponseArea};
use crate::connection::{Connection, HeadFailure};
use crate::deadline::Deadline;
use crate::error::{ERROR_IN_ZCEE, SUCCESS, StubError};
use crate::request;
use crate::settings::Settings;
use crate::socket::Trouble;
use crate::store;
use crate::target::Target;
use crate::trace;

/// What the server answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) return_code: i32,
    pub(crate) status: i32,
    /// Empty for a record.
    pub(crate) message: Vec<u8>,
    /// A record that the stub keeps, and how much of it is before its data areas.
    pub(crate) record: Vec<u8>,
    pub(crate) base: Option<usize>,
}

/// A call whose texts are in `head`, so that nothing of it is borrowed from the program.
pub(crate) struct Exchange {
    pub(crate) head: Vec<u8>,
    target: Target,
    record: RequestRecord,
    /// `None`: the stub keeps the record.
    area: Option<ResponseArea>,
    is_repeatable: bool,
}

struct Failure {
    error: StubError,
    /// Sending the request once more does no harm.
    is_safe: bool,
}

impl Exchange {
    /// # Errors
    /// BAQ-ZCON-SERVER-URI is no server.
    pub(crate) fn prepare(call: &Call<'_>, settings: &Settings) -> Result<Self, StubError> {
        let target = match call.server {
            None => settings.server.clone(),
            Some(uri) => {
                let uri = std::str::from_utf8(uri).ok();
                uri.and_then(|uri| Target::parse(uri, None)).ok_or(StubError::ServerUri)?
            }
        };
        Ok(Self {
            head: request::head(call, &target, settings),
            target,
            record: call.request,
            area: call.response,
            is_repeatable: request::is_repeatable(call.method),
        })
    }

    /// # Errors
    /// Whatever kept an answer from coming.
    pub(crate) fn run(&self, settings: &Settings, deadline: &Deadline) -> Result<Reply, StubError> {
        if let Some(kept) = store::take(&self.target, &settings.files, deadline.started()) {
            trace::connection(settings.verbose, "kept", &self.target);
            match self.once(kept, deadline) {
                Err(failure) if failure.is_safe => {}
                done => return done.map_err(|failure| failure.error),
            }
        }
        trace::connection(settings.verbose, "new", &self.target);
        let new = Connection::open(&self.target, &settings.files, deadline)?;
        self.once(Box::new(new), deadline).map_err(|failure| failure.error)
    }

    fn once(&self, mut connection: Box<Connection>, deadline: &Deadline) -> Result<Reply, Failure> {
        let sent = connection.send(&self.head, self.record, deadline);
        match sent {
            Err(Trouble::TimedOut) => return Err(Failure::final_one(StubError::AnswerTimeout)),
            // The server waits for a record that cannot come.
            Err(Trouble::NoMemory) => {
                return Err(Failure::final_one(StubError::RequestLength(length(self.record.length))));
            }
            _ => {}
        }
        // A server that wants no more of a request answers before it closes.
        let head = match connection.receive_head(deadline) {
            Ok(head) => head,
            Err(HeadFailure::Broken { began }) if sent.is_err() => {
                return Err(Failure { error: StubError::SendBroken(self.target.to_string()), is_safe: !began });
            }
            Err(failure) => return Err(self.no_head(failure)),
        };
        connection.keeps = head.keeps && sent.is_ok();
        let reply = self.body(&mut connection, &head, deadline);
        if connection.keeps {
            store::keep(connection);
        }
        reply.map_err(Failure::final_one)
    }

    fn no_head(&self, failure: HeadFailure) -> Failure {
        match failure {
            HeadFailure::TimedOut => Failure::final_one(StubError::AnswerTimeout),
            HeadFailure::Refused => Failure::final_one(StubError::Handshake {
                server: self.target.to_string(),
                problem: "the server did not take the client's certificate, or wants one".to_owned(),
            }),
            HeadFailure::Malformed(problem) => Failure::final_one(StubError::AnswerMalformed(problem)),
            HeadFailure::Broken { began } => Failure {
                error: StubError::AnswerBroken(self.target.to_string()),
                is_safe: !began && self.is_repeatable,
            },
        }
    }

    fn body(&self, connection: &mut Connection, head: &Head, deadline: &Deadline) -> Result<Reply, StubError> {
        let (return_code, status) = match (head.status, head.return_code, head.status_code) {
            (200, Some(return_code), Some(status)) => (return_code, status),
            (200, ..) => {
                connection.keeps = false;
                return Err(StubError::AnswerMalformed("it is not that of an API requester"));
            }
            (status, ..) => (ERROR_IN_ZCEE, status.into()),
        };
        let area = self.room();
        let is_record = return_code == SUCCESS;
        let too_long = match head.framing {
            Framing::Length(length) if is_record && length > area as u64 => Some(length),
            _ => None,
        };
        if is_record && head.framing == Framing::UntilClose {
            // Nothing would tell a whole record from one that broke off.
            connection.keeps = false;
            return Err(StubError::AnswerMalformed("its record has no length"));
        }
        let mut sink = match self.area {
            Some(area) if is_record && too_long.is_none() => Sink::area(area),
            None if is_record && too_long.is_none() => Sink::Record(Vec::new()),
            _ => Sink::message(),
        };
        let read = body::read(connection, head.framing, &mut sink, deadline);
        if too_long.is_some() {
            return Err(StubError::TooLong { record: too_long, area });
        }
        read.map_err(|failure| self.no_body(failure))?;
        let (message, record) = match sink {
            Sink::Area { .. } => (Vec::new(), Vec::new()),
            Sink::Record(record) => (Vec::new(), record),
            Sink::Message { text, .. } => (text, Vec::new()),
        };
        Ok(Reply { return_code, status, message, record, base: head.base })
    }

    /// For a record.
    fn room(&self) -> usize {
        self.area.map_or(body::MOST_KEPT, |area| area.length())
    }

    fn no_body(&self, failure: BodyFailure) -> StubError {
        match failure {
            BodyFailure::TimedOut => StubError::AnswerTimeout,
            BodyFailure::Broken => StubError::AnswerBroken(self.target.to_string()),
            BodyFailure::Malformed(problem) => StubError::AnswerMalformed(problem),
            BodyFailure::NoMemory => StubError::ResponseLength(length(self.room())),
            BodyFailure::TooLong => StubError::TooLong { record: None, area: self.room() },
        }
    }
}

/// As its item has it.
fn length(bytes: usize) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}

impl Failure {
    fn final_one(error: StubError) -> Self {
        Self { error, is_safe: false }
    }
}
