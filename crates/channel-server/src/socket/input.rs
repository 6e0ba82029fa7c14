//! Bytes as they arrive on a socket, cut into segments.
//!
//! Short reads go through a buffer of the thread and are copied once, into as much memory as they need, so that an idle
//! socket holds none; the rest of a long segment is read into its own place.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{BufMut, BytesMut};
use channel_protocol::error::ProtocolError;
use channel_protocol::segment::{Framer, Segment};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

/// Read at once by way of the thread's buffer, in bytes.
const SCRATCH: usize = 64 * 1024;
/// A segment that lacks more than this is read into its own memory.
const DIRECT: usize = 8 * 1024;

thread_local! {
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; SCRATCH].into_boxed_slice());
}

pub(super) struct Input {
    bytes: BytesMut,
    framer: Framer,
    /// What the segment at the front still lacks, in bytes.
    missing: usize,
}

impl Input {
    /// `maximum`: of a segment, in bytes.
    pub(super) fn new(maximum: usize) -> Self {
        Self { bytes: BytesMut::new(), framer: Framer::new(maximum), missing: 0 }
    }

    pub(super) fn set_maximum(&mut self, maximum: usize) {
        self.framer.set_maximum(maximum);
    }

    /// Reads once. 0: the partner sends nothing more.
    pub(super) fn poll_fill<S>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<io::Result<usize>>
    where
        S: AsyncRead + Unpin,
    {
        if self.missing > DIRECT {
            return self.poll_fill_directly(stream, context);
        }
        BUFFER.with_borrow_mut(|scratch| {
            let mut read = ReadBuf::new(scratch);
            ready!(Pin::new(stream).poll_read(context, &mut read))?;
            self.bytes.extend_from_slice(read.filled());
            Poll::Ready(Ok(read.filled().len()))
        })
    }

    /// Reads once, for nobody.
    pub(super) fn poll_discard<S>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<io::Result<usize>>
    where
        S: AsyncRead + Unpin,
    {
        BUFFER.with_borrow_mut(|scratch| {
            let mut read = ReadBuf::new(scratch);
            ready!(Pin::new(stream).poll_read(context, &mut read))?;
            Poll::Ready(Ok(read.filled().len()))
        })
    }

    fn poll_fill_directly<S>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<io::Result<usize>>
    where
        S: AsyncRead + Unpin,
    {
        self.bytes.reserve(self.missing);
        let before = self.bytes.len();
        let mut into = (&mut self.bytes).limit(self.missing);
        // Reading keeps nothing between polls, so it may begin anew each time.
        ready!(pin!(stream.read_buf(&mut into)).poll(context))?;
        let count = self.bytes.len() - before;
        self.missing -= count;
        Poll::Ready(Ok(count))
    }

    /// A segment has begun, and its end is not here.
    pub(super) fn is_within_segment(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// The next whole segment, if it is there.
    ///
    /// # Errors
    /// As the framer says.
    pub(super) fn next(&mut self) -> Result<Option<Segment>, ProtocolError> {
        let segment = self.framer.next(&mut self.bytes)?;
        if segment.is_none() {
            if self.bytes.is_empty() {
                self.bytes = BytesMut::new();
                self.missing = 0;
            } else {
                self.missing = self.framer.missing(&self.bytes)?;
            }
        }
        Ok(segment)
    }
}
