//! The crate's public face.

mod carddemo;
mod cobrix;
mod files;
mod gnucobol;
mod misfits;

use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};
use record_file::{Decoding, Encoding, FileError, Framing, Segments, Source, Summary, Target, decode, encode};

fn plan(text: &str, record: Option<&str>, options: &ConvertOptions) -> Converter {
    let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let layout = copybook.layout(record, &LayoutOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Converter::new(&layout, options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn exact() -> ConvertOptions {
    ConvertOptions { exact: true, ..ConvertOptions::of_ccsid(37) }
}

/// A whole file in memory.
struct Work<'a> {
    segments: &'a Segments,
    framing: Framing,
    is_lenient: bool,
    is_exact: bool,
}

impl Work<'_> {
    fn decode(&self, target: Target, file: &[u8]) -> Result<(Vec<u8>, Summary), FileError> {
        let &Self { segments, framing, is_lenient, is_exact } = self;
        let job = Decoding { segments, framing, target, is_lenient, is_exact, threads: 2 };
        let mut out = Vec::new();
        let summary = decode(&job, file, &mut out, |_| {})?;
        Ok((out, summary))
    }

    fn encode(&self, target: Target, file: &[u8]) -> Result<(Vec<u8>, Summary), FileError> {
        let &Self { segments, framing, is_lenient, is_exact } = self;
        let job = Encoding { segments, framing, is_lenient, is_exact, ignore_unknown: false, threads: 2 };
        let stream = Box::new(std::io::Cursor::new(file.to_vec()));
        let source = match target {
            Target::JsonLines => Source::JsonLines(stream),
            Target::Csv => Source::Csv(stream),
            Target::Parquet => Source::Parquet(bytes::Bytes::copy_from_slice(file)),
        };
        let mut out = Vec::new();
        let summary = encode(&job, source, &mut out, |_| {})?;
        Ok((out, summary))
    }

    /// Decodes and encodes by every form: each gives every byte back.
    fn assert_comes_back(&self, file: &[u8], records: u64) {
        for target in [Target::JsonLines, Target::Csv, Target::Parquet] {
            let (form, seen) = self.decode(target, file).unwrap_or_else(|error| panic!("{target:?}: {error}"));
            assert_eq!((seen.records, seen.left_out, seen.read), (records, 0, file.len() as u64), "{target:?}");
            let (back, seen) = self.encode(target, &form).unwrap_or_else(|error| panic!("{target:?}: {error}"));
            assert_eq!(seen.records, records, "{target:?}");
            let differs = back.iter().zip(file).position(|(one, other)| one != other);
            assert!(back == file, "{target:?}: byte {differs:?} of {} differs", file.len());
        }
    }
}
