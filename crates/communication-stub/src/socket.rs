//! A TCP connection: bytes out and in, each bounded by the call's deadline, without ever raising SIGPIPE.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use crate::call_area::RequestRecord;
use crate::deadline::Deadline;
use crate::error::StubError;
use crate::target::Target;

/// How far the socket's own time limit may be from what is left of the call before it is set anew: two calls of the kernel
/// saved on each call of the API.
const TOLERANCE: Duration = Duration::from_millis(250);

/// Why nothing more can be sent or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    TimedOut,
    Broken,
    /// The record, or the room for it, is not in memory of the program.
    NoMemory,
    /// The server closed in good order.
    Ended,
    /// The server does not take the client's certificate, or wants one; over TLS alone, before anything was received.
    Refused,
}

pub(crate) struct Socket {
    stream: TcpStream,
    /// The time limit that was set on the socket.
    armed: Option<Duration>,
}

impl Socket {
    /// Connects to the first address of the host that answers.
    ///
    /// # Errors
    /// The host is unknown, none of its addresses answers, or not in time.
    pub(crate) fn connect(target: &Target, deadline: &Deadline) -> Result<Self, StubError> {
        let addresses = (target.host.as_str(), target.port).to_socket_addrs();
        let addresses = addresses.map_err(|source| StubError::HostUnknown { host: target.host.clone(), source })?;
        let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            let connected = match deadline.remaining() {
                Some(Duration::ZERO) => return Err(StubError::ConnectTimeout(target.to_string())),
                Some(remaining) => TcpStream::connect_timeout(&address, remaining),
                None => TcpStream::connect(address),
            };
            match connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream)) {
                Ok(stream) => return Ok(Self { stream, armed: None }),
                Err(error) => failure = error,
            }
        }
        Err(match failure.kind() {
            io::ErrorKind::TimedOut if deadline.remaining() == Some(Duration::ZERO) => {
                StubError::ConnectTimeout(target.to_string())
            }
            _ => StubError::NoConnection { server: target.to_string(), source: failure },
        })
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Lets sending and receiving end with what is left of the call.
    ///
    /// # Errors
    /// Nothing is left, or the socket is gone.
    pub(crate) fn arm(&mut self, deadline: &Deadline) -> Result<(), Trouble> {
        let remaining = deadline.remaining();
        if remaining == Some(Duration::ZERO) {
            return Err(Trouble::TimedOut);
        }
        let is_near = match (self.armed, remaining) {
            (Some(armed), Some(remaining)) => armed.abs_diff(remaining) < TOLERANCE.min(remaining),
            (None, None) => true,
            _ => false,
        };
        if is_near {
            return Ok(());
        }
        let set = self.stream.set_read_timeout(remaining).and_then(|()| self.stream.set_write_timeout(remaining));
        self.armed = remaining;
        set.map_err(|_| Trouble::Broken)
    }

    /// Somebody else may have set the socket's time limit.
    pub(crate) fn forget(&mut self) {
        if self.armed.is_some() {
            self.armed = Some(Duration::ZERO);
        }
    }

    /// Whether nothing has arrived: neither an end nor unrequested bytes.
    pub(crate) fn is_quiet(&self) -> bool {
        let mut byte = [0u8];
        // SAFETY: one byte of room, and a descriptor that `stream` keeps open.
        let received =
            unsafe { libc::recv(self.descriptor(), byte.as_mut_ptr().cast(), 1, libc::MSG_PEEK | libc::MSG_DONTWAIT) };
        received < 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock
    }

    /// Sends the head and the record behind it, in one call of the kernel where it takes them.
    ///
    /// # Errors
    /// `Broken`: the server cannot have the whole request. `NoMemory`: it never will, for the program has no such record.
    pub(crate) fn send(&mut self, head: &[u8], record: RequestRecord, deadline: &Deadline) -> Result<(), Trouble> {
        let total = head.len() + record.length;
        let mut sent = 0;
        while sent < total {
            self.arm(deadline)?;
            let of_head = sent.min(head.len());
            let of_record = sent - of_head;
            let mut pieces = [
                libc::iovec { iov_base: head[of_head..].as_ptr().cast_mut().cast(), iov_len: head.len() - of_head },
                libc::iovec {
                    iov_base: record.address.wrapping_add(of_record).cast_mut().cast(),
                    iov_len: record.length - of_record,
                },
            ];
            // SAFETY: all zeros is an empty message.
            let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
            message.msg_iov = pieces.as_mut_ptr();
            message.msg_iovlen = pieces.len();
            // SAFETY: both pieces lie within memory that the caller promised for the call, and are only read.
            let written = unsafe { libc::sendmsg(self.descriptor(), &raw const message, libc::MSG_NOSIGNAL) };
            sent += counted(written)?.unwrap_or(0);
        }
        Ok(())
    }

    /// Receives up to `room` bytes, waiting for the first; with `all` for all of them, unless the connection ends. 0: the server
    /// closed.
    ///
    /// # Safety
    /// `into` is the address of `room` bytes that may be written.
    ///
    /// # Errors
    /// The connection broke, or time ran out.
    pub(crate) unsafe fn receive(
        &mut self,
        into: *mut u8,
        room: usize,
        all: bool,
        deadline: &Deadline,
    ) -> Result<usize, Trouble> {
        let flags = if all { libc::MSG_WAITALL } else { 0 };
        loop {
            self.arm(deadline)?;
            // SAFETY: the promise about `into`.
            let received = unsafe { libc::recv(self.descriptor(), into.cast(), room, flags) };
            if let Some(bytes) = counted(received)? {
                return Ok(bytes);
            }
        }
    }
}

/// What a call of the kernel moved; `None` when it is to be tried again, which `arm` bounds.
fn counted(result: isize) -> Result<Option<usize>, Trouble> {
    if let Ok(bytes) = usize::try_from(result) {
        return Ok(Some(bytes));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => Ok(None),
        _ if error.raw_os_error() == Some(libc::EFAULT) => Err(Trouble::NoMemory),
        _ => Err(Trouble::Broken),
    }
}
