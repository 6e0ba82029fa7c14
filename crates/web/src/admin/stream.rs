//! A list on its way to the client: `{"queue": [{...}, {...}]}`, made piece by piece as the client reads.
//!
//! Invariant: at most one piece and what hyper holds of earlier ones is in memory, however long the list is.

use bytes::Bytes;
use http::StatusCode;

use crate::answer::{self, Answer, Pieces};

/// A piece ends with the element that reaches this many bytes.
const PIECE: usize = 32 << 10;
/// Room for the element that reaches it.
const ROOM: usize = PIECE + (4 << 10);

/// What a list is made of.
pub(super) trait Elements: Send + 'static {
    /// Writes the next element; false when there is none.
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool;
}

struct List<E> {
    elements: E,
    /// Some of the elements have been written.
    has_begun: bool,
    is_done: bool,
}

/// A list that fits in one piece leaves with its length, others in chunks.
pub(super) fn list(name: &str, elements: impl Elements) -> Answer {
    let mut list = List { elements, has_begun: false, is_done: false };
    let mut first = Vec::with_capacity(ROOM);
    first.extend_from_slice(b"{\"");
    first.extend_from_slice(name.as_bytes());
    first.extend_from_slice(b"\": [");
    list.fill(&mut first);
    if list.is_done {
        answer::json(StatusCode::OK, first)
    } else {
        answer::json_in_pieces(StatusCode::OK, Box::new(Rest { first: Some(first.into()), list }))
    }
}

impl<E: Elements> List<E> {
    fn fill(&mut self, out: &mut Vec<u8>) {
        while out.len() < PIECE {
            let start = out.len();
            if self.has_begun {
                out.extend_from_slice(b", ");
            }
            if !self.elements.write_next(out) {
                out.truncate(start);
                out.extend_from_slice(b"]}");
                self.is_done = true;
                return;
            }
            self.has_begun = true;
        }
    }
}

struct Rest<E> {
    /// What was written to see whether there is more.
    first: Option<Bytes>,
    list: List<E>,
}

impl<E: Elements> Pieces for Rest<E> {
    fn next_piece(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        if self.list.is_done {
            return None;
        }
        let mut out = Vec::with_capacity(ROOM);
        self.list.fill(&mut out);
        Some(out.into())
    }
}
