//! Captured flows between the MQ Java client 9.4.2.0 and a prototype server, one file a direction of a TCP connection.
//!
//! `*.c2s.bin` is what the unmodified client sent; `*.s2c.bin` what it accepted, from a prototype that echoed some
//! strings as lengths without text. See `docs/channel-protocol.md`.

use std::path::{Path, PathBuf};

use bytes::BytesMut;
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::segment::{Framer, Segment};

pub(crate) const MAXIMUM_SEGMENT: usize = 32 * 1024;
pub(crate) const LIMITS: Limits = Limits { unit: 1 << 20, open: 4, buffered: 1 << 20 };

pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// All captures of one direction: `c2s` or `s2c`.
pub(crate) fn all(direction: &str) -> Vec<Capture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let ending = format!(".{direction}.bin");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the captures lie beside the tests")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.to_string_lossy().ends_with(&ending))
        .collect();
    files.sort();
    assert_eq!(files.len(), 14, "captures of direction {direction}");
    files.into_iter().map(|path| read(&path)).collect()
}

fn read(path: &Path) -> Capture {
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    Capture { name, bytes: std::fs::read(path).expect("a capture is readable") }
}

/// Every segment of the capture, with its bytes.
pub(crate) fn segments(capture: &Capture) -> Vec<(Segment, Vec<u8>)> {
    let mut buffer = BytesMut::from(&capture.bytes[..]);
    let framer = Framer::new(MAXIMUM_SEGMENT);
    let mut segments = Vec::new();
    while !buffer.is_empty() {
        let before = buffer.clone();
        let segment = framer.next(&mut buffer).expect("the capture is well formed").expect("it ends with a segment");
        let raw = before[..before.len() - buffer.len()].to_vec();
        segments.push((segment, raw));
    }
    segments
}

/// Every unit of the capture, with the bytes of its segments.
pub(crate) fn units(capture: &Capture) -> Vec<(Unit, Vec<u8>)> {
    let mut assembler = Assembler::new(LIMITS);
    let mut units = Vec::new();
    // No unit of the captures has others between its parts, so what came since the last one belongs to it.
    let mut raw = Vec::new();
    for (segment, bytes) in segments(capture) {
        raw.extend_from_slice(&bytes);
        if let Some(unit) = assembler.push(segment).expect("the capture is well formed") {
            units.push((unit, std::mem::take(&mut raw)));
        }
    }
    assert!(raw.is_empty(), "{}: the last unit is whole", capture.name);
    units
}
