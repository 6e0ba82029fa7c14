//! A file of records to JSON lines, CSV or Parquet.

use std::io::{Read, Write};

use copybook::DataError;

use crate::buffers::Buffers;
use crate::csv_form;
use crate::error::{FileError, RecordError};
use crate::framing::{Framing, FramingError};
use crate::parallel;
use crate::parquet_form::{self, Values, Writing};
use crate::report::{Misfit, Part, Progress, Summary};
use crate::segments::Segments;
use crate::table::Table;

/// Bytes of a block; a row group of Parquet is one of many records.
const BLOCK: usize = 1 << 20;
const LONG_BLOCK: usize = 16 << 20;

/// What becomes of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A JSON object on each line.
    JsonLines,
    Csv,
    Parquet,
}

/// How a file is decoded.
pub struct Decoding<'a> {
    pub segments: &'a Segments,
    pub framing: Framing,
    pub target: Target,
    /// Values that do not fit are null, and records that cannot be read are left out; both are counted.
    pub is_lenient: bool,
    /// Values may be texts of bytes, so that all columns are texts.
    pub is_exact: bool,
    pub threads: usize,
}

/// A block of whole records.
struct Block {
    bytes: Vec<u8>,
    /// Where it begins in the file.
    offset: u64,
    /// What is wrong with the record behind it, with which the file ends.
    error: Option<FramingError>,
}

/// What a block became.
struct Made {
    result: Form,
    part: Part,
}

enum Form {
    Bytes(Vec<u8>),
    Columns(Vec<Values>),
}

/// Reads all of `input` and writes all of `output`. `watch` is called after each block.
///
/// # Errors
/// A stream fails; a record cannot be converted, and nothing is lenient.
pub fn decode<W: Write + Send>(
    job: &Decoding<'_>,
    input: impl Read + Send,
    mut output: W,
    mut watch: impl FnMut(Progress),
) -> Result<Summary, FileError> {
    let table = match job.target {
        Target::JsonLines => None,
        Target::Csv | Target::Parquet => Some(Table::new(job.segments.plans(), job.is_exact)?),
    };
    let mut summary = Summary::default();
    let step = if job.target == Target::Parquet { LONG_BLOCK } else { BLOCK };
    let buffers = Buffers::default();
    let mut blocks =
        Blocks { buffers: &buffers, input, framing: job.framing, step, rest: Vec::new(), offset: 0, is_at_end: false };
    let mut sink = match (&table, job.target) {
        (Some(table), Target::Parquet) => Sink::Parquet(Box::new(Writing::begin(&mut output, table)?)),
        (Some(table), Target::Csv) => {
            let header = csv_form::header(table)?;
            output.write_all(&header).map_err(FileError::Write)?;
            summary.written += header.len() as u64;
            Sink::Bytes(&mut output)
        }
        _ => Sink::Bytes(&mut output),
    };
    parallel::in_order(
        job.threads,
        || blocks.next(),
        Worker::default,
        |worker, block| worker.convert(job, table.as_ref(), block, &buffers),
        |Made { result, part }| {
            sink.write(result, &mut summary, &buffers)?;
            let added = summary.add_part(part);
            watch(summary.progress());
            added
        },
    )?;
    sink.end()?;
    Ok(summary)
}

enum Sink<'a, W: Write + Send> {
    Bytes(&'a mut W),
    Parquet(Box<Writing<&'a mut W>>),
}

impl<W: Write + Send> Sink<'_, W> {
    fn write(&mut self, form: Form, summary: &mut Summary, buffers: &Buffers) -> Result<(), FileError> {
        match (self, form) {
            (Self::Bytes(output), Form::Bytes(bytes)) => {
                summary.written += bytes.len() as u64;
                output.write_all(&bytes).map_err(FileError::Write)?;
                buffers.give(bytes);
                Ok(())
            }
            (Self::Parquet(parquet), Form::Columns(columns)) => Ok(parquet.add(columns)?),
            _ => Ok(()),
        }
    }

    fn end(self) -> Result<(), FileError> {
        match self {
            Self::Bytes(output) => output.flush().map_err(FileError::Write),
            Self::Parquet(parquet) => Ok(parquet.end()?),
        }
    }
}

/// Cuts a stream into blocks of whole records.
struct Blocks<'a, R> {
    buffers: &'a Buffers,
    input: R,
    framing: Framing,
    /// Bytes that are read at a time.
    step: usize,
    /// A record that has begun.
    rest: Vec<u8>,
    offset: u64,
    is_at_end: bool,
}

impl<R: Read> Blocks<'_, R> {
    fn next(&mut self) -> Result<Option<Block>, FileError> {
        while !self.is_at_end {
            let mut bytes = self.buffers.take(self.rest.len() + self.step);
            bytes.append(&mut self.rest);
            let limit = self.step as u64;
            let read = (&mut self.input).take(limit).read_to_end(&mut bytes).map_err(FileError::Read)?;
            self.is_at_end = (read as u64) < limit;
            let (whole, mut error) = match self.framing.whole(&bytes) {
                Ok(whole) => (whole, None),
                Err((whole, error)) => (whole, Some(error)),
            };
            let rest = bytes.split_off(whole);
            if error.is_some() {
                self.is_at_end = true;
            } else if self.is_at_end {
                match self.framing.last(&rest) {
                    Ok(last) => bytes.extend(last.unwrap_or_default()),
                    Err(problem) => error = Some(problem),
                }
            } else {
                self.rest = rest;
            }
            if !bytes.is_empty() || error.is_some() {
                let offset = self.offset;
                self.offset += bytes.len() as u64;
                return Ok(Some(Block { bytes, offset, error }));
            }
        }
        Ok(None)
    }
}

/// What one thread keeps.
#[derive(Default)]
struct Worker {
    json: Vec<u8>,
    room: Vec<u8>,
    problems: Vec<DataError>,
}

impl Worker {
    fn convert(&mut self, job: &Decoding<'_>, table: Option<&Table>, block: Block, buffers: &Buffers) -> Made {
        let mut part = Part { read: block.bytes.len() as u64, ..Part::default() };
        let mut json = std::mem::take(&mut self.json);
        let result = match (job.target, table) {
            (Target::Csv, Some(table)) => {
                let mut rows = csv_form::Rows::new(2 * block.bytes.len());
                self.each(job, &block, &mut part, &mut json, |plan, json| {
                    // Rows are written to memory.
                    let _ = rows.add(&table.cells(plan, json));
                    json.clear();
                });
                Form::Bytes(rows.into_bytes().unwrap_or_default())
            }
            (Target::Parquet, Some(table)) => {
                let mut columns = parquet_form::columns(table);
                self.each(job, &block, &mut part, &mut json, |plan, json| {
                    let cells = table.cells(plan, json);
                    columns.iter_mut().zip(&cells).for_each(|(column, cell)| column.add(*cell));
                    json.clear();
                });
                Form::Columns(columns)
            }
            _ => {
                let mut lines = buffers.take(2 * block.bytes.len());
                self.each(job, &block, &mut part, &mut lines, |_, lines| lines.push(b'\n'));
                Form::Bytes(lines)
            }
        };
        self.json = json;
        if part.error.is_none() {
            let end = block.offset + block.bytes.len() as u64;
            part.error = block.error.map(|error| (part.records + 1, end, error.into()));
        }
        buffers.give(block.bytes);
        Made { result, part }
    }

    /// Decodes each record of a block behind what is in `json`, and calls `done` with its plan.
    fn each(
        &mut self,
        job: &Decoding<'_>,
        block: &Block,
        part: &mut Part,
        json: &mut Vec<u8>,
        mut done: impl FnMut(usize, &mut Vec<u8>),
    ) {
        let Self { room, problems, .. } = self;
        let mut at = 0;
        // A block holds whole records.
        while let Ok(Some(frame)) = job.framing.frame(&block.bytes, at)
            && at < block.bytes.len()
        {
            part.records += 1;
            let record = job.framing.record(&block.bytes[frame.start..frame.end], room);
            let decoded = one(job, record, json, problems);
            part.misfits.extend(problems.drain(..).map(|problem| Misfit::of_value(part.records, &problem)));
            match decoded {
                Ok(plan) => done(plan, json),
                Err(error) if job.is_lenient => {
                    part.left_out += 1;
                    part.misfits.push(left_out(part.records, &error));
                }
                Err(error) => {
                    part.error = Some((part.records, block.offset + at as u64, error));
                    return;
                }
            }
            at = frame.next;
        }
    }
}

/// Decodes a record; gives the index of its plan.
fn one(
    job: &Decoding<'_>,
    record: &[u8],
    json: &mut Vec<u8>,
    problems: &mut Vec<DataError>,
) -> Result<usize, RecordError> {
    let plan = job.segments.of_record(record)?;
    let converter = &job.segments.plans()[plan];
    if job.is_lenient {
        converter.decode_leniently(record, json, problems)?;
    } else {
        converter.decode(record, json)?;
    }
    Ok(plan)
}

fn left_out(record: u64, error: &RecordError) -> Misfit {
    let offset = if let RecordError::Data(error) = error { error.offset } else { 0 };
    Misfit { record, offset, item: String::new(), problem: error.to_string() }
}
