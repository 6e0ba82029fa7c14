//! A request's two counts, and the answer with as many entries as they ask for.
//!
//! Entry n is 32 bytes, `nnnn-ABCDEFGHIJKLMNOPQRSTUVWXYZ-` with n from 0 in four digits (of 10000 and beyond the last four).
//! One text of all entries is made at the start; an answer's are the beginning of it.
//!
//! Pure but for the running number of answers.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use serde::Deserialize;

/// Entries that one of `count_out` stands for: 512 bytes, so that 2, 8 and 16 are 1, 4 and 8 KiB.
pub(crate) const ENTRIES_OF_ONE: u32 = 16;
/// Bytes of an entry.
pub(crate) const ENTRY_BYTES: u32 = 32;
/// Bytes of the request that one of `count_in` stands for.
pub(crate) const BYTES_OF_ONE: i32 = 16;
/// Bytes of an entry in JSON: two quotes and a comma more.
const QUOTED_BYTES: usize = ENTRY_BYTES as usize + 3;
/// Room for the members before the entries.
const MEMBERS_BYTES: usize = 160;

/// A request, as the Swagger document says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    count_in: i32,
    count_out: i32,
}

/// Why a request is not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error("the request is not a JSON object of count_in and count_out: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{name} is {value}, expected 0 to {most}")]
    Range { name: &'static str, value: i32, most: i64 },
}

pub(super) struct Answers {
    most_entries: u32,
    /// `"0000-…","0001-…",` and so on.
    entries: Vec<u8>,
    answered: AtomicU32,
}

impl Answers {
    pub(super) fn new(most_entries: u32) -> Self {
        let mut entries = Vec::with_capacity(most_entries as usize * QUOTED_BYTES);
        for number in 0..most_entries {
            write!(entries, "\"{:04}-ABCDEFGHIJKLMNOPQRSTUVWXYZ-\",", number % 10_000).expect("a Vec takes everything");
        }
        Self { most_entries, entries, answered: AtomicU32::new(0) }
    }

    /// The JSON that answers this JSON.
    ///
    /// # Errors
    /// It is no such request, or asks for more than there is.
    pub(super) fn answer(&self, request: &[u8]) -> Result<Bytes, RequestError> {
        let counts: Counts = serde_json::from_slice(request)?;
        let entries = self.entries(counts)?;
        // A positive number of 31 bits, as the document's int32.
        let task = self.answered.fetch_add(1, Ordering::Relaxed) & 0x7fff_ffff;
        let quoted = (entries as usize * QUOTED_BYTES).saturating_sub(1);
        let mut text = Vec::with_capacity(MEMBERS_BYTES + quoted);
        write!(
            text,
            r#"{{"recv_size":{},"send_size":{},"taskid":{task},"tranid":"BAQR","rs_spare":"PERFORMANCE-TEST","user_data":["#,
            counts.count_in * BYTES_OF_ONE,
            entries * ENTRY_BYTES
        )
        .expect("a Vec takes everything");
        text.extend_from_slice(&self.entries[..quoted]);
        text.extend_from_slice(b"]}");
        Ok(text.into())
    }

    fn entries(&self, counts: Counts) -> Result<u32, RequestError> {
        let most_in = i32::MAX / BYTES_OF_ONE;
        if !(0..=most_in).contains(&counts.count_in) {
            return Err(RequestError::Range { name: "count_in", value: counts.count_in, most: most_in.into() });
        }
        let most = self.most_entries / ENTRIES_OF_ONE;
        match u32::try_from(counts.count_out) {
            Ok(count) if count <= most => Ok(count * ENTRIES_OF_ONE),
            _ => Err(RequestError::Range { name: "count_out", value: counts.count_out, most: most.into() }),
        }
    }
}

#[cfg(test)]
mod tests;
