//! Lines of JSON: those of a body while it comes, and those of an answer.

use bytes::{Bytes, BytesMut};
use http::HeaderValue;

use crate::error::{self, ApiError};
use crate::request_body::Streamed;

pub(super) const LINES: HeaderValue = HeaderValue::from_static("application/x-ndjson");
/// Longest line, in bytes: an envelope with a message of 100 MiB in base64.
const LONGEST_LINE: usize = 150 << 20;

pub(super) fn write_line(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    serde_json::to_writer(&mut *out, value).expect("it has string keys only");
    out.push(b'\n');
}

/// The lines of a body as it comes.
pub(super) struct Lines {
    body: Streamed,
    buffer: BytesMut,
    /// So many bytes at the beginning of the buffer have no end of a line: a long line is searched once, in however many pieces it comes.
    searched: usize,
    is_at_end: bool,
}

impl Lines {
    pub(super) fn new(body: Streamed) -> Self {
        Self { body, buffer: BytesMut::new(), searched: 0, is_at_end: false }
    }

    /// Adds the next lines: waits for the first, and takes what is there of the others. False when these were the last.
    pub(super) async fn next(&mut self, lines: &mut Vec<Bytes>, most: usize) -> Result<bool, ApiError> {
        loop {
            while lines.len() < most
                && let Some(line) = self.line()
            {
                if !line.trim_ascii().is_empty() {
                    lines.push(line);
                }
            }
            if self.is_at_end {
                if lines.len() < most && !self.buffer.trim_ascii().is_empty() {
                    lines.push(self.buffer.split().freeze());
                }
                return Ok(!self.buffer.trim_ascii().is_empty());
            }
            if !lines.is_empty() {
                return Ok(true);
            }
            match self.body.next().await? {
                Some(piece) if self.buffer.len() + piece.len() <= LONGEST_LINE => self.buffer.extend_from_slice(&piece),
                Some(_) => return Err(ApiError::new(&error::BODY_TOO_LARGE, &[&LONGEST_LINE.to_string()])),
                None => self.is_at_end = true,
            }
        }
    }

    /// The first line of the buffer, when it is whole.
    fn line(&mut self) -> Option<Bytes> {
        match memchr::memchr(b'\n', &self.buffer[self.searched..]) {
            Some(end) => {
                let line = self.buffer.split_to(self.searched + end + 1).freeze();
                self.searched = 0;
                Some(line)
            }
            None => {
                self.searched = self.buffer.len();
                None
            }
        }
    }
}
