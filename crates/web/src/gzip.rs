//! Answers compressed for clients that take them so, and files of the program unpacked for those that do not.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// At the level that costs the least time.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes every byte")
}

/// What was packed when the program was made.
pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(packed.len() * 4);
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("files of the program are whole");
    bytes
}
