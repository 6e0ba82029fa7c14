//! Whole files of COBOL records: to JSON lines, CSV and Parquet, and back.
//!
//! A file is read in blocks of whole records (`framing.rs`), which several threads convert (`parallel.rs`, in the order of the file)
//! by the plan of each record's segment (`segments.rs`). CSV and Parquet are forms of the same JSON: `table.rs` takes its values to
//! columns and back, `blocks.rs` takes blocks of z/OS off a stream, `csv_form.rs` and `parquet_form.rs` write and read those; `buffers.rs`
//! keeps memory for the next block. No path is opened and no clock read here: the caller gives streams, and is told how far the work is.
//!
//! Invariants
//! - Records leave in the order in which they came.
//! - No more than a few blocks for each thread are in memory, however long the file is.
//! - A record that cannot be converted ends the work, unless it is lenient: then it is counted and told.

mod blocks;
mod buffers;
mod csv_form;
mod decoding;
mod encoding;
mod error;
mod framing;
mod parallel;
mod parquet_form;
mod report;
mod segments;
mod table;

pub use blocks::{Blocked, USUAL_BLOCK, Unblocked};
pub use decoding::{Decoding, Target, decode};
pub use encoding::{Encoding, Source, encode};
pub use error::FileError;
pub use framing::{Framing, LineForm};
pub use parquet::file::reader::ChunkReader;
pub use report::{Misfit, Progress, Summary};
pub use segments::Segments;
