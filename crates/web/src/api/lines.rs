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
    /// The beginning of a line whose end has not come.
    begun: BytesMut,
    /// What has come behind it. A line that lies whole in it is not copied.
    piece: Bytes,
    is_at_end: bool,
}

impl Lines {
    pub(super) fn new(body: Streamed) -> Self {
        Self { body, begun: BytesMut::new(), piece: Bytes::new(), is_at_end: false }
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
            if lines.len() >= most {
                return Ok(true);
            }
            if self.is_at_end {
                if !self.begun.trim_ascii().is_empty() {
                    lines.push(self.begun.split().freeze());
                }
                return Ok(false);
            }
            if !lines.is_empty() {
                return Ok(true);
            }
            match self.body.next().await? {
                Some(piece) if self.begun.len() + piece.len() <= LONGEST_LINE => self.piece = piece,
                Some(_) => return Err(ApiError::new(&error::BODY_TOO_LARGE, &[&LONGEST_LINE.to_string()])),
                None => self.is_at_end = true,
            }
        }
    }

    /// The next line, when it is whole. Otherwise all that has come of it is kept.
    fn line(&mut self) -> Option<Bytes> {
        let Some(end) = memchr::memchr(b'\n', &self.piece) else {
            self.begun.extend_from_slice(&std::mem::take(&mut self.piece));
            return None;
        };
        let end = self.piece.split_to(end + 1);
        if self.begun.is_empty() {
            return Some(end);
        }
        self.begun.extend_from_slice(&end);
        Some(self.begun.split().freeze())
    }
}
