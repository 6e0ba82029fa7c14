//! Rows as CSV (RFC 4180): a line of column names first; a blank text and no value are both empty.

use std::borrow::Cow;
use std::io::Read;

use crate::error::FileError;
use crate::table::{Cell, Row, Table};

/// The line of names.
pub(crate) fn header(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| column.name.as_str()))?;
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Rows of a block.
pub(crate) struct Rows(csv::Writer<Vec<u8>>);

impl Rows {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(csv::WriterBuilder::new().from_writer(Vec::with_capacity(capacity)))
    }

    pub(crate) fn add(&mut self, cells: &[Cell<'_>]) -> Result<(), csv::Error> {
        for cell in cells {
            match cell.text() {
                Some(text) => self.0.write_field(text.as_bytes())?,
                None => self.0.write_field(b"")?,
            }
        }
        self.0.write_record(None::<&[u8]>)
    }

    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, csv::Error> {
        self.0.into_inner().map_err(|error| error.into_error().into())
    }
}

/// Reads rows of a table.
pub(crate) struct Reading<R: Read> {
    reader: csv::Reader<R>,
    /// The table's column of each field.
    places: Vec<Option<usize>>,
    columns: usize,
}

impl<R: Read> Reading<R> {
    /// Reads the line of names.
    ///
    /// # Errors
    /// There is none, or a name is no column; `ignore_unknown` passes that over.
    pub(crate) fn begin(input: R, table: &Table, ignore_unknown: bool) -> Result<Self, FileError> {
        let mut reader = csv::ReaderBuilder::new().from_reader(input);
        let places = table.places(reader.headers()?, ignore_unknown)?;
        Ok(Self { reader, places, columns: table.columns.len() })
    }

    /// The next row, and where it ends in the file.
    pub(crate) fn next(&mut self) -> Result<Option<(Row, u64)>, FileError> {
        let mut record = csv::StringRecord::new();
        if !self.reader.read_record(&mut record)? {
            return Ok(None);
        }
        let mut row = vec![None; self.columns];
        for (field, place) in record.iter().zip(&self.places) {
            if let Some(column) = *place {
                row[column] = Some(Cow::Owned(field.to_owned()));
            }
        }
        Ok(Some((row, self.reader.position().byte())))
    }
}
