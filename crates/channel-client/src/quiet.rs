//! Writing of several pieces without SIGPIPE.
//!
//! The standard library writes several pieces by `writev`, which raises the signal when the partner is gone. A Rust program ignores it;
//! a program in C that loads this crate as a library ends.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

#[cfg(any(target_os = "linux", target_os = "android"))]
const FLAGS: i32 = libc::MSG_NOSIGNAL;
/// Elsewhere the socket itself was told, or there is no such signal.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FLAGS: i32 = 0;

/// A socket, or the half of one that writes.
pub(crate) struct Quiet<S>(pub(crate) S);

impl<S: AsyncRead + Unpin> AsyncRead for Quiet<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + AsRef<TcpStream> + Unpin> AsyncWrite for Quiet<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = self.0.as_ref();
        loop {
            ready!(stream.poll_write_ready(cx))?;
            let send = || SockRef::from(stream).send_vectored_with_flags(pieces, FLAGS);
            match stream.try_io(Interest::WRITABLE, send) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                sent => return Poll::Ready(sent),
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
