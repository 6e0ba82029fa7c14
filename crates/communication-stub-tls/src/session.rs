//! One TLS session over a lent socket.

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::FromRawFd;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{AlertDescription, ClientConnection};

use crate::configuration;
use crate::frames::Frames;
use crate::functions::{BROKEN, REFUSED, TIMED_OUT};

/// From when on a call sets the socket's own limit to what is left: before, that of libbaqcstub is near enough.
const TOLERANCE: Duration = Duration::from_millis(200);

pub(crate) struct Session {
    connection: ClientConnection,
    /// Where in the peer's records the bytes end that were received.
    frames: Frames,
    /// The peer sent plain bytes, so that it took the client's certificate or wants none.
    is_taken: bool,
}

pub(crate) enum Refusal {
    Files(String),
    Handshake(String),
}

/// A socket that stays the lender's: it is not closed.
struct Lent<'a> {
    stream: ManuallyDrop<TcpStream>,
    frames: &'a mut Frames,
    started: Instant,
    limit: Option<Duration>,
}

impl Session {
    /// Shakes hands.
    ///
    /// # Errors
    /// Files that cannot be used; a peer that cannot be trusted, or does not answer.
    pub(crate) fn open(
        descriptor: i32,
        limit: u64,
        host: &str,
        signers: Option<&str>,
        client: Option<(&str, &str)>,
    ) -> Result<Self, Refusal> {
        let configuration = configuration::of_files(signers, client).map_err(Refusal::Files)?;
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|_| Refusal::Handshake(format!("{host} is no name that a certificate may have")))?;
        let connection =
            ClientConnection::new(configuration, name).map_err(|error| Refusal::Handshake(error.to_string()))?;
        let mut session = Self { connection, frames: Frames::default(), is_taken: false };
        session.shake(descriptor, limit).map_err(|error| Refusal::Handshake(error.to_string()))?;
        Ok(session)
    }

    fn shake(&mut self, descriptor: i32, limit: u64) -> io::Result<()> {
        let Self { connection, frames, .. } = self;
        let mut socket = Lent::new(descriptor, limit, frames);
        while connection.is_handshaking() {
            flush(connection, &mut socket)?;
            if connection.is_handshaking() {
                fill(connection, &mut socket)?;
            }
        }
        flush(connection, &mut socket)
    }

    /// Sends both pieces: 0, or what went wrong.
    pub(crate) fn send(&mut self, descriptor: i32, limit: u64, head: &[u8], record: &[u8]) -> isize {
        let Self { connection, frames, .. } = self;
        let mut socket = Lent::new(descriptor, limit, frames);
        for piece in [head, record] {
            if let Err(error) = write(connection, &mut socket, piece) {
                return code(&error);
            }
        }
        flush(connection, &mut socket).map_or_else(|error| code(&error), |()| 0)
    }

    /// Receives at least a byte: how many, 0 at the end that the peer announced, or what went wrong.
    pub(crate) fn receive(&mut self, descriptor: i32, limit: u64, into: &mut [u8]) -> isize {
        let Self { connection, frames, is_taken } = self;
        let mut socket = Lent::new(descriptor, limit, frames);
        let mut filled = Ok(());
        loop {
            // Plain bytes come first, even where what followed them failed.
            match connection.reader().read(into) {
                Ok(bytes) => {
                    *is_taken = true;
                    return isize::try_from(bytes).unwrap_or(BROKEN);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The peer closed the socket without ending the session.
                Err(_) => return BROKEN,
            }
            match filled {
                Err(error) if !*is_taken && is_refusal(&error) => return REFUSED,
                Err(error) => return code(&error),
                Ok(()) => filled = fill(connection, &mut socket),
            }
        }
    }

    /// Whether plain bytes wait to be received, or a part of a record does.
    pub(crate) fn holds_more(&mut self) -> bool {
        let waiting = self.connection.process_new_packets().map(|state| state.plaintext_bytes_to_read());
        !matches!(waiting, Ok(0)) || !self.frames.is_between()
    }
}

/// Hands over plain bytes, sending only when the session holds no more.
fn write(connection: &mut ClientConnection, socket: &mut Lent<'_>, mut piece: &[u8]) -> io::Result<()> {
    while !piece.is_empty() {
        let taken = connection.writer().write(piece)?;
        if taken == 0 {
            flush(connection, socket)?;
        }
        piece = &piece[taken..];
    }
    Ok(())
}

fn flush(connection: &mut ClientConnection, socket: &mut Lent<'_>) -> io::Result<()> {
    while connection.wants_write() {
        match connection.write_tls(socket) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Takes in what the peer sent; what it wants answered is answered.
fn fill(connection: &mut ClientConnection, socket: &mut Lent<'_>) -> io::Result<()> {
    loop {
        match connection.read_tls(socket) {
            Ok(0) if connection.is_handshaking() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let processed = connection.process_new_packets().map(drop).map_err(io::Error::other);
    // An alert tells the peer why it is refused.
    let flushed = flush(connection, socket);
    processed.and(flushed)
}

impl<'a> Lent<'a> {
    fn new(descriptor: i32, limit: u64, frames: &'a mut Frames) -> Self {
        // SAFETY: the lender keeps the descriptor open during the call, and this value never closes it.
        let stream = ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(descriptor) });
        Self { stream, frames, started: now(), limit: (limit > 0).then(|| Duration::from_nanos(limit)) }
    }

    /// Lets the next read or write end with the call.
    fn arm(&self) -> io::Result<()> {
        let Some(limit) = self.limit else { return Ok(()) };
        let elapsed = now().saturating_duration_since(self.started);
        let remaining = limit.saturating_sub(elapsed);
        if remaining.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if elapsed < TOLERANCE {
            return Ok(());
        }
        self.stream.set_read_timeout(Some(remaining))?;
        self.stream.set_write_timeout(Some(remaining))
    }
}

impl Read for Lent<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.arm()?;
        let bytes = self.stream.read(into)?;
        self.frames.passed(&into[..bytes]);
        Ok(bytes)
    }
}

/// One piece at a time: the standard library's gathering write may raise SIGPIPE, its plain one does not.
impl Write for Lent<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.arm()?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the clock of a lent socket")]
fn now() -> Instant {
    Instant::now()
}

/// Whether the peer wants another client certificate, or one at all, which it says after the handshake in TLS 1.3.
fn is_refusal(error: &io::Error) -> bool {
    let source = error.get_ref().and_then(|source| source.downcast_ref());
    let Some(rustls::Error::AlertReceived(alert)) = source else { return false };
    matches!(
        alert,
        AlertDescription::HandshakeFailure
            | AlertDescription::NoCertificate
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied
            | AlertDescription::DecryptError
            | AlertDescription::CertificateRequired
    )
}

fn code(error: &io::Error) -> isize {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => TIMED_OUT,
        _ => BROKEN,
    }
}
