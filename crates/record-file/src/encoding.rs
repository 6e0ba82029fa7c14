//! JSON lines, CSV or Parquet to a file of records.

use std::io::{BufRead, BufReader, Read, Write};

use parquet::file::reader::ChunkReader;

use crate::csv_form;
use crate::error::{FileError, RecordError};
use crate::framing::Framing;
use crate::parallel;
use crate::parquet_form;
use crate::report::{Misfit, Part, Progress, Summary};
use crate::segments::Segments;
use crate::table::{Row, Table};

/// Bytes of lines, and rows, that a thread converts at a time.
const BLOCK: usize = 1 << 20;
const ROWS: usize = 2000;

/// Where objects or rows come from.
pub enum Source<F> {
    /// A JSON object on each line; blank lines are passed over.
    JsonLines(Box<dyn Read + Send>),
    Csv(Box<dyn Read + Send>),
    Parquet(F),
}

/// How a file is encoded.
pub struct Encoding<'a> {
    pub segments: &'a Segments,
    pub framing: Framing,
    /// Objects that do not fit are left out and counted.
    pub is_lenient: bool,
    pub is_exact: bool,
    /// Columns that no item has are passed over.
    pub ignore_unknown: bool,
    pub threads: usize,
}

enum Piece {
    Lines {
        bytes: Vec<u8>,
        offset: u64,
    },
    /// With where each begins in the file, as far as that is known.
    Rows(Vec<(Row, u64)>),
}

struct Made {
    bytes: Vec<u8>,
    part: Part,
}

/// Reads all of the source and writes all of `output`. `watch` is called after each block.
///
/// # Errors
/// A stream fails; an object does not fit, and nothing is lenient.
pub fn encode<F: ChunkReader + 'static>(
    job: &Encoding<'_>,
    source: Source<F>,
    mut output: impl Write,
    mut watch: impl FnMut(Progress),
) -> Result<Summary, FileError> {
    let (mut feed, table) = Feed::begin(source, job)?;
    let mut summary = Summary::default();
    parallel::in_order(
        job.threads,
        || feed.next(),
        Vec::new,
        |json, piece| convert(job, table.as_ref(), piece, json),
        |Made { bytes, part }| {
            output.write_all(&bytes).map_err(FileError::Write)?;
            summary.written += bytes.len() as u64;
            let added = summary.add_part(part);
            watch(summary.progress());
            added
        },
    )?;
    output.flush().map_err(FileError::Write)?;
    Ok(summary)
}

/// The pieces of a source.
enum Feed {
    Lines { input: BufReader<Box<dyn Read + Send>>, offset: u64 },
    Csv { reading: csv_form::Reading<Box<dyn Read + Send>>, offset: u64 },
    Parquet(parquet_form::Reading),
}

impl Feed {
    /// With the table of the rows, where the source has rows.
    fn begin<F: ChunkReader + 'static>(
        source: Source<F>,
        job: &Encoding<'_>,
    ) -> Result<(Self, Option<Table>), FileError> {
        let table = || Table::new(job.segments.plans(), job.is_exact);
        Ok(match source {
            Source::JsonLines(input) => {
                (Self::Lines { input: BufReader::with_capacity(BLOCK, input), offset: 0 }, None)
            }
            Source::Csv(input) => {
                let table = table()?;
                let reading = csv_form::Reading::begin(input, &table, job.ignore_unknown)?;
                (Self::Csv { reading, offset: 0 }, Some(table))
            }
            Source::Parquet(input) => {
                let table = table()?;
                let reading = parquet_form::Reading::begin(input, &table, job.ignore_unknown)?;
                (Self::Parquet(reading), Some(table))
            }
        })
    }

    fn next(&mut self) -> Result<Option<Piece>, FileError> {
        match self {
            Self::Lines { input, offset } => {
                let mut bytes = Vec::with_capacity(BLOCK + BLOCK / 4);
                input.take(BLOCK as u64).read_to_end(&mut bytes).map_err(FileError::Read)?;
                input.read_until(b'\n', &mut bytes).map_err(FileError::Read)?;
                if bytes.is_empty() {
                    return Ok(None);
                }
                let begin = *offset;
                *offset += bytes.len() as u64;
                Ok(Some(Piece::Lines { bytes, offset: begin }))
            }
            Self::Csv { reading, offset } => {
                let mut rows = Vec::with_capacity(ROWS);
                while rows.len() < ROWS
                    && let Some((row, end)) = reading.next()?
                {
                    rows.push((row, *offset));
                    *offset = end;
                }
                Ok((!rows.is_empty()).then_some(Piece::Rows(rows)))
            }
            Self::Parquet(reading) => {
                let mut rows = Vec::with_capacity(ROWS);
                while rows.len() < ROWS
                    && let Some(row) = reading.next()?
                {
                    rows.push((row, 0));
                }
                Ok((!rows.is_empty()).then_some(Piece::Rows(rows)))
            }
        }
    }
}

fn convert(job: &Encoding<'_>, table: Option<&Table>, piece: Piece, json: &mut Vec<u8>) -> Made {
    let mut making = Making { job, record: Vec::new(), made: Made::default() };
    match piece {
        Piece::Lines { bytes, offset } => {
            making.made.part.read = bytes.len() as u64;
            let mut at = 0;
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                let place = offset + at as u64;
                at += line.len();
                if !line.trim_ascii().is_empty() && !making.add(place, || job.segments.of_json(line), line) {
                    break;
                }
            }
        }
        Piece::Rows(rows) => {
            let Some(table) = table else { return making.made };
            for (row, place) in rows {
                json.clear();
                let cell = |members: &[String]| {
                    table.column_of(&members.join(".")).and_then(|column| row[column].as_deref().map(str::to_owned))
                };
                let chosen = job.segments.of_row(cell).and_then(|plan| table.json(plan, &row, json).map(|()| plan));
                if !making.add(place, || chosen, json) {
                    break;
                }
            }
        }
    }
    making.made
}

impl Default for Made {
    fn default() -> Self {
        Self { bytes: Vec::with_capacity(BLOCK), part: Part::default() }
    }
}

struct Making<'a> {
    job: &'a Encoding<'a>,
    record: Vec<u8>,
    made: Made,
}

impl Making<'_> {
    /// Adds the record of an object; false: the work ends.
    fn add(&mut self, place: u64, plan: impl FnOnce() -> Result<usize, RecordError>, json: &[u8]) -> bool {
        let Self { job, record, made: Made { bytes, part } } = self;
        part.records += 1;
        record.clear();
        let written = plan().and_then(|plan| {
            job.segments.plans()[plan].encode(json, record)?;
            Ok(job.framing.write(record, bytes)?)
        });
        match written {
            Ok(()) => true,
            Err(error) if job.is_lenient => {
                part.left_out += 1;
                part.misfits.push(misfit(part.records, &error));
                true
            }
            Err(error) => {
                part.error = Some((part.records, place, error));
                false
            }
        }
    }
}

fn misfit(record: u64, error: &RecordError) -> Misfit {
    match error {
        RecordError::Data(data) => Misfit::of_value(record, data),
        other => Misfit { record, offset: 0, item: String::new(), problem: other.to_string() },
    }
}
