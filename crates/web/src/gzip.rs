//! Answers compressed for clients that take them so.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// At the level that costs the least time.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes every byte")
}
