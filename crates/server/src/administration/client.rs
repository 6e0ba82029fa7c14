//! The client end of the administration socket: blocking, for commands.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::frame::{self, Lengths};
use super::{Answer, Outcome, Refusal, Request};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("no server is running on {}", directory.display())]
    NoServer { directory: PathBuf },
    #[error("cannot reach the server on {}", directory.display())]
    Connect {
        directory: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the server closed the connection without an answer")]
    Broken(#[source] io::Error),
    #[error("{}", .0.sentence)]
    Refused(Refusal),
    #[error("the server sent an answer that does not match the request: it may have another version than this command")]
    Unexpected,
}

impl ClientError {
    /// The answer did not come in time.
    pub(crate) fn is_timeout(&self) -> bool {
        let waited = |kind| matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
        matches!(self, Self::Broken(error) if waited(error.kind()))
    }
}

#[derive(Debug)]
pub(crate) struct Client {
    stream: UnixStream,
}

impl Client {
    /// # Errors
    /// `NoServer` when nothing listens; `Connect` otherwise, for example without permission.
    pub(crate) fn connect(directory: &Path) -> Result<Self, ClientError> {
        let socket = directory.join("admin.sock");
        match connect_to(&socket) {
            Ok(stream) => Ok(Self { stream }),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                Err(ClientError::NoServer { directory: directory.to_owned() })
            }
            Err(source) => Err(ClientError::Connect { directory: directory.to_owned(), source }),
        }
    }

    /// How long to wait for the next bytes of an answer; `None` is for ever.
    ///
    /// # Errors
    /// The socket does not take it.
    pub(crate) fn be_patient_for(&self, patience: Option<Duration>) -> Result<(), ClientError> {
        self.stream.set_read_timeout(patience).map_err(ClientError::Broken)
    }

    /// Sends a request and reads its (first) answer.
    ///
    /// # Errors
    /// `Refused` with the server's sentence, or the connection broke.
    pub(crate) fn ask(&mut self, request: &Request, body: &[u8]) -> Result<(Answer, Vec<u8>), ClientError> {
        self.send(request, body)?;
        self.receive()
    }

    /// Runs one MQSC command; with the lines of its answer.
    ///
    /// # Errors
    /// As [`Client::ask`], or the answer is not one to a command.
    pub(crate) fn run_mqsc(
        &mut self,
        queue_manager: Option<&str>,
        command: &str,
    ) -> Result<(Vec<String>, Outcome), ClientError> {
        let queue_manager = queue_manager.map(str::to_owned);
        let request = Request::Mqsc { queue_manager, command: command.to_owned(), json: false };
        match self.ask(&request, &[])? {
            (Answer::Mqsc { outcome }, body) => {
                Ok((String::from_utf8_lossy(&body).lines().map(str::to_owned).collect(), outcome))
            }
            _ => Err(ClientError::Unexpected),
        }
    }

    /// # Errors
    /// The connection broke, or the frame is too long.
    pub(crate) fn send(&mut self, request: &Request, body: &[u8]) -> Result<(), ClientError> {
        let frame = frame::encode(request, body.len()).map_err(ClientError::Broken)?;
        self.stream.write_all(&frame).and_then(|()| self.stream.write_all(body)).map_err(ClientError::Broken)
    }

    /// # Errors
    /// As [`Client::ask`].
    pub(crate) fn receive(&mut self) -> Result<(Answer, Vec<u8>), ClientError> {
        let mut body = Vec::new();
        loop {
            match self.read_frame(&mut body).map_err(ClientError::Broken)? {
                Answer::Part => {}
                Answer::Refused(refusal) => return Err(ClientError::Refused(refusal)),
                answer => return Ok((answer, body)),
            }
        }
    }

    /// Appends the frame's body to `body`.
    fn read_frame(&mut self, body: &mut Vec<u8>) -> io::Result<Answer> {
        let mut lengths = [0; Lengths::WIDTH];
        self.stream.read_exact(&mut lengths)?;
        let lengths = Lengths::decode(lengths)?;
        let mut header = vec![0; lengths.header];
        self.stream.read_exact(&mut header)?;
        let before = body.len();
        body.resize(before + lengths.body, 0);
        self.stream.read_exact(&mut body[before..])?;
        frame::decode_header(&header)
    }
}

/// A socket's path may have about 100 bytes; a longer one is reached through its opened folder.
fn connect_to(socket: &Path) -> io::Result<UnixStream> {
    super::server::with_short_path(socket, |path| UnixStream::connect(path))
}
