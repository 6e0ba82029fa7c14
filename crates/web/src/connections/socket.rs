//! The socket of a connection: it notes what the connection's `Watch` has to know, and ends without losing an answer.
//!
//! A socket that is closed while bytes of its client lie unread is reset, and the reset overtakes the answer: a client
//! that still sends its request never sees why it was refused. So the writing end is closed first, and what the
//! client still sends is read in vain until it ends too, for a moment at most.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::Watch;

/// A socket that notes in its `Watch` when the head of a request begins and that an answer makes progress.
pub(crate) struct WatchedSocket<S> {
    socket: S,
    watch: Arc<Watch>,
    farewell: Option<Box<Farewell>>,
}

/// The end of a connection: nothing more is written, and what still comes is thrown away.
struct Farewell {
    until: Pin<Box<Sleep>>,
}

/// How long what still comes is thrown away for.
const LONGEST_FAREWELL: Duration = Duration::from_secs(5);

impl<S> WatchedSocket<S> {
    pub(crate) fn new(socket: S, watch: Arc<Watch>) -> Self {
        Self { socket, watch, farewell: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.socket).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.watch.note_arrival();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> WatchedSocket<S> {
    fn note_progress(&self, polled: &Poll<io::Result<usize>>) {
        self.watch.note_progress(polled.is_pending(), matches!(polled, Poll::Ready(Ok(written)) if *written > 0));
    }
}

impl<S: AsyncRead + Unpin> WatchedSocket<S> {
    /// Reads in vain until the client has ended the connection too. A client that sends nothing and has been told
    /// everything it asked for is not waited for.
    fn poll_farewell(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut buffer = [0; 8 << 10];
        loop {
            let mut buffer = ReadBuf::new(&mut buffer);
            match Pin::new(&mut self.socket).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if buffer.filled().is_empty() => return Poll::Ready(()),
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) => {}
                Poll::Pending if self.farewell.is_none() && !self.watch.is_answered_ahead() => return Poll::Ready(()),
                Poll::Pending => {
                    let farewell = self.farewell.get_or_insert_with(Farewell::begin);
                    return farewell.until.as_mut().poll(context);
                }
            }
            let farewell = self.farewell.get_or_insert_with(Farewell::begin);
            if farewell.until.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
        }
    }
}

impl Farewell {
    fn begin() -> Box<Self> {
        Box::new(Self { until: Box::pin(tokio::time::sleep(LONGEST_FAREWELL)) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WatchedSocket<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.note_progress(&polled);
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.farewell.is_none() {
            ready!(Pin::new(&mut self.socket).poll_shutdown(context))?;
        }
        self.poll_farewell(context).map(Ok)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write_vectored(context, pieces);
        self.note_progress(&polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
