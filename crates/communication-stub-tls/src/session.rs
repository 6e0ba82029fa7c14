//! One TLS session over a lent socket.

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::FromRawFd;

use rustls::ClientConnection;
use rustls::pki_types::ServerName;

use crate::configuration;
use crate::functions::{BROKEN, TIMED_OUT};

pub(crate) struct Session(ClientConnection);

pub(crate) enum Refusal {
    Files(String),
    Handshake(String),
}

/// A socket that stays the lender's: it is not closed.
struct Lent(ManuallyDrop<TcpStream>);

impl Session {
    /// Shakes hands.
    ///
    /// # Errors
    /// Files that cannot be used; a peer that cannot be trusted, or does not answer.
    pub(crate) fn open(
        descriptor: i32,
        host: &str,
        signers: Option<&str>,
        client: Option<(&str, &str)>,
    ) -> Result<Self, Refusal> {
        let configuration = configuration::of_files(signers, client).map_err(Refusal::Files)?;
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|_| Refusal::Handshake(format!("{host} is no name that a certificate may have")))?;
        let mut session =
            Self(ClientConnection::new(configuration, name).map_err(|error| Refusal::Handshake(error.to_string()))?);
        session.shake(descriptor).map_err(|error| Refusal::Handshake(error.to_string()))?;
        Ok(session)
    }

    fn shake(&mut self, descriptor: i32) -> io::Result<()> {
        let mut socket = Lent::new(descriptor);
        while self.0.is_handshaking() {
            match self.0.complete_io(&mut socket) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.flush(&mut socket)
    }

    /// Sends both pieces: 0, or what went wrong.
    pub(crate) fn send(&mut self, descriptor: i32, head: &[u8], record: &[u8]) -> isize {
        let mut socket = Lent::new(descriptor);
        for piece in [head, record] {
            if let Err(error) = self.write(&mut socket, piece) {
                return code(&error);
            }
        }
        self.flush(&mut socket).map_or_else(|error| code(&error), |()| 0)
    }

    /// Hands over plain bytes, sending only when the session holds no more.
    fn write(&mut self, socket: &mut Lent, mut piece: &[u8]) -> io::Result<()> {
        while !piece.is_empty() {
            let taken = self.0.writer().write(piece)?;
            if taken == 0 {
                self.flush(socket)?;
            }
            piece = &piece[taken..];
        }
        Ok(())
    }

    fn flush(&mut self, socket: &mut Lent) -> io::Result<()> {
        while self.0.wants_write() {
            match self.0.write_tls(socket) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives at least a byte: how many, 0 at the end that the peer announced, or what went wrong.
    pub(crate) fn receive(&mut self, descriptor: i32, into: &mut [u8]) -> isize {
        let mut socket = Lent::new(descriptor);
        loop {
            match self.0.reader().read(into) {
                Ok(bytes) => return isize::try_from(bytes).unwrap_or(BROKEN),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The peer closed the socket without ending the session.
                Err(_) => return BROKEN,
            }
            if let Err(error) = self.fill(&mut socket) {
                return code(&error);
            }
        }
    }

    /// Takes in what the peer sent; what it wants answered is answered.
    fn fill(&mut self, socket: &mut Lent) -> io::Result<()> {
        loop {
            match self.0.read_tls(socket) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.0.process_new_packets().map_err(io::Error::other)?;
        self.flush(socket)
    }
}

impl Lent {
    fn new(descriptor: i32) -> Self {
        // SAFETY: the lender keeps the descriptor open during the call, and this value never closes it.
        Self(ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(descriptor) }))
    }
}

impl Read for Lent {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

/// One piece at a time: the standard library's gathering write may raise SIGPIPE, its plain one does not.
impl Write for Lent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn code(error: &io::Error) -> isize {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => TIMED_OUT,
        _ => BROKEN,
    }
}
